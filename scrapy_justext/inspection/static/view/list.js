// The blocks in reading order, as a list box; one of them is the current one.
"use strict";

/** Rows in a group; browsers lay out and paint only the groups that are in sight. */
const GROUP_ROWS = 50;
/** Hits of the search that are marked at once, at the most: more than a screen can show. */
const MOST_HITS = 20_000;
/** Estimate the height of a row in pixels; it stands for the rows of a group that is not laid out yet. */
const rowHeight = (block) =>
  14 + 22 * Math.max(Math.ceil(block.characters / 60), LINED.has(block.kind) ? block.text.split("\n").length : 1);
/** Kinds of blocks whose text has lines. */
const LINED = new Set(["code", "table"]);

class BlockList {
  /** `choose(index, how)` is called for what the user points at, clicks or moves to. */
  constructor(choose) {
    this.choose = choose;
    this.rows = [];
    this.groups = [];
    this.current = -1;
    this.element = make("div", {
      class: "jt-list",
      role: "listbox",
      tabindex: "0",
      "aria-label": "Blocks of the page",
    });
    this.none = make("p", { class: "jt-none", hidden: true });
    // The search may have hundreds of thousands of hits, so only those of the rows in sight are marked.
    this.inSight = new Set();
    this.wanted = "";
    this.sight = new IntersectionObserver((entries) => this.onSight(entries));
    this.pointer = "";
    this.element.addEventListener("pointermove", (event) => this.onPoint(event));
    this.element.addEventListener("click", (event) => this.onRow(event, "click"));
    // A press of the pointer chooses a block, so the focus that comes with it must not.
    this.isPressed = false;
    this.element.addEventListener("pointerdown", () => (this.isPressed = true));
    document.addEventListener("pointerup", () => (this.isPressed = false));
    this.element.addEventListener("focus", () => {
      if (this.current < 0 && !this.isPressed) this.move(1);
    });
  }

  /** Build the list anew. */
  open(page) {
    this.blocks = page.blocks;
    this.lower = page.blocks.map((block) => block.text.toLowerCase());
    this.rows = page.blocks.map((block) => this.makeRow(block, page.language));
    this.current = -1;
    this.groups = Array.from({ length: Math.ceil(this.rows.length / GROUP_ROWS) }, (_, group) =>
      make("ul", { class: "jt-group", role: "none" }, ...this.rows.slice(group * GROUP_ROWS, (group + 1) * GROUP_ROWS)),
    );
    this.element.replaceChildren(...this.groups);
    this.sight.disconnect();
    this.inSight.clear();
    for (const group of this.groups) this.sight.observe(group);
    this.element.removeAttribute("aria-activedescendant");
  }

  makeRow(block, language) {
    const text = { class: "jt-text", dir: block.kind === "code" ? "ltr" : "auto", lang: language === "und" ? null : language };
    const row = make(
      "li",
      { role: "option", id: `jt-block-${block.index}`, "data-index": block.index, "aria-selected": "false" },
      make(
        "span",
        { class: "jt-labels" },
        make("span", { class: "jt-badge" }),
        block.kind === "text" ? null : make("span", { class: "jt-kind" }, kindInWords(block)),
      ),
      make("span", text, ...(block.kind === "table" ? makeGrid(block.text) : [block.text || "(image without a description)"])),
    );
    row.dataset.kind = block.kind;
    if (block.heading_level) row.dataset.heading = block.heading_level;
    this.label(row, block);
    return row;
  }

  /** Show the classes of a block on its row. */
  label(row, block) {
    const { sign, label } = CLASSES[block.block_class];
    const isOwn = block.context_free_class === block.block_class;
    row.dataset.class = block.block_class;
    row.dataset.own = block.context_free_class;
    row.querySelector(".jt-badge").textContent = isOwn
      ? `${sign} ${label}`
      : `${sign} ${label} ← ${CLASSES[block.context_free_class].label}`;
  }

  /** Show the new classes of some blocks. */
  update(blocks) {
    for (const block of blocks) this.label(this.rows[block.index], block);
  }

  /** Show the blocks that match, hide the others: `fields` are pairs of a field and its values, `text` is searched for. */
  filter(fields, text) {
    const wanted = text.toLowerCase();
    this.shown = this.blocks.map(
      (block, i) => fields.every(([field, values]) => values.has(block[field])) && this.lower[i].includes(wanted),
    );
    this.rows.forEach((row, i) => {
      if (row.hidden === this.shown[i]) row.hidden = !this.shown[i];
    });
    this.measure();
    this.wanted = wanted;
    this.highlight();
    const count = this.shown.filter(Boolean).length;
    this.none.hidden = count > 0;
    this.none.textContent = this.blocks.length ? "No block matches" : "The page has no blocks";
    return count;
  }

  /** Estimate the heights of the groups with the rows that they show. */
  measure() {
    const heights = new Float64Array(this.groups.length);
    this.blocks.forEach((block, i) => {
      if (this.shown[i]) heights[Math.floor(i / GROUP_ROWS)] += rowHeight(block);
    });
    this.groups.forEach((group, i) => {
      group.hidden = !heights[i];
      group.style.containIntrinsicBlockSize = `${heights[i]}px`;
    });
  }

