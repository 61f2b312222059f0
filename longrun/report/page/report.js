function transparent(colour) {
  return colour + "26";
}

const armColour = (arm) => data.armColours[arm % data.armColours.length];

const points = (xs, ys) => xs.map((x, k) => ({ x, y: ys[k] }));

// ---- charts

/** Mean and band of every policy; the band's edges are lines without ink. */
function policyDatasets(horizons, policies, what, visible) {
  return policies.flatMap((policy) => {
    const style = data.styles[policy.name];
    const edge = { borderWidth: 0, pointRadius: 0, pointHitRadius: 0, band: true, policy: policy.name };
    const hidden = !visible.has(policy.name);
    return [
      {
        label: policy.name, policy: policy.name, hidden,
        data: points(horizons, policy[what].mean),
        borderColor: style.colour, backgroundColor: style.colour,
        borderWidth: style.width, borderDash: style.dashes.map((d) => d * style.width),
        pointRadius: horizons.length === 1 ? 4 : 0, pointHoverRadius: 4,
        order: policy.name === "optimal" ? 0 : policy.name === "spo" ? 1 : 2,  // on top what others would hide
      },
      { ...edge, hidden, label: "low", data: points(horizons, policy[what].low), fill: false },
      {
        ...edge, hidden, label: "high", data: points(horizons, policy[what].high), fill: "-1",
        backgroundColor: transparent(style.colour),
      },
    ];
  });
}

const hoverValues = {
  interaction: { mode: "index", axis: "x", intersect: false },
  plugins: {
    legend: { display: false },
    tooltip: {
      filter: (item) => !item.dataset.band,
      itemSort: (a, b) => b.parsed.y - a.parsed.y,
      callbacks: {
        title: (items) => (items.length ? `T = ${short(items[0].parsed.x)}` : ""),
        label: (item) => {
          const band = item.chart.data.datasets;
          const low = band[item.datasetIndex + 1].data[item.dataIndex].y;
          const high = band[item.datasetIndex + 2].data[item.dataIndex].y;
          const spread = high > low ? ` (${short(low)} to ${short(high)})` : "";
          return ` ${item.dataset.label}: ${short(item.parsed.y)}${spread}`;
        },
      },
    },
  },
};

function linesConfig(figure, scene, what, title, policies, visible) {
  return {
    type: "line",
    data: { datasets: policyDatasets(figure.horizons, policies, what, visible) },
    options: { ...hoverValues, parsing: false, scales: { x: axis("horizon T", { type: "linear" }), y: axis(title, { type: "linear", beginAtZero: true }) } },
  };
}

function curvesConfig(scene) {
  return {
    type: "line",
    data: {
      datasets: scene.curves.map((curve, arm) => ({
        label: scene.arms[arm], data: points(scene.curvePulls, curve),
        borderColor: armColour(arm), backgroundColor: armColour(arm), borderWidth: 2, pointRadius: 0,
      })),
    },
    options: {
      interaction: { mode: "index", axis: "x", intersect: false },
      parsing: false,
      plugins: {
        legend: { labels: { boxHeight: 2, boxWidth: 16 } },
        tooltip: { callbacks: { title: (items) => `pull ${short(items[0].parsed.x)}`, label: (item) => ` ${item.dataset.label}: ${short(item.parsed.y)}` } },
      },
      scales: { x: axis("pulls of the arm", { type: "linear" }), y: axis("mean reward", { min: 0, max: 1 }) },
    },
  };
}

/** Optimal first: the others are read against it. */
function optimalFirst(policies) {
  return [...policies].sort((a, b) => (b.name === "optimal") - (a.name === "optimal"));
}

function sharesConfig(scene, visible, horizon) {
  const policies = optimalFirst(scene.policies).filter((p) => visible.has(p.name));
  return {
    type: "bar",
    data: {
      labels: policies.map((p) => p.name),
      datasets: scene.arms.map((arm, k) => ({
        label: arm, data: policies.map((p) => p.shares[horizon][k]), backgroundColor: armColour(k), barPercentage: 0.9,
      })),
    },
    options: {
      indexAxis: "y",
      interaction: { mode: "nearest", intersect: true },
      plugins: {
        legend: { labels: { boxWidth: 12 } },
        tooltip: { callbacks: { label: (item) => ` ${item.dataset.label}: ${(100 * item.parsed.x).toFixed(1)} % of pulls` } },
      },
      scales: { x: axis("share of pulls", { stacked: true, min: 0, max: 1 }), y: { stacked: true, grid: { display: false }, ticks: { callback(k) { return shortName(this.getLabelForValue(k)); } } } },
    },
  };
}

