// What the user has chosen, and the steps of the undo.
"use strict";

const NOTHING_CHOSEN = Object.freeze({ profile: null, languages: null, parameters: Object.freeze({}) });

/** Sends "change" when the choice has changed, and "keep" when there is one more step to undo. */
class Choice extends EventTarget {
  constructor() {
    super();
    this.now = NOTHING_CHOSEN;
    this.steps = [];
    this.kept = NOTHING_CHOSEN;
  }

  /** Replace parts of the choice; `isStep` is false for the values on a slider's way, which no undo goes back to. */
  set(part, { isStep = true } = {}) {
    this.now = Object.freeze({ ...this.now, ...part });
    if (isStep) this.keep();
    this.dispatchEvent(new Event("change"));
  }

  /** Choose the values of some parameters; undefined takes a choice back. */
  setParameters(values, options) {
    const parameters = Object.entries({ ...this.now.parameters, ...values }).filter(([, value]) => value !== undefined);
    this.set({ parameters: Object.freeze(Object.fromEntries(parameters)) }, options);
  }

  /** Keep the choice as a step that an undo comes back to. */
  keep() {
    if (JSON.stringify(this.now) === JSON.stringify(this.kept)) return;
    this.steps.push(this.kept);
    this.kept = this.now;
    this.dispatchEvent(new Event("keep"));
  }

  undo() {
    if (!this.steps.length) return;
    this.now = this.kept = this.steps.pop();
    this.dispatchEvent(new Event("change"));
  }

  get isNothing() {
    return JSON.stringify(this.now) === JSON.stringify(NOTHING_CHOSEN);
  }
}
