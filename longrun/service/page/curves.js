// Curves: one chart with three views of the same arms.

import { equalSplit } from "./equal_split.js";
import { button, card, count, paragraph, reward } from "./view.js";

const ARM_COLOURS = 8; // --arm-0 ... of service.css
const STEPS_OF_ALLOCATION = 40;
const MIN_PULLS_SHOWN = 10;
const FUTURE_SHOWN = 2.5; // pulls on the axis, for each known reward: more would press the past together

const VIEWS = [
  ["rewards", "Rewards and expected future"],
  ["allocation", "Allocation over time"],
  ["total", "Total against equal split"],
];

// ---- the data of each view

/** Returns running means of the last `width` rewards, in the middle of what they are the means of. */
function smoothed(rewards, width) {
  const points = [];
  let sum = 0;
  for (let k = 0; k < rewards.length; ++k) {
    sum += rewards[k][3];
    if (k >= width) sum -= rewards[k - width][3];
    if (k >= width - 1) points.push({ x: (rewards[k][1] + rewards[k - width + 1][0]) / 2, y: sum / width });
  }
  return points;
}

function rewardSeries({ name, rewards, colour, course }) {
  const width = Math.max(1, Math.min(20, Math.ceil(rewards.length / 10)));
  const means = smoothed(rewards, width);
  const list = [
    {
      label: `${name}: rewards`,
      mark: "dots",
      colour,
      x: rewards.map(([first, last]) => (first + last) / 2),
      y: rewards.map(([, , , mean]) => mean),
    },
    { label: `${name}: running mean`, mark: "line", colour, x: means.map(({ x }) => x), y: means.map(({ y }) => y) },
  ];
  if (course.length) {
    const of = (key) => course.map((point) => point[key]);
    list.push({
      label: `${name}: expected`,
      mark: "dashes",
      colour,
      x: of("pull"),
      y: of("mean"),
      low: of("low"),
      high: of("high"),
    });
  }
  return list;
}

/** Returns the share of every chosen arm in equal steps of all pulls, at most STEPS_OF_ALLOCATION. */
function allocationSteps({ pulls, arms }, chosen) {
  const width = Math.ceil(pulls.length / STEPS_OF_ALLOCATION); // of a step, in buckets
  const starts = Array.from({ length: Math.ceil(pulls.length / width) }, (_, k) => k * width);
  const ends = starts.map((start) => pulls[Math.min(start + width, pulls.length) - 1]);
  const share = (arm, start, k) =>
    arms[arm].slice(start, start + width).reduce((sum, n) => sum + n, 0) / (ends[k] - (k ? ends[k - 1] : 0));
  return { ends, shares: chosen.map((arm) => starts.map((start, k) => share(arm, start, k))) };
}

/** Returns the expected course up to a pull; it ends exactly there if it goes on. */
function cutAt(course, right) {
  const next = course.findIndex(({ pull }) => pull > right);
  if (next < 1) return next < 0 ? course : [];
  const [a, b] = [course[next - 1], course[next]];
  const share = (right - a.pull) / (b.pull - a.pull);
  const between = (key) => a[key] + share * (b[key] - a[key]);
  return [...course.slice(0, next), { pull: right, mean: between("mean"), low: between("low"), high: between("high") }];
}

// ---- Chart.js configurations

const grid = () => ({ color: colourOf("grid") });

const tooltip = (title) => ({
  filter: ({ dataset }) => !dataset.edge,
  callbacks: {
    title: (items) => (items.length ? title(items[0]) : ""),
    label: ({ dataset, raw, parsed }) => {
      const band = raw.low === undefined ? "" : ` (${reward(raw.low)} to ${reward(raw.high)})`;
      return ` ${dataset.label}: ${reward(parsed.y)}${band}`;
    },
  },
});

function linesConfig(series, xTitle, yTitle, title, right, legend = { display: false }) {
  return {
    type: "line",
    data: { datasets: series.flatMap(seriesDatasets) },
    options: {
      parsing: false,
      interaction: { mode: "nearest", axis: "x", intersect: false },
      plugins: { legend, tooltip: tooltip(title) },
      scales: {
        x: axis(xTitle, { type: "linear", min: 0, max: right, grid: grid(), ticks: { callback: short } }),
        y: axis(yTitle, { type: "linear", grid: grid(), ticks: { callback: short } }),
      },
    },
  };
}

function allocationConfig(steps, arms) {
  return {
    type: "bar",
    data: {
      labels: steps.ends.map(short),
      datasets: arms.map(({ name, colour }, k) => ({
        label: name,
        data: steps.shares[k],
        backgroundColor: colourOf(colour),
        categoryPercentage: 1,
        barPercentage: 0.94,
      })),
    },
    options: {
      interaction: { mode: "index", intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: ([item]) => `up to pull ${item.label}`,
            label: ({ dataset, parsed }) => ` ${dataset.label}: ${Math.round(100 * parsed.y)} %`,
          },
        },
      },
      scales: {
        x: axis("pulls of all arms", {
          stacked: true,
          grid: { display: false },
          ticks: { maxRotation: 0, autoSkipPadding: 16 },
        }),
        y: axis("share of the pulls", {
          stacked: true,
          min: 0,
          max: 1,
          grid: grid(),
          ticks: { callback: (share) => `${Math.round(100 * share)} %` },
        }),
      },
    },
  };
}

// ---- the section

export class CurvesSection {
  #view = "rewards";
  #hidden = new Set(); // names of arms

