// Every figure of the current block, and the reason for its class in words.
"use strict";

class Details {
  constructor() {
    this.heading = make("h2", {});
    this.reason = make("p", { id: "jt-reason", class: "jt-reason" });
    this.way = make("p", { class: "jt-way" });
    /** For buttons of whoever uses the view. */
    this.actions = make("div", { class: "jt-actions" });
    this.figures = make("dl", { class: "jt-figures" });
    this.others = make("dl", { class: "jt-others" });
    this.element = make(
      "section",
      { class: "jt-details", "aria-label": "The chosen block", tabindex: "0" },
      this.heading,
      this.reason,
      this.way,
      this.actions,
      this.figures,
      this.others,
    );
    this.clear();
  }

  clear() {
    this.element.removeAttribute("data-class");
    this.heading.textContent = "No block chosen";
    this.reason.textContent = "Point at a block, or move through the blocks with the arrow keys.";
    this.way.textContent = "A click holds a block, Escape lets it go; / goes to the search.";
    this.actions.hidden = true;
    this.figures.replaceChildren();
    this.others.replaceChildren();
  }

  show(block, page, isPinned) {
    const { sign, label } = CLASSES[block.block_class];
    this.element.dataset.class = block.block_class;
    this.heading.replaceChildren(
      `Block ${block.index + 1} of ${formatCount(page.blocks.length)} `,
      make("span", { class: "jt-badge" }, `${sign} ${label}`),
      isPinned ? make("span", { class: "jt-held" }, "held: Esc lets go") : "",
    );
    this.reason.textContent = block.reason;
    this.way.textContent = wayInWords(block);
    this.actions.hidden = false;
    this.figures.replaceChildren(...DECIDING.flatMap((figure) => this.deciding(figure, block, page)));
    this.others.replaceChildren(...TELLING.flatMap((row) => this.telling(row, block)));
  }

  deciding(figure, block, page) {
    const value = block[figure.field];
    if (value == null) return [];
    const said = figureInWords(figure, value, page);
    return [
      make(
        "div",
        {},
        make("dt", {}, figure.label),
        make("dd", {}, make("b", {}, figure.format(value)), said ? `, ${said}` : ""),
        this.scale(figure, value, page),
      ),
    ];
  }

  /** A bar as long as the figure is high, with a notch for each threshold. */
  scale(figure, value, page) {
    const limits = limitsOf(figure, page).map(([, limit]) => limit);
    const end = figure.scale(limits);
    const share = (one) => `${100 * Math.min(one / end, 1)}%`;
    const bar = make("span", { class: "jt-bar" });
    bar.style.inlineSize = share(value);
    const notches = limits.map((limit) => {
      const notch = make("span", { class: "jt-notch" });
      notch.style.insetInlineStart = share(limit);
      return notch;
    });
    return make("dd", { class: "jt-scale", "aria-hidden": "true" }, bar, ...notches);
  }

  telling([field, label, format], block) {
    const value = block[field] == null ? null : format(block[field]);
    return value == null || value === "" ? [] : [make("div", {}, make("dt", {}, label), make("dd", {}, value))];
  }
}
