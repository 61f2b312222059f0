// The list of studies, a new study, and the demo.

import { connection, get, Problem, send, studyPath } from "./client.js";
import { DEMO, makeDemo } from "./demo.js";
import {
  choice,
  field,
  form,
  noiseFields,
  noiseIn,
  numberIn,
  numberInput,
  textArea,
  textInput,
  unitsInput,
  wholeInput,
} from "./forms.js";
import { STATE_AGE, throttled } from "./live.js";
import { button, card, count, loading, named, paragraph, table, time, units } from "./view.js";

const STUDIES_SHOWN = 30;
const STUDIES_MORE = 100; // are shown with each press of a button
const MOST_LOADED = 20; // studies at the same time
const LIST_PAUSE = 3000; // milliseconds between two looks at the list

/** Returns the light of a study: a colour and what it means. */
export function lightOf(study) {
  if (study.health.overdue) return ["warn", "outcomes overdue"];
  if (study.closed) return study.pending ? ["wait", "closed, waits for outcomes"] : ["off", "closed"];
  if (study.overspent) return ["warn", "budget overspent"];
  if (study.done) return study.pending ? ["wait", "waits for outcomes"] : ["off", "budget spent"];
  return ["on", study.mode === "shadow" ? "shadow" : "open"];
}

export function light(study) {
  const [kind, text] = lightOf(study);
  return element("span", { class: "lit" }, element("span", { class: `light ${kind}`, "aria-hidden": "true" }), text);
}

export function budgetBar(study) {
  const bar = element("span", { class: "meter", "aria-hidden": "true" }, element("span"));
  bar.firstChild.style.width = `${Math.min(100, (100 * study.spent) / study.budget)}%`;
  const over = study.overspent ? `, overspent by ${units(study.overspent)}` : "";
  return element("span", { class: "budget" }, bar, `${units(study.spent)} of ${units(study.budget)}${over}`);
}

function studyRow(study) {
  const link = element("a", { href: `#/study/${study.name}` }, named(study.title || study.name));
  const created = study.created_at.slice(0, 10);
  const known = study.title ? `${study.name}, created ${created}` : `created ${created}`; // titles may be the same
  const name = element("span", {}, link, element("span", { class: "hint below" }, known));
  const pending = study.pending
    ? element("span", {}, `${study.pending.toLocaleString("en")}, oldest `, time(study.oldest_pending.at))
    : "none";
  return { cells: [name, light(study), budgetBar(study), pending, String(study.arms.length), time(study.changed_at)] };
}

const brokenRow = (name, problem) => ({
  cells: [name, element("span", { class: "error" }, problem.message), "", "", "", ""],
});

const COLUMNS = [
  { name: "study" },
  { name: "state" },
  { name: "budget spent" },
  { name: "pending" },
  { name: "arms", number: true },
  { name: "changed" },
];

/** The list. States are loaded again only if the study has changed or the state is old. */
class StudyList {
  #states = new Map(); // name -> {seq, time, study or problem}
  #shown = STUDIES_SHOWN;
  #timer = null;
  #closed = false;

