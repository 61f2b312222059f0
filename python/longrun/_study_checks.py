"""Checks of the arguments of a study. Each raises a ValueError of one line."""

from __future__ import annotations

import math
from collections.abc import KeysView, Mapping, Set
from typing import Any, Iterable, Sequence

import numpy as np

from ._checks import arm_count, checked_label, did_you_mean, elements, is_truth_value, listed, number_of, utf8, whole
from ._checks import shown as shown
from ._decision import NO_ARM, ArmNames, Decision
from ._noise import Gaussian, Noise, NoiseFields, noise_of

MOST_DECISIONS = 10**6  # of one call, which takes about a second
UNIT_SCALE = (0.0, 1.0)
NOT_NUMBERS = (str, bytes, complex, np.complexfloating, np.datetime64, np.timedelta64)  # float() takes some of them


def arm_names_of(arms: Any) -> list[str]:
    if isinstance(arms, str):
        raise ValueError(f"arms {shown(arms)}: must be a list of names, or their number")
    if isinstance(arms, (set, frozenset)):
        raise ValueError("arms: a set has no order; give a list of names")
    if hasattr(arms, "columns"):
        raise ValueError("arms: is a data frame; give a list of names, such as its column of arms without duplicates, or its columns as a list")
    if not is_list(arms):
        return [f"arm {number}" for number in range(arm_count("arms", count_of("arms", arms)))]
    names = list(arms)
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"arms: {shown(name)} must be a string; numbers would be confused with the numbers of arms")
    return [checked_label("arms", name) for name in names]


