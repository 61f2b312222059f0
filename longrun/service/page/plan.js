// Plan and what-if: what the rest of the budget will earn, and what a constraint costs.

import { getComputed, Problem } from "./client.js";
import { choice, field, form, setOptions, textInput } from "./forms.js";
import { button, card, paragraph, percent, range, rounded, sentences, table } from "./view.js";

const ALL_ARMS = "";

/** The constraints to compare with: what their value means, and whether it is one per arm. */
const CONSTRAINTS = {
  "minimum-share": { text: "minimum share of the spent units", hint: "0 to 1, such as 0.1", perArm: true },
  "minimum-pulls": { text: "minimum number of pulls", hint: "a whole number", perArm: true },
  costs: { text: "cost of a pull in units", hint: "from 1", perArm: true },
  "units-per-round": { text: "units per round, decided together", hint: "from 1", perArm: false },
  unavailable: { text: "unavailable in rounds", hint: "such as 20-30", perArm: true },
  none: { text: "no constraints at all", hint: "", perArm: false },
};

/** Returns a label as constraints are written: in quotes if it could be read as something else. */
export const quoted = (label) => (/[,"]/.test(label) ? `"${label.replaceAll('"', '""')}"` : label);

const COURSES = [
  { name: "course" },
  { name: "total (80 %)", number: true },
  { name: "the policy earns more by", number: true },
  { name: "in futures", number: true },
];
const ARMS = [
  { name: "arm" },
  { name: "pulls so far", number: true },
  { name: "next round", number: true },
  { name: "remaining pulls (80 %)", number: true },
];

export class PlanSection {
  #compared = []; // texts of constraints
  #shown = null; // {plan, seq}

  constructor(model, id, heading) {
    this.model = model;
    this.card = card(id, heading);
    this.node = this.card.node;
    this.title = this.card.title;
    this.result = element("div", { "aria-live": "polite" });
    this.old = paragraph("", "note");
    this.chips = element("ul", { class: "chips", "aria-label": "Constraints to compare with" });
    this.form = this.#constraintForm();
  }

  #constraintForm() {
    const kind = field("Compare with", choice(Object.entries(CONSTRAINTS).map(([name, { text }]) => [name, text])));
    const arm = field("Arm", choice([[ALL_ARMS, "every arm"]]));
    const value = field("Value", textInput({ size: 10 }), { pointer: "?compare" });
    const showKind = () => {
      const chosen = CONSTRAINTS[kind.control.value];
      arm.node.hidden = !chosen.perArm;
      value.node.hidden = kind.control.value === "none";
      value.label.textContent = `Value: ${chosen.hint}`;
    };
    kind.control.addEventListener("change", showKind);
    showKind();
    this.kind = kind.control;
    this.arm = arm.control;
    this.value = value.control;
    const add = button("Add to the comparison", () =>
      made.run(async () => {
        this.#compared.push(this.#constraint());
        this.#showChips();
        this.value.value = "";
      }),
    );
    const made = form({
      label: "Plan",
      fields: [kind, arm, value],
      submit: "Compute the plan",
      buttons: [add],
      kind: "row",
      act: () => this.#compute(),
    });
    return made;
  }

  /** Returns the constraint of the form, as text. Throws a Problem if there is none. */
  #constraint() {
    const name = this.kind.value;
    if (name === "none") return name;
    const value = this.value.value.trim();
    if (!value) throw new Problem(0, { detail: "a value is missing", field: "?compare" });
    const isForArm = CONSTRAINTS[name].perArm && this.arm.value !== ALL_ARMS;
    return `${name} ${isForArm ? `${quoted(this.arm.value)}:${value}` : value}`;
  }

  #showChips() {
    this.chips.replaceChildren(
      ...this.#compared.map((text, k) => {
        const remove = button("×", () => {
          this.#compared.splice(k, 1);
          this.#showChips();
        });
        remove.setAttribute("aria-label", `Remove ${text}`);
        return element("li", {}, text, " ", remove);
      }),
    );
  }

  async #compute() {
    const compared = [...this.#compared];
    if (this.value.value.trim() || this.kind.value === "none") compared.push(this.#constraint());
    const query = new URLSearchParams(compared.map((text) => ["compare", text]));
    const { seq } = this.model.state;
    this.#shown = { plan: await getComputed(this.model.path(`plan?${query}`)), seq };
    this.#show();
    return "";
  }

  update(what) {
    if (what !== "state") return;
    const { state } = this.model;
    setOptions(this.arm, [[ALL_ARMS, "every arm"], ...state.arms.map(({ arm }) => arm)]);
    if (!this.result.isConnected) {
      this.card.body.replaceChildren(
        paragraph(
          "What the rest of the budget will earn, against other ways to spend it, and what a constraint would cost.",
        ),
        this.form.node,
        this.chips,
        this.old,
        this.result,
      );
    }
    const isOld = this.#shown && this.#shown.seq !== state.seq;
    this.old.textContent = isOld ? "The study has changed since this plan was computed." : "";
  }

  #show() {
    const { plan } = this.#shown;
    const [policy] = plan.courses;
    const courses = plan.courses.map((course) => ({
      cells: [
        course.name,
        range(course.total, rounded),
        course === policy ? "" : range(course.loss, rounded),
        course === policy ? "" : percent(course.worse_share),
      ],
      kind: course === policy ? "highlighted" : "",
    }));
    const arms = plan.arms
      .toSorted((a, b) => b.rest.mean - a.rest.mean)
      .slice(0, 20)
      .map(({ name, made, next_round, rest }) => ({
        cells: [name, String(made), rounded(next_round.mean), range(rest, rounded)],
      }));
    const parts = [];
    const price = plan.what_constraints_cost;
    if (price.length) parts.push(element("h3", {}, "Price of the constraint"), sentences(price, "price"));
    if (plan.what_is_not_met.length) parts.push(element("div", { class: "caution" }, sentences(plan.what_is_not_met)));
    parts.push(element("h3", {}, "What is earned"), sentences(plan.what_is_earned));
    if (plan.cautions.length) parts.push(element("div", { class: "caution" }, sentences(plan.cautions)));
    parts.push(table("Courses", COURSES, courses), table("Pulls of each arm", ARMS, arms));
    const more = plan.arms.length - arms.length;
    if (more > 0)
      parts.push(paragraph(`The 20 arms with the most remaining pulls are shown, of ${plan.arms.length}.`, "note"));
    const noise = plan.noise.estimated ? "The noise is estimated from the rewards." : "";
    parts.push(
      paragraph(
        `Ranges hold 80 % of ${plan.futures.toLocaleString("en")} futures, drawn from what the rewards leave open. ${noise}`,
        "note",
      ),
    );
    this.result.replaceChildren(...parts);
    this.old.textContent = "";
  }
}
