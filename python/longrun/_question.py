"""The arguments that recommend(), plan() and backtest() have in common."""

from __future__ import annotations

from typing import Any, Sequence, Union

from ._checks import items_of, text_of, truth_of, whole
from ._constraints import NO_CONSTRAINTS, ConstraintFields, Constraints, check_kind, fields_of, horizon_units
from ._noise import NoiseFields
from ._past import ArmNumbers, PastPulls
from ._study_checks import count_of, noise_fields_on, scale_of

Question = tuple[
    list[str],
    PastPulls,
    int,
    Union[NoiseFields, None],
    str,
    list[int],
    ConstraintFields,
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
    compared: Sequence[Constraints] = (),
) -> Question:
    """Return the question as it crosses over to C++. Its units have as many decimals as those of `compared` need, too."""
    given = NO_CONSTRAINTS if constraints is None else constraints
    check_kind(given)
    units, decimals = horizon_units(horizon, [given, *compared])
    return (
        numbers.names,
        past,
        units,
        noise_fields_on(scale_of(scale), noise),
        text_of("policy", policy),
        [] if unavailable_now is None else [numbers.of(arm) for arm in items_of("unavailable_now", unavailable_now)],
        fields_of(given, numbers.names, True, decimals, numbers.are_ordered),
        scale_of(scale),
        truth_of("keep_outliers", keep_outliers),
        whole("seed", seed, 64),
    )


def threads_of(threads: Any) -> int:
    """Return the number of threads; 0 means one per core."""
    return 0 if threads is None else count_of("threads", threads, 12)