def similar_names(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the first two names that differ only in upper and lower case or in blanks; None without any."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(" ".join(filter(None, name.split(" "))).casefold(), name)
        if other != name:
            return other, name
    return None


def count_of(name: str, number: Any, bits: int = 63) -> int:
    """Return the number as an int. It must be whole and at least 1; a truth value is not a number."""
    if type(number) is int and 0 < number < 2**bits:
        return number  # most calls, in little time
    return whole(name, number, bits, least=1)


def decision_count(name: str, number: Any) -> int:
    """Return the number of decisions of one call."""
    count = count_of(name, number)
    if count > MOST_DECISIONS:
        raise ValueError(f"{name} {count}: must be a whole number from 1 to {MOST_DECISIONS}")
    return count


def is_missing(reward: Any) -> bool:
    """Return whether the value stands for a missing one: None, or NA or NaT of pandas, which need not be installed."""
    return reward is None or type(reward).__name__ in ("NAType", "NaTType")


def is_list(value: Any) -> bool:
    """Return whether the value has elements. A NumPy array of dimension 0 has none."""
    return hasattr(value, "__iter__") and getattr(value, "ndim", 1) > 0


def has_labels(value: Any) -> bool:
    """Return whether the value is a row of labelled values, such as a pandas.Series. pandas need not be installed."""
    return (
        not isinstance(value, (np.ndarray, Mapping))
        and hasattr(value, "index")
        and hasattr(value, "items")
        and getattr(value, "ndim", 1) == 1
    )


def scale_of(scale: Any) -> tuple[float, float]:
    try:
        if isinstance(scale, (str, bytes, Mapping, Set)):
            raise TypeError
        low, high = scale
        if isinstance(low, (str, bytes)) or isinstance(high, (str, bytes)):
            raise TypeError
    except (TypeError, ValueError):
        raise ValueError(f"scale {shown(scale)}: must be two numbers, (minimum, maximum)") from None
    ends = number_of("scale", low), number_of("scale", high)
    if not (math.isfinite(ends[0]) and math.isfinite(ends[1]) and ends[0] < ends[1]):
        raise ValueError(f"scale {shown(scale)}: must be two finite numbers, the smaller one first")
    return ends


def noise_on(scale: tuple[float, float], noise: Any) -> Noise | None:
    """Return the noise, or None if it is estimated. A number could be meant on either scale, so it is accepted only if both are the same."""
    if noise is None or (isinstance(noise, str) and noise == "estimate"):
        return None
    if isinstance(noise, (Noise, str, type)):
        return noise_of(noise)
    if is_truth_value(noise):
        raise ValueError(f"noise {noise}: must be a noise, a standard deviation, or None to estimate it")
    sd = number_of("noise", noise)
    low, high = scale
    if scale == UNIT_SCALE and sd > high - low:
        raise ValueError(
            f"noise {shown(noise)}: is larger than the scale 0 to 1; set the scale to the range of the rewards, or write "
            f"longrun.Gaussian({sd:g}) if this is meant"
        )
    if scale != UNIT_SCALE and high > low:
        raise ValueError(
            f"noise {shown(noise)}: a number is accepted on the scale 0 to 1 only; if it is a standard deviation of rewards "
            f"on the scale {low:g} to {high:g}, write longrun.Gaussian({sd / (high - low):g})"
        )
    return Gaussian(sd)


def noise_fields_on(scale: tuple[float, float], noise: Any) -> NoiseFields | None:
    """Return the noise of noise_on() as it crosses over to C++."""
    known = noise_on(scale, noise)
    return None if known is None else known._fields()


def noise_text_on(scale: tuple[float, float], noise: Any) -> str:
    """Return the noise of noise_on() as the service reads it."""
    known = noise_on(scale, noise)
    return "estimate" if known is None else str(known)


def kept(keep_events: Any) -> int | None:
    """Return the number of events to keep; None for all."""
    if is_truth_value(keep_events):
        return None if keep_events else 0
    return whole("keep_events", keep_events, 62)


def lines_of(text: Any) -> str:
    if not isinstance(text, str):
        raise ValueError(f"text {shown(text)}: must be a string, such as that of to_json_lines()")
    if text and "\n" not in text and not text.lstrip().startswith("{"):
        raise ValueError(f"text {shown(text)}: has no lines of JSON; give the text of the file, not its path")
    return utf8("text", text)


def unknown_arm(where: str, arm: str, names: Sequence[str]) -> ValueError:
    """Return the error for an arm that is not one of the names."""
    is_number = arm.removeprefix("-").isdigit()  # similar to every other number
    similar = "" if is_number else did_you_mean(arm, names)
    meant = similar or f"; arms are {listed(names)}"
    return ValueError(f"{where} {shown(arm)}: is not an arm{meant}")


def check_position(where: str, number: int, names: Sequence[str], known: Mapping[str, int] | None = None) -> None:
    """Raise a ValueError for a number that is also the name of another arm, so that either could be meant.

    `known` has the numbers of the names, if the caller has them.
    """
    text = str(number)
    if known is not None:
        is_other_name = known.get(text, number) != number
    else:
        is_other_name = text in names and (number >= len(names) or names[number] != text)
    if is_other_name and number < len(names):
        raise ValueError(f"{where} {number}: is a name and the position of another arm; write {text!r} or {names[number]!r}")
    if is_other_name:
        raise ValueError(f"{where} {number}: is not one of 0..{len(names) - 1}; the name is written {text!r}")


def arm_number_of(arm: Any, arms: ArmNames) -> int:
    """Return the number of an arm that is given by name or number."""
    if isinstance(arm, str):
        number = arms.numbers.get(arm)
        if number is None:
            raise unknown_arm("arm", arm, arms.names)
        return number
    if isinstance(arm, Decision):
        raise ValueError(f"arm: {arm} is a decision; its arm is {arm.arm!r}")
    if is_truth_value(arm):
        raise ValueError(f"arm {arm}: must be a name, or a number from 0")
    number = whole("arm", arm, 31)
    check_position("arm", number, arms.names, arms.numbers)
    if number >= len(arms.names):
        raise ValueError(f"arm {number}: is not one of 0..{len(arms.names) - 1}")
    return number


def arm_numbers_of(name: str, chosen: Any, arms: ArmNames) -> list[int]:
    """Return the numbers of the chosen arms, ascending. A single arm may be given without a list."""
    if chosen is None:
        raise ValueError(f"{name} None: must be a list of arms")
    single = isinstance(chosen, (str, Decision)) or not is_list(chosen)
    return sorted({arm_number_of(arm, arms) for arm in ([chosen] if single else elements(name, chosen))})


def list_of(name: str, values: Any, accepted: str) -> list[Any]:
    """Return the values of a list in its order. What has no order, or whose elements are not its values, is refused."""
    if isinstance(values, (bytes, bytearray, Mapping)) or (isinstance(values, Set) and not isinstance(values, KeysView)):
        raise ValueError(f"{name}: is a {type(values).__name__}; give a list with {accepted}")
    if getattr(values, "ndim", 1) > 1 or hasattr(values, "columns"):
        raise ValueError(f"{name}: has {getattr(values, 'ndim', 2)} dimensions; give a list with {accepted}")
    return elements(name, values)


def is_several(value: Any) -> bool:
    """Return whether the value is a list of decisions or arms, not one of them."""
    return is_list(value) and not isinstance(value, str)


def told_of(decision: Any, reward: Any, kind: str = "decision") -> tuple[list[Any], list[Any]]:
    """Return the decisions or arms that are told, and their rewards in the same order. `kind` is "arm" if only arms are told.

    The rewards of a pandas.Series must have the index of the decisions, or the decisions or arms themselves as index, or
    no index but 0, 1, ...: rewards with other labels could belong to other decisions.
    """
    if not is_several(decision):
        return [decision], [reward]
    told = list_of(kind, decision, "arms" if kind == "arm" else "decisions or arms")
    if isinstance(reward, str) or not is_list(reward):
        rewards = [reward]
    else:
        rewards = list_of("reward", reward, f"a reward for each {kind}")
    if len(told) != len(rewards):
        raise ValueError(f"reward: {len(rewards)} reward{'s' * (len(rewards) != 1)} for {len(told)} {kind}s")
    check_index(reward, decision, told, kind)
    return told, rewards


def check_index(reward: Any, decision: Any, told: list[Any], kind: str) -> None:
    """Raise a ValueError if rewards have labels by which they could belong to other decisions than by their order."""
    if not has_labels(reward):
        return
    labels = list(reward.index)
    expected: list[Any] = list(decision.index) if has_labels(decision) else list(range(len(told)))
    if labels != expected and not all(is_label_of(label, each) for label, each in zip(labels, told)):
        raise ValueError(
            f"reward: the index is not that of the {kind}s; give reward.tolist() if the rewards are in their order"
        )


def is_label_of(label: Any, told: Any) -> bool:
    """Return whether the label is the decision or the arm."""
    return bool(label in (told.id, told.arm) if isinstance(told, Decision) else label == told)


def decision_of(decision: Any, key: str, arms: ArmNames) -> tuple[int, int]:
    """Return the number of a decision, and that of its arm or NO_ARM. `key` is that of the study's decisions."""
    if isinstance(decision, Decision):
        if decision._study not in (None, key):
            raise ValueError(f"decision {decision.id}: was made by another study; give its number, if this study made it too")
        return decision.id, decision.index
    if isinstance(decision, str) and decision in arms.numbers:
        raise ValueError(f"decision {str(decision)!r}: is an arm; record() takes pulls that the study did not decide on")
    if isinstance(decision, (list, tuple)):
        kind = type(decision).__name__
        raise ValueError(f"decision: is a {kind} of {len(decision)}; give one decision, such as its element 0")
    try:
        if is_truth_value(decision):
            raise ValueError
        return whole("decision", decision, 63), NO_ARM
    except ValueError:
        raise ValueError(f"decision {shown(decision)}: must be a Decision or its number") from None


def reward_of(
    reward: Any, scale: tuple[float, float], instead: str = "lose() reports a reward that never arrives"
) -> float:
    """Return the reward as a float. `instead` says what to do without one."""
    if type(reward) is float and math.isfinite(reward):
        return reward
    number = math.nan if is_missing(reward) else reward_number(reward, scale)
    if math.isfinite(number):
        return number
    raise ValueError(f"reward {shown(reward)}: is not a finite number; {instead}")


def reward_number(reward: Any, scale: tuple[float, float]) -> float:
    """Return a reward that is not missing as a float, which may be infinite or nan."""
    if is_truth_value(reward) and scale != UNIT_SCALE:
        low, high = scale
        raise ValueError(f"reward {reward}: counts as 1 or 0 on the scale 0 to 1 only; the scale is {low:g} to {high:g}")
    if isinstance(reward, NOT_NUMBERS) or is_list(reward):
        raise ValueError(f"reward {shown(reward)}: must be a number")
    try:
        return float(reward)
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf
    except (TypeError, ValueError):
        raise ValueError(f"reward {shown(reward)}: must be a number") from None


def record_outcome(outcome: Any, scale: tuple[float, float]) -> dict[str, Any]:
    """Return what a recorded pull turns out to be: {"reward": ...} or {"kind": "void"}."""
    if isinstance(outcome, str):
        if outcome != "void":
            raise ValueError(f"outcome {str(outcome)!r}: must be a reward, or 'void' for a pull that was not made")
        return {"kind": "void"}
    return {"reward": reward_of(outcome, scale, '"void" is the outcome of a pull that was not made')}
