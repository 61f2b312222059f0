"""The arguments that recommend(), plan() and backtest() have in common."""

from __future__ import annotations

from typing import Any, Union

from ._checks import items_of, text_of, whole
from ._constraints import number_text, texts_of
from ._past import ArmNumbers, PastPulls
from ._study_checks import count_of, noise_on, scale_of

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
    numbers: ArmNumbers,
    past: PastPulls,
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
    return (
        numbers.names,
        past,
        number_text("horizon", horizon),
        noise_on(scale_of(scale), noise),
        text_of("policy", policy),
        [numbers.of(arm) for arm in items_of("unavailable_now", unavailable_now)],
        texts_of(constraints, numbers.names, by_label=True),
        scale_of(scale),
        bool(keep_outliers),
        whole("seed", seed, 64),
    )


def threads_of(threads: Any) -> int:
    """Return the number of threads; 0 means one per core."""
    return 0 if threads is None else count_of("threads", threads, 12)
