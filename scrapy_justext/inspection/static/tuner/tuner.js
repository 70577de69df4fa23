// The tuner: sends what the user chooses to the server, and shows what it answers.
"use strict";

const find = (id) => document.getElementById(`tn-${id}`);

class Tuner {
  constructor(start) {
    this.start = start;
    this.page = 0;
    this.base = "";
    this.answered = NOTHING_CHOSEN;
    this.saving = Promise.resolve();
    this.judging = new LatestTask();
    this.choice = new Choice();
    this.controls = new Controls(find("controls"), this.choice, start.profiles);
    this.languages = new Languages(find("languages"), this.choice, start.languages);
    this.pages = new Pages(find("pages"), start.pages, (number) => this.open(number));
    this.view = new BlockView(find("view"));
    this.marking = new Marking(this.view, (index, mark) => this.mark(index, mark));
    find("file").textContent = start.marks_file;
    this.listen();
    this.open(0);
  }

  listen() {
    const profile = find("profile");
    profile.append(...Object.keys(this.start.profiles).map((name) => make("option", { value: name }, name)));
    profile.addEventListener("change", () => this.setProfile(profile.value));
    find("undo").addEventListener("click", () => this.choice.undo());
    find("reset").addEventListener("click", () => this.choice.set(NOTHING_CHOSEN));
    find("fold").addEventListener("click", () => this.fold());
    find("copy").addEventListener("click", () => this.copy());
    this.choice.addEventListener("change", () => this.update());
    this.choice.addEventListener("keep", () => this.showSteps());
    document.addEventListener("keydown", (event) => {
      const isWriting = event.target.closest?.("input[type=number], input[type=search]");
      if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey || isWriting) return;
      event.preventDefault();
      this.choice.undo();
    });
  }

  /**
   * Choose a profile for all pages, also where it is the project's own for the page that is shown: the site of another
   * page may have another.  Parameters that the new profile does not look at are taken back.
   */
  setProfile(name) {
    const known = new Set(this.start.profiles[name].map((control) => control.name));
    const kept = Object.entries(this.choice.now.parameters).filter(([parameter]) => known.has(parameter));
    this.choice.set({ profile: name, parameters: Object.freeze(Object.fromEntries(kept)) });
  }

  open(number) {
    this.page = number;
    this.base = "";
    this.pages.select(number);
    this.languages.own = this.start.pages[number].languages;
    this.update();
  }

  /** Ask for the page that is shown, then for the others one by one, unless something newer waits. */
  update() {
    this.showSteps();
    this.judging.run((isOld) => this.judge(isOld).catch((error) => this.fail(error)));
  }

  /** Fold or unfold the settings, on narrow screens alone: there they would push the blocks out of sight. */
  fold() {
    const isOpen = find("fold").getAttribute("aria-expanded") === "true";
    find("fold").setAttribute("aria-expanded", String(!isOpen));
    find("fold").textContent = isOpen ? "Show" : "Hide";
  }

  showSteps() {
    find("undo").disabled = !this.choice.steps.length;
    find("reset").disabled = this.choice.isNothing;
  }

  async judge(isOld) {
    const { page } = this;
    const choice = this.choice.now;
    const answer = await request("api/judge", { ...choice, pages: [page], shown: { [page]: this.base } });
    if (page !== this.page) return;
    this.show(answer, choice);
    for (const number of this.start.pages.keys()) {
      if (isOld()) return;
      if (number === page) continue;
      const other = await request("api/judge", { ...choice, pages: [number] });
      this.pages.show(other.pages[0]);
    }
  }

  show(answer, choice) {
    const [page] = answer.pages;
    this.answered = choice;
    find("error").hidden = true;
    this.showBlocks(page);
    this.controls.show(page.profile, page.thresholds);
    this.languages.show(page.language, page.language_reason);
    find("profile").value = page.profile;
    this.pages.show(page);
    this.marking.show(page.marks);
    this.tell(page);
    find("code").textContent = answer.settings || "# nothing differs from the project's settings";
    find("copy").disabled = !answer.settings;
    find("notes").hidden = !answer.notes.length;
    find("notes").replaceChildren(...answer.notes.map((note) => make("li", {}, note)));
  }

  showBlocks(page) {
    if (page.view) {
      this.base = page.base;
      this.own = page.view.blocks.map((block) => ({ ...block }));
      this.changed = new Set();
      this.different = new Set();
      this.view.open(page.view);
    }
    this.view.setLimits(page.limits);
    const changes = new Map(
      page.changes.map(([index, block_class, context_free_class, reason]) => [
        index,
        { index, block_class, context_free_class, reason },
      ]),
    );
    // Blocks that the last answer changed from the base go back to it, unless this answer tells of them, too.
    const restored = [...this.different].filter((index) => !changes.has(index)).map((index) => this.own[index]);
    this.different = new Set(changes.keys());
    if (changes.size || restored.length) this.view.show([...changes.values(), ...restored]);
    for (const index of this.changed) this.view.row(index)?.removeAttribute("data-changed");
    this.changed = new Set(page.changed);
    for (const index of this.changed) this.view.row(index)?.setAttribute("data-changed", "");
  }

  /** Tell the counts once the sliders rest; a screen reader would never get to the end otherwise. */
  tell(page) {
    const marks = page.marks.length ? `; ${page.marks_met} of ${page.marks.length} marks met` : "";
    const opinion = page.opinion && `; ${page.opinion}`;
    const counts =
      `${formatCount(page.good_after)} of ${formatCount(page.blocks)} blocks good, ` +
      `${formatCount(page.characters_after)} characters; changed: ${changedInWords(page)}${marks}${opinion}`;
    const status = page.problem ? `not cleaned in a crawl: ${page.problem}` : counts;
    clearTimeout(this.telling);
    this.telling = setTimeout(() => (find("status").textContent = status), 300);
  }

  /** Save marks one by one, in the order of the clicks: each answer tells of all marks of the page. */
  mark(index, mark) {
    const { page, answered } = this;
    this.saving = this.saving.then(() => this.save({ ...answered, page, index, mark }));
  }

  async save(marked) {
    const { page } = marked;
    try {
      const answer = await request("api/marks", marked);
      if (page === this.page) this.marking.show(answer.marks);
      find("error").hidden = true;
      this.update();
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error) {
    find("error").textContent = error.message;
    find("error").hidden = false;
  }

  async copy() {
    const code = find("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      find("copied").textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      find("copied").textContent = "Selected: copy it with Ctrl+C";
    }
    setTimeout(() => (find("copied").textContent = ""), 4000);
  }
}

request("api/pages")
  .then((start) => new Tuner(start))
  .catch((error) => {
    find("error").textContent = error.message;
    find("error").hidden = false;
  });
