// Marks blocks: whether a class is right or wrong.
"use strict";

const MARKS = { right: { label: "right", key: "r" }, wrong: { label: "wrong", key: "w" } };

class Marking {
  /** `save(index, mark)` is called for each mark of the user. */
  constructor(view, save) {
    this.view = view;
    this.save = save;
    this.marks = new Map();
    this.buttons = Object.keys(MARKS).map((name) => this.makeButton(name));
    // Nothing inside an option can have the focus: these are for the pointer, beside buttons and keys that do the same.
    this.quick = make("span", { class: "tn-quick", "aria-hidden": "true" }, ...Object.keys(MARKS).map(makeQuick));
    this.meaning = make("p", { class: "tn-meaning" });
    view.actions.append(make("span", {}, "This class is "), ...this.buttons, this.meaning);
    view.list.element.addEventListener("click", (event) => this.onQuick(event), { capture: true });
    view.addEventListener("choose", () => this.update());
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  makeButton(name) {
    const { label, key } = MARKS[name];
    const button = make("button", { type: "button", "data-mark": name, "aria-keyshortcuts": key }, label);
    button.addEventListener("click", () => this.toggle(name));
    return button;
  }

  /** Show marks: pairs of a block's index and whether the block is content. */
  show(marks) {
    for (const index of this.marks.keys()) this.view.row(index)?.removeAttribute("data-mark");
    this.marks = new Map(marks);
    for (const index of this.marks.keys()) this.view.row(index)?.setAttribute("data-mark", this.of(index));
    this.update();
  }

  /** Return whether the class that a marked block has now is right or wrong; null for a block without a mark. */
  of(index) {
    if (!this.marks.has(index)) return null;
    const isGood = this.view.page.blocks[index].block_class === "good";
    return isGood === this.marks.get(index) ? "right" : "wrong";
  }

  /** Show the mark of the current block on the buttons. */
  update() {
    const block = this.view.current;
    const mark = block && this.of(block.index);
    for (const button of [...this.buttons, ...this.quick.children]) {
      button.setAttribute("aria-pressed", String(button.dataset.mark === mark));
    }
    this.meaning.textContent = mark ? `Marked as ${this.marks.get(block.index) ? "content" : "boilerplate"}` : "";
    if (block) this.view.row(block.index).append(this.quick);
    else this.quick.remove();
  }

  toggle(mark) {
    const block = this.view.current;
    if (block) this.save(block.index, this.of(block.index) === mark ? null : mark);
  }

  onQuick(event) {
    const button = event.target.closest(".tn-quick button");
    if (!button) return;
    event.stopPropagation();
    this.toggle(button.dataset.mark);
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.target.closest?.("input:not([type=checkbox]), textarea, select")) return;
    const found = Object.entries(MARKS).find(([, { key }]) => key === event.key);
    if (found) this.toggle(found[0]);
  }
}

function makeQuick(name) {
  const { label, key } = MARKS[name];
  return make("button", { type: "button", tabindex: "-1", "data-mark": name, title: `${label} (${key})` }, key);
}
