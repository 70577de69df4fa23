// The page's own rendering, in a frame that runs nothing and loads nothing.  Blocks are outlined in it from outside.
"use strict";

class PageFrame {
  /** `onKey` is called for the keys that are pressed inside the frame. */
  constructor(choose, onKey) {
    this.choose = choose;
    this.onKey = onKey;
    // Same origin, or it could not be outlined from here; without allow-scripts nothing in it runs.
    this.element = make("iframe", {
      class: "jt-frame",
      sandbox: "allow-same-origin",
      title: "The page's own rendering, without its styles, images and scripts",
    });
    this.marks = new Map();
    this.current = -1;
    this.pointer = "";
    this.element.addEventListener("load", () => this.onLoad());
  }

  open(page) {
    this.page = page;
    this.current = -1;
    this.marks = new Map();
    this.element.removeAttribute("data-focused");
    this.element.srcdoc = page.rendering;
  }

  onLoad() {
    this.document = this.element.contentDocument;
    if (!this.document || !this.page) return;
    for (const mark of this.document.querySelectorAll("[data-block]")) {
      const index = Number(mark.dataset.block);
      if (!this.marks.has(index)) this.marks.set(index, []);
      this.marks.get(index).push(mark);
    }
    this.update(this.page.blocks);
    // Browsers do not match :focus for a frame with the focus in it.
    const view = this.element.contentWindow;
    view.addEventListener("focus", () => this.element.toggleAttribute("data-focused", true));
    view.addEventListener("blur", () => this.element.toggleAttribute("data-focused", false));
    this.document.addEventListener("pointermove", (event) => this.onPoint(event));
    this.document.addEventListener("click", (event) => this.onMark(event, "frame-click"));
    this.document.addEventListener("keydown", this.onKey);
    this.select(this.current, { scroll: true });
  }

  update(blocks) {
    for (const block of blocks) {
      for (const mark of this.marks.get(block.index) ?? []) mark.dataset.class = block.block_class;
    }
  }

  select(index, { scroll }) {
    for (const mark of this.marks.get(this.current) ?? []) mark.removeAttribute("data-current");
    this.current = index;
    const marks = this.marks.get(index) ?? [];
    for (const mark of marks) mark.setAttribute("data-current", "");
    if (scroll && marks.length) this.scrollTo(marks[0]);
  }

  /** Scroll the frame alone: an element's own scrollIntoView would move the page around the frame, too. */
  scrollTo(mark) {
    const view = this.document.scrollingElement;
    const box = mark.getBoundingClientRect();
    const room = view.clientHeight;
    if (box.top >= 0 && box.bottom <= room) return;
    view.scrollTo({
      top: view.scrollTop + box.top - Math.max((room - box.height) / 2, 24),
      behavior: prefersLessMotion() ? "auto" : "smooth",
    });
  }

  onPoint(event) {
    const pointer = `${event.screenX} ${event.screenY}`;
    if (pointer === this.pointer) return;
    this.pointer = pointer;
    this.onMark(event, "frame-point");
  }

  onMark(event, how) {
    const mark = event.target.closest?.("[data-block]");
    if (mark) this.choose(Number(mark.dataset.block), how);
  }
}
