// Log: all events, newest first; the events of one decision; corrections; download.

import { access, getLines, getText, Problem, send } from "./client.js";
import { choice, field, form, numberIn, numberInput, textInput, wholeInput } from "./forms.js";
import { insteadFields } from "./instead_fields.js";
import {
  button,
  card,
  count,
  decisionLink,
  loading,
  named,
  namedAll,
  paragraph,
  pullLink,
  time,
  units,
} from "./view.js";

const PAGE = 20; // entries; at most NEWEST_ENTRIES of study.js
const DECISIONS_SHOWN = 8; // of one entry

/** Returns units of an entry, which counts their smallest parts. */
const unitsIn = (parts, decimals) => units(parts / 10 ** decimals);

const ID = "observation "; // begins the key of a pull that has an id

const outcomeText = ({ outcome, reward: value }) => (outcome === "observed" ? `reward ${value}` : outcome);

/** What else a correction did: to the pull in place of the decision before, or with `instead`. */
function alsoChanged({ voided, still_void: stillVoid, decision }, instead) {
  if (instead) {
    const wrong = voided ? ` Decision ${voided} is void.` : "";
    return ` ${instead.arm}, which was pulled instead, is decision ${decision}.${wrong}`;
  }
  if (voided) return ` Decision ${voided}, which was pulled instead, is void.`;
  return stillVoid ? ` Decision ${stillVoid}, which was pulled instead, stays void.` : "";
}

/** What an entry says, as texts and nodes. */
const DESCRIPTIONS = {
  created: ({ arms, budget, unit_decimals: decimals = 0 }) => [
    `Created with ${count(arms.length, "arm")} and a budget of ${unitsIn(budget, decimals)}.`,
  ],
  decided: ({ round, decisions, among }, study) => {
    if (!decisions.length) return [`Round ${round} has no pulls.`];
    const parts = decisions
      .slice(0, DECISIONS_SHOWN)
      .flatMap(({ id, arm, cause }, k) => [
        k ? ", " : "",
        decisionLink(study, id),
        " ",
        named(arm),
        cause === "choice" ? "" : ` (${cause})`,
      ]);
    const more = decisions.length - DECISIONS_SHOWN;
    const last = more > 0 ? [" and ", decisionLink(study, decisions.at(-1).id, `${more} more`)] : [];
    return ["Decided: ", ...parts, ...last, ...(among ? ["; only ", ...namedAll(among), " allowed."] : ["."])];
  },
  settled: (entry, study) => [decisionLink(study, entry.decision), `: ${outcomeText(entry)}.`],
  corrected: (entry, study) => [
    ...(entry.observation ? ["Pull of ", pullLink(study, entry.observation)] : [decisionLink(study, entry.decision)]),
    ` corrected: ${outcomeText(entry)}.`,
  ],
  observed: ({ seq, arm, reward: value, key }, study) => [
    "Pulled without a decision: ",
    named(arm),
    `, reward ${value}`,
    ...(key?.startsWith(ID) ? [", id ", pullLink(study, seq, named(key.slice(ID.length)))] : []),
    ".",
  ],
  pulled_instead: (entry, study) => [
    "Pulled in place of ",
    decisionLink(study, entry.instead_of),
    ": ",
    decisionLink(study, entry.decision),
    " ",
    named(entry.arm),
    ".",
  ],
  availability_changed: ({ unavailable }) =>
    unavailable.length
      ? ["Unavailable from now on: ", ...namedAll(unavailable), "."]
      : ["All arms are available from now on."],
  arm_added: ({ arm }) => ["Arm added: ", named(arm), "."],
  budget_extended: ({ units: parts }, _, { unit_decimals: decimals = 0 }) => [
    `Budget extended by ${unitsIn(parts, decimals)} units.`,
  ],
  noise_changed: ({ noise }) => [
    `Noise: ${noise === "estimate" ? "estimated from the rewards" : noise}. What was decided stands.`,
  ],
  constraints_changed: ({ constraints }) => {
    const texts = Object.entries(constraints).map(([name, text]) => `${name.replaceAll("_", " ")} ${text}`);
    return [texts.length ? `Constraints from now on: ${texts.join("; ")}.` : "No constraints from now on."];
  },
  mode_changed: ({ mode }) => [`The study is ${mode} from now on.`],
  closed: () => ["Closed."],
};

function detailTexts({ details = {} }) {
  const texts = [];
  if (details.reason) texts.push(`Reason: ${details.reason}`);
  if (details.observed_at) texts.push(`Observed at ${new Date(details.observed_at).toLocaleString()}.`);
  if (details.advised) texts.push(`Advised: ${details.advised}.`);
  return texts;
}