  onSight(entries) {
    for (const { target, isIntersecting } of entries) {
      if (target.matches(".jt-group")) this.watch(target, isIntersecting);
      else if (isIntersecting) this.inSight.add(target);
      else this.inSight.delete(target);
    }
    if (this.wanted) this.highlight();
  }

  /** Watch the rows of a group while the group is in sight. */
  watch(group, isInSight) {
    for (const row of group.children) {
      if (isInSight) this.sight.observe(row);
      else {
        this.sight.unobserve(row);
        this.inSight.delete(row);
      }
    }
  }

  /** Mark the hits of the search, in browsers that can; others still filter. */
  highlight() {
    if (!globalThis.CSS?.highlights) return;
    CSS.highlights.delete("jt-hit");
    if (!this.wanted) return;
    const hits = new Highlight();
    for (const row of this.inSight) this.addHits(hits, row);
    CSS.highlights.set("jt-hit", hits);
  }

  addHits(hits, row) {
    const index = Number(row.dataset.index);
    const { lower, wanted } = this;
    // Lower case may have another length, as in Turkish: then positions do not fit.
    if (!this.shown[index] || lower[index].length !== this.blocks[index].text.length) return;
    const texts = new TextNodes(row.children[1]);
    let start = lower[index].indexOf(wanted);
    while (start >= 0 && hits.size < MOST_HITS) {
      const end = start + wanted.length;
      const [startContainer, startOffset] = texts.find(start);
      const [endContainer, endOffset] = texts.find(end);
      hits.add(new StaticRange({ startContainer, startOffset, endContainer, endOffset }));
      start = lower[index].indexOf(wanted, end);
    }
  }

  /** Make a block the current one; `scroll` to it unless the user pointed at it in the list itself. */
  select(index, { scroll, isHeld }) {
    const row = this.rows[index];
    if (this.current !== index) {
      const before = this.rows[this.current];
      if (before) setAttributes(before, { "aria-selected": "false", "aria-describedby": null });
      this.current = index;
    }
    this.element.toggleAttribute("data-held", isHeld);
    if (!row) return;
    setAttributes(row, { "aria-selected": "true", "aria-describedby": "jt-reason" });
    this.element.setAttribute("aria-activedescendant", row.id);
    if (scroll) row.scrollIntoView({ block: "nearest" });
  }

  /** Begin with the first good block: menus and banners may fill several screens. */
  scrollToGood() {
    const row = this.rows[this.blocks.findIndex((block) => block.block_class === "good")];
    this.element.scrollTop = 0;
    // The heights of what is not laid out yet are estimates, until it is in sight.
    for (let i = 0; row && i < 3; i += 1) {
      this.element.scrollTop += row.getBoundingClientRect().top - this.element.getBoundingClientRect().top;
    }
  }

  /** Return the index of the shown block that is `by` shown blocks away, or of the last one before the end. */
  neighbour(by) {
    const step = Math.sign(by);
    let found = this.current;
    let left = Math.abs(by);
    for (let i = this.current + step; i >= 0 && i < this.rows.length && left; i += step) {
      if (this.shown[i]) {
        found = i;
        left -= 1;
      }
    }
    return found;
  }

  move(by) {
    const index = this.neighbour(by);
    if (index >= 0 && index !== this.current) this.choose(index, "key");
  }

  /** Go to the first or the last shown block. */
  jump(toEnd) {
    const index = toEnd ? this.shown.lastIndexOf(true) : this.shown.indexOf(true);
    if (index >= 0) this.choose(index, "key");
  }

  onPoint(event) {
    // Browsers send these events also when the list scrolls under a pointer that rests.
    const pointer = `${event.clientX} ${event.clientY}`;
    if (pointer === this.pointer) return;
    this.pointer = pointer;
    this.onRow(event, "point");
  }

  onRow(event, how) {
    const row = event.target.closest("[data-index]");
    if (row) this.choose(Number(row.dataset.index), how);
  }
}

/** Return what a block is, with the language of code. */
function kindInWords(block) {
  return block.code_language ? `${block.kind}: ${block.code_language}` : block.kind;
}

/** Make the rows and cells of a table's text; tabs and line feeds stay between them, so that the text is the same. */
function makeGrid(text) {
  const makeRow = (line) => {
    const cells = line.split("\t").map((cell) => make("span", { class: "jt-cell" }, cell));
    return make("span", { class: "jt-row" }, ...cells.flatMap((cell, i) => (i ? ["\t", cell] : [cell])));
  };
  return text.split("\n").map(makeRow).flatMap((row, i) => (i ? ["\n", row] : [row]));
}

/** Finds places in the text of an element among the text nodes that hold it; asked for in ascending order. */
class TextNodes {
  constructor(element) {
    this.walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    this.node = this.walker.nextNode();
    this.start = 0;
  }

  /** Return the node that holds a position, and the offset in it. */
  find(position) {
    while (position > this.start + this.node.length) {
      this.start += this.node.length;
      this.node = this.walker.nextNode();
    }
    return [this.node, position - this.start];
  }
}
