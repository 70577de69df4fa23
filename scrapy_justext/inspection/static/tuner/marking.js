// Marks: whether a block's class is right or wrong.
"use strict";

const MARKS = { right: { label: "right", key: "r" }, wrong: { label: "wrong", key: "w" } };

class Marking {
  /** `save(index, mark)` is called for what the user marks. */
  constructor(view, save) {
    this.view = view;
    this.save = save;
    this.marks = new Map();
    this.buttons = Object.keys(MARKS).map((name) => this.makeButton(name));
    // Inside of an option nothing can be focused: for the pointer alone, beside buttons and keys that do the same.
    this.quick = make("span", { class: "tn-quick", "aria-hidden": "true" }, ...Object.keys(MARKS).map(makeQuick));
    this.said = make("p", { class: "tn-said" });
    view.actions.append(make("span", {}, "This class is "), ...this.buttons, this.said);
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

  /** `marks`: pairs of the index of a block, and whether it is content. */
  show(marks) {
    for (const index of this.marks.keys()) this.view.row(index)?.removeAttribute("data-mark");
    this.marks = new Map(marks);
    for (const index of this.marks.keys()) this.view.row(index)?.setAttribute("data-mark", this.of(index));
    this.update();
  }

  /** The mark of a block as its class is now: what is content is right where it is good. */
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
    this.said.textContent = mark ? `Marked as ${this.marks.get(block.index) ? "content" : "boilerplate"}` : "";
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
