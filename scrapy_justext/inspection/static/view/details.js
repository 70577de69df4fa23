// All measurements of the current block, and the reason for its class in words.
"use strict";

class Details {
  constructor() {
    this.heading = make("h2", {});
    this.reason = make("p", { id: "jt-reason", class: "jt-reason" });
    this.classes = make("p", { class: "jt-classes" });
    /** For buttons of whoever uses the view. */
    this.actions = make("div", { class: "jt-actions" });
    this.deciding = make("dl", { class: "jt-deciding" });
    this.telling = make("dl", { class: "jt-telling" });
    this.element = make(
      "section",
      { class: "jt-details", "aria-label": "The chosen block", tabindex: "0" },
      this.heading,
      this.reason,
      this.classes,
      this.actions,
      this.deciding,
      this.telling,
    );
    this.clear();
  }

  clear() {
    this.element.removeAttribute("data-class");
    this.heading.textContent = "No block chosen";
    this.reason.textContent = "Point at a block, or move through the blocks with the arrow keys.";
    this.classes.textContent = "A click holds a block, Escape lets it go; / goes to the search.";
    this.actions.hidden = true;
    this.deciding.replaceChildren();
    this.telling.replaceChildren();
  }

  show(block, page, isHeld) {
    const { sign, label } = CLASSES[block.block_class];
    this.element.dataset.class = block.block_class;
    this.heading.replaceChildren(
      `Block ${block.index + 1} of ${formatCount(page.blocks.length)} `,
      make("span", { class: "jt-badge" }, `${sign} ${label}`),
      isHeld ? make("span", { class: "jt-held" }, "held: Esc lets go") : "",
    );
    this.reason.textContent = block.reason;
    this.classes.textContent = classesInWords(block);
    this.actions.hidden = false;
    this.deciding.replaceChildren(...DECIDING.flatMap((measurement) => this.makeDeciding(measurement, block, page)));
    this.telling.replaceChildren(...TELLING.flatMap((row) => this.makeTelling(row, block)));
  }

  makeDeciding(measurement, block, page) {
    const value = block[measurement.field];
    if (value == null) return [];
    const limits = page.limits[measurement.field] ?? [];
    const position = positionInWords(value, limits);
    return [
      make(
        "div",
        {},
        make("dt", {}, measurement.label),
        make("dd", {}, make("b", {}, measurement.format(value)), position ? `, ${position}` : ""),
        this.makeScale(value, limits.map((limit) => limit.value), measurement.scaleEnd),
      ),
    ];
  }

  /** Make a bar as long as the value is high, with a notch for each limit. */
  makeScale(value, limits, scaleEnd) {
    const end = scaleEnd(limits);
    const share = (length) => `${100 * Math.min(length / end, 1)}%`;
    const bar = make("span", { class: "jt-bar" });
    bar.style.inlineSize = share(value);
    const notches = limits.map((limit) => {
      const notch = make("span", { class: "jt-notch" });
      notch.style.insetInlineStart = share(limit);
      return notch;
    });
    return make("dd", { class: "jt-scale", "aria-hidden": "true" }, bar, ...notches);
  }

  makeTelling([field, label, format], block) {
    const value = block[field] == null ? null : format(block[field]);
    return value == null || value === "" ? [] : [make("div", {}, make("dt", {}, label), make("dd", {}, value))];
  }
}
