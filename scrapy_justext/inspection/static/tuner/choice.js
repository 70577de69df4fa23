// What the user has chosen, with all steps that led there.
"use strict";

const NOTHING_CHOSEN = Object.freeze({ profile: null, languages: null, knobs: Object.freeze({}) });

/** Sends "change" whenever the choice is another one, and "keep" where an undo has something more to go back to. */
class Choice extends EventTarget {
  constructor() {
    super();
    this.now = NOTHING_CHOSEN;
    this.steps = [];
    this.kept = NOTHING_CHOSEN;
  }

  /** Choose: `part` replaces parts of the choice; a step on the way, as a slider makes many, is not kept. */
  set(part, { isStep = true } = {}) {
    this.now = Object.freeze({ ...this.now, ...part });
    if (isStep) this.keep();
    this.dispatchEvent(new Event("change"));
  }

  /** Choose some thresholds; undefined takes one back. */
  setKnobs(values, options) {
    const knobs = Object.entries({ ...this.now.knobs, ...values }).filter(([, value]) => value !== undefined);
    this.set({ knobs: Object.freeze(Object.fromEntries(knobs)) }, options);
  }

  /** From here an undo starts. */
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
