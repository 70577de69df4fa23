// What classes and figures are called, and what a figure means beside the thresholds.
"use strict";

/** In the order in which they are listed; `height` is that of a band in the strip. */
const CLASSES = {
  good: { label: "good", sign: "✓", height: 1 },
  near_good: { label: "near-good", sign: "≈", height: 0.75 },
  short: { label: "short", sign: "…", height: 0.5 },
  bad: { label: "bad", sign: "✗", height: 0.3 },
};
const FINAL_CLASSES = ["good", "bad"];

/** How many of the blocks are there of each class; `field` says by which of their two classes. */
function countClasses(blocks, field) {
  const counts = Object.fromEntries(Object.keys(CLASSES).map((name) => [name, 0]));
  for (const block of blocks) counts[block[field]] += 1;
  return counts;
}

/** Where a value lies among limits in ascending order: [[name, limit], …]. */
function placeAmong(value, limits, isOver) {
  const over = limits.filter(([, limit]) => isOver(value, limit)).pop();
  const under = limits.find(([, limit]) => !isOver(value, limit));
  const said = ([name, limit]) => `${name} (${limit})`;
  if (over && under) return `between ${said(over)} and ${said(under)}`;
  return over ? `over ${said(over)}` : `under ${said(under)}`;
}

/**
 * The figures that decide: `limits` are the names of the thresholds that they are compared with, `scale` is the end
 * of the scale that they are drawn on, `isOver` the comparison of the rules.
 */
const DECIDING = [
  {
    field: "characters",
    label: "Length",
    format: (value) => `${formatCount(value)} characters`,
    limits: ["length_low", "length_high"],
    scale: (limits) => 2 * Math.max(1, ...limits),
    isOver: (value, limit, name) => (name === "length_low" ? value >= limit : value > limit),
    by: "stopwords",
  },
  {
    field: "link_density",
    label: "Link density",
    format: formatShare,
    limits: ["max_link_density"],
    scale: () => 1,
    isOver: (value, limit) => value > limit,
    by: "stopwords",
  },
  {
    field: "stopword_density",
    label: "Stop-word density",
    format: formatShare,
    limits: ["stopwords_low", "stopwords_high"],
    scale: () => 1,
    isOver: (value, limit) => value >= limit,
    by: "stopwords",
  },
  {
    field: "probability",
    label: "Probability of content",
    format: formatShare,
    limits: ["near_good_probability", "good_probability"],
    scale: () => 1,
    isOver: (value, limit) => value >= limit,
    by: "probability",
  },
];

/** The figures that only tell. */
const TELLING = [
  ["word_count", "Words", formatCount],
  ["link_characters", "Characters in links", formatCount],
  ["tags_count", "Inline elements", formatCount],
  ["tag", "Element", (value) => `<${value}>`],
  ["heading_level", "Heading", (value) => (value ? `level ${value}` : null)],
  ["heading_path", "Under", (value) => value.join(" › ")],
  ["origin", "Read from", (value) => (value === "page" ? null : value)],
  ["image_url", "Image", (value) => value],
  ["xpath", "XPath", (value) => value],
  ["dom_path", "Path", (value) => value],
];

/** The limits of a figure that are set and count for the page: [[name, limit], …]. */
function limitsOf(figure, page) {
  if (figure.by === "stopwords" && !page.by_stopwords) return [];
  return figure.limits.map((name) => [name, page.thresholds[name]]).filter(([, limit]) => limit != null);
}

/** A figure in words: its value, and where it lies among the thresholds. */
function figureInWords(figure, value, page) {
  const limits = limitsOf(figure, page);
  if (!limits.length) return "";
  const names = new Map(limits.map(([name, limit]) => [limit, name]));
  return placeAmong(value, limits, (one, limit) => figure.isOver(one, limit, names.get(limit)));
}

/** The way of a block from the class that its own text earned to its final one. */
function wayInWords(block) {
  const own = CLASSES[block.context_free_class].label;
  const final = CLASSES[block.block_class].label;
  return own === final ? `${final} by its own text` : `${own} by its own text, ${final} in its context`;
}
