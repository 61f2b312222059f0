// Change: more arms, more budget, availability, the end. Each change is an event; nothing is reset.

import { send } from "./client.js";
import { field, form, numberIn, textInput, wholeInput } from "./forms.js";
import { button, card, paragraph } from "./view.js";

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
      element("fieldset", {}, element("legend", {}, "Available arms"), this.availability.node),
      this.#closing(),
    ];
  }

  async #send(body) {
    await send("POST", this.model.path("changes"), body);
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
    const more = field("More budget", wholeInput({ min: 1 }), { pointer: "/extend_budget" });
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

  #availabilityForm() {
    const made = form({
      label: "Available arms",
      fields: [],
      submit: "Set what is available",
      act: async () => {
        const unavailable = [...this.boxes.querySelectorAll("input:not(:checked)")].map(({ value }) => value);
        await this.#send({ unavailable });
        return "Set.";
      },
    });
    made.node.prepend(this.boxes);
    return made;
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
        "A closed study makes no more decisions; outcomes of those that it made are still accepted. It cannot be opened again.",
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
    const arms = JSON.stringify(state.arms.map(({ arm, available }) => [arm, available]));
    if (arms === this.boxes.dataset.arms) return; // what is ticked and not sent yet stays
    this.boxes.dataset.arms = arms;
    this.boxes.replaceChildren(
      ...state.arms.map(({ arm, available }) => {
        const box = element("input", { type: "checkbox", value: arm });
        box.checked = available;
        return element("label", {}, box, " ", arm);
      }),
    );
  }
}
