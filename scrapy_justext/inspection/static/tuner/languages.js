// The picker of languages: a list for each that was chosen, and one more to add another.
"use strict";

class Languages {
  /** `known`: names and codes of all languages that have stop words. */
  constructor(parent, choice, known) {
    this.parent = parent;
    this.choice = choice;
    this.known = known;
    /** The codes of the project's choice for the page that is shown. */
    this.own = [];
    this.lists = make("div", { class: "tn-lists" });
    this.lists.addEventListener("change", () => this.onChange());
    parent.append(this.lists, (this.reason = make("p", { class: "tn-help" })));
  }

  /** The codes of the chosen languages; none stand for any language. */
  get codes() {
    const { languages } = this.choice.now;
    if (languages === null) return this.own;
    return languages === "auto" ? [] : languages;
  }

  show(language, reason) {
    this.reason.textContent = `This page: ${this.nameOf(language)} (${reason})`;
    const wanted = JSON.stringify(this.codes);
    if (wanted === this.shown) return;
    this.shown = wanted;
    const { activeElement } = document;
    const focused = [...this.lists.children].indexOf(activeElement);
    const slots = [...this.codes, ""];
    this.lists.replaceChildren(...slots.map((code, i) => this.makeList(code, i)));
    this.lists.children[focused]?.focus();
  }

  makeList(code, number) {
    const none = number === 0 ? "any: detected on each page" : code ? "(none)" : "or another one…";
    const others = this.known.some((language) => language.code === code) || !code ? [] : [{ name: code, code }];
    const options = [{ name: none, code: "" }, ...this.known, ...others];
    const label = number === 0 ? "Language" : `Or language ${number + 1}`;
    const items = options.map((language) => make("option", { value: language.code }, language.name));
    const list = make("select", { "aria-label": label }, ...items);
    list.value = code;
    return list;
  }

  onChange() {
    const codes = [...this.lists.children].map((list) => list.value).filter(Boolean);
    this.choice.set({ languages: codes.length ? [...new Set(codes)] : "auto" });
  }

  nameOf(code) {
    return this.known.find((language) => language.code === code)?.name ?? code;
  }
}
