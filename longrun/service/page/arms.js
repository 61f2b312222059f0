// Arms: a table with the estimates of every arm, intervals as bars.

import { button, card, named, paragraph, percent, range, reward, table } from "./view.js";

const ROWS_SHOWN = 20;
const COLUMNS = [
  { name: "arm" },
  { name: "pulls", number: true },
  { name: "share" },
  { name: "reward now", number: true },
  { name: "of last", number: true },
  { name: "trend" },
  { name: "expected per pull (80 %)" },
  { name: "upper bound", number: true },
];

/** Returns a bar from `low` to `high` with a mark at `mean`, on an axis. */
function intervalBar({ mean, low, high }, [left, right]) {
  const place = (value) => (100 * (value - left)) / (right - left || 1);
  const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span"), element("i"));
  bar.firstChild.style.left = `${place(low)}%`;
  bar.firstChild.style.width = `${Math.max(1, place(high) - place(low))}%`;
  bar.lastChild.style.left = `${place(mean)}%`;
  return bar;
}

function trendText(trend) {
  if (!trend) return "";
  return trend.stated === "undecided" ? "undecided" : `${trend.stated}, ${percent(trend[trend.stated])}`;
}

export class ArmsSection {
  #showsAll = false;

  constructor(model, id, heading) {
    this.model = model;
    this.card = card(id, heading);
    this.node = this.card.node;
    this.title = this.card.title;
  }

  update(what) {
    if (what === "advice") this.#show();
    else if (what === "state" && this.model.advice) this.node.setAttribute("aria-busy", "true");
    else if (what === "problem") this.card.body.replaceChildren(paragraph(this.model.problem.message, "error"));
  }

  #row(arm, following, axis) {
    const { state } = this.model;
    const own = state.arms.find((each) => each.arm === arm.name) ?? { pulls: arm.pulls, pending: 0, available: true };
    const all = state.arms.reduce((sum, each) => sum + each.pulls, 0);
    const pulls = own.pending ? `${own.pulls} (${own.pending} pending)` : String(own.pulls);
    const share = element(
      "span",
      { class: "budget" },
      element("span", { class: "meter", "aria-hidden": "true" }, element("span")),
      percent(all ? own.pulls / all : 0),
    );
    share.querySelector(".meter span").style.width = `${all ? (100 * own.pulls) / all : 0}%`;
    const now = arm.reward_now ? `${reward(arm.reward_now.mean)} ± ${reward(arm.reward_now.standard_error, 2)}` : "";
    const expected = arm.expected
      ? element("span", { class: "interval" }, intervalBar(arm.expected, axis), range(arm.expected))
      : "";
    const ofLast = arm.reward_now ? String(arm.reward_now.pulls) : "";
    const bound = arm.remaining > 0 ? reward(arm.upper_bound.total / arm.remaining) : "";
    const name = own.available ? arm.name : element("span", { title: arm.name }, named(arm.name), " (unavailable)");
    const cells = [name, pulls, share, now, ofLast, trendText(arm.trend), expected, bound];
    return { cells, kind: following.has(arm.name) ? "highlighted" : "" };
  }

  #show() {
    const { advice } = this.model;
    const following = new Set(this.model.state.closed ? [] : advice.next.map(({ name }) => name));
    const order = [...advice.arms].sort((a, b) => b.index - a.index);
    const arms = this.#showsAll ? order : order.slice(0, ROWS_SHOWN);
    const known = arms.filter(({ expected }) => expected).map(({ expected }) => expected);
    const [low, high] = advice.scale;
    const axis = known.length
      ? [Math.min(low, ...known.map((each) => each.low)), Math.max(...known.map((each) => each.high))]
      : [low, high];
    const parts = [
      table(
        "Arms",
        COLUMNS,
        arms.map((arm) => this.#row(arm, following, axis)),
      ),
    ];
    if (!this.#showsAll && order.length > ROWS_SHOWN) {
      const all = () => {
        this.#showsAll = true;
        this.#show();
      };
      parts.push(button(`Show all ${order.length.toLocaleString("en")} arms`, all));
    }
    parts.push(
      paragraph(
        "The arms with the largest index come first; those to pull next are marked. The reward now is the mean of " +
          "as many rewards as \u201cof last\u201d says. The expected reward, its interval and the upper bound are per " +
          "pull, if all remaining pulls go to the arm.",
        "note",
      ),
    );
    this.card.body.replaceChildren(...parts);
    this.node.removeAttribute("aria-busy");
  }
}