function impactConfig(scene, visible) {
  return {
    type: "bar",
    data: {
      labels: scene.arms,
      datasets: optimalFirst(scene.policies).map((policy) => ({
        label: policy.name, policy: policy.name, hidden: !visible.has(policy.name), data: policy.impact,
        backgroundColor: data.styles[policy.name].colour,
      })),
    },
    options: {
      skipNull: true,
      interaction: { mode: "index", intersect: false },
      plugins: { legend: { display: false }, tooltip: { callbacks: { label: (item) => ` ${item.dataset.label}: ${short(item.parsed.y)}` } } },
      scales: { x: { grid: { display: false } }, y: axis(`mean gain, ${scene.impactUnit}`) },
    },
  };
}

function illustrationConfig(shown) {
  const pulls = shown.means.map((_, k) => k + 1);
  const observed = shown.observations.length;
  const bound = pulls.map((_, k) => (k >= observed ? shown.futureBound[k - observed] : shown.bound.length ? shown.bound[k] : null));
  const line = (label, colour, values, extra) => ({ type: "line", label, data: values, borderColor: colour, backgroundColor: colour, borderWidth: 2, pointRadius: 0, ...extra });
  return {
    data: {
      labels: pulls,
      datasets: [
        line("upper bound", "#d55e00", bound, { borderDash: [6, 4], pointRadius: 2 }),
        line("observations", "#0072b2", shown.observations, { showLine: false, pointRadius: 4 }),
        line("true mean reward", "#999999", shown.means),
        { type: "bar", label: "intervals", data: shown.bands, backgroundColor: "#0072b255", barThickness: 5 },
      ],
    },
    options: {
      interaction: { mode: "index", intersect: false },
      plugins: { legend: { labels: { boxWidth: 14, boxHeight: 3 } }, tooltip: { callbacks: { title: (items) => `pull ${items[0].label}` } } },
      scales: { x: axis("pull", { grid: { display: false } }), y: axis("reward", { min: 0, max: 1 }) },
    },
  };
}

// ---- zoom: drag across a chart to see a part of it, double-click to see all

function zoomable(frame, chart) {
  let from = null;
  const selection = element("div", { class: "selection", hidden: "" });
  frame.append(selection);
  const position = (event) => event.clientX - frame.getBoundingClientRect().left;
  frame.addEventListener("pointerdown", (event) => {
    if (event.button === 0) from = position(event);
  });
  frame.addEventListener("pointermove", (event) => {
    if (from === null) return;
    selection.hidden = false;
    selection.style.left = `${Math.min(from, position(event))}px`;
    selection.style.width = `${Math.abs(from - position(event))}px`;
  });
  window.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const [left, right] = [from, position(event)].sort((a, b) => a - b);
    from = null;
    selection.hidden = true;
    if (right - left < 8) return;
    const x = chart.scales.x;
    const [min, max] = [left, right].map((pixel) => x.getValueForPixel(Math.min(Math.max(pixel, x.left), x.right)));
    Object.assign(chart.options.scales.x, { min, max });
    chart.update();
  });
  window.addEventListener("pointercancel", () => {  // a scroll that began on the chart
    from = null;
    selection.hidden = true;
  });
  frame.addEventListener("dblclick", () => resetZoom(chart));
}

function resetZoom(chart) {
  delete chart.options.scales.x.min;
  delete chart.options.scales.x.max;
  chart.update();
}

// ---- one figure: its words, its switches, its charts

class FigureView {
  constructor(figure) {
    this.figure = figure;
    this.charts = [];
    const plain = this.policies().filter((name) => !data.styles[name].variant);
    this.visible = new Set(plain.length ? plain : this.policies());
    this.log = { x: false, y: false };
    this.node = this.build();
  }

