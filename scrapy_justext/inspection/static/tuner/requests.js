// Questions to the server.
"use strict";

/** The server's answer; throws an Error with the server's own words where it refuses. */
async function ask(path, body) {
  const options = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The tuner does not answer: was it stopped?");
  }
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error);
  return value;
}

/**
 * Runs one task at a time.  Of those that come in meanwhile only the last one is run, when the first is through; each
 * is given a function that tells whether there is a newer one.
 */
class LastOne {
  async run(task) {
    this.next = task;
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      while (this.next) {
        const current = this.next;
        this.next = null;
        await current(() => this.next !== null);
      }
    } finally {
      this.isBusy = false;
    }
  }
}