function entryRow(entry, { name, state }, marked, onCorrect) {
  const describe = DESCRIPTIONS[entry.event] ?? ((other) => [JSON.stringify(other)]);
  const text = element("span", { class: "what" }, ...describe(entry, name, state));
  for (const detail of detailTexts(entry)) text.append(" ", element("em", {}, detail));
  if (entry.event === "observed") {
    text.append(button("Correct", () => onCorrect(entry.seq), { "aria-label": `Correct entry ${entry.seq}` }));
  }
  return element(
    "li",
    { "data-seq": entry.seq ?? 0, ...(entry.seq === marked ? { class: "marked" } : {}) },
    element("span", { class: "seq" }, String(entry.seq ?? 0)),
    text,
    time(entry.at),
  );
}

/** Downloads what a link leads to, with the token, which a browser would not send. */
async function downloadWithToken(event) {
  const { href, download } = event.currentTarget;
  if (!access.token || href.startsWith("blob:")) return;
  event.preventDefault();
  const url = URL.createObjectURL(new Blob([await getText(href)], { type: "application/jsonl" }));
  element("a", { href: url, download }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export class LogSection {
  #end = null; // number of the newest entry of the page; null for the newest of all
  #decision = null; // whose events are shown
  #marked = null; // number of the entry that was asked for
  #meant = null; // the decision that the form names, and a promise of its arm
  #isLoading = 0; // number of the last load

  constructor(model, id, heading) {
    this.model = model;
    this.card = card(id, heading);
    this.node = this.card.node;
    this.title = this.card.title;
    this.what = paragraph("");
    this.list = element("ol", { class: "log" });
    this.newer = button("Newer", () => this.#go(this.#end + PAGE));
    this.older = button("Older", () => this.#go((this.#end ?? this.model.state.seq) - PAGE));
    const name = `${model.name}.jsonl`;
    const download = { href: model.path("export"), download: name, class: "download", onclick: downloadWithToken };
    this.correction = this.#correctionForm();
    this.fold = element("details", {}, element("summary", {}, "Correct an outcome"), this.correction.node);
    this.card.body.replaceChildren(
      this.what,
      this.list,
      element("div", { class: "buttons" }, this.newer, this.older, element("a", download, "Download the log")),
      this.fold,
    );
    this.list.append(loading());
  }

  #correctionForm() {
    const decision = field("Decision", wholeInput(), { pointer: "/decision" });
    const entry = field("Entry of a pull without a decision", wholeInput(), { pointer: "/observation" });
    const kinds = [["observed", "reward"], "lost", "void", ["instead", "void, another arm was pulled"]];
    const kind = field("Outcome", choice(kinds), { pointer: "/kind" });
    const pulled = insteadFields();
    const value = field("Reward", numberInput(), { pointer: "/reward" });
    const reason = field("Reason", textInput({ maxlength: 500 }), { pointer: "/reason" });
    this.corrected = { decision: decision.control, entry: entry.control, reward: value.control };
    decision.control.addEventListener("change", () => {
      this.#remember(Number(decision.control.value));
      this.offerArms();
    });
    /** Offers the arms of the study, which may have more since. */
    this.offerArms = async () => {
      const isDecision = decision.control.value.trim() !== "";
      pulled.offer(this.model, isDecision ? await this.#meant?.arm : undefined);
    };
    const showReward = () => {
      value.node.hidden = kind.control.value !== "observed";
      pulled.show(kind.control.value === "instead");
    };
    kind.control.addEventListener("change", showReward);
    showReward();
    /** Forgets the outcome of an earlier correction, such as a void. */
    this.resetOutcome = () => {
      kind.control.value = "observed";
      value.control.value = "";
      pulled.clear();
      showReward();
    };
    return form({
      label: "Correct an outcome",
      fields: [decision, entry, kind, value, ...pulled.fields, reason],
      submit: "Correct",
      kind: "row",
      act: async () => {
        const isEntry = entry.control.value.trim() !== "";
        if (isEntry && decision.control.value.trim()) {
          throw new Problem(0, { detail: "give a decision or an entry, not both", field: "/observation" });
        }
        const body = {
          ...(isEntry ? { observation: numberIn(entry, "entry") } : { decision: numberIn(decision, "decision") }),
          kind: kind.control.value === "instead" ? "void" : kind.control.value,
          reason: reason.control.value.trim(),
        };
        if (body.kind === "observed") body.reward = numberIn(value, "reward");
        if (kind.control.value === "instead") body.instead = pulled.value();
        if (!body.reason) {
          throw new Problem(0, { detail: "reason: missing; say why the first outcome was wrong", field: "/reason" });
        }
        if (!isEntry) {
          this.#remember(body.decision);
          body.arm = await this.#meant.arm;
        }
        const answer = await send("POST", this.model.path("corrections"), body);
        this.resetOutcome();
        reason.control.value = "";
        await this.model.reload();
        const which = isEntry ? `Entry ${body.observation}` : `Decision ${body.decision}`;
        return `${which}${body.arm ? `, ${body.arm},` : ""} is corrected.${alsoChanged(answer, body.instead)}`;
      },
    });
  }

  /** Remembers which arm a decision is for when it is named, so that a correction is never that of another decision with
   * the same number, which a server has after an older backup. */
  #remember(decision) {
    if (this.#meant?.decision === decision) return;
    const last = this.model.state?.decisions ?? decision; // an address can name a decision before the study is loaded
    if (!(decision >= 1 && decision <= last)) {
      this.#meant = { decision, arm: undefined };
      return;
    }
    const arm = getLines(this.model.path(`events?decision=${decision}`))
      .then((entries) => {
        const pulled = entries.find(({ event, decision: id }) => event === "pulled_instead" && id === decision);
        const decided = entries.find(({ event }) => event === "decided");
        return (pulled ?? decided?.decisions.find(({ id }) => id === decision))?.arm;
      })
      .catch((problem) => {
        if (!(problem instanceof Problem)) throw problem;
        return undefined; // the server then says what is wrong with the decision
      });
    this.#meant = { decision, arm };
  }

  /** Shows the events of one decision. */
  showDecision(decision) {
    this.#remember(Number(decision));
    this.#decision = decision;
    this.#marked = null;
    this.corrected.decision.value = decision;
    this.corrected.entry.value = "";
    this.resetOutcome();
    this.offerArms();
    this.#load();
  }

  /** Opens the form that corrects a pull without a decision. */
  #correctEntry = (seq) => {
    this.fold.open = true;
    this.corrected.decision.value = "";
    this.corrected.entry.value = seq;
    this.resetOutcome();
    this.corrected.reward.focus();
  };

  /** Shows the newest events of all. */
  showAll() {
    this.#decision = null;
    this.#marked = null;
    this.#end = null;
    this.#load();
  }

  /** Shows all events again if only those of one decision are shown: the reader has gone to another place. */
  leaveDecision() {
    if (this.#decision !== null) this.showAll();
  }

  /** Shows an entry among its neighbours, with those after it first. */
  showEntry(seq) {
    this.#decision = null;
    this.#marked = seq;
    this.#end = seq + PAGE / 2;
    this.#load();
  }

  #go(end) {
    this.#end = end;
    this.#load();
  }

  update(what) {
    this.offerArms();
    if (what !== "lists") return;
    const isShown = this.list.querySelector("[data-seq]") !== null;
    if (this.#decision !== null) this.#load();
    else if (this.#end === null) this.#show(this.model.newest.slice(-PAGE));
    else if (isShown) this.#showPlace();
    else this.#load();
  }

  async #load() {
    const number = ++this.#isLoading;
    const { state, name } = this.model;
    if (!state) return; // shown as soon as the study is loaded
    this.list.setAttribute("aria-busy", "true");
    try {
      if (this.#end !== null && this.#end >= state.seq) this.#end = null;
      const end = this.#end ?? state.seq;
      const query =
        this.#decision === null
          ? `after=${Math.max(-1, end - PAGE)}&most=${Math.min(PAGE, end + 1)}`
          : `decision=${this.#decision}`;
      const entries = await getLines(this.model.path(`events?${query}`));
      if (number === this.#isLoading) this.#show(entries);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.list.replaceChildren(element("li", { class: "error" }, problem.message));
      this.what.replaceChildren(element("a", { href: `#/study/${name}/log` }, "All events"));
    }
    this.list.removeAttribute("aria-busy");
  }

  #show(entries) {
    const rows = [...entries].reverse().map((entry) => entryRow(entry, this.model, this.#marked, this.#correctEntry));
    this.list.replaceChildren(...rows);
    this.#showPlace();
  }

  #showPlace() {
    const { state, name } = this.model;
    const isAll = this.#decision === null;
    const end = this.#end ?? state.seq;
    const first = Math.max(0, end - PAGE + 1);
    const text = isAll
      ? `Events ${end.toLocaleString("en")} to ${first.toLocaleString("en")} of ${count(state.seq + 1, "event")}, newest first.`
      : `Events of decision ${this.#decision}. `;
    this.what.replaceChildren(text);
    if (!isAll) this.what.append(element("a", { href: `#/study/${name}/log` }, "All events"));
    this.newer.hidden = !isAll;
    this.older.hidden = !isAll;
    this.newer.disabled = this.#end === null;
    this.older.disabled = first === 0;
  }
}
