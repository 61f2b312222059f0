"""The arguments that recommend(), plan() and backtest() have in common."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Sequence, Union

import numpy as np

from . import _core
from ._checks import arm_count, label_text, listed, number_of, text_of, whole
from ._constraints import number_text, texts_of
from ._study_checks import count_of, is_list, is_missing, noise_on, scale_of, unknown_arm

if TYPE_CHECKING:
    import pandas

History = Union[Iterable[tuple[Any, float]], "pandas.DataFrame", str, "os.PathLike[str]"]
PastPulls = Union[list[tuple[int, Union[float, None]]], str]
Question = tuple[
    list[str],
    PastPulls,
    str,
    Union[str, None],
    str,
    list[int],
    dict[str, str],
    tuple[float, float],
    bool,
    int,
]


def question_of(
    labels: Sequence[int | str],
    history: Any,
    horizon: Any,
    noise: Any,
    policy: Any,
    unavailable_now: Any,
    constraints: Any,
    scale: Any,
    keep_outliers: Any,
    seed: Any,
) -> Question:
    """Return the question as the C++ library reads it."""
    numbers = ArmNumbers(labels)
    single = isinstance(unavailable_now, str) or np.ndim(unavailable_now) == 0
    unavailable: Any = [unavailable_now] if single else unavailable_now
    return (
        numbers.names,
        past_of(history, numbers),
        number_text("horizon", horizon),
        noise_on(scale_of(scale), noise),
        text_of("policy", policy),
        [numbers.of(arm) for arm in unavailable],
        texts_of(constraints, numbers.names, by_label=True),
        scale_of(scale),
        bool(keep_outliers),
        whole("seed", seed, 64),
    )


class ArmNumbers:
    """The positions of arms by their labels."""

    def __init__(self, labels: Sequence[int | str]) -> None:
        self.names = [label_text("arms", label) for label in labels]
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def of(self, arm: Any) -> int:
        name = label_text("arm", arm)
        if name not in self._numbers:
            raise unknown_arm("arm", name, self.names)
        return self._numbers[name]


def past_of(history: Any, numbers: ArmNumbers) -> PastPulls:
    """Return the past pulls with arms by number, or the path of the file that has them."""
    if isinstance(history, (str, os.PathLike)):
        return os.fspath(history)
    if callable(getattr(history, "explain", None)):
        raise ValueError(
            "history: is a study; study.explain() and study.plan() are about it, and study.history is the history of "
            "its arms study.arms"
        )
    if isinstance(history, Mapping):
        raise ValueError("history: is a dictionary, which has no order; give pairs of an arm and its reward, in order")
    past = columns_of(history) if hasattr(history, "columns") else history
    return [(numbers.of(arm), reward_or_none(reward)) for arm, reward in pairs_in("history", past)]


def threads_of(threads: Any) -> int:
    """Return the number of threads; 0 means one per core."""
    return 0 if threads is None else count_of("threads", threads, 12)


def labels_of(arms: Any) -> list[int | str]:
    """Return the labels of the arms: those given, or 0 to N - 1."""
    if isinstance(arms, str):
        raise ValueError(f"arms {arms!r}: must be a list of labels, or their number")
    if isinstance(arms, (set, frozenset)):
        raise ValueError("arms: a set has no order; give a list of labels")
    if not is_list(arms):
        return list(range(arm_count("arms", count_of("arms", arms))))
    labels = [str(label) if isinstance(label, str) else int(label_text("arms", label)) for label in arms]
    seen = set()
    for label in labels:
        if str(label) in seen:
            raise ValueError(f"arms: {label!r} is given twice")
        seen.add(str(label))
    return labels


def reward_or_none(reward: Any) -> float | None:
    """Return the reward, or None if it is missing."""
    if is_missing(reward):
        return None
    value = number_of("reward", reward)
    return None if math.isnan(value) else value


def columns_of(frame: Any) -> Iterator[tuple[Any, Any]]:
    for name in ("arm", "reward"):
        if name not in frame.columns:
            raise ValueError(f"history: has no column {name!r}; its columns are {listed(frame.columns) or 'none'}")
    return zip(frame["arm"], frame["reward"])


def pairs_in(name: str, pairs: Any) -> Iterator[tuple[Any, Any]]:
    for pair in pairs if hasattr(pairs, "__iter__") else [pairs]:
        try:
            if isinstance(pair, (str, bytes)):  # two letters are not an arm and its reward
                raise TypeError
            first, second = pair
        except (TypeError, ValueError):
            raise ValueError(f"{name}: {pair!r} must be two values") from None
        yield first, second
