// What all sections use: cards, tables, numbers and times as text.

/** Returns a section of the page with a heading. Its body is filled by the caller. */
export function card(id, heading, tone = "") {
  const body = element("div", { class: "body" }, loading());
  const title = element("h2", { id: `${id}-heading`, tabindex: -1 }, heading);
  const node = element("section", { class: `figure ${tone}`, id, "aria-labelledby": `${id}-heading` }, title, body);
  return { node, body, title };
}

export const loading = () => element("p", { class: "loading" }, "Loading …");

/** Returns the name of an arm or a study, or a title. Its direction of writing does not change the text around it. */
export const named = (name) => element("bdi", {}, name);

/** Returns names with commas between them. */
export const namedAll = (names) => names.flatMap((name, k) => (k ? [", ", named(name)] : [named(name)]));

export const paragraph = (text, kind) => element("p", kind ? { class: kind } : {}, text);

/** Returns a list of sentences. One sentence is a paragraph. */
export function sentences(texts, kind) {
  if (texts.length === 1) return paragraph(texts[0], kind);
  const list = element("ul", kind ? { class: kind } : {});
  list.append(...texts.map((text) => element("li", {}, text)));
  return list;
}

export const button = (text, onclick, attributes = {}) =>
  element("button", { type: "button", onclick, ...attributes }, text);

/**
 * Returns a table that scrolls by itself if it is wide. Columns are {name, number}, cells texts or nodes. The first
 * cell of a row is its heading.
 */
export function table(label, columns, rows) {
  const alignment = (k) => (columns[k].number ? { class: "number" } : {});
  const heads = columns.map(({ name }, k) => element("th", { scope: "col", ...alignment(k) }, name));
  const body = rows.map(({ cells, kind = "" }) => {
    const [first, ...rest] = cells;
    const isName = typeof first === "string";
    return element(
      "tr",
      kind ? { class: kind } : {},
      element("th", { scope: "row", ...(isName ? { title: first } : {}) }, isName ? named(first) : first),
      ...rest.map((cell, k) => element("td", alignment(k + 1), cell)),
    );
  });
  const node = element(
    "table",
    { class: "arms" },
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...body),
  );
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, node);
}

// ---- numbers

export const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** Returns an estimate as text with three significant digits. */
export function reward(value, digits = 3) {
  if (Math.abs(value) < 1e-12) return "0";
  if (Math.abs(value) >= 1000) return short(value);
  const whole = Math.round(value);
  return Math.abs(whole) >= 10 ** (digits - 1) ? String(whole) : value.toPrecision(digits); // 140, not 1.4e+2
}

/** Returns the total of a plan, or a number of pulls, as text with about three digits. */
export const rounded = (value) => (Number.isInteger(value) ? short(value) : reward(value));

/** Returns a share as text: 7 %, under 1 %. */
export function percent(share) {
  if (share > 0 && share < 0.01) return "under 1 %";
  if (share > 0.99 && share < 1) return "over 99 %";
  return `${Math.round(100 * share)} %`;
}

export const range = ({ mean, low, high }, text = (value) => reward(value)) =>
  `${text(mean)} (${text(low)} to ${text(high)})`;

/** Returns a number of budget units as text. */
export const units = (value) => value.toLocaleString("en", { maximumFractionDigits: 6 });

// ---- times

const STEPS = [
  ["year", 365 * 86400],
  ["month", 30 * 86400],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

/** Returns how long ago a time is, in words. */
export function ago(at) {
  const seconds = Math.max(0, (Date.now() - Date.parse(at)) / 1000);
  const [unit, length] = STEPS.find(([, each]) => seconds >= each) ?? ["second", 1];
  const number = Math.floor(seconds / length);
  return unit === "second" && number < 10 ? "just now" : `${count(number, unit)} ago`;
}

export const time = (at) => element("time", { datetime: at, title: new Date(at).toLocaleString() }, ago(at));

/** Brings all times on the page up to date. */
export function renewTimes() {
  for (const node of document.querySelectorAll("time")) node.textContent = ago(node.dateTime);
}

// ---- places

/** Returns a link to the events of a decision. */
export const decisionLink = (study, id, text = `decision ${id}`) =>
  element("a", { href: `#/study/${study}/decision/${id}` }, text);

/** Returns a link to the events of a pull without a decision, by the number of its entry. */
export const pullLink = (study, entry, text = `entry ${entry}`) =>
  element("a", { href: `#/study/${study}/entry/${entry}` }, text);
