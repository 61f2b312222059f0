// The charts of a page with advice, as Chart.js configurations. Colours come from the style sheet, light or dark.

const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Returns the datasets of a series: its line or dots and, if it has a band, the invisible edges of that. */
function seriesDatasets(series) {
  const colour = colourOf(series.colour);
  const points = (values) => values.map((y, k) => ({ x: series.x[k], y, stated: (series.statedX ?? series.x)[k] }));
  const dots = series.mark === "dots";
  const edge = { borderWidth: 0, pointRadius: 0, pointHitRadius: 0, edge: true };
  const single = series.x.length === 1;
  const datasets = [
    {
      label: series.label,
      data: points(series.y).map((point, k) =>
        series.low ? { ...point, low: series.low[k], high: series.high[k] } : point,
      ),
      showLine: !dots,
      borderColor: colour,
      backgroundColor: colour,
      borderWidth: dots ? 0 : 2,
      borderDash: series.mark === "dashes" ? [6, 4] : [],
      pointRadius: dots ? 1.6 : single ? 3 : 0,
      pointHoverRadius: dots ? 3 : 4,
      order: dots ? 2 : 1,
    },
  ];
  if (series.low) {
    datasets.push({ ...edge, data: points(series.low), fill: false, order: 3 });
    datasets.push({ ...edge, data: points(series.high), fill: "-1", backgroundColor: `${colour}33`, order: 3 });
  }
  return datasets;
}

/** Draws the vertical line of the present. */
const nowLine = (now) => ({
  id: "now",
  beforeDatasetsDraw({ ctx, chartArea, scales }) {
    if (now === null) return;
    const x = scales.x.getPixelForValue(now);
    ctx.save();
    ctx.strokeStyle = colourOf("grey");
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    ctx.moveTo(x, chartArea.top);
    ctx.lineTo(x, chartArea.bottom);
    ctx.stroke();
    ctx.restore();
  },
});

function ticsOf(chart) {
  if (!chart.xTics.length) return {};
  const labels = new Map(chart.xTics.map(({ at, label }) => [at, label]));
  return {
    afterBuildTicks: (scale) => {
      scale.ticks = [...labels.keys()].sort((a, b) => a - b).map((value) => ({ value }));
    },
    ticks: { autoSkip: false, maxRotation: 0, callback: (value) => labels.get(value) },
  };
}

function tooltipLabel({ dataset, raw }) {
  const band = raw.low === undefined ? "" : ` (${short(raw.low)} to ${short(raw.high)})`;
  return ` ${dataset.label.split(",")[0]}: ${short(raw.y)}${band}`;
}

function adviceChartConfig(section, chart) {
  const grid = { color: colourOf("grid") };
  const [left, right] = chart.xRange;
  const [low, high] = chart.yRange;
  return {
    type: "line",
    data: { datasets: chart.series.flatMap(seriesDatasets) },
    plugins: [nowLine(chart.now)],
    options: {
      parsing: false,
      interaction: { mode: "nearest", axis: "x", intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: {
          filter: ({ dataset }) => !dataset.edge,
          callbacks: {
            title: (items) => (items.length ? `${section.xTitle} ${short(items[0].raw.stated)}` : ""),
            label: tooltipLabel,
          },
        },
      },
      scales: {
        x: axis("", { type: "linear", min: left, max: right, grid, title: { display: false }, ...ticsOf(chart) }),
        y: axis("", {
          type: "linear",
          min: low,
          max: high,
          grid,
          title: { display: false },
          ticks: { includeBounds: false, maxTicksLimit: 6, callback: short },
        }),
      },
    },
  };
}

/** Returns a chart with a row per range: the range as a bar, its value as a dot. */
function rangesConfig({ title, rows, fromZero }) {
  const colours = rows.map(({ highlighted }) => colourOf(highlighted ? "orange" : "blue"));
  const dots = { showLine: false, pointRadius: 5, pointHoverRadius: 6, pointBackgroundColor: colours };
  const bars = { barThickness: 7, backgroundColor: colours.map((colour) => `${colour}55`) };
  return {
    data: {
      labels: rows.map(({ label }) => label),
      datasets: [
        { type: "line", data: rows.map(({ value }) => value), borderWidth: 0, ...dots },
        { type: "bar", data: rows.map(({ low, high }) => [low, high]), ...bars },
      ],
    },
    options: {
      indexAxis: "y",
      interaction: { mode: "index", axis: "y", intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: {
          filter: ({ datasetIndex }) => datasetIndex === 0,
          callbacks: {
            label: ({ dataIndex }) => {
              const { value, low, high } = rows[dataIndex];
              return ` ${short(value)} (${short(low)} to ${short(high)})`;
            },
          },
        },
      },
      scales: {
        x: axis(title, {
          grid: { color: colourOf("grid") },
          beginAtZero: fromZero,
          grace: "5%",
          ticks: { callback: short },
        }),
        y: {
          grid: { display: false },
          ticks: { autoSkip: false, callback: (k) => shortName(rows[k].label, innerWidth < 600 ? 16 : 30) },
        },
      },
    },
  };
}
