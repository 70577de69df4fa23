// Readability as a server of JSON lines: a page a line in, the article's HTML a line out.
"use strict";

const path = require("node:path");
const readline = require("node:readline");

// Where npm installs: the folder that the user is in, and the two usual places of "npm install --global".
const folders = [process.cwd(), path.join(path.dirname(process.execPath), "..", "lib"), "/usr/local/lib"];

function load(name) {
  return require(require.resolve(name, { paths: folders }));
}

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

let readability, jsdom;
try {
  readability = load("@mozilla/readability");
  jsdom = load("jsdom");
  say({ version: load("@mozilla/readability/package.json").version });
} catch (error) {
  say({ missing: error.code === "MODULE_NOT_FOUND", error: String(error) });
  process.exit(0);
}

// Complaints about style sheets go nowhere.
const virtualConsole = new jsdom.VirtualConsole();

function extract({ html, url }) {
  const { window } = new jsdom.JSDOM(html, { url: URL.canParse(url) ? url : "http://localhost/", virtualConsole });
  try {
    const article = new readability.Readability(window.document).parse();
    return { html: article === null ? "" : article.content };
  } catch (error) {
    return { error: String(error) };
  } finally {
    window.close();
  }
}

readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
  say(extract(JSON.parse(line)));
});