  policies() {
    return this.figure.scenes.length ? this.figure.scenes[0].policies.map((p) => p.name) : [];
  }

  build() {
    const figure = this.figure;
    const node = element("section", { class: "figure", id: figure.name }, element("h3", {}, figure.title));
    const sentence = (label, text) => text && node.append(element("p", {}, element("span", { class: "label" }, label), text));
    sentence("claim", figure.claim);
    sentence("measured here", figure.measured);
    if (figure.recordedRuns < figure.runs) {
      const text = `Preliminary: ${figure.recordedRuns} of ${figure.runs} runs are recorded.`;
      node.append(element("p", { class: "preliminary" }, text));
    }
    if (figure.verdicts.length) node.append(this.verdicts());
    const links = figure.files.map((kind) => element("a", { href: `figures/${encodeURIComponent(figure.name)}.${kind}` }, kind.toUpperCase()));
    node.append(element("p", { class: "files" }, element("span", { class: "label" }, "files"), ...links));
    if (figure.scenes.length) node.append(this.controls());
    figure.scenes.forEach((scene) => this.addScene(node, scene));
    if (figure.illustrations.length) {
      const grid = element("div", { class: "charts" });
      figure.illustrations.forEach((shown) => this.addChart(grid, shown.title, () => illustrationConfig(shown), {}));
      node.append(grid);
    }
    return node;
  }

