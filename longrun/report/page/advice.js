// A page with advice: sections of text, facts, tables and charts, and what is needed to make the page again.

const CSV_LINES_SHOWN = 200;

// ---- sections

function card(heading, kind, ...children) {
  const node = element("section", { class: `figure ${kind}` });
  if (heading) node.append(element("h2", {}, heading));
  node.append(...children);
  return node;
}

function textBlock({ heading, sentences, listed }) {
  const many = listed && sentences.length > 1;
  const body = many
    ? element("ul", {}, ...sentences.map((sentence) => element("li", {}, sentence)))
    : element("p", {}, sentences.join(" "));
  return heading ? [element("h3", {}, heading), body] : [body];
}

function textSection({ heading, tone, lead, blocks }) {
  const node = card(heading, tone);
  if (lead) node.append(element("p", { class: "lead" }, lead));
  node.append(...blocks.flatMap(textBlock));
  return node;
}

function factsSection({ heading, facts }) {
  const list = element("dl");
  for (const { term, sentences } of facts) {
    list.append(element("dt", {}, term));
    list.append(element("dd", {}, ...sentences.map((sentence) => element("p", {}, sentence))));
  }
  return card(heading, "facts", list);
}

function tableSection({ heading, columns, rows, notes }) {
  const alignment = (k) => (columns[k].number ? { class: "number" } : {});
  const heads = columns.map(({ name }, k) => element("th", { scope: "col", ...alignment(k) }, name));
  const body = rows.map(({ cells, highlighted }) => {
    const [first, ...rest] = cells;
    const name = element("th", { scope: "row", title: first }, first);
    const values = rest.map((cell, k) => element("td", alignment(k + 1), cell));
    return element("tr", highlighted ? { class: "highlighted" } : {}, name, ...values);
  });
  const table = element(
    "table",
    { class: "arms" },
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...body),
  );
  // A wide table scrolls by itself; with a tab stop it can be scrolled by the keyboard.
  const scroll = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": heading }, table);
  return card(heading, "table", scroll, ...notes.map((note) => element("p", { class: "note" }, note)));
}

// ---- charts

const drawn = []; // functions that draw a chart again

function drawLater(canvas, config) {
  drawn.push(() => {
    Chart.getChart(canvas)?.destroy();
    new Chart(canvas, config());
    canvas.dataset.drawn = "true";
  });
}

function chartFigure(section, chart) {
  const canvas = element("canvas", { role: "img", "aria-label": `${chart.title}: ${chart.note}` });
  const caption = element("figcaption", {}, element("strong", { title: chart.title }, chart.title), chart.note);
  if (chart.highlighted) caption.prepend(element("span", { class: "badge next" }, section.highlight));
  const frame = element("div", { class: "frame" }, canvas);
  const figure = element("figure", { class: chart.highlighted ? "chart next" : "chart" }, caption, frame);
  drawLater(canvas, () => adviceChartConfig(section, chart));
  return figure;
}

/** Returns one entry per label of a series, in the order of their first appearance. */
function legend(charts) {
  const series = new Map();
  for (const each of charts.flatMap((chart) => chart.series)) if (!series.has(each.label)) series.set(each.label, each);
  const entries = [...series.values()].map(({ label, mark, colour, low }) =>
    element("li", {}, element("span", { class: `sample ${mark} ${colour} ${low ? "banded" : ""}` }), label),
  );
  return element("ul", { class: "legend" }, ...entries);
}

function chartsSection(section) {
  const notes = section.notes.map((note) => element("p", { class: "note" }, note));
  const grid = element("div", { class: "charts" }, ...section.charts.map((chart) => chartFigure(section, chart)));
  return card(section.heading, "pictures", ...notes, legend(section.charts), grid);
}

function rangesSection(section) {
  const notes = section.notes.map((note) => element("p", { class: "note" }, note));
  const canvas = element("canvas", { role: "img", "aria-label": section.heading });
  const frame = element("div", { class: "frame", style: `height: ${60 + 26 * section.rows.length}px` }, canvas);
  drawLater(canvas, () => rangesConfig(section));
  return card(section.heading, "ranges", ...notes, element("figure", { class: "wide" }, frame));
}

// ---- what is needed to make the page again

/** Returns the bytes of the history: text or, if it is not UTF-8, decoded from base64. */
function historyBytes({ text, base64 }) {
  if (text !== undefined) return new TextEncoder().encode(text);
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function save(name, bytes, type) {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function saveButton(name, bytes, type) {
  const onclick = () => save(name, bytes(), type);
  return element("button", { type: "button", "data-save": name, onclick }, `Download ${name}`);
}

/** Returns the first lines of the history, folded. */
function historyPreview(history) {
  const lines = new TextDecoder().decode(historyBytes(history)).split(/\r\n|\r|\n/);
  const more = lines.length - CSV_LINES_SHOWN;
  const text = lines.slice(0, CSV_LINES_SHOWN).join("\n") + (more > 0 ? `\n… ${short(more)} more lines` : "");
  return element("details", {}, element("summary", {}, `Show ${history.file}`), element("pre", {}, text));
}

function originSection() {
  const saves = element("div", { class: "saves" });
  const node = card("Make this page again", "origin");
  const before = data.history ? "Download the history, and run" : "Run";
  node.append(element("p", {}, `${before} this command with longrun ${data.build}. It makes the same page again.`));
  node.append(element("pre", { class: "command" }, data.command));
  if (data.origin.length) node.append(element("p", {}, data.origin.join(" ")));
  node.append(saves);
  if (data.history) {
    saves.append(saveButton(data.history.file, () => historyBytes(data.history), "text/csv"));
    node.append(historyPreview(data.history));
  }
  if (data.answer)
    saves.append(saveButton("answer.json", () => `${JSON.stringify(data.answer)}\n`, "application/json"));
  return node;
}

// ---- the page

const makers = {
  text: textSection,
  facts: factsSection,
  table: tableSection,
  charts: chartsSection,
  ranges: rangesSection,
};
const main = document.querySelector("main");
for (const section of data.sections) main.append(makers[section.kind](section));
main.append(originSection());
document.querySelector("footer").append(`Made by longrun ${data.version}. Charts: Chart.js ${Chart.version}.`);

function drawAll() {
  Chart.defaults.color = colourOf("quiet");
  for (const draw of drawn) draw();
}
drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
