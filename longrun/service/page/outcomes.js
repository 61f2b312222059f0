// Report: pending decisions, oldest first; tables of outcomes; pulls that were made without a decision.

import { newKey, Problem, send } from "./client.js";
import { decisionRow, syncRows } from "./decision_row.js";
import { choice, field, form, numberIn, numberInput, setOptions, textArea } from "./forms.js";
import { button, card, count, paragraph, table, time } from "./view.js";

const ROWS_SHOWN = 6;
const WORDS = { done: "Report", lost: "Lost", other: "Something else", skip: "Void" };

export class OutcomesSection {
  #shown = ROWS_SHOWN;

  constructor(model, id, heading) {
    this.model = model;
    this.card = card(id, heading);
    this.node = this.card.node;
    this.title = this.card.title;
    this.status = element("p");
    this.rows = element("ul", { class: "rows" });
    this.rest = paragraph("", "note");
    this.more = button("Show more", () => {
      this.#shown += 40;
      this.#showPending();
    });
    this.observations = observationForm(model);
    this.other = element("details", {}, element("summary", {}, "A pull without a decision"), this.observations.node);
    this.others = element(
      "details",
      {},
      element("summary", {}, "Many pulls without a decision: paste or drop a CSV file"),
      tableForm(model, OBSERVATIONS),
    );
    this.#content = [
      this.status,
      this.rows,
      this.more,
      this.rest,
      element(
        "details",
        {},
        element("summary", {}, "Many outcomes: paste or drop a CSV file"),
        tableForm(model, OUTCOMES),
      ),
      this.other,
      this.others,
    ];
  }
  #content;

  update(what) {
    if (what === "lists") this.#showPending();
    if (what !== "state") return;
    this.observations.setArms(this.model.state.arms.map(({ arm }) => arm));
    this.other.hidden = this.model.state.closed;
    this.others.hidden = this.model.state.closed;
  }

  #showPending() {
    const { pending, state } = this.model;
    if (!this.rows.isConnected) this.card.body.replaceChildren(...this.#content);
    this.status.textContent = state.pending
      ? `${count(state.pending, "decision")} ${state.pending === 1 ? "is" : "are"} pending, oldest first. ` +
        "Lost: the pull was made, and its reward will never be known. Void: nothing was done, and the unit is given back."
      : "No outcome is pending.";
    syncRows(this.rows, pending.slice(0, this.#shown), (decision) =>
      decisionRow(
        this.model,
        { ...decision, note: element("span", { class: "note" }, "decided ", time(decision.at)) },
        WORDS,
      ),
    );
    const hidden = state.pending - Math.min(this.#shown, pending.length);
    this.more.hidden = pending.length <= this.#shown;
    this.more.textContent = `Show more of ${count(hidden, "other pending decision")}`;
    this.rest.textContent =
      this.more.hidden && hidden > 0
        ? `${count(hidden, "newer decision")} not shown: report their outcomes as a table.`
        : "";
  }
}

// ---- tables

const OUTCOMES = {
  path: "outcomes",
  what: "outcome",
  label: "Outcomes as a table",
  name: "Outcomes as CSV",
  example: "decision,reward\n17,0.5\n18,0.25",
  hint:
    "columns: decision, reward and, if wanted, arm, kind (observed, lost, void), observed_at and instead, the arm " +
    "that was pulled in place of the decision",
  canRepeat: true, // a decision has one outcome
};
const OBSERVATIONS = {
  path: "observations",
  what: "pull",
  label: "Pulls without a decision as a table",
  name: "Pulls as CSV",
  example: "arm,reward,id\nnorth,0.5,contract 17\nsouth,0.25,contract 18",
  hint: "columns: arm, reward and, if wanted, id: a pull with an id is recorded once",
};

/** Returns the key to record a table with; null for one whose rows have ids of their own. */
function keyFor(table) {
  const [header] = table.trimStart().split(/[\r\n]/, 1);
  const names = header.split(/[,;\t]/).map((name) =>
    name
      .trim()
      .replace(/^"(.*)"$/, "$1")
      .trim()
      .toLowerCase(),
  );
  return names.includes("id") ? null : newKey();
}

/** Returns the text of a file. Throws a Problem if it is not UTF-8: other characters would be replaced, and ids mixed up. */
async function utf8Text(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Problem(0, { detail: `${file.name} is not UTF-8; save the file as UTF-8. Nothing is recorded.` });
  }
}

