// Makes elements.  Text gets into the page as text alone: nothing here reads markup.
"use strict";

/** Make an element; `attributes` that are null or false are left out, `children` are elements and texts. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  setAttributes(element, attributes);
  element.append(...children.filter((child) => child !== null));
  return element;
}

function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
}

const numberFormat = new Intl.NumberFormat("en");
const formatCount = (value) => numberFormat.format(value);
const formatShare = (value) => Number(value.toFixed(3)).toString();

const prefersLessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
