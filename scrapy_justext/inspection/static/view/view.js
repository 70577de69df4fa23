// The view of a page: list, strip, measurements and rendering, which all show the same current block.
"use strict";

/**
 * Sends "choose" (detail: the block, or null) when another block becomes the current one.
 *
 *   const view = new BlockView(document.querySelector("main"));
 *   view.open(page);        // what `page_view` made of a page
 *   view.show(blocks);      // some or all of its blocks with other classes and reasons
 *   view.actions.append(…)  // buttons beside the measurements of the current block
 */
class BlockView extends EventTarget {
  constructor(parent) {
    super();
    const choose = (index, how) => this.choose(index, how);
    this.list = new BlockList(choose);
    this.strip = new Strip(choose);
    this.frame = new PageFrame(choose, (event) => this.onShortcut(event));
    this.details = new Details();
    this.actions = this.details.actions;
    this.isHeld = false;
    this.counts = make("p", { class: "jt-counts" });
    this.element = make(
      "div",
      { class: "jt-view", "data-tab": "blocks" },
      this.makeTop(),
      make("div", { class: "jt-blocks" }, this.list.none, this.list.element),
      make("div", { class: "jt-page" }, this.frame.element),
      this.details.element,
    );
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    document.addEventListener("keydown", (event) => this.onShortcut(event));
    parent.append(this.element);
  }

  /** Show another page. */
  open(page) {
    this.page = page;
    this.isHeld = false;
    this.list.open(page);
    this.strip.open(page);
    this.frame.open(page);
    this.details.clear();
    this.filter();
    this.list.scrollToGood();
  }

  /** Show new classes of the same page. */
  show(blocks) {
    for (const block of blocks) Object.assign(this.page.blocks[block.index], block);
    this.list.update(blocks.map((block) => this.page.blocks[block.index]));
    this.frame.update(blocks);
    this.filter();
    if (this.current) this.details.show(this.current, this.page, this.isHeld);
  }

  /** Compare the measurements with other limits. */
  setLimits(limits) {
    this.page.limits = limits;
    if (this.current) this.details.show(this.current, this.page, this.isHeld);
  }

  /** The current block; null where none was chosen. */
  get current() {
    return this.page?.blocks[this.list.current] ?? null;
  }

  /** Return the list's row of a block. */
  row(index) {
    return this.list.rows[index];
  }

  choose(index, how) {
    const isPointing = how === "point" || how === "frame-point";
    if (this.isHeld && isPointing) return;
    const isClick = how.endsWith("click");
    this.isHeld = isClick ? !(this.isHeld && index === this.list.current) : this.isHeld;
    this.select(index, { list: how !== "point" && how !== "click", frame: !how.startsWith("frame") });
  }

  /** Make a block the current one, and scroll to it where asked to. */
  select(index, { list = true, frame = true } = {}) {
    this.list.select(index, { scroll: list, isHeld: this.isHeld });
    this.strip.select(index);
    this.frame.select(index, { scroll: frame });
    if (this.current) this.details.show(this.current, this.page, this.isHeld);
    this.dispatchEvent(new CustomEvent("choose", { detail: this.current }));
  }

  /** Make what stands above the blocks: counts, search, strip, filters. */
  makeTop() {
    this.search = make("input", { type: "search", placeholder: "Search the blocks", "aria-label": "Search the blocks" });
    this.found = make("span", { class: "jt-found", role: "status" });
    /** The boxes of each filter by the values that they stand for; a filter is called as the field of a block. */
    this.boxes = { block_class: new Map(), context_free_class: new Map(), kind: new Map() };
    const group = (legend, field, names, label) =>
      make("fieldset", {}, make("legend", {}, legend), ...names.map((name) => this.makeBox(name, this.boxes[field], label)));
    const top = make(
      "form",
      { class: "jt-top", role: "search" },
      make("div", { class: "jt-search" }, this.counts, this.found, this.search),
      this.strip.element,
      make(
        "div",
        { class: "jt-tools" },
        group("Class", "block_class", FINAL_CLASSES, makeBadge),
        group("By its own text", "context_free_class", Object.keys(CLASSES), makeBadge),
        group("Kind", "kind", Object.keys(KINDS), (name) => make("span", { title: KINDS[name] }, name)),
      ),
      this.makeTabs(),
    );
    top.addEventListener("input", () => this.filter());
    top.addEventListener("submit", (event) => {
      event.preventDefault();
      this.list.element.focus();
      this.list.move(1);
    });
    return top;
  }

