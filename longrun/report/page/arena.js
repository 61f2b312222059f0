const measures = { g: "G: geometric mean of ratios", m: "M: ratio of mean regrets" };

/** Returns a score as text with about three digits: 0.05, 1.43, 15.3, 1081. */
const score = (value) => value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
const interval = (e) => `${score(e.mean)} (${score(e.low)} to ${score(e.high)})`;

/** Creates one button per choice. A click calls `act` with the key of the choice. */
function choice(label, choices, act) {
  const buttons = Object.entries(choices).map(([key, text], k) =>
    element("button", { type: "button", "data-choice": key, "aria-pressed": String(k === 0) }, text),
  );
  for (const button of buttons) {
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      act(button.dataset.choice);
    });
  }
  return element("div", { class: "controls choice", role: "group", "aria-label": label }, ...buttons);
}

// ---- overall scores: a dot and its interval per policy

/** Returns the axis of both measures: it covers 1 and all intervals, with a margin. */
function scoreAxis(rows) {
  const all = rows.flatMap(({ overall }) => [overall.g, overall.m]);
  const min = Math.min(0.8, ...all.map((e) => e.low).filter((low) => low > 0)) / 1.1;
  const max = Math.max(1.25, ...all.map((e) => e.high)) * 1.1;
  return axis(`above 1: worse than ${data.yardstick}`, {
    type: "logarithmic",
    min,
    max,
    grid: { color: ({ tick }) => (tick.value === 1 ? "#1c1e21" : "#eceff3") },
    ticks: {
      autoSkip: false,
      maxRotation: 0,
      callback: (value) => (/^[125]/.test(value.toExponential()) && value > min && value < max ? String(value) : null),
    },
  });
}

function dotsConfig(view, measure) {
  const scores = view.rows.map((row) => row.overall[measure]);
  const colours = view.rows.map((row) => row.colour);
  const x = scoreAxis(view.rows);
  return {
    data: {
      labels: view.rows.map((row) => row.policy),
      datasets: [
        {
          type: "line",
          data: scores.map((e) => Math.max(e.mean, x.min)),
          showLine: false,
          pointRadius: 5,
          pointHoverRadius: 7,
          pointBackgroundColor: colours,
          pointBorderColor: colours,
        },
        {
          type: "bar",
          data: scores.map((e) => [Math.max(e.low, x.min), e.high]),
          backgroundColor: colours,
          barThickness: 3,
          minBarLength: 0,
        },
      ],
    },
    options: {
      indexAxis: "y",
      interaction: { mode: "index", axis: "y", intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: {
          filter: (item) => item.datasetIndex === 0,
          callbacks: { label: (item) => ` ${measure.toUpperCase()} ${interval(scores[item.dataIndex])}` },
        },
      },
      scales: {
        x,
        y: {
          type: "category",
          offset: true,
          grid: { display: false },
          ticks: {
            autoSkip: false,
            callback(k) {
              return shortName(this.getLabelForValue(k), this.chart.width < 400 ? 20 : 24);
            },
          },
        },
      },
    },
  };
}

/** A chart with the overall scores of one measure. */
class Dots {
  constructor(grid, measure) {
    this.measure = measure;
    this.canvas = element("canvas", { role: "img", "aria-label": measures[measure] });
    this.frame = element("div", { class: "frame" }, this.canvas);
    grid.append(element("figure", { class: "chart" }, element("figcaption", {}, measures[measure]), this.frame));
  }

  show(view) {
    this.chart?.destroy();
    this.frame.style.height = `${70 + 24 * view.rows.length}px`;
    this.chart = new Chart(this.canvas, dotsConfig(view, this.measure));
    this.canvas.dataset.drawn = "true";
  }
}

const policyHeading = (name) => element("th", { scope: "row", title: name }, shortName(name));

/** A table with the overall scores as numbers, and the worst cell of each policy. */
class Numbers {
  constructor() {
    this.node = element("div", { class: "scroll" });
  }

  show(view) {
    const rows = view.rows.map(({ policy, overall, worst }) =>
      element(
        "tr",
        {},
        policyHeading(policy),
        element("td", { class: "number" }, interval(overall.g)),
        element("td", { class: "number" }, interval(overall.m)),
        element("td", { class: "number" }, score(worst.ratio)),
        element("td", {}, worst.cell),
      ),
    );
    const head = ["policy", "G (95 %)", "M (95 %)", "worst ratio", "worst cell"].map((text) =>
      element("th", { scope: "col" }, text),
    );
    this.node.replaceChildren(
      element(
        "table",
        { class: "scores numbers" },
        element("thead", {}, element("tr", {}, ...head)),
        element("tbody", {}, ...rows),
      ),
    );
  }
}

// ---- scores by family: a coloured table

