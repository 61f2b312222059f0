from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Sequence, Union

from . import _core

PerArm = Union[float, Mapping[int, float], Sequence[float]]
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
        _core.check_constraints(texts_of(self))  # raises ValueError for what makes no sense


def texts_of(constraints: Constraints | None) -> dict[str, str]:
    """The options of the command line that say the same."""
    if constraints is None:
        return {}
    away = [f"{arm}:{first}-{last}" for arm, rounds in constraints.unavailable.items() for first, last in rounds]
    texts = {
        "units_per_round": text_of(constraints.units_per_round),
        "costs": text_of(constraints.costs),
        "minimum_pulls": text_of(constraints.minimum_pulls),
        "minimum_share": text_of(constraints.minimum_share),
        "unavailable": ",".join(away),
        "unspent": constraints.unspent,
    }
    return {name: text for name, text in texts.items() if text}


def text_of(value: Any) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{arm}:{text_of(number)}" for arm, number in value.items())
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        return f"{value}"
    return ",".join(text_of(number) for number in value)
