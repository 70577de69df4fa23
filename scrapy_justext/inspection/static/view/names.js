// Names pages so that the names fit a list and tell the pages apart.
"use strict";

/** Characters of a shortened name, at the most. */
const LONGEST_NAME = 48;

/** Name pages by their titles, with file or address behind those that several have; by these where there is no title. */
function pageNames(pages) {
  const short = shortNames(pages.map((page) => page.name));
  const count = (title) => pages.filter((page) => page.title === title).length;
  return pages.map(({ title }, i) =>
    !title ? short[i] : count(title) > 1 ? `${cutAtEnd(title)} (${short[i]})` : cutAtEnd(title),
  );
}

/** Leave out the folder that all files lie in, and that which all addresses share; cut long names in front. */
function shortNames(names) {
  const isAddress = (name) => /^[a-z][a-z0-9+.-]*:\/\//i.test(name);
  const [files, addresses] = [false, true].map((kind) => commonFolder(names.filter((name) => isAddress(name) === kind)));
  const short = names.map((name) => cutInFront(name.slice((isAddress(name) ? addresses : files).length) || name));
  return new Set(short).size === new Set(names).size ? short : names;
}

/** Return what all names begin with, up to a slash; a slash at the end of a name belongs to its last part. */
function commonFolder(names) {
  const [first = [], ...others] = names.map((name) => name.replace(/\/$/, "").split("/").slice(0, -1));
  const differs = first.findIndex((part, i) => !others.every((folders) => folders[i] === part));
  return first.slice(0, differs < 0 ? first.length : differs).map((part) => `${part}/`).join("");
}

function cutAtEnd(title) {
  const characters = [...title];
  return characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME - 1).join("")}…` : title;
}

function cutInFront(name) {
  const characters = [...name];
  return characters.length > LONGEST_NAME ? `…${characters.slice(1 - LONGEST_NAME).join("")}` : name;
}
