// The report: shows one page at a time of those that the file holds.
"use strict";

{
  const pages = [...document.querySelectorAll("script.page")];
  const main = document.querySelector("main");
  const view = new BlockView(main);

  // Of a language that was given, the reason is the same word.
  const why = (page) => [...new Set([page.language_source, page.language_reason])].join(": ");

  const about = (page) =>
    [
      page.url,
      page.profile ? `profile ${page.profile}` : null,
      page.language ? `language ${page.language}, ${why(page)}` : null,
      page.opinion,
      ...page.notes,
    ].filter(Boolean).join(" · ");

  const picker = document.querySelector("#picker select");
  const named = pages.map(({ dataset }) => ({ name: dataset.name, title: dataset.title }));

  const open = (number) => {
    const page = JSON.parse(pages[number].textContent);
    document.querySelector("#title").textContent = page.title || page.name;
    document.querySelector("#about").textContent = about(page);
    picker.title = named[number].name;
    view.open(page);
  };

  pageNames(named).forEach((name, i) => picker.append(make("option", { value: i, title: named[i].name }, name)));
  picker.parentElement.hidden = pages.length < 2;
  picker.addEventListener("change", () => open(Number(picker.value)));
  main.querySelector("noscript").remove();
  if (pages.length) open(0);
}