  makeBox(name, boxes, makeLabel) {
    const box = make("input", { type: "checkbox", checked: true });
    const count = make("span", { class: "jt-count" });
    const label = make("label", {}, box, makeLabel(name), count);
    boxes.set(name, { box, count, label });
    return label;
  }

  makeTabs() {
    const tab = (name, label) =>
      make("button", { type: "button", "data-tab": name, "aria-pressed": String(name === "blocks") }, label);
    const tabs = make("div", { class: "jt-tabs", role: "group", "aria-label": "Show" });
    tabs.append(tab("blocks", "Blocks"), tab("page", "Page"));
    tabs.addEventListener("click", (event) => {
      const name = event.target.dataset.tab;
      if (!name) return;
      this.element.dataset.tab = name;
      for (const button of tabs.children) button.setAttribute("aria-pressed", String(button.dataset.tab === name));
      this.frame.select(this.list.current, { scroll: true });
    });
    return tabs;
  }

  filter() {
    const ticked = (boxes) => new Set([...boxes].filter(([, { box }]) => box.checked).map(([name]) => name));
    const wanted = Object.entries(this.boxes).map(([field, boxes]) => [field, ticked(boxes)]);
    const shown = this.list.filter(wanted, this.search.value);
    this.strip.filter(this.list.shown);
    this.count(shown);
  }

  count(shown) {
    const { blocks } = this.page;
    for (const [field, boxes] of Object.entries(this.boxes)) {
      const counts = countBlocks(blocks, field, [...boxes.keys()]);
      for (const [name, { count, label }] of boxes) {
        count.textContent = formatCount(counts[name]);
        // Few pages have blocks of each kind, so the filter offers those that are there.
        label.hidden = field === "kind" && !counts[name];
      }
    }
    const good = blocks.filter((block) => block.block_class === "good");
    const charactersOf = (some) => some.reduce((sum, block) => sum + block.characters, 0);
    const share = Math.round((100 * charactersOf(good)) / Math.max(charactersOf(blocks), 1));
    this.counts.textContent =
      `${formatCount(good.length)} of ${formatCount(blocks.length)} blocks are good: ` +
      `${formatCount(charactersOf(good))} of ${formatCount(charactersOf(blocks))} characters, ${share} %`;
    this.found.textContent =
      shown === blocks.length ? "" : `${formatCount(shown)} of ${formatCount(blocks.length)} blocks`;
  }

  /** Obey keys in the list and on the strip. */
  onKey(event) {
    const inList = this.list.element.contains(event.target);
    const inStrip = this.strip.element.contains(event.target);
    if (!(inList || inStrip) || event.ctrlKey || event.altKey || event.metaKey) return;
    const steps = { ArrowDown: 1, ArrowRight: 1, j: 1, ArrowUp: -1, ArrowLeft: -1, k: -1, PageDown: 10, PageUp: -10 };
    if (event.key in steps) this.list.move(steps[event.key]);
    else if (event.key === "Home" || event.key === "End") this.list.jump(event.key === "End");
    else if (event.key === "Enter" || event.key === " ") this.hold(!this.isHeld);
    else return;
    event.preventDefault();
  }

  hold(isHeld) {
    if (!this.current) return;
    this.isHeld = isHeld;
    this.select(this.list.current);
  }

  /** Obey keys anywhere on the page, but where somebody writes. */
  onShortcut(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.page) return;
    if (event.key === "Escape") {
      if (this.isHeld && !(event.target === this.search && this.search.value)) this.hold(false);
    } else if (!event.target.closest?.("input:not([type=checkbox]), textarea, select")) {
      if (event.key === "/") {
        event.preventDefault();
        this.search.focus();
      } else if ((event.key === "j" || event.key === "k") && !event.defaultPrevented) {
        this.list.move(event.key === "j" ? 1 : -1);
      }
    }
  }
}

function makeBadge(name) {
  const { sign, label } = CLASSES[name];
  return make("span", { class: "jt-badge", "data-class": name }, `${sign} ${label}`);
}
