from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Iterator, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._checks import number_of

PerArm = Union[float, Mapping[int, float], Sequence[float], NDArray[Any]]
"""A value per arm: one number for all arms, {arm: number} for some, or a sequence with one number per arm."""


@dataclass(frozen=True)
class Constraints:
    """Constraints on the pulls of a problem.

    Under constraints, a horizon is a budget in units, and the optimum satisfies the same constraints.
    A value per arm is one number for all arms, a mapping ``{arm: number}`` for some arms, or a sequence with one
    number per arm.

    Parameters
    ----------
    units_per_round : int
        Units that each round grants. All pulls of a round are decided before any of its rewards is known.
    costs : float, mapping or sequence
        Units that a pull costs.
    minimum_pulls : float, mapping or sequence
        Smallest number of pulls of an arm at the end.
    minimum_share : float, mapping or sequence
        Smallest share of the spent units that an arm has at all times.
    unavailable : mapping
        Rounds in which an arm cannot be pulled, from 1: ``{arm: [(first, last), ...]}``.
    unspent : {"keep", "lapse"}
        Whether the next round keeps the units that a round leaves unspent, or whether they lapse.

    Raises
    ------
    ValueError
        If a value is invalid. The functions that use the constraints check whether an allocation satisfies them.

    Examples
    --------
    >>> constraints = longrun.Constraints(units_per_round=5, minimum_share={0: 0.1}, unavailable={1: [(10, 20)]})
    """

    units_per_round: int = 1
    costs: PerArm = 1
    minimum_pulls: PerArm = 0
    minimum_share: PerArm = 0
    unavailable: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    unspent: str = "keep"

    def __post_init__(self) -> None:
        _core.constrains(texts_of(self))  # raises ValueError for invalid values


def texts_of(constraints: Constraints | None) -> dict[str, str]:
    """Return the constraints as the texts that the C++ library reads."""
    if constraints is None:
        return {}
    if not isinstance(constraints, Constraints):
        raise ValueError(f"constraints {constraints!r}: must be longrun.Constraints(...)")
    texts: dict[str, str | None] = {
        name: per_arm(name, getattr(constraints, name)) for name in ("costs", "minimum_pulls", "minimum_share")
    }
    texts["units_per_round"] = number_text("units_per_round", constraints.units_per_round)
    texts["unavailable"] = ",".join(round_ranges(constraints.unavailable)) or None
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


def round_ranges(unavailable: Any) -> Iterator[str]:
    try:
        for arm, rounds in unavailable.items():
            for first, last in rounds:
                yield f"{arm}:{first}-{last}"
    except (AttributeError, TypeError, ValueError):
        raise ValueError(f"unavailable {unavailable!r}: must be {{arm: [(first round, last round), ...]}}") from None