  verdicts() {
    const list = element("ul", { class: "verdicts" });
    for (const verdict of this.figure.verdicts) {
      const kind = { holds: "yes", "does not hold": "no" }[verdict.text] ?? "partly";
      const rows = verdict.scenes.map((scene) =>
        element("tr", {}, element("td", {}, scene.bandit), element("td", {}, scene.noise), element("td", { class: "number" }, short(scene.measured)),
          element("td", { class: "number" }, short(scene.allowed)),
          element("td", { class: "number" }, scene.low === scene.high ? short(scene.low) : `${short(scene.low)} to ${short(scene.high)}`), element("td", {}, scene.against), element("td", {}, scene.finding)));
      const head = ["bandit", "noise", "measured", "bound", "measured less bound", "compared with", "finding"].map((text) => element("th", {}, text));
      list.append(element("li", {}, element("details", {},
        element("summary", {}, element("span", { class: `badge ${kind}` }, verdict.text), verdict.says),
        element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows))))));
    }
    return list;
  }

  controls() {
    const bar = element("div", { class: "controls", role: "group", "aria-label": "Policies shown" });
    for (const name of this.policies()) {
      const swatch = element("span", { class: "swatch" });
      swatch.style.borderTopColor = data.styles[name].colour;
      if (data.styles[name].dashes.length) swatch.style.borderTopStyle = "dashed";
      const button = element("button", { type: "button", "data-policy": name, "aria-pressed": String(this.visible.has(name)) }, swatch, name);
      button.addEventListener("click", () => this.toggle(name, button));
      bar.append(button);
    }
    const switches = element("span", { class: "switches" });
    for (const [which, text] of [["x", "log horizon"], ["y", "log regret"]]) {
      const button = element("button", { type: "button", "data-log": which, "aria-pressed": "false" }, text);
      button.addEventListener("click", () => this.switchAxis(which, button));
      switches.append(button);
    }
    switches.append(element("button", { type: "button", onclick: () => this.charts.forEach((c) => c.chart && c.zoom && resetZoom(c.chart)) }, "reset zoom"));
    bar.append(switches);
    return bar;
  }

  addScene(node, scene) {
    let seeds = `${scene.seeds} ${scene.seeds === 1 ? "seed" : "seeds"}`;
    if (scene.deviation > 0) seeds += `; the curves are single-peaked only roughly, off by up to ${short(scene.deviation)}`;
    node.append(element("h4", {}, `${scene.bandit}, ${scene.noise} `, element("small", {}, seeds)));
    const grid = element("div", { class: "charts" });
    node.append(grid);
    this.addChart(grid, scene.oneOfMany ? "reward curves of the first seed" : "reward curves", () => curvesConfig(scene), { zoom: true, log: "x" });
    const played = scene.policies.filter((p) => p.name !== "optimal");
    this.addChart(grid, "policy regret per step", () => linesConfig(this.figure, scene, "regret", "regret per step", played, this.visible), { zoom: true, log: "xy" });
    if (scene.arms.length === 2) {
      this.addChart(grid, `pulls of arm 1 (${scene.arms[0]})`, () => linesConfig(this.figure, scene, "pulls", "pulls", scene.policies, this.visible), { zoom: true, log: "x" });
      return;
    }
    const last = this.figure.horizons.length - 1;
    const label = element("output", {}, `T = ${short(this.figure.horizons[last])}`);
    const slider = element("input", { type: "range", min: 0, max: last, value: last, "aria-label": "horizon of the allocation" });
    const shares = this.addChart(grid, "who is pulled", () => sharesConfig(scene, this.visible, Number(slider.value)), { rebuild: true });
    slider.addEventListener("input", () => {
      label.textContent = `T = ${short(this.figure.horizons[slider.value])}`;
      this.rebuild(shares);
    });
    shares.holder.append(element("label", { class: "horizon" }, slider, label));
    if (scene.impactUnit) this.addChart(grid, "what it does to them, at the longest horizon", () => impactConfig(scene, this.visible), {});
  }

  /** Charts are made when they come into view: a page of a hundred opens at once. */
  addChart(grid, caption, config, { zoom = false, log = "", rebuild = false }) {
    const canvas = element("canvas", { role: "img", "aria-label": caption });
    const frame = element("div", { class: "frame" }, canvas);
    const holder = element("figure", { class: "chart" }, element("figcaption", {}, caption), frame);
    grid.append(holder);
    const entry = { chart: null, config, zoom, log, rebuildable: rebuild, canvas, holder };
    this.charts.push(entry);
    whenSeen(frame, () => {
      entry.chart = new Chart(canvas, this.withAxes(entry, config()));
      if (zoom) zoomable(frame, entry.chart);
      canvas.dataset.drawn = "true";
    });
    return entry;
  }

  withAxes(entry, config) {
    for (const which of ["x", "y"]) {
      if (!entry.log.includes(which)) continue;
      config.options.scales[which].type = this.log[which] ? "logarithmic" : "linear";
    }
    return config;
  }

  rebuild(entry) {
    if (!entry.chart) return;
    entry.chart.data = entry.config().data;
    entry.chart.update();
  }

  toggle(name, button) {
    const shown = !this.visible.has(name);
    shown ? this.visible.add(name) : this.visible.delete(name);
    button.setAttribute("aria-pressed", String(shown));
    for (const entry of this.charts) {
      if (!entry.chart) continue;
      if (entry.rebuildable) {
        this.rebuild(entry);
        continue;
      }
      entry.chart.data.datasets.forEach((dataset, k) => dataset.policy === name && entry.chart.setDatasetVisibility(k, shown));
      entry.chart.update();
    }
  }

  switchAxis(which, button) {
    this.log[which] = !this.log[which];
    button.setAttribute("aria-pressed", String(this.log[which]));
    for (const entry of this.charts) {
      if (!entry.chart || !entry.log.includes(which)) continue;
      const options = entry.chart.options.scales[which];
      options.type = this.log[which] ? "logarithmic" : "linear";
      entry.chart.update();
    }
  }
}

const seers = new Map();
const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    observer.unobserve(target);
    seers.get(target)();
    seers.delete(target);
  }
}, { rootMargin: "400px" });

function whenSeen(node, act) {
  seers.set(node, act);
  observer.observe(node);
}

// ---- the page

const contents = element("nav", { "aria-label": "Figures" });
document.querySelector("header").append(contents);
const main = document.querySelector("main");
for (const group of data.groups) {
  contents.append(element("strong", {}, group.name));
  main.append(element("h2", {}, group.name));
  for (const figure of group.figures) {
    contents.append(element("a", { href: `#${encodeURIComponent(figure.name)}` }, figure.title));
    main.append(new FigureView(figure).node);
  }
}
document.querySelector("footer").append(
  `Made by longrun ${data.version} from its records. Dashed variants such as spo@released are hidden until you choose them. Charts: Chart.js ${Chart.version}.`);