  constructor(model, id, heading) {
    this.model = model;
    this.card = card(id, heading);
    this.node = this.card.node;
    this.title = this.card.title;
    this.views = VIEWS.map(([view, text]) =>
      button(text, () => this.#choose(view), { "aria-pressed": String(view === this.#view), "data-view": view }),
    );
    this.canvas = element("canvas", { role: "img" });
    this.arms = element("div", { class: "controls" });
    this.note = paragraph("", "note");
    this.content = [
      element("div", { class: "choice controls" }, ...this.views),
      this.arms,
      element("div", { class: "frame tall" }, this.canvas),
      this.note,
    ];
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.#draw);
  }

  update(what) {
    if (what === "problem") this.card.body.replaceChildren(paragraph(this.model.problem.message, "error"));
    if (what === "series") this.#draw();
  }

  #choose(view) {
    this.#view = view;
    for (const each of this.views) each.setAttribute("aria-pressed", String(each.dataset.view === view));
    this.#draw();
  }

  /** Returns the arms that are shown, those with the most pulls, with their numbers and colours. */
  #shownArms() {
    const { series, advice } = this.model;
    const pulls = series.allocation.arms.map((counts) => counts.reduce((sum, n) => sum + n, 0));
    const order = [...pulls.keys()].sort((a, b) => pulls[b] - pulls[a]).slice(0, ARM_COLOURS);
    return order
      .sort((a, b) => a - b)
      .map((arm, k) => ({
        arm,
        name: series.arms[arm].arm,
        rewards: series.arms[arm].rewards,
        course: advice.arms[arm]?.expected_course ?? [],
        colour: `arm-${k}`,
      }));
  }

  #showArms(arms) {
    const focused = document.activeElement?.dataset.arm;
    this.arms.hidden = this.#view === "total";
    this.arms.replaceChildren(
      ...arms.map(({ name, colour }) => {
        const swatch = element("span", { class: "swatch" });
        swatch.style.borderColor = `var(--${colour})`;
        const toggle = () => {
          if (!this.#hidden.delete(name)) this.#hidden.add(name);
          this.#draw();
        };
        const node = button(shortName(name, 30), toggle, {
          "aria-pressed": String(!this.#hidden.has(name)),
          "data-arm": name,
        });
        node.prepend(swatch);
        return node;
      }),
    );
    if (focused !== undefined) [...this.arms.children].find(({ dataset }) => dataset.arm === focused)?.focus();
  }

  #draw = () => {
    const { series, state, advice } = this.model;
    if (!series || !advice) return;
    if (!series.allocation.pulls.length) {
      this.card.body.replaceChildren(paragraph("No pulls have been made yet."));
      return;
    }
    if (!this.canvas.isConnected) this.card.body.replaceChildren(...this.content);
    const all = this.#shownArms();
    this.#showArms(all);
    const arms = all.filter(({ name }) => !this.#hidden.has(name));
    const more = state.arms.length - all.length;
    const others =
      more > 0
        ? ` The ${all.length} arms with the most pulls are shown; ${count(more, "other arm is", "other arms are")} not.`
        : "";
    const { config, note } = this[`_${this.#view}`](arms);
    this.note.textContent = note + others;
    this.canvas.setAttribute("aria-label", `${VIEWS.find(([view]) => view === this.#view)[1]}. ${note}`);
    Chart.defaults.color = colourOf("quiet");
    Chart.getChart(this.canvas)?.destroy();
    new Chart(this.canvas, config);
    this.canvas.dataset.drawn = "true";
    this.canvas.dataset.view = this.#view;
  };

  _rewards(arms) {
    const known = Math.max(MIN_PULLS_SHOWN, ...arms.flatMap(({ rewards }) => (rewards.length ? rewards.at(-1)[1] : 0)));
    const last = Math.max(known, ...arms.flatMap(({ course }) => (course.length ? course.at(-1).pull : 0)));
    const right = Math.min(last, Math.ceil(FUTURE_SHOWN * known));
    const series = arms.flatMap((arm) => rewardSeries({ ...arm, course: cutAt(arm.course, right) }));
    return {
      config: linesConfig(series, "pulls of the arm", "reward", ({ raw }) => `pull ${short(raw.x)} of the arm`, right),
      note: "Dots are rewards, in the order of their decisions, and lines their running means. Dashed lines are expected rewards; bands hold 80 %. Pending pulls are the gap between them.",
    };
  }

  _allocation(arms) {
    const steps = allocationSteps(
      this.model.series.allocation,
      arms.map(({ arm }) => arm),
    );
    return {
      config: allocationConfig(steps, arms),
      note: "The share of each arm in the pulls, pending ones included, from the first to the last.",
    };
  }

  _total() {
    const { total } = this.model.series;
    const split = equalSplit(this.model.series, this.model.advice);
    const lines = [
      {
        label: "total so far",
        mark: "line",
        colour: "blue",
        x: total.map(([, last]) => last),
        y: total.map(([, , , , high]) => high),
      },
      {
        label: "equal split, estimated",
        mark: "dashes",
        colour: "grey",
        x: split.map(({ x }) => x),
        y: split.map(({ y }) => y),
      },
    ];
    const now = total.length ? total.at(-1)[4] : 0;
    const even = split.at(-1)?.y;
    const said =
      even === undefined ? "" : ` So far ${reward(now)}; an equal split would have earned about ${reward(even)}.`;
    return {
      config: linesConfig(
        lines,
        "known rewards",
        "sum of the rewards",
        ({ raw }) => `after ${count(raw.x, "reward")}`,
        Math.max(MIN_PULLS_SHOWN, total.at(-1)?.[1] ?? 0),
        { labels: { boxHeight: 0, boxWidth: 26 } },
      ),
      note: `The sum of all known rewards, and what as many pulls would have earned if all arms had been pulled equally often: the same rewards and, beyond them, the expected ones.${said}`,
    };
  }
}
