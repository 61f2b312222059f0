// Next: what to do and why, and the decisions that were made last.

import { send } from "./client.js";
import { decisionRow, syncRows } from "./decision_row.js";
import { field, form, numberIn, wholeInput } from "./forms.js";
import { card, count, paragraph, sentences } from "./view.js";

const ROWS_SHOWN = 6;
const WORDS = { done: "Done", other: "Did something else", skip: "Skip" };

/** Returns the decisions of the last round that have no outcome yet. `entries` are the newest of the log. */
function openDecisions(entries) {
  const last = entries.findLastIndex(({ event }) => event === "decided");
  if (last < 0) return { open: [], round: 0 };
  const settled = new Set(entries.slice(last).map(({ decision }) => decision));
  return { open: entries[last].decisions.filter(({ id }) => !settled.has(id)), round: entries[last].round };
}

export class NextSection {
  constructor(model, id, heading) {
    this.model = model;
    this.card = card(id, heading, "advice");
    this.node = this.card.node;
    this.title = this.card.title;
    this.advice = element("div");
    this.open = element("div", { class: "open" });
    this.rows = element("ul", { class: "rows" });
    this.openTitle = element("h3");
    this.more = element("p", { class: "note" });
    this.open.append(this.openTitle, this.rows, this.more);
    this.decide = this.#decideForm();
  }

  #decideForm() {
    const number = field("Decisions", wholeInput({ value: 1 }), { pointer: "/count" });
    this.count = number;
    return form({
      label: "Decide",
      fields: [number],
      submit: "Decide",
      kind: "row",
      act: async () => {
        const asked = this.model.state.by_round ? {} : { count: numberIn(number, "count") };
        const { decisions, round } = await send("POST", this.model.path("decisions"), asked);
        await this.model.reload();
        return decisions.length ? `${count(decisions.length, "decision")} made.` : `Round ${round} has no pulls.`;
      },
    });
  }

  update(what) {
    if (what === "state") this.#showState();
    else if (what === "advice") this.#showAdvice();
    else if (what === "lists") this.#showOpen();
    else if (what === "problem") this.advice.replaceChildren(paragraph(this.model.problem.message, "error"));
  }

  #showState() {
    const { state } = this.model;
    if (!this.advice.isConnected) this.card.body.replaceChildren(this.advice, this.decide.node, this.open);
    if (!this.advice.firstChild) this.advice.replaceChildren(paragraph("Loading …", "loading"));
    this.advice.setAttribute("aria-busy", "true");
    this.decide.node.hidden = state.closed || state.done || state.mode === "shadow";
    this.count.node.hidden = state.by_round;
    this.decide.main.textContent = state.by_round ? "Decide the next round" : "Decide";
  }

  #showAdvice() {
    const { advice, state } = this.model;
    this.advice.removeAttribute("aria-busy");
    if (state.closed) {
      this.advice.replaceChildren(paragraph("The study is closed.", "lead"));
      return;
    }
    const parts = [paragraph(advice.what_to_do, "lead")];
    if (state.mode === "shadow") parts.push(paragraph(shadowText(state)));
    if (advice.why.length) parts.push(sentences([advice.why.join(" ")], "why"));
    const list = (heading, texts, kind) => {
      if (texts.length) parts.push(element("h3", {}, heading), sentences(texts, kind));
    };
    list("What would change the choice", advice.what_would_change);
    if (advice.cautions.length) {
      parts.push(element("div", { class: "caution" }, element("h3", {}, "Cautions"), sentences(advice.cautions)));
    }
    this.advice.replaceChildren(...parts);
  }

  #showOpen() {
    const { open, round } = openDecisions(this.model.newest);
    const { by_round: isByRound } = this.model.state;
    this.openTitle.textContent = isByRound
      ? `Decided in round ${round}: what was done?`
      : "Decided last: what was done?";
    syncRows(this.rows, open.slice(0, ROWS_SHOWN), (decision) => decisionRow(this.model, decision, WORDS));
    const hidden = open.length - ROWS_SHOWN;
    const report = element("a", { href: `#/study/${this.model.name}/report` }, "Report");
    this.more.replaceChildren(...(hidden > 0 ? [`${count(hidden, "more decision")}: see `, report, "."] : []));
  }
}

function shadowText({ shadow }) {
  if (!shadow.observations) {
    return "This study is a shadow: it only watches. Report what is done. Under Change, it can begin to decide.";
  }
  const { agreed, observations } = shadow;
  return `This study is a shadow: ${agreed} of ${count(observations, "pull")} were those that it advised.`;
}
