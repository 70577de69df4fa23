// The page as bands, one for each block, as wide as its text is long.  The class shows in colour and height.
"use strict";

class Strip {
  constructor(choose) {
    this.choose = choose;
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.marker = make("div", { class: "jt-marker", hidden: true });
    this.element = make(
      "div",
      { class: "jt-strip", role: "slider", tabindex: "0", "aria-label": "Position in the page", "aria-valuemin": "1" },
      this.canvas,
      this.marker,
    );
    this.element.addEventListener("click", (event) => this.choose(this.blockAt(event), "strip"));
    this.element.addEventListener("pointermove", (event) => {
      const block = this.page?.blocks[this.blockAt(event)];
      this.element.title = block ? `${block.index + 1}: ${block.text.slice(0, 80)}` : "";
    });
    new ResizeObserver(() => this.draw()).observe(this.element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  open(page) {
    this.page = page;
    let end = 0;
    // A block without characters, such as an image, has a band, too.
    this.ends = page.blocks.map((block) => (end += Math.max(block.characters, 1)));
    this.shown = null;
    setAttributes(this.element, { "aria-valuemax": Math.max(page.blocks.length, 1), "aria-disabled": !end });
    this.select(-1);
  }

  filter(shown) {
    this.shown = shown;
    this.draw();
  }

  select(index) {
    const block = this.page.blocks[index];
    setAttributes(this.element, {
      "aria-valuenow": Math.max(index + 1, 1),
      "aria-valuetext": block ? `block ${index + 1}, ${CLASSES[block.block_class].label}` : "no block chosen",
    });
    this.marker.hidden = !block;
    if (!block) return;
    const start = this.ends[index - 1] ?? 0;
    const total = this.ends[this.ends.length - 1];
    // The strip has a margin around the bands.
    this.marker.style.left = `calc(${start / total} * (100% - 8px) + 2px)`;
    this.marker.style.width = `calc(${(this.ends[index] - start) / total} * (100% - 8px) + 4px)`;
  }

  blockAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    const position = share * this.ends[this.ends.length - 1];
    const index = this.ends.findIndex((end) => end > position);
    return index < 0 ? this.ends.length - 1 : index;
  }

  /** Draw once for all that happens in a frame. */
  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.paint();
    });
  }

  paint() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!this.page || !width) return;
    const ratio = devicePixelRatio || 1;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const context = this.canvas.getContext("2d");
    const style = getComputedStyle(this.element);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    context.scale(ratio, ratio);
    // Final classes stand above, those that the blocks' own texts earned below.
    const lanes = [
      { field: "block_class", top: 0, size: height * 0.62 },
      { field: "context_free_class", top: height * 0.7, size: height * 0.3 },
    ];
    const total = this.ends[this.ends.length - 1] || 1;
    for (const { field, top, size } of lanes) {
      let start = 0;
      this.page.blocks.forEach((block, i) => {
        const left = (start / total) * width;
        const right = (this.ends[i] / total) * width;
        const bandHeight = size * CLASSES[block[field]].height;
        // A gap between bands, where there is room for it.
        const bandWidth = Math.max(right - left - (right - left > 3 ? 1 : 0), 0.5);
        context.globalAlpha = this.shown && !this.shown[i] ? 0.2 : 1;
        context.fillStyle = colour(block[field].replace("_", "-"));
        context.fillRect(left, top + size - bandHeight, bandWidth, bandHeight);
        start = this.ends[i];
      });
    }
  }
}
