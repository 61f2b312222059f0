// Health: what may need a person.

import { getComputed, Problem } from "./client.js";
import { button, card, count, decisionLink, named, namedAll, paragraph, percent, reward, table, time } from "./view.js";

export class HealthSection {
  constructor(model, id, heading) {
    this.model = model;
    this.card = card(id, heading);
    this.node = this.card.node;
    this.title = this.card.title;
    this.facts = element("dl");
    this.audit = element("div", { "aria-live": "polite" });
    this.check = button("Replay the log and compare", () => this.#audit());
    this.content = [this.facts, element("div", { class: "buttons" }, this.check), this.audit];
  }

  update(what) {
    if (!this.model.state || what === "problem") return;
    if (!this.facts.isConnected) this.card.body.replaceChildren(...this.content);
    this.facts.replaceChildren(
      ...this.#facts().flatMap(([term, ...said]) => [element("dt", {}, term), element("dd", {}, ...said)]),
    );
  }

  #facts() {
    const { state, series, advice, follower, name } = this.model;
    const { oldest_pending: oldest, health } = state;
    const facts = [
      ["Oldest pending", ...(oldest ? [decisionLink(name, oldest.decision), ", decided ", time(oldest.at)] : ["none"])],
      ["Overdue", ...overdue(name, health)],
      ["Updates", follower.isLive ? "at once, by server-sent events" : "every 3 seconds"],
      ["Noise", state.noise === "estimate" && advice ? noiseText(advice) : state.noise],
      ["Created", time(state.created_at), `, seed ${state.seed}`],
    ];
    if (series?.decided) {
      const share = percent(series.voided / series.decided);
      facts.splice(2, 0, [
        "Not followed",
        `${series.voided} of ${count(series.decided, "decision")} (${share}) are void`,
      ]);
      facts.splice(3, 0, ["In place of decisions", count(series.instead, "pull")]);
      facts.splice(4, 0, ["Without a decision", count(series.observations, "pull")]);
    }
    if (state.shadow)
      facts.push(["Shadow", `${state.shadow.agreed} of ${count(state.shadow.observations, "pull")} as advised`]);
    if (advice?.outliers.length)
      facts.push([
        "Outliers",
        ...advice.outliers.flatMap(({ name: arm, reward: value }) => [named(arm), `: ${value}. `]),
      ]);
    if (health.off_scale) facts.push(["Off the scale", ...offScale(name, health, state.scale)]);
    if (health.newest_in_future) facts.push(["Clock", "the newest event has a time in the future: a clock was wrong"]);
    if (state.unavailable.length) facts.push(["Unavailable", ...namedAll(state.unavailable)]);
    return facts;
  }

  async #audit() {
    this.check.disabled = true;
    this.audit.replaceChildren(paragraph("Replaying …", "loading"));
    try {
      this.audit.replaceChildren(...auditResult(await getComputed(this.model.path("audit"))));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.audit.replaceChildren(paragraph(problem.message, "error"));
    } finally {
      this.check.disabled = false;
    }
  }
}

/** Returns how many outcomes are overdue, with a link to the pending decisions, the oldest first. */
function overdue(name, { overdue: number, overdue_after_days: days }) {
  const limit = `pending for more than ${count(days, "day")}`;
  if (!number) return [`none is ${limit}`];
  return [element("a", { href: `#/study/${name}/report` }, count(number, "decision")), ` ${limit}`];
}

/** Returns how many rewards are off the scale, with a link to the chart that shows them. */
function offScale(name, { off_scale: number }, [low, high]) {
  const verb = number === 1 ? "is" : "are";
  const link = element("a", { href: `#/study/${name}/curves` }, count(number, "reward"));
  return [link, ` ${verb} outside the scale from ${low} to ${high}, as far as noise explains`];
}

/** Returns the estimate of the noise. Before the first reward, there is none. */
const noiseText = ({ arms, noise_sd: sd }) =>
  arms.some(({ reward_now: now }) => now)
    ? `estimated: standard deviation ${reward(sd.value, 2)}`
    : "to be estimated from the rewards; none is known yet";

function auditResult({ events, state_agrees: agrees, decisions_differ: differ, differences }) {
  const parts = [
    paragraph(
      agrees
        ? `${count(events, "event")} replayed: the state is the same.`
        : `${count(events, "event")} replayed: the state differs from what the log gives.`,
      agrees ? "good" : "error",
    ),
    paragraph(
      differ
        ? `Today's program would decide otherwise at ${count(differ, "entry", "entries")}. What was recorded counts.`
        : "Today's program would decide the same each time.",
    ),
  ];
  if (differ) {
    const rows = differences
      .slice(0, 20)
      .map(({ seq, recorded, recomputed }) => ({ cells: [String(seq), recorded.join(", "), recomputed.join(", ")] }));
    parts.push(table("Differences", [{ name: "event" }, { name: "recorded" }, { name: "recomputed" }], rows));
  }
  return parts;
}
