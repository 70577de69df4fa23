// What classes and measurements are called, and what a measurement means beside the limits.
"use strict";

/** In the order in which they are listed; `height` is that of a band in the strip. */
const CLASSES = {
  good: { label: "good", sign: "✓", height: 1 },
  near_good: { label: "near-good", sign: "≈", height: 0.75 },
  short: { label: "short", sign: "…", height: 0.5 },
  bad: { label: "bad", sign: "✗", height: 0.3 },
};
const FINAL_CLASSES = ["good", "bad"];

/** The measurements that decide; `scaleEnd` gives the end of the scale that they are drawn on from the limits. */
const DECIDING = [
  {
    field: "characters",
    label: "Length",
    format: (value) => `${formatCount(value)} characters`,
    scaleEnd: (limits) => 2 * Math.max(1, ...limits),
  },
  { field: "link_density", label: "Link density", format: formatShare, scaleEnd: () => 1 },
  { field: "stopword_density", label: "Stop-word density", format: formatShare, scaleEnd: () => 1 },
  { field: "probability", label: "Probability of content", format: formatShare, scaleEnd: () => 1 },
];

/** What else is told of a block: [field, label, format]. */
const TELLING = [
  ["kind", "Kind", (value) => value],
  ["role", "Role", (value) => value],
  ["language", "Language, unlike the page's", (value) => value],
  ["code_language", "Language of the code", (value) => value],
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

/** Count the blocks by the values that they have in a field. */
function countBlocks(blocks, field, values) {
  const counts = Object.fromEntries(values.map((name) => [name, 0]));
  for (const block of blocks) counts[block[field]] += 1;
  return counts;
}

/**
 * Say between which limits a value lies; nothing where there are none.  `limits`, in ascending order, are those that
 * the page was judged by: { name, value, isInclusive }, where an inclusive limit is reached by a value that is equal.
 */
function positionInWords(value, limits) {
  const isOver = (limit) => (limit.isInclusive ? value >= limit.value : value > limit.value);
  const named = ({ name, value }) => `${name} (${value})`;
  const over = limits.filter(isOver).pop();
  const under = limits.find((limit) => !isOver(limit));
  if (over && under) return `between ${named(over)} and ${named(under)}`;
  if (over) return `over ${named(over)}`;
  return under ? `under ${named(under)}` : "";
}

/** Tell how a block got from the class that its own text earned to its final one. */
function classesInWords(block) {
  const own = CLASSES[block.context_free_class].label;
  const final = CLASSES[block.block_class].label;
  return own === final ? `${final} by its own text` : `${own} by its own text, ${final} in its context`;
}
