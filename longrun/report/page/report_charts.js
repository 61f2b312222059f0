// The charts of the report: their Chart.js configurations, and zoom.

/** Returns the colour of a band: that of its line, mostly transparent. */
const transparent = (colour) => `${colour}26`;

const armColour = (arm) => data.armColours[arm % data.armColours.length];

const points = (xs, ys) => xs.map((x, k) => ({ x, y: ys[k] }));

// ---- charts

/** Returns the drawing order of a line. Chart.js draws lines with a lower order above others. */
const drawingOrder = ({ reference, yardstick }) => (reference ? 0 : yardstick ? 1 : 2);

/** Returns the mean and the band of every policy. The edges of a band are invisible lines. */
function policyDatasets({ horizons, styles }, policies, what, visible) {
  return policies.flatMap((policy) => {
    const style = styles[policy.name];
    const edge = { borderWidth: 0, pointRadius: 0, pointHitRadius: 0, band: true, policy: policy.name };
    const hidden = !visible.has(policy.name);
    return [
      {
        label: policy.name,
        policy: policy.name,
        hidden,
        data: points(horizons, policy[what].mean),
        borderColor: style.colour,
        backgroundColor: style.colour,
        borderWidth: style.width,
        borderDash: style.dashes.map((d) => d * style.width),
        pointRadius: horizons.length === 1 ? 4 : 0,
        pointHoverRadius: 4,
        order: drawingOrder(style),
      },
      { ...edge, hidden, label: "low", data: points(horizons, policy[what].low), fill: false },
      {
        ...edge,
        hidden,
        label: "high",
        data: points(horizons, policy[what].high),
        fill: "-1",
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

function linesConfig(figure, what, title, policies, visible) {
  return {
    type: "line",
    data: { datasets: policyDatasets(figure, policies, what, visible) },
    options: {
      ...hoverValues,
      parsing: false,
      scales: { x: axis("horizon T", { type: "linear" }), y: axis(title, { type: "linear", beginAtZero: true }) },
    },
  };
}

function curvesConfig(scene) {
  return {
    type: "line",
    data: {
      datasets: scene.curves.map((curve, arm) => ({
        label: scene.arms[arm],
        data: points(scene.curvePulls, curve),
        borderColor: armColour(arm),
        backgroundColor: armColour(arm),
        borderWidth: 2,
        pointRadius: 0,
      })),
    },
    options: {
      interaction: { mode: "index", axis: "x", intersect: false },
      parsing: false,
      plugins: {
        legend: { labels: { boxHeight: 2, boxWidth: 16 } },
        tooltip: {
          callbacks: {
            title: (items) => `pull ${short(items[0].parsed.x)}`,
            label: (item) => ` ${item.dataset.label}: ${short(item.parsed.y)}`,
          },
        },
      },
      scales: { x: axis("pulls of the arm", { type: "linear" }), y: axis("mean reward", { min: 0, max: 1 }) },
    },
  };
}

/** Returns the policies with the reference first, because the others are compared with it. */
const referenceFirst = ({ styles }, policies) =>
  [...policies].sort((a, b) => styles[b.name].reference - styles[a.name].reference);

function sharesConfig(figure, scene, visible, horizon) {
  const policies = referenceFirst(figure, scene.policies).filter((p) => visible.has(p.name));
  return {
    type: "bar",
    data: {
      labels: policies.map((p) => p.name),
      datasets: scene.arms.map((arm, k) => ({
        label: arm,
        data: policies.map((p) => p.shares[horizon][k]),
        backgroundColor: armColour(k),
        barPercentage: 0.9,
      })),
    },
    options: {
      indexAxis: "y",
      interaction: { mode: "nearest", intersect: true },
      plugins: {
        legend: { labels: { boxWidth: 12 } },
        tooltip: {
          callbacks: { label: (item) => ` ${item.dataset.label}: ${(100 * item.parsed.x).toFixed(1)} % of pulls` },
        },
      },
      scales: {
        x: axis("share of pulls", { stacked: true, min: 0, max: 1 }),
        y: {
          stacked: true,
          grid: { display: false },
          ticks: {
            callback(k) {
              return figure.styles[this.getLabelForValue(k)].label;
            },
          },
        },
      },
    },
  };
}

function impactConfig(figure, scene, visible) {
  return {
    type: "bar",
    data: {
      labels: scene.arms,
      datasets: referenceFirst(figure, scene.policies).map((policy) => ({
        label: policy.name,
        policy: policy.name,
        hidden: !visible.has(policy.name),
        data: policy.impact,
        backgroundColor: figure.styles[policy.name].colour,
      })),
    },
    options: {
      skipNull: true,
      interaction: { mode: "index", intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: { callbacks: { label: (item) => ` ${item.dataset.label}: ${short(item.parsed.y)}` } },
      },
      scales: { x: { grid: { display: false } }, y: axis(`mean gain, ${scene.impactUnit}`) },
    },
  };
}

function illustrationConfig(shown) {
  const pulls = shown.means.map((_, k) => k + 1);
  const observed = shown.observations.length;
  const bound = pulls.map((_, k) =>
    k >= observed ? shown.futureBound[k - observed] : shown.bound.length ? shown.bound[k] : null,
  );
  const line = (label, colour, values, extra) => ({
    type: "line",
    label,
    data: values,
    borderColor: colour,
    backgroundColor: colour,
    borderWidth: 2,
    pointRadius: 0,
    ...extra,
  });
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
      plugins: {
        legend: { labels: { boxWidth: 14, boxHeight: 3 } },
        tooltip: { callbacks: { title: (items) => `pull ${items[0].label}` } },
      },
      scales: { x: axis("pull", { grid: { display: false } }), y: axis("reward", { min: 0, max: 1 }) },
    },
  };
}

// ---- zoom: drag across a chart to zoom in, double-click to zoom out

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
  // The browser cancels the pointer when a touch turns into scrolling.
  window.addEventListener("pointercancel", () => {
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
