"use strict";

// ---- elements and numbers

/** Creates an element with attributes and children. Text is never parsed as HTML. */
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Returns a number as text with about four digits: 0.0123, 20,000. */
function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1000 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(4)).toString();
}

/** Returns the name, cut to `length` characters if it is longer. */
const shortName = (name, length = 24) => (name.length > length ? `${name.slice(0, length - 1)}…` : name);

// ---- charts

Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
Chart.defaults.color = "#5c6370";

function axis(title, extra = {}) {
  return { title: { display: true, text: title }, grid: { color: "#eceff3" }, ...extra };
}
