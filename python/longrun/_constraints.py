from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Iterator, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._checks import number_of

PerArm = Union[float, Mapping[int, float], Sequence[float], NDArray[Any]]
"""The same number for every arm; some arms with theirs, {arm: number}; or one for each."""


@dataclass(frozen=True)
class Constraints:
    """What an allocator may not do. The horizon is then a budget in units, and the optimum keeps to the same."""

    units_per_round: int = 1
    """Units that each round brings; its pulls are decided at once."""
    costs: PerArm = 1
    """Units that a pull costs."""
    minimum_pulls: PerArm = 0
    """Pulls that an arm gets at least."""
    minimum_share: PerArm = 0
    """Share of the units that an arm gets at least, all along."""
    unavailable: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    """Rounds in which an arm can't be pulled, from 1: {arm: [(first, last), ...]}."""
    unspent: str = "keep"
    """What becomes of units that a round leaves: "keep" or "lapse"."""

    def __post_init__(self) -> None:
        _core.constrains(texts_of(self))  # raises ValueError for what makes no sense


def texts_of(constraints: Constraints | None) -> dict[str, str]:
    """The options of the command line that say the same."""
    if constraints is None:
        return {}
    if not isinstance(constraints, Constraints):
        raise ValueError(f"constraints {constraints!r}: must be longrun.Constraints(...)")
    texts: dict[str, str | None] = {name: per_arm(name, getattr(constraints, name)) for name in ("costs", "minimum_pulls", "minimum_share")}
    texts["units_per_round"] = number_text("units_per_round", constraints.units_per_round)
    texts["unavailable"] = ",".join(absences(constraints.unavailable)) or None
    texts["unspent"] = str(constraints.unspent)
    return {name: text for name, text in texts.items() if text is not None}


def per_arm(name: str, value: Any) -> str | None:
    if isinstance(value, Mapping):
        return ",".join(f"{arm}:{number_text(name, number)}" for arm, number in value.items()) or None
    values = [value] if np.ndim(value) == 0 else list(value)
    return ",".join(number_text(name, number) for number in values)


def number_text(name: str, number: Any) -> str:
    value = number_of(name, number)
    return str(int(value)) if value.is_integer() else repr(value)


def absences(unavailable: Any) -> Iterator[str]:
    try:
        for arm, rounds in unavailable.items():
            for first, last in rounds:
                yield f"{arm}:{first}-{last}"
    except (AttributeError, TypeError, ValueError):
        raise ValueError(f"unavailable {unavailable!r}: must be {{arm: [(first round, last round), ...]}}") from None