/** Returns a form that checks a table first, and records it only if all rows are right. */
function tableForm(model, { path, what, label, name, example, hint, canRepeat = false }) {
  const text = field(name, textArea({ rows: 7, placeholder: example }), { hint, wide: true });
  const file = field("Or a file", element("input", { type: "file", accept: ".csv,text/csv" }));
  const result = element("div", { class: "wide", "aria-live": "polite" });
  let checked = null; // the text that has no problems, and the key to record it with
  const setChecked = (value) => {
    checked = value;
    record.hidden = value === null;
  };
  const check = async () => {
    setChecked(null);
    result.replaceChildren();
    const content = text.control.value;
    if (!content.trim()) throw new Problem(0, { detail: "No table is given." });
    const key = keyFor(content);
    const answer = await send("POST", model.path(`${path}?dry_run=true`), content, key);
    if (!answer.accepted) {
      result.replaceChildren(problemTable(answer));
      return "";
    }
    setChecked({ content, key });
    const known = answer.already_known ? `, ${answer.already_known} known already` : "";
    const again =
      canRepeat || key === null ? "" : " The table has no column id: recorded again, its pulls count again.";
    return `${count(answer.new, `new ${what}`)}${known}: no errors. Nothing is recorded yet.${again}`;
  };
  const record = button("Record all", () =>
    made.run(async () => {
      const answer = await send("POST", model.path(path), checked.content, checked.key);
      setChecked(null);
      text.control.value = "";
      file.control.value = "";
      await model.reload();
      const known = answer.already_known ? `, ${answer.already_known} known already` : "";
      return `${count(answer.recorded, what)} recorded${known}.`;
    }),
  );
  record.hidden = true;
  const made = form({
    label,
    fields: [text, file],
    submit: "Check",
    act: check,
    buttons: [record],
  });
  made.node.append(result);
  text.control.addEventListener("input", () => {
    setChecked(null);
    made.say("");
  });
  const take = (chosen) => {
    if (!chosen) return;
    made.run(async () => {
      setChecked(null);
      result.replaceChildren();
      text.control.value = "";
      try {
        text.control.value = await utf8Text(chosen);
      } catch (problem) {
        file.control.value = ""; // so that the same file can be chosen again, once it is mended
        throw problem;
      }
      return check();
    });
  };
  file.control.addEventListener("change", () => take(file.control.files[0]));
  made.node.addEventListener("dragover", (event) => event.preventDefault());
  made.node.addEventListener("drop", (event) => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  });
  return made.node;
}

function problemTable({ problems, problem_count: all }) {
  const rows = problems.map(({ line, detail }) => ({ cells: [String(line), detail] }));
  const node = element(
    "div",
    {},
    paragraph(`${count(all, "line has an error", "lines have errors")}; nothing is recorded.`, "error"),
  );
  node.append(table("Errors by line", [{ name: "line" }, { name: "error" }], rows));
  if (all > problems.length) node.append(paragraph(`The first ${problems.length} are shown.`, "note"));
  return node;
}

// ---- pulls without a decision

function observationForm(model) {
  const arm = field("Arm", choice([]), { pointer: "/arm" });
  const reward = field("Reward", numberInput(), { pointer: "/reward" });
  const { node } = form({
    label: "A pull without a decision",
    fields: [arm, reward],
    submit: "Record the pull",
    kind: "row",
    act: async () => {
      const body = { arm: arm.control.value, reward: numberIn(reward, "reward") };
      await send("POST", model.path("observations"), body);
      reward.control.value = "";
      await model.reload();
      return "Recorded.";
    },
  });
  return { node, setArms: (arms) => setOptions(arm.control, arms) };
}
