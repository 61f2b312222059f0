// The report: one section per figure, with text, controls and charts.

/** A section for one figure. */
class FigureView {
  constructor(figure) {
    this.figure = figure;
    this.charts = [];
    const plain = this.policies().filter((name) => !figure.styles[name].variant);
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
    const sentence = (label, text) =>
      text && node.append(element("p", {}, element("span", { class: "label" }, label), " ", text));
    sentence("claim", figure.claim);
    sentence("constraints", figure.constraints);
    sentence("measured", figure.measured);
    if (figure.recordedRuns < figure.runs) {
      const text = `Preliminary: ${figure.recordedRuns} of ${figure.runs} runs are recorded.`;
      node.append(element("p", { class: "preliminary" }, text));
    }
    if (figure.verdicts.length) node.append(this.verdicts());
    const links = figure.files.map((kind) =>
      element("a", { href: `figures/${encodeURIComponent(figure.name)}.${kind}` }, kind.toUpperCase()),
    );
    node.append(
      element(
        "p",
        { class: "files" },
        element("span", { class: "label" }, "files"),
        ...links.flatMap((link) => [" ", link]),
      ),
    );
    if (figure.scenes.length) node.append(this.controls());
    for (const scene of figure.scenes) this.addScene(node, scene);
    if (figure.illustrations.length) {
      const grid = element("div", { class: "charts" });
      for (const shown of figure.illustrations) this.addChart(grid, shown.title, () => illustrationConfig(shown), {});
      node.append(grid);
    }
    return node;
  }

  verdicts() {
    const list = element("ul", { class: "verdicts" });
    for (const verdict of this.figure.verdicts) {
      const kind = { holds: "yes", "does not hold": "no" }[verdict.text] ?? "partly";
      const rows = verdict.scenes.map((scene) =>
        element(
          "tr",
          {},
          element("td", {}, scene.bandit),
          element("td", {}, scene.noise),
          element("td", { class: "number" }, short(scene.measured)),
          element("td", { class: "number" }, short(scene.allowed)),
          element(
            "td",
            { class: "number" },
            scene.low === scene.high ? short(scene.low) : `${short(scene.low)} to ${short(scene.high)}`,
          ),
          element("td", {}, scene.against),
          element("td", {}, scene.finding),
        ),
      );
      const head = ["bandit", "noise", "measured", "bound", "measured - bound", "compared with", "finding"].map(
        (text) => element("th", {}, text),
      );
      list.append(
        element(
          "li",
          {},
          element(
            "details",
            {},
            element("summary", {}, element("span", { class: `badge ${kind}` }, verdict.text), verdict.says),
            element(
              "div",
              { class: "scroll" },
              element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)),
            ),
          ),
        ),
      );
    }
    return list;
  }

  controls() {
    const bar = element("div", { class: "controls", role: "group", "aria-label": "Policies shown" });
    for (const name of this.policies()) {
      const swatch = element("span", { class: "swatch" });
      swatch.style.borderTopColor = this.figure.styles[name].colour;
      if (this.figure.styles[name].dashes.length) swatch.style.borderTopStyle = "dashed";
      const button = element(
        "button",
        { type: "button", "data-policy": name, "aria-pressed": String(this.visible.has(name)) },
        swatch,
        name,
      );
      button.addEventListener("click", () => this.toggle(name, button));
      bar.append(button);
    }
    const switches = element("span", { class: "switches" });
    for (const [which, text] of [
      ["x", "log horizon"],
      ["y", "log regret"],
    ]) {
      const button = element("button", { type: "button", "data-log": which, "aria-pressed": "false" }, text);
      button.addEventListener("click", () => this.switchAxis(which, button));
      switches.append(button);
    }
    switches.append(element("button", { type: "button", onclick: () => this.resetZooms() }, "reset zoom"));
    bar.append(switches);
    return bar;
  }

  addScene(node, scene) {
    let seeds = `${scene.seeds} ${scene.seeds === 1 ? "seed" : "seeds"}`;
    if (scene.deviation > 0)
      seeds += `; the curves are only approximately single-peaked: they deviate by up to ${short(scene.deviation)}`;
    node.append(element("h4", {}, `${scene.bandit}, ${scene.noise} `, element("small", {}, seeds)));
    const grid = element("div", { class: "charts" });
    node.append(grid);
    this.addChart(
      grid,
      scene.oneOfMany ? "reward curves of the first seed" : "reward curves",
      () => curvesConfig(scene),
      { zoom: true, log: "x" },
    );
    const played = scene.policies.filter((p) => !this.figure.styles[p.name].reference);
    this.addChart(
      grid,
      "policy regret per step",
      () => linesConfig(this.figure, "regret", "regret per step", played, this.visible),
      { zoom: true, log: "xy" },
    );
    if (scene.arms.length === 2) {
      this.addChart(
        grid,
        `pulls of ${scene.arms[0]}`,
        () => linesConfig(this.figure, "pulls", "pulls", scene.policies, this.visible),
        { zoom: true, log: "x" },
      );
    } else {
      this.addShares(grid, scene);
    }
    if (scene.impactUnit)
      this.addChart(
        grid,
        "impact on the arms at the longest horizon",
        () => impactConfig(this.figure, scene, this.visible),
        {},
      );
  }

  /** Adds the shares of all arms in the pulls, with a slider for the horizon. */
  addShares(grid, scene) {
    const last = this.figure.horizons.length - 1;
    const label = element("output", {}, `T = ${short(this.figure.horizons[last])}`);
    const slider = element("input", {
      type: "range",
      min: 0,
      max: last,
      value: last,
      "aria-label": "horizon of the allocation",
    });
    const shares = this.addChart(
      grid,
      "share of pulls by arm",
      () => sharesConfig(this.figure, scene, this.visible, Number(slider.value)),
      { rebuild: true },
    );
    slider.addEventListener("input", () => {
      label.textContent = `T = ${short(this.figure.horizons[slider.value])}`;
      this.rebuild(shares);
    });
    shares.holder.append(element("label", { class: "horizon" }, slider, label));
  }

  /** Adds a chart, which is drawn when it comes into view, so that a page with many charts opens fast. */
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
    if (shown) this.visible.add(name);
    else this.visible.delete(name);
    button.setAttribute("aria-pressed", String(shown));
    for (const entry of this.charts) {
      if (!entry.chart) continue;
      if (entry.rebuildable) {
        this.rebuild(entry);
        continue;
      }
      entry.chart.data.datasets.forEach((dataset, k) => {
        if (dataset.policy === name) entry.chart.setDatasetVisibility(k, shown);
      });
      entry.chart.update();
    }
  }

  resetZooms() {
    for (const { chart, zoom } of this.charts) if (chart && zoom) resetZoom(chart);
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

const actions = new Map();
const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      actions.get(target)();
      actions.delete(target);
    }
  },
  { rootMargin: "400px" },
);

/** Calls `act` once, when the node comes into view. */
function whenSeen(node, act) {
  actions.set(node, act);
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
const variants = new Set(
  data.groups.flatMap(({ figures }) =>
    figures.flatMap(({ styles }) => Object.keys(styles).filter((name) => styles[name].variant)),
  ),
);
const hidden = variants.size
  ? ` Variants (${[...variants].join(", ")}) have dashed lines and are hidden at first.`
  : "";
document
  .querySelector("footer")
  .append(`Made by longrun ${data.version} from its records.${hidden} Charts: Chart.js ${Chart.version}.`);
