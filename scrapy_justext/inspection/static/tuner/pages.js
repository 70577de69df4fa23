// The table of the pages, with what the settings change on each.
"use strict";

class Pages {
  /** `open(number)` is called for the page that the user chooses. */
  constructor(parent, pages, open) {
    const names = pageNames(pages);
    this.rows = pages.map((page, number) => this.makeRow(page, names[number], () => open(number)));
    parent.append(...this.rows.map((row) => row.element));
  }

  makeRow(page, name, open) {
    const button = make("button", { type: "button", title: page.url ?? page.name }, name);
    button.addEventListener("click", open);
    const cells = Array.from({ length: 4 }, () => make("td"));
    return { button, cells, element: make("tr", {}, make("th", { scope: "row" }, button), ...cells) };
  }

  select(number) {
    this.rows.forEach((row, i) => row.button.setAttribute("aria-current", String(i === number)));
  }

  show(answer) {
    const { cells } = this.rows[answer.page];
    const texts = [
      answer.problem ? "not cleaned" : changeInWords(answer.good_before, answer.good_after),
      changeInWords(answer.characters_before, answer.characters_after),
      changedInWords(answer),
      answer.marks.length ? `${answer.marks_met} of ${answer.marks.length}` : "–",
    ];
    texts.forEach((text, i) => (cells[i].textContent = text));
    cells[0].title = answer.problem ?? "";
    cells[2].dataset.changed = answer.gained + answer.lost > 0;
    cells[3].dataset.missed = answer.marks_met < answer.marks.length;
  }
}

function changeInWords(before, after) {
  return before === after ? formatCount(after) : `${formatCount(before)} → ${formatCount(after)}`;
}

function changedInWords({ gained, lost }) {
  return gained || lost ? `+${formatCount(gained)} −${formatCount(lost)}` : "–";
}