  constructor(onList, onOneStudy) {
    this.card = card("studies", "Studies");
    this.onList = onList;
    this.onOneStudy = onOneStudy; // called if the token is only for one study
    connection.addEventListener("restored", this.#reload);
    this.refresh();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    connection.removeEventListener("restored", this.#reload);
  }

  // After an older backup was restored, another state may have the same number.
  #reload = () => {
    this.#states.clear();
    this.refresh();
  };

  refresh = throttled(() => this.#refresh(), 0);

  async #refresh() {
    clearTimeout(this.#timer);
    try {
      const { studies } = await get("/v1/studies");
      if (this.#closed) return;
      await this.#load(studies.slice(0, this.#shown));
      if (this.#closed) return;
      this.#draw(studies);
      this.onList(studies);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.#showProblem(problem);
    } finally {
      clearTimeout(this.#timer);
      if (!this.#closed) this.#timer = setTimeout(this.refresh, LIST_PAUSE);
    }
  }

  #showProblem({ status, message }) {
    this.card.body.replaceChildren(paragraph(message, "error"));
    const only = status === 403 && /only for the study '(.+)'$/.exec(message);
    if (!only) return;
    this.card.node.hidden = false;
    this.card.body.replaceChildren(
      paragraph(`The token is for one study: `),
      element("a", { href: `#/study/${encodeURIComponent(only[1])}` }, only[1]),
    );
    this.onOneStudy();
  }

  async #load(studies) {
    const isKnown = ({ name, seq }) => {
      const known = this.#states.get(name);
      return known?.seq === seq && Date.now() - known.time < STATE_AGE;
    };
    const rest = studies.filter((study) => !isKnown(study)).values();
    const loadRest = async () => {
      for (const { name, seq } of rest) {
        try {
          this.#states.set(name, { seq, time: Date.now(), study: await get(studyPath(name)) });
        } catch (problem) {
          if (!(problem instanceof Problem)) throw problem;
          this.#states.set(name, { seq, time: Date.now(), problem });
        }
      }
    };
    await Promise.all(Array.from({ length: MOST_LOADED }, loadRest));
  }

  #draw(studies) {
    this.card.node.hidden = !studies.length;
    const focused = document.activeElement?.getAttribute("href");
    const known = studies.slice(0, this.#shown).filter(({ name }) => this.#states.has(name));
    const rows = known.map(({ name }) => {
      const { study, problem } = this.#states.get(name);
      return problem ? brokenRow(name, problem) : studyRow(study);
    });
    this.card.body.replaceChildren(table("Studies", COLUMNS, rows));
    const hidden = studies.length - this.#shown;
    if (hidden > 0) {
      const more = () => {
        this.#shown += STUDIES_MORE;
        this.card.body.append(loading());
        this.refresh();
      };
      const text = `Show ${Math.min(hidden, STUDIES_MORE)} more of ${count(studies.length, "study", "studies")}`;
      this.card.body.append(button(text, more));
    }
    if (focused?.startsWith("#/study/")) this.card.body.querySelector(`a[href="${focused}"]`)?.focus();
  }
}

function demoCard() {
  const { node, body } = card("demo", "Try it", "advice");
  const progress = element("progress", { max: 1, value: 0, hidden: "", "aria-label": "progress of the demo" });
  const error = element("p", { class: "error", role: "alert" });
  const start = button("Make a demo study", async () => {
    start.disabled = true;
    progress.hidden = false;
    error.textContent = "";
    try {
      await makeDemo((share) => {
        progress.value = share;
      });
      location.hash = `#/study/${DEMO}`;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      error.textContent = problem.message;
    } finally {
      start.disabled = false;
      progress.hidden = true;
    }
  });
  start.className = "primary";
  body.replaceChildren(
    paragraph(
      "A bank lends to four groups. Each loan changes what the next one to the same group brings, and the outcomes " +
        "come months later. The demo makes this study with 15 months of loans, of which several are pending.",
    ),
    element("div", { class: "buttons" }, start, progress),
    error,
  );
  return node;
}

// ---- a new study

function newStudyFields() {
  return {
    name: field("Name", textInput({ required: "", maxlength: 64 }), {
      pointer: "/name",
      hint: "letters, digits, '.', '_' and '-'; part of the address",
    }),
    title: field("Title", textInput(), { pointer: "/title", hint: "any text; may be empty" }),
    arms: field("Arms", textArea({ required: "" }), { pointer: "/arms", hint: "one name per line", wide: true }),
    budget: field("Budget", unitsInput({ required: "" }), {
      pointer: "/budget",
      hint: "number of pulls, or units",
    }),
    low: field("Smallest reward", numberInput({ value: 0 }), { pointer: "/scale" }),
    high: field("Largest reward", numberInput({ value: 1 }), { pointer: "/scale/1", hint: "range of mean rewards" }),
  };
}

function moreFields() {
  return {
    ...noiseFields(),
    mode: field(
      "Mode",
      choice([
        ["live", "live: the study decides"],
        ["shadow", "shadow: it only watches what is done"],
      ]),
      { pointer: "/mode", hint: "a shadow can become live later" },
    ),
    policy: field("Policy", textInput({ placeholder: "foresight" }), { pointer: "/policy" }),
    units_per_round: field("Units per round", textInput({ inputmode: "numeric" }), {
      pointer: "/constraints/units_per_round",
      hint: "pulls that are decided together",
    }),
    minimum_share: field("Minimum share", textInput({ placeholder: "0.1, or NAME:0.3,NAME:0.2" }), {
      pointer: "/constraints/minimum_share",
      hint: "of the spent units, at all times",
    }),
    minimum_pulls: field("Minimum pulls", textInput({ placeholder: "10, or NAME:20" }), {
      pointer: "/constraints/minimum_pulls",
    }),
    costs: field("Costs", textInput({ placeholder: "NAME:2" }), {
      pointer: "/constraints/costs",
      hint: "units of a pull",
    }),
    unavailable: field("Unavailable rounds", textInput({ placeholder: "NAME:20-30" }), {
      pointer: "/constraints/unavailable",
      hint: "in which an arm cannot be pulled",
    }),
    unit_decimals: field("Decimals of units", wholeInput({ placeholder: "0" }), {
      pointer: "/unit_decimals",
      hint: "1 for 100.5; else as many as the constraints need",
    }),
    seed: field("Seed", wholeInput({ placeholder: "0" }), {
      pointer: "/seed",
      hint: "of randomized policies",
    }),
  };
}

const CONSTRAINTS = ["units_per_round", "minimum_share", "minimum_pulls", "costs", "unavailable"];

function specificationIn(fields) {
  const text = (name) => fields[name].control.value.trim();
  const arms = text("arms")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line);
  if (arms.length === 1 && /[,;]/.test(arms[0])) {
    const detail = `arms: '${arms[0]}' is one name; write each name on a line of its own`;
    throw new Problem(0, { detail, field: "/arms" });
  }
  const specification = {
    name: text("name"),
    arms,
    budget: numberIn(fields.budget, "budget"),
    scale: [numberIn(fields.low, "smallest reward"), numberIn(fields.high, "largest reward")],
    noise: noiseIn(fields),
    mode: text("mode"),
  };
  if (text("title")) specification.title = text("title");
  if (text("policy")) specification.policy = text("policy");
  if (text("unit_decimals")) specification.unit_decimals = numberIn(fields.unit_decimals, "decimals of units");
  if (text("seed")) specification.seed = numberIn(fields.seed, "seed");
  const constraints = CONSTRAINTS.filter(text).map((name) => [name, text(name)]);
  if (constraints.length) specification.constraints = Object.fromEntries(constraints);
  return specification;
}

function newStudyCard() {
  const { node, body } = card("new", "New study");
  const first = newStudyFields();
  const more = moreFields();
  const fields = { ...first, ...more };
  const details = element("details", { class: "wide" }, element("summary", {}, "Noise, mode, constraints and more"));
  const created = form({
    label: "New study",
    fields: Object.values(fields),
    submit: "Create the study",
    act: async () => {
      const { name } = await send("POST", "/v1/studies", specificationIn(fields));
      location.hash = `#/study/${name}`;
      return "";
    },
  });
  details.append(element("div", { class: "form" }, ...Object.values(more).map((each) => each.node)));
  created.node.insertBefore(details, created.node.querySelector(".buttons"));
  // An error in a folded field must be seen.
  for (const each of Object.values(more)) {
    const { setError } = each;
    each.setError = (text) => {
      if (text) details.open = true;
      setError(text);
    };
  }
  body.replaceChildren(created.node);
  return node;
}

/** Shows the list in `main`. Returns a function that ends it. */
export function showStudies(main) {
  const demo = demoCard();
  demo.hidden = true;
  const created = newStudyCard();
  const list = new StudyList(
    (studies) => {
      created.hidden = false;
      demo.hidden = studies.some(({ name }) => name === DEMO) && !demo.querySelector("button").disabled;
      // On the first visit, the demo comes first.
      const first = studies.length ? list.card.node : demo;
      if (main.firstChild !== first) main.prepend(first);
    },
    () => {
      created.hidden = true; // its requests would be refused
      demo.hidden = true;
    },
  );
  main.replaceChildren(list.card.node, demo, created);
  return () => list.close();
}
