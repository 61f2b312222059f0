// Forms: labelled controls, one button, and errors where they belong.

import { Problem } from "./client.js";
import { READERS, readingOf } from "./number.js";

let lastId = 0;

/** Returns a control with its label, a hint and a place for its error. */
export function field(label, control, { hint = "", pointer = "", wide = false } = {}) {
  const id = `field-${++lastId}`;
  control.id = id;
  const error = element("span", { class: "error", id: `${id}-error`, role: "alert" });
  const title = element("label", { for: id }, label);
  const node = element("div", { class: wide ? "field wide" : "field" }, title, control);
  if (hint) node.append(element("span", { class: "hint", id: `${id}-hint` }, hint));
  if (control.dataset.number) node.append(readingBeside(control));
  node.append(error);
  control.setAttribute("aria-describedby", `${hint ? `${id}-hint ` : ""}${id}-error`);
  const setError = (text) => {
    error.textContent = text;
    if (text) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  };
  return { node, label: title, control, pointer, setError };
}

/** Returns a note that says, while something is typed, how a comma or a doubtful point is read. */
function readingBeside(control) {
  const note = element("output", { class: "hint reading" });
  control.addEventListener("input", () => {
    note.textContent = readingOf(control.value, control.dataset.number);
  });
  return note;
}

export const textInput = (attributes = {}) => element("input", { type: "text", autocomplete: "off", ...attributes });
export const numberInput = (attributes = {}) =>
  textInput({ inputmode: "decimal", "data-number": "decimal", ...attributes });
export const wholeInput = (attributes = {}) =>
  textInput({ inputmode: "numeric", "data-number": "whole", ...attributes });
export const unitsInput = (attributes = {}) =>
  textInput({ inputmode: "decimal", "data-number": "units", ...attributes });
export const textArea = (attributes = {}) => element("textarea", { rows: 4, spellcheck: "false", ...attributes });

/** Returns a choice. Options are texts, or pairs of a value and a text. */
export function choice(options, attributes = {}) {
  const select = element("select", attributes);
  setOptions(select, options);
  return select;
}

/** Replaces the options of a choice, unless they are the same. The chosen one stays. */
export function setOptions(select, options) {
  const pairs = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  const state = JSON.stringify(pairs);
  if (select.dataset.options === state) return;
  const chosen = select.value;
  select.replaceChildren(...pairs.map(([value, text]) => element("option", { value }, text)));
  if (pairs.some(([value]) => value === chosen)) select.value = chosen;
  select.dataset.options = state;
}

/** Returns the field that a JSON pointer leads to or into. */
const fieldAt = (fields, pointer) =>
  pointer && fields.find((each) => each.pointer && `${pointer}/`.startsWith(`${each.pointer}/`));

/**
 * Returns a form. `act` is called when it is submitted; what it returns is shown beside the button, and a Problem at the
 * field that it names.
 */
export function form({ label, fields, submit, act, buttons = [], kind = "" }) {
  const status = element("output", { class: "status" });
  const error = element("p", { class: "error", role: "alert" });
  const main = element("button", { type: "submit", class: "primary" }, submit);
  const node = element(
    "form",
    { class: `form ${kind}`, "aria-label": label, novalidate: "" },
    ...fields.map((each) => each.node),
    element("div", { class: "buttons" }, main, ...buttons, status),
    error,
  );
  const setProblem = (problem) => {
    const at = fieldAt(fields, problem.field ?? "");
    if (!at) {
      error.textContent = problem.message;
      return;
    }
    at.setError(problem.message);
    at.control.focus();
  };
  /** Runs an action with the form locked, and shows its result. */
  const run = async (action) => {
    if (node.getAttribute("aria-busy") === "true") return;
    node.setAttribute("aria-busy", "true");
    for (const each of [main, ...buttons]) each.disabled = true;
    for (const each of fields) each.setError("");
    error.textContent = "";
    status.textContent = "…";
    let text = "";
    try {
      text = (await action()) ?? "";
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      setProblem(problem);
    } finally {
      for (const each of [main, ...buttons]) each.disabled = false;
      node.removeAttribute("aria-busy");
      status.textContent = text;
    }
  };
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    run(act);
  });
  return { node, run, main, say: (text) => (status.textContent = text) };
}

/**
 * Returns the number in a control of numberInput(), wholeInput() or unitsInput(). Throws a Problem for the field if it is
 * not one.
 */
export function numberIn({ control, pointer }, name) {
  const { value, problem } = READERS[control.dataset.number](control.value);
  if (problem) throw new Problem(0, { detail: `${name}: ${problem}`, field: pointer });
  return value;
}

const NOISES = [
  ["estimate", "estimated from the rewards"],
  ["bernoulli", "rewards are yes (1) or no (0)"],
  ["gaussian", "normal, with this standard deviation"],
  ["none", "none: rewards are exact"],
];

/** Returns the fields of a noise. */
export const noiseFields = () => ({
  noise: field("Noise", choice(NOISES), { pointer: "/noise" }),
  sd: field("Standard deviation", numberInput(), {
    pointer: "/sd",
    hint: "only for normal noise; for rewards from 0 to 1",
  }),
});

/** Returns the noise in its fields, as the service reads it. */
export function noiseIn({ noise, sd }) {
  const kind = noise.control.value;
  return kind === "gaussian" ? `gaussian:${numberIn(sd, "standard deviation")}` : kind;
}
