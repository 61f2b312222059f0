// The page of one study: loads its parts when the study changes, and gives them to the sections.

import { ArmsSection } from "./arms.js";
import { ChangeSection } from "./change.js";
import { get, getComputed, getLines, Problem, studyPath } from "./client.js";
import { CurvesSection } from "./curves.js";
import { HealthSection } from "./health.js";
import { Follower, throttled } from "./live.js";
import { LogSection } from "./log.js";
import { NextSection } from "./next.js";
import { OutcomesSection } from "./outcomes.js";
import { PlanSection } from "./plan.js";
import { budgetBar, light } from "./studies.js";
import { count, paragraph } from "./view.js";

const NEWEST_ENTRIES = 100; // of the log; the first of them are shown
const MOST_PENDING = 200;
const MOST_POINTS = 1000; // of a series
const ADVICE_PAUSE = 1000; // milliseconds between two recommendations

const SECTIONS = [
  ["next", "Next", NextSection],
  ["report", "Report", OutcomesSection],
  ["arms", "Arms", ArmsSection],
  ["curves", "Curves", CurvesSection],
  ["plan", "Plan and what-if", PlanSection],
  ["log", "Log", LogSection],
  ["health", "Health", HealthSection],
  ["change", "Change", ChangeSection],
];

/** What is known of a study. Sections read it, and ask it to load the study again after a change of theirs. */
class StudyModel {
  state = null;
  pending = []; // oldest first
  newest = []; // entries of the log, oldest first
  advice = null; // the recommendation
  series = null;
  problem = null; // why there is no recommendation
  #closed = false;

  constructor(name, onChange, onGone) {
    this.name = name;
    this.onChange = onChange;
    this.#loadAdvice = throttled(() => this.#load(this.#advice), ADVICE_PAUSE);
    this.#loadLists = throttled(() => this.#load(this.#lists), 100);
    this.follower = new Follower(name, (state) => this.#onState(state), onGone);
  }
  #loadAdvice;
  #loadLists;

  path(rest) {
    return studyPath(this.name, rest);
  }
  close() {
    this.#closed = true;
    this.follower.close();
  }
  reload() {
    return this.follower.reload();
  }

  #onState(state) {
    // After an older backup was restored, another entry may have the same number.
    const before = this.state;
    const isChanged = state.seq !== before?.seq || state.changed_at !== before.changed_at;
    this.state = state;
    if (isChanged || JSON.stringify(state.health) !== JSON.stringify(before.health)) this.onChange("state");
    if (!isChanged) return;
    this.#loadLists();
    this.#loadAdvice();
  }

  async #load(what) {
    if (this.#closed) return;
    try {
      await what.call(this);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.problem = problem;
      if (!this.#closed) this.onChange("problem");
    }
  }

  async #lists() {
    const after = Math.max(-1, this.state.seq - NEWEST_ENTRIES);
    const [{ decisions }, newest] = await Promise.all([
      get(this.path(`decisions?most=${MOST_PENDING}`)),
      getLines(this.path(`events?after=${after}&most=${NEWEST_ENTRIES}`)),
    ]);
    if (this.#closed) return;
    this.pending = decisions;
    this.newest = newest;
    this.onChange("lists");
  }

  async #advice() {
    // One after the other: the advice is what people look at first.
    const advice = await getComputed(this.path("recommendation"));
    if (this.#closed) return;
    this.advice = advice;
    this.problem = null;
    this.onChange("advice");
    const series = await getComputed(this.path(`series?points=${MOST_POINTS}`));
    if (this.#closed) return;
    this.series = series;
    this.onChange("series");
  }
}

/** Shows a study. Returns how to go to one of its sections, and how to end it. */
export function showStudy(main, contents, name, setTitle) {
  const summary = element("p", { class: "summary" });
  const sections = {};
  let gone = false;
  let target = null; // the section to show, until it is in its place or the reader moves
  const onChange = (what) => {
    if (what === "state") showSummary();
    for (const section of Object.values(sections)) section.update?.(what);
    target?.scrollIntoView();
    if (what === "series") target = null;
  };
  const moved = () => {
    target = null;
  };
  const moves = ["wheel", "touchmove", "keydown", "pointerdown"];
  for (const each of moves) addEventListener(each, moved, { passive: true });
  const onGone = (problem) => {
    gone = true;
    contents.hidden = true;
    main.replaceChildren(paragraph(problem.message, "error"), element("a", { href: "#/" }, "All studies"));
  };
  const showSummary = () => {
    const { state } = model;
    setTitle(state.title || state.name, "");
    const parts = [
      light(state),
      budgetBar(state),
      `${state.pending.toLocaleString("en")} pending`,
      count(state.arms.length, "arm"),
    ];
    const texts = Object.entries(state.constraints).map(([field, text]) => `${field.replaceAll("_", " ")} ${text}`);
    summary.replaceChildren(
      ...[...parts, `policy ${state.policy.split(":")[0]}`, ...texts].map((part) => element("span", {}, part)),
    );
  };
  const model = new StudyModel(name, onChange, onGone);
  for (const [id, heading, Section] of SECTIONS) sections[id] = new Section(model, id, heading);
  main.replaceChildren(summary, ...Object.values(sections).map(({ node }) => node));
  contents.replaceChildren(
    ...SECTIONS.map(([id, heading]) => element("a", { href: `#/study/${name}/${id}` }, heading)),
    element("a", { href: "#/" }, "All studies"),
  );
  const go = ({ section, number }) => {
    if (gone) return;
    if (section === "decision") sections.log.showDecision(Number(number));
    else if (section === "entry") sections.log.showEntry(Number(number));
    else if (section === "log") sections.log.showAll();
    else sections.log.leaveDecision();
    const asked = sections[section === "decision" || section === "entry" ? "log" : section];
    if (!asked) return;
    asked.node.scrollIntoView();
    asked.title.focus({ preventScroll: true });
    if (!model.series) target = asked.node;
  };
  const close = () => {
    model.close();
    for (const each of moves) removeEventListener(each, moved);
  };
  return { go, close };
}
