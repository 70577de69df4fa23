// Requests to the server.
"use strict";

/** Return the server's answer; throw an Error with the server's own words where it refuses. */
async function request(path, body) {
  const options = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The tuner does not answer: was it stopped?");
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/**
 * Runs one task at a time.  Of the tasks that come in meanwhile only the last is run, when the first has ended.  Each
 * gets a function that tells whether a newer task waits.
 */
class LatestTask {
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
