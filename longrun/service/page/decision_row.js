// A decision whose outcome is not known: its form.

import { send } from "./client.js";
import { field, form, numberIn, numberInput } from "./forms.js";
import { insteadFields } from "./instead_fields.js";
import { button, decisionLink, named } from "./view.js";

/**
 * Records the outcome of a decision. The arm is sent too: after an older backup was restored, the number may be that of
 * another decision, which the service then refuses.
 */
async function settle(model, { id, arm }, outcome) {
  await send("PUT", model.path(`decisions/${id}/outcome`), { ...outcome, arm }, null);
}

function otherForm(model, decision, onDone) {
  const pulled = insteadFields();
  pulled.offer(model, decision.arm);
  const { node } = form({
    label: `Another arm instead of decision ${decision.id}`,
    fields: pulled.fields,
    submit: "Record",
    kind: "row",
    act: async () => {
      await settle(model, decision, { kind: "void", instead: pulled.value() });
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
  const record = async (outcome) => {
    await settle(model, decision, outcome);
    holder.remove();
    await model.reload();
  };
  const buttons = [];
  const add = (text, onclick, title) => text && buttons.push(button(text, onclick, { title }));
  const without = (kind) => () => row.run(() => record({ kind }));
  add(words.lost, without("lost"), "The pull was made, and its reward will never be known");
  // A pull in place of a decision is not replaced itself: it is void, and the decision is replaced again.
  add(
    !decision.instead_of && words.other,
    () => {
      const open = holder.querySelector(".instead");
      if (open) {
        open.remove();
        return;
      }
      const node = element(
        "div",
        { class: "instead" },
        otherForm(model, decision, () => holder.remove()),
      );
      holder.append(node);
      node.querySelector("select").focus();
    },
    "Another arm was pulled",
  );
  add(words.skip, without("void"), "Nothing was done: the unit is given back");
  const row = form({
    label: `Decision ${decision.id}`,
    fields: [reward],
    submit: words.done,
    buttons,
    kind: "row",
    act: () => record({ reward: numberIn(reward, "reward") }),
  });
  const name = element(
    "span",
    { class: "decision" },
    decisionLink(model.name, decision.id),
    " ",
    element("strong", {}, named(decision.arm)),
  );
  if (decision.note) name.append(" ", decision.note);
  const holder = element("li", { "data-decision": decision.id, "data-key": keyOf(decision) }, name, row.node);
  return holder;
}

// The same number can be another decision, after an older backup was restored.
const keyOf = ({ id, arm }) => `${id} ${arm}`;

const hasDraft = (row) => [...row.querySelectorAll("input")].some((node) => node.value.trim());

const showsError = (row) => [...row.querySelectorAll(".error")].some((node) => node.textContent);

/** Keeps a row whose decision is no longer listed, with what was typed and why it is, or may be, refused. */
function keep(row) {
  if (row.querySelector(".dismiss")) return;
  const dismiss = button("Dismiss", () => row.remove());
  row.append(element("span", { class: "dismiss" }, element("span", { class: "note" }, "Changed elsewhere. "), dismiss));
}

/** Shows a row per decision, in order. Rows that stay are not made again, so nothing that is typed is lost. */
export function syncRows(list, decisions, makeRow) {
  const known = new Map([...list.children].map((row) => [row.dataset.key, row]));
  const wanted = new Set(decisions.map(keyOf));
  for (const [key, row] of known) {
    if (wanted.has(key)) row.querySelector(".dismiss")?.remove();
    else if (showsError(row) || hasDraft(row) || row.querySelector("[aria-busy]")) keep(row);
    else row.remove();
  }
  let place = list.firstElementChild;
  for (const decision of decisions) {
    while (place && !wanted.has(place.dataset.key)) place = place.nextElementSibling;
    const row = known.get(keyOf(decision));
    if (row && row === place) place = place.nextElementSibling;
    else list.insertBefore(row ?? makeRow(decision), place);
  }
}