/** A tooltip with the label of a cell. Screen readers read the label of the cell itself. */
class Tip {
  constructor() {
    this.node = element("div", { class: "tip", "aria-hidden": "true", hidden: "" });
    document.body.append(this.node);
    for (const event of ["scroll", "resize"]) window.addEventListener(event, () => this.place(), true);
  }

  show(cell) {
    this.cell = cell;
    this.node.textContent = cell.getAttribute("aria-label");
    this.node.hidden = false;
    this.place();
  }

  /** Moves the tooltip to its cell. Also runs while the page scrolls, because focus may scroll a cell into view. */
  place() {
    if (this.node.hidden) return;
    const { left, top, bottom } = this.cell.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.node;
    const room = document.documentElement.clientWidth - offsetWidth - 4;
    this.node.style.left = `${Math.max(4, Math.min(left, room))}px`;
    this.node.style.top = `${top > offsetHeight + 8 ? top - offsetHeight - 4 : bottom + 4}px`;
  }

  hide() {
    this.node.hidden = true;
  }
}

/** A table of scores by family, coloured by score. */
class Heat {
  constructor() {
    this.tip = new Tip();
    this.node = element("div", { class: "scroll" });
    this.node.addEventListener("keydown", (event) => this.moveFocus(event));
  }

  show(view, measure) {
    const head = ["policy", "overall", ...view.families].map((text) => element("th", { scope: "col" }, text));
    const rows = view.rows.map((row) => this.row(view, row, measure));
    const table = element(
      "table",
      { class: "scores heat" },
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows),
    );
    this.tip.hide();
    this.node.replaceChildren(table);
    this.node.querySelector("td")?.setAttribute("tabindex", "0");
  }

  row(view, row, measure) {
    const cells = [row.overall, ...row.families].map((scores, k) =>
      this.cell(`${row.policy}, ${k === 0 ? "overall" : view.families[k - 1]}`, scores, measure),
    );
    return element("tr", {}, policyHeading(row.policy), ...cells);
  }

  cell(where, scores, measure) {
    const text = Object.keys(measures)
      .map((key) => `${key.toUpperCase()} ${interval(scores[key])}`)
      .join(", ");
    const cell = element(
      "td",
      {
        tabindex: "-1",
        "aria-label": `${where}: ${text}`,
        onmouseenter: () => this.tip.show(cell),
        onmouseleave: () => this.tip.hide(),
        onfocus: () => this.tip.show(cell),
        onblur: () => this.tip.hide(),
      },
      score(scores[measure].mean),
    );
    cell.style.background = scores[measure].colour;
    return cell;
  }

  /** Moves the focus from cell to cell with the arrow keys. The tab key moves it to the table as a whole. */
  moveFocus(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const from = event.target;
    if (!step || from.tagName !== "TD") return;
    event.preventDefault();
    const row = from.closest("tbody").rows[from.parentNode.sectionRowIndex + step[0]];
    const to = row?.cells[from.cellIndex + step[1]];
    if (to?.tagName !== "TD") return;
    from.setAttribute("tabindex", "-1");
    to.setAttribute("tabindex", "0");
    to.focus();
  }
}

/** Creates the key of the colours. */
function colourKey() {
  const { better, worse, full } = data.scale;
  const bar = element("span", { class: "bar" });
  bar.style.background = `linear-gradient(to right, ${better}, #ffffff, ${worse})`;
  return element("p", { class: "key" }, `better than ${data.yardstick}: ${1 / full}`, bar, `${full}: worse`);
}

// ---- the page

const grid = element("div", { class: "charts" });
const overall = [...Object.keys(measures).map((measure) => new Dots(grid, measure)), new Numbers()];
const heat = new Heat();
let view = data.views[0];
let measure = "g";

function showView(number) {
  view = data.views[number];
  for (const part of overall) part.show(view);
  heat.show(view, measure);
}

function showMeasure(key) {
  measure = key;
  heat.show(view, measure);
}

const links = data.files.map((name) => element("a", { href: name }, name.slice(name.indexOf(".") + 1).toUpperCase()));
document.querySelector("main").append(
  choice(
    "Cells",
    data.views.map(({ cells }) => cells),
    showView,
  ),
  element(
    "section",
    { class: "figure", id: "overall" },
    element("h3", {}, "Overall"),
    element(
      "p",
      {},
      "Every family has the same weight. Policies are sorted by G, best first. A cell is one bandit with one noise and one horizon. The worst cell is the one with the largest ratio.",
    ),
    grid,
    overall.at(-1).node,
  ),
  element(
    "section",
    { class: "figure", id: "families" },
    element("h3", {}, "By family"),
    choice("Score in the table", measures, showMeasure),
    colourKey(),
    heat.node,
  ),
  element(
    "p",
    { class: "files" },
    element("span", { class: "label" }, "files"),
    ...links.flatMap((link) => [" ", link]),
  ),
);
showView(0);
document
  .querySelector("footer")
  .append(`Made by longrun ${data.version} from its records. Charts: Chart.js ${Chart.version}.`);
