// Change: more arms, more budget, noise, constraints, availability, the end. Each change is an event; nothing is reset.

import { send } from "./client.js";
import { field, form, noiseFields, noiseIn, numberIn, textInput, unitsInput } from "./forms.js";
import { button, card, named, paragraph } from "./view.js";

export class ChangeSection {
  constructor(model, id, heading) {
    this.model = model;
    this.card = card(id, heading);
    this.node = this.card.node;
    this.title = this.card.title;
    this.boxes = element("div", { class: "boxes wide" });
    this.availability = this.#availabilityForm();
    this.content = [
      this.#armForm(),
      this.#budgetForm(),
      this.#constraintsForm(),
      this.#noiseForm(),
      element("fieldset", {}, element("legend", {}, "Available arms"), this.availability.node),
      this.#modeForm(),
      this.#closing(),
    ];
  }

  /** Sends a change. `onSent` is called before the study is loaded again. */
  async #send(body, onSent = () => {}) {
    await send("POST", this.model.path("changes"), body);
    onSent();
    await this.model.reload();
  }

  #armForm() {
    const name = field("New arm", textInput(), { pointer: "/add_arms" });
    return form({
      label: "Add an arm",
      fields: [name],
      submit: "Add the arm",
      kind: "row",
      act: async () => {
        const arm = name.control.value.trim();
        await this.#send({ add_arms: [arm] });
        name.control.value = "";
        return `Added: ${arm}.`;
      },
    }).node;
  }

  #budgetForm() {
    const more = field("More budget", unitsInput(), { pointer: "/extend_budget" });
    return form({
      label: "Extend the budget",
      fields: [more],
      submit: "Extend the budget",
      kind: "row",
      act: async () => {
        await this.#send({ extend_budget: numberIn(more, "budget") });
        more.control.value = "";
        return "Extended.";
      },
    }).node;
  }

  #constraintsForm() {
    const share = field("Minimum share", textInput({ placeholder: "0.1, or NAME:0.3,NAME:0.2" }), {
      pointer: "/constraints/minimum_share",
      hint: "of the units that are spent from now on",
    });
    const pulls = field("Minimum pulls", textInput({ placeholder: "10, or NAME:20" }), {
      pointer: "/constraints/minimum_pulls",
      hint: "with the pulls so far",
    });
    this.constraints = { minimum_share: share.control, minimum_pulls: pulls.control };
    return form({
      label: "Change the constraints",
      fields: [share, pulls],
      submit: "Change the constraints",
      kind: "row",
      act: async () => {
        const constraints = {};
        for (const [name, { value, dataset }] of Object.entries(this.constraints)) {
          if (value.trim() !== dataset.now) constraints[name] = value.trim() || null;
        }
        await this.#send({ constraints });
        return "Changed.";
      },
    }).node;
  }

  #noiseForm() {
    const fields = noiseFields();
    const made = form({
      label: "Correct the noise",
      fields: Object.values(fields),
      submit: "Correct the noise",
      kind: "row",
      act: async () => {
        await this.#send({ noise: noiseIn(fields) });
        return "Corrected.";
      },
    });
    this.noise = paragraph("");
    return element(
      "details",
      {},
      element("summary", {}, "Correct the noise"),
      this.noise,
      paragraph("The study then decides as if it had always known. What was decided stands."),
      made.node,
    );
  }

  /** Shows the constraints now, unless others are being typed. */
  #showConstraints(constraints) {
    for (const [name, control] of Object.entries(this.constraints)) {
      const now = constraints[name] ?? "";
      if (control.value === (control.dataset.now ?? "")) control.value = now;
      control.dataset.now = now;
    }
  }

  #availabilityForm() {
    const made = form({
      label: "Available arms",
      fields: [],
      submit: "Set what is available",
      act: async () => {
        const unavailable = [...this.boxes.querySelectorAll("input:not(:checked)")].map(({ value }) => value);
        await this.#send({ unavailable }, () => {
          for (const box of this.boxes.querySelectorAll("input")) box.dataset.now = String(box.checked);
          this.boxes.dataset.arms = ""; // shown again, whatever is available then
        });
        return "Set.";
      },
    });
    made.node.prepend(this.boxes);
    return made;
  }

  #modeForm() {
    const made = form({
      label: "Let the study decide",
      fields: [],
      submit: "Yes, go live",
      act: async () => {
        await this.#send({ mode: "live" });
        return "Live.";
      },
    });
    this.mode = element(
      "details",
      {},
      element("summary", {}, "Let the study decide"),
      paragraph(
        "The study is a shadow. Live, it decides from now on, with what it has seen so far. It cannot become a shadow again.",
      ),
      made.node,
    );
    return this.mode;
  }

  #closing() {
    const sure = form({
      label: "Close the study",
      fields: [],
      submit: "Yes, close it",
      kind: "danger",
      buttons: [button("No", () => fold.removeAttribute("open"))],
      act: async () => {
        await send("POST", this.model.path("close"), {});
        await this.model.reload();
        return "Closed.";
      },
    });
    const fold = element(
      "details",
      {},
      element("summary", {}, "Close the study"),
      paragraph(
        "A closed study makes no more decisions; outcomes and corrections are still accepted. It cannot be opened again.",
      ),
      sure.node,
    );
    return fold;
  }

  update(what) {
    if (what !== "state") return;
    const { state } = this.model;
    if (state.closed) {
      this.card.body.replaceChildren(paragraph("The study is closed: only outcomes and corrections are accepted."));
      return;
    }
    if (!this.boxes.isConnected) this.card.body.replaceChildren(...this.content);
    this.mode.hidden = state.mode !== "shadow";
    this.#showConstraints(state.constraints);
    this.noise.textContent = `Now: ${state.noise === "estimate" ? "estimated from the rewards" : state.noise}.`;
    // Only what was set here: rounds that constraints exclude are not changed by these boxes.
    const unavailable = new Set(state.unavailable);
    const arms = JSON.stringify(state.arms.map(({ arm }) => [arm, unavailable.has(arm)]));
    if (arms === this.boxes.dataset.arms) return;
    this.boxes.dataset.arms = arms;
    this.#showAvailable(state, unavailable);
  }

  /** Shows which arms are available now, except where something else is ticked and not sent yet. */
  #showAvailable(state, unavailable) {
    const drafts = new Map();
    for (const { value, checked, dataset } of this.boxes.querySelectorAll("input")) {
      if (String(checked) !== dataset.now) drafts.set(value, checked);
    }
    this.boxes.replaceChildren(
      ...state.arms.map(({ arm }) => {
        const now = !unavailable.has(arm);
        const box = element("input", { type: "checkbox", value: arm, "data-now": String(now) });
        box.checked = drafts.get(arm) ?? now;
        return element("label", {}, box, " ", named(arm));
      }),
    );
  }
}
