// A decision whose outcome is not known: its form.

import { newKey, send } from "./client.js";
import { choice, field, form, numberIn, numberInput } from "./forms.js";
import { button, decisionLink } from "./view.js";

const outcomePath = (model, id) => model.path(`decisions/${id}/outcome`);

/** Records that another arm was pulled than the study decided: the pull that was made, and no pull for the decision. */
async function recordOther(model, id, arm, reward, key) {
  const voided = () => send("PUT", outcomePath(model, id), { kind: "void" });
  const observed = () => send("POST", model.path("observations"), { arm, reward }, key);
  // A reward that is refused must leave the decision as it is, so the observation comes first. Without budget, the
  // decision must first give its unit back.
  if (model.state.left > 0) {
    await observed();
    await voided();
  } else {
    await voided();
    await observed();
  }
}

function otherForm(model, decision, onDone) {
  const arms = model.state.arms.map(({ arm }) => arm).filter((arm) => arm !== decision.arm);
  const arm = field("Pulled instead", choice(arms), { pointer: "/arm" });
  const reward = field("Its reward", numberInput(), { pointer: "/reward" });
  const key = newKey(); // of the observation: a second attempt after an error records it once
  const { node } = form({
    label: `Another arm instead of decision ${decision.id}`,
    fields: [arm, reward],
    submit: "Record",
    kind: "row",
    act: async () => {
      await recordOther(model, decision.id, arm.control.value, numberIn(reward, "reward"), key);
      onDone();
      await model.reload();
    },
  });
  return node;
}

/**
 * Returns the form of a pending decision. `words` names its buttons: {done, lost, other, skip}; a button without a name
 * is left out.
 */
export function decisionRow(model, decision, words) {
  const reward = field("Reward", numberInput(), { pointer: "/reward" });
  const settle = (outcome) => async () => {
    await send("PUT", outcomePath(model, decision.id), outcome);
    await model.reload();
  };
  const buttons = [];
  const add = (text, onclick, title) => text && buttons.push(button(text, onclick, { title }));
  add(words.lost, () => row.run(settle({ kind: "lost" })), "The pull was made, and its reward will never be known");
  add(
    words.other,
    () => {
      const open = holder.querySelector(".instead");
      if (open) {
        open.remove();
        return;
      }
      const node = element(
        "div",
        { class: "instead" },
        otherForm(model, decision, () => node.remove()),
      );
      holder.append(node);
      node.querySelector("select").focus();
    },
    "Another arm was pulled",
  );
  add(words.skip, () => row.run(settle({ kind: "void" })), "Nothing was done: the unit is given back");
  const row = form({
    label: `Decision ${decision.id}`,
    fields: [reward],
    submit: words.done,
    buttons,
    kind: "row",
    act: async () => {
      await send("PUT", outcomePath(model, decision.id), { reward: numberIn(reward, "reward") });
      await model.reload();
    },
  });
  const name = element(
    "span",
    { class: "decision" },
    decisionLink(model.name, decision.id),
    " ",
    element("strong", {}, decision.arm),
  );
  if (decision.note) name.append(" ", decision.note);
  const holder = element("li", { "data-decision": decision.id }, name, row.node);
  return holder;
}

/** Shows a row per decision, in order. Rows that stay are not made again, so nothing that is typed is lost. */
export function syncRows(list, decisions, makeRow) {
  const known = new Map([...list.children].map((row) => [row.dataset.decision, row]));
  const wanted = new Set(decisions.map(({ id }) => String(id)));
  for (const [id, row] of known) {
    // A form for something else is kept until it is sent.
    if (!wanted.has(id) && !row.querySelector(".instead [aria-busy]")) row.remove();
  }
  let place = list.firstElementChild;
  for (const decision of decisions) {
    const row = known.get(String(decision.id));
    if (row && row === place) place = place.nextElementSibling;
    else list.insertBefore(row ?? makeRow(decision), place);
  }
}
