// A control for each parameter: a slider with a number beside it, or a list.
"use strict";

class Controls {
  /** `choice` gets the values; `table` holds the controls of each profile. */
  constructor(parent, choice, table) {
    this.parent = parent;
    this.choice = choice;
    this.table = table;
    this.rows = new Map();
    choice.addEventListener("change", () => this.rows.forEach((row) => row.refuse("")));
  }

  /** Show the controls of a profile, with the thresholds in force. */
  show(profile, thresholds) {
    if (profile !== this.profile) this.build(profile);
    this.thresholds = thresholds;
    const { parameters } = this.choice.now;
    for (const [name, row] of this.rows) {
      // The slider may have moved on since this answer was asked for.
      row.show(parameters[name] ?? thresholds[name]);
      row.undo.hidden = !(name in parameters);
    }
  }

  build(profile) {
    this.profile = profile;
    const controls = this.table[profile];
    this.rows = new Map(controls.map((control) => [control.name, this.makeRow(control)]));
    this.parent.replaceChildren(...[...this.rows.values()].map((row) => row.element));
  }

  makeRow(control) {
    // The page itself has elements that are called as some parameters are.
    const id = `tn-of-${control.name}`;
    const undo = make("button", { type: "button", class: "tn-undo", title: "Back to the project's own" }, "↺");
    undo.setAttribute("aria-label", `${control.label}: back to the project's own`);
    undo.addEventListener("click", () => this.takeBack(control));
    const inputs = control.slider ? this.makeSlider(control, id) : this.makeList(control, id);
    const help = make("p", { id: `${id}-help`, class: "tn-help" }, `${control.help}. `, make("code", {}, control.setting));
    const label = make("label", { for: id, id: `${id}-label` }, control.label);
    const unit = control.unit ? make("span", { class: "tn-unit" }, control.unit) : null;
    const head = make("div", { class: "tn-head" }, label, unit, undo);
    const element = make("div", { class: "tn-field" }, head, inputs.element, help);
    return { element, show: inputs.show, refuse: inputs.refuse, undo };
  }

  makeSlider(control, id) {
    const { least, most, step } = control.slider;
    const described = { "aria-describedby": `${id}-help` };
    const range = make("input", { type: "range", id, min: least, max: most, step, ...described });
    const limits = most <= 1 ? { min: 0, max: 1, step: "any" } : { min: 0, max: Number.MAX_SAFE_INTEGER, step: 1 };
    const number = make("input", { type: "number", ...limits, ...described, "aria-label": `${control.label}, as a number` });
    range.addEventListener("input", () => this.choose(control, range.valueAsNumber, { isStep: false }));
    range.addEventListener("change", () => this.choice.keep());
    const problem = make("p", { id: `${id}-problem`, class: "tn-problem", role: "alert", hidden: true });
    // A value that is not allowed is never chosen: it would spoil every request from then on.
    const refuse = (why) => {
      problem.textContent = why;
      problem.hidden = !why;
      const describedBy = why ? `${problem.id} ${id}-help` : `${id}-help`;
      setAttributes(number, { "aria-invalid": why ? "true" : null, "aria-describedby": describedBy });
    };
    number.addEventListener("change", () => {
      if (!number.validity.valid) refuse(`${control.label}: ${control.allowed}`);
      else if (number.value === "") this.takeBack(control);
      else this.choose(control, number.valueAsNumber);
    });
    const show = (value) => {
      range.value = value;
      const isTyped = document.activeElement === number && number.valueAsNumber === value;
      if (!isTyped && problem.hidden) number.value = value;
    };
    return { element: make("div", { class: "tn-slide" }, range, number, problem), show, refuse };
  }

  makeList(control, id) {
    const options = control.choices.map(([, name], i) => make("option", { value: i }, name));
    const select = make("select", { id, "aria-describedby": `${id}-help` }, ...options);
    select.addEventListener("change", () => this.choice.setParameters({ [control.name]: control.choices[select.value][0] }));
    const show = (value) => {
      select.value = control.choices.findIndex(([choice]) => choice === value);
    };
    return { element: select, show, refuse: () => {} };
  }

  /** Choose a value.  A low and a high threshold are chosen together and never cross. */
  choose(control, value, options) {
    const values = { [control.name]: value };
    if (control.partner) {
      const other = this.choice.now.parameters[control.partner] ?? this.thresholds[control.partner];
      const isLow = this.isLow(control);
      values[control.partner] = (isLow ? value > other : value < other) ? value : other;
    }
    this.choice.setParameters(values, options);
  }

  takeBack(control) {
    this.choice.setParameters({ [control.name]: undefined, ...(control.partner && { [control.partner]: undefined }) });
  }

  /** The low one of two comes first in the table. */
  isLow(control) {
    const names = this.table[this.profile].map((one) => one.name);
    return names.indexOf(control.name) < names.indexOf(control.partner);
  }
}
