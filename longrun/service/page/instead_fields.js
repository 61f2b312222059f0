// The fields that say which arm was pulled in place of a decision.

import { Problem } from "./client.js";
import { choice, field, numberIn, numberInput, setOptions } from "./forms.js";

/** Returns the fields, and what reads and fills them. */
export function insteadFields() {
  const arm = field("Pulled instead", choice([]), { pointer: "/instead/arm" });
  const reward = field("Its reward, if it is known", numberInput(), { pointer: "/instead/reward" });
  return {
    fields: [arm, reward],
    /** Offers all arms but that of the decision. None is chosen beforehand, unless there is only one. */
    offer(model, ofDecision) {
      const arms = (model.state?.arms ?? []).map((each) => each.arm).filter((each) => each !== ofDecision);
      setOptions(arm.control, arms.length === 1 ? arms : [["", "choose an arm"], ...arms]);
    },
    /** Returns `instead` of a request. Throws Problem if no arm is chosen, or the reward is no number. */
    value() {
      if (!arm.control.value) {
        throw new Problem(0, { detail: "choose the arm that was pulled", field: "/instead/arm" });
      }
      const instead = { arm: arm.control.value };
      if (reward.control.value.trim()) instead.reward = numberIn(reward, "reward");
      return instead;
    },
    clear() {
      reward.control.value = "";
      if (arm.control.options[0]) arm.control.value = arm.control.options[0].value;
    },
    show(isShown) {
      for (const { node } of [arm, reward]) node.hidden = !isShown;
    },
  };
}
