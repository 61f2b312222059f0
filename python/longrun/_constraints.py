from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Iterator, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._checks import label_text, number_of, shown, whole
from ._study_checks import check_position, has_labels, unknown_arm

PerArm = Union[float, Mapping[int, float], Mapping[str, float], Sequence[float], NDArray[Any]]
"""A value per arm: one number for all arms, {arm: number} for some, or a sequence with one number per arm.

A pandas.Series is a mapping: its index has the arms.
"""

Rounds = Sequence[tuple[int, int]]


class FixedDict(dict[Any, Any]):
    """A dictionary that cannot be changed, as part of a value that can be a key itself."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("constraints cannot be changed; create new ones")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return FixedDict, (dict(self),)


@dataclass(frozen=True, eq=False)
class Constraints:
    """Constraints on the pulls of a problem.

    Under constraints, a horizon is a budget in units, and the optimum satisfies the same constraints.
    A value per arm is one number for all arms, a mapping ``{arm: number}`` for some arms, or a sequence with one
    number per arm. A pandas.Series is a mapping: its index has the arms. An arm of a mapping is its number, from 0, or its
    name in the study or bandit that the constraints are for; in recommend(), its label. A number that is also the name of
    another arm is refused.

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
        If a value is invalid. The functions that use the constraints check the names of arms, and whether an allocation
        satisfies the constraints.

    Examples
    --------
    >>> constraints = longrun.Constraints(units_per_round=5, minimum_share={0: 0.1}, unavailable={1: [(10, 20)]})
    >>> constraints = longrun.Constraints(costs={"coffee": 2})
    """

    units_per_round: int = 1
    costs: PerArm = 1
    minimum_pulls: PerArm = 0
    minimum_share: PerArm = 0
    unavailable: Mapping[int, Rounds] | Mapping[str, Rounds] = field(default_factory=dict)
    unspent: str = "keep"

    def __post_init__(self) -> None:
        for name in (*ONE_VALUE_PER_ARM, "unavailable"):  # copies, so that later changes of an argument change nothing here
            value = getattr(self, name)
            if isinstance(value, Mapping) or has_labels(value):
                labelled = dict(value.items())
                if len(labelled) < len(value):
                    raise ValueError(f"{name}: the index has a duplicate; give each arm once")
                object.__setattr__(self, name, FixedDict(labelled))
            elif name != "unavailable" and getattr(value, "ndim", 1) == 1 and np.ndim(value) > 0:
                object.__setattr__(self, name, tuple(np.asarray(value).tolist()) if isinstance(value, np.ndarray) else tuple(value))
        check_values(self)
        _core.constrains(texts_of(self, None))  # raises ValueError for invalid values

    def _key(self) -> tuple[Any, ...]:
        """Return what two equal constraints have in common."""
        per_arm: list[Any] = []
        for name in ONE_VALUE_PER_ARM:
            value = getattr(self, name)
            if isinstance(value, Mapping):
                default = number_of(name, getattr(Constraints, name))
                pairs = frozenset((key_of_arm(arm), number_of(name, number)) for arm, number in value.items())
                per_arm.append(pairs or default)
            else:
                per_arm.append(number_of(name, value) if np.ndim(value) == 0 else tuple(number_of(name, one) for one in value))
        rounds = frozenset(
            (key_of_arm(arm), tuple((int(first), int(last)) for first, last in ranges))
            for arm, ranges in self.unavailable.items()
            if len(ranges) > 0
        )
        return (number_of("units_per_round", self.units_per_round), *per_arm, rounds, self.unspent)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Constraints) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())


def key_of_arm(arm: Any) -> Any:
    """Return an arm as constraints are compared by: its name, or its number."""
    return str(arm) if isinstance(arm, str) else int(arm)


def check_values(constraints: Constraints) -> None:
    """Raise a ValueError, which names the argument and its value, for numbers that are out of range."""
    units = f"a number above 0, at most {MOST_UNITS}"
    checked("units_per_round", constraints.units_per_round, 0, MOST_UNITS, units)
    ranges = {
        "costs": (0, MOST_UNITS, units),
        "minimum_pulls": (None, MOST_UNITS, f"a whole number from 0 to {MOST_UNITS}"),
        "minimum_share": (None, 1, "a number from 0 to 1"),
    }
    for name, (above, most, accepted) in ranges.items():
        value = getattr(constraints, name)
        if not isinstance(value, Mapping) and np.ndim(value) > 1:
            raise ValueError(f"{name}: has {np.ndim(value)} dimensions; give one number per arm")
        numbers = list(value.values()) if isinstance(value, Mapping) else [value] if np.ndim(value) == 0 else list(value)
        if not numbers and not isinstance(value, Mapping):
            raise ValueError(f"{name} []: is empty; give one number per arm, or one for all arms")
        for number in numbers:
            checked(name, number, above, most, accepted)
            if name == "minimum_pulls" and not number_of(name, number).is_integer():
                raise ValueError(f"{name} {shown(number)}: must be {accepted}")
    if constraints.unspent not in ("keep", "lapse"):
        raise ValueError(f"unspent {shown(constraints.unspent)}: must be 'keep' or 'lapse'")


def check_whole_units(constraints: Constraints) -> None:
    """Raise a ValueError for units with decimals."""
    value = constraints.costs
    costs = list(value.values()) if isinstance(value, Mapping) else [value] if np.ndim(value) == 0 else list(value)  # type: ignore[arg-type]
    for name, number in (("units_per_round", constraints.units_per_round), *(("costs", cost) for cost in costs)):
        if not number_of(name, number).is_integer():
            raise ValueError(f"{name} {shown(number)}: must be a whole number here; recommend(), plan() and services take decimals")


def checked(name: str, number: Any, above: float | None, most: float | None, accepted: str) -> None:
    """Raise a ValueError unless the number is finite, above `above` (or at least 0), and at most `most`."""
    value = math.nan if isinstance(number, (str, bytes)) else number_of(name, number)
    if not (math.isfinite(value) and (value > above if above is not None else value >= 0) and (most is None or value <= most)):
        raise ValueError(f"{name} {shown(number)}: must be {accepted}")


def given_constraints(minimum_pulls: Any, minimum_share: Any, unavailable: Any) -> dict[str, Any]:
    """Return the arguments of a change of constraints that are not None."""
    given = {"minimum_pulls": minimum_pulls, "minimum_share": minimum_share, "unavailable": unavailable}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        raise ValueError("nothing is changed; give minimum_pulls, minimum_share or unavailable")
    return given


MOST_UNITS = 10**12  # as in longrun/model/constraints.cpp
ONE_VALUE_PER_ARM = ("costs", "minimum_pulls", "minimum_share")
FIRST_STAND_IN = 1_000_000  # number of the first name while it is not known which arms it names


def texts_of(
    constraints: Constraints | None, arm_names: Sequence[str] | None, by_label: bool = False, decimals: bool = False
) -> dict[str, str]:
    """Return the constraints as the texts that the C++ library reads.

    Arms without names have empty ones. If `arm_names` is None, names are accepted without a check. If `by_label`, whole
    numbers are labels too, and not positions. If `by_label` or `decimals`, units may have decimals.
    """
    if constraints is None:
        return {}
    if not isinstance(constraints, Constraints):
        raise ValueError(f"constraints {shown(constraints)}: must be longrun.Constraints(...)")
    if arm_names is not None and not (by_label or decimals):
        check_whole_units(constraints)
    texts: dict[str, str | None] = {
        name: per_arm(name, getattr(constraints, name), arm_names, by_label)
        for name in ONE_VALUE_PER_ARM
    }
    texts["units_per_round"] = number_text("units_per_round", constraints.units_per_round)
    texts["unavailable"] = ",".join(round_ranges(constraints.unavailable, arm_names, by_label)) or None
    texts["unspent"] = str(constraints.unspent)
    return {name: text for name, text in texts.items() if text is not None}


def per_arm(name: str, value: Any, arm_names: Sequence[str] | None, by_label: bool) -> str | None:
    if isinstance(value, Mapping):
        numbers = numbers_of(name, value, arm_names, by_label)
        return ",".join(f"{numbers[arm]}:{number_text(name, number)}" for arm, number in value.items()) or None
    values = [value] if np.ndim(value) == 0 else list(value)
    return ",".join(number_text(name, number) for number in values)


def number_text(name: str, number: Any) -> str:
    """Return the number as decimal text, without an exponent unless it is not finite."""
    value = number_of(name, number)
    if value.is_integer():
        return str(int(value))
    return format(Decimal(repr(value)), "f") if math.isfinite(value) else repr(value)


def round_ranges(unavailable: Any, arm_names: Sequence[str] | None, by_label: bool) -> Iterator[str]:
    if not isinstance(unavailable, Mapping):
        raise ValueError(f"unavailable {shown(unavailable)}: must be {{arm: [(first round, last round), ...]}}")
    numbers = numbers_of("unavailable", unavailable, arm_names, by_label)
    for arm, rounds in unavailable.items():
        try:
            pairs = [(first, last) for first, last in rounds]
        except (TypeError, ValueError):
            raise ValueError(f"unavailable {shown(unavailable)}: must be {{arm: [(first round, last round), ...]}}") from None
        for first, last in pairs:
            begin = whole(f"unavailable: arm {arm}: round", first, 62, least=1)
            end = whole(f"unavailable: arm {arm}: round", last, 62, least=1)
            if end < begin:
                raise ValueError(f"unavailable: arm {arm}: rounds ({begin}, {end}): the last one is before the first one")
            yield f"{numbers[arm]}:{begin}-{end}"


def numbers_of(
    field_name: str, values: Mapping[Any, Any], arm_names: Sequence[str] | None, by_label: bool
) -> dict[Any, int]:
    """Return the numbers of the arms that a mapping names."""
    numbers: dict[Any, int] = {}
    for place, key in enumerate(values):
        arm = label_text(f"{field_name}: arm", key) if by_label else key
        if not isinstance(arm, str):
            number = whole(f"{field_name}: arm", arm, 63 if arm_names is None else 31)
            check_position(f"{field_name}: arm", number, arm_names or ())
            numbers[key] = number if number < 2**31 else FIRST_STAND_IN + place
        elif arm_names is None:
            numbers[key] = FIRST_STAND_IN + place
        elif not any(arm_names):
            raise ValueError(f"{field_name}: arm {str(arm)!r}: arms have no names here; give their numbers, such as {{0: 2}}")
        elif arm not in arm_names:
            raise unknown_arm(f"{field_name}: arm", arm, arm_names)
        elif list(arm_names).count(arm) > 1:
            raise ValueError(f"{field_name}: arm {str(arm)!r}: several arms have this name; give the number")
        else:
            numbers[key] = list(arm_names).index(arm)
    if len(set(numbers.values())) < len(numbers):
        raise ValueError(f"{field_name} {shown(dict(values))}: has an arm both by name and by number; give it once")
    return numbers


def constraints_by_name(constraints: Constraints, names: Sequence[str]) -> dict[str, str]:
    """Return the constraints as the service reads them: texts in which arms are called by their names."""
    texts = texts_of(constraints, names, decimals=True)  # checks the arms; calls them by their numbers
    for name in (*ONE_VALUE_PER_ARM, "unavailable"):
        if name not in texts:
            continue
        value = getattr(constraints, name)
        items = texts[name].split(",")
        if name != "unavailable" and np.ndim(value) > 0:  # one number per arm
            if len(items) != len(names):
                raise ValueError(f"{name}: has {len(items)} numbers for {len(names)} arms")
            items = [f"{number}:{item}" for number, item in enumerate(items)]
        texts[name] = ",".join(with_name(item, name, names) for item in items)
    return {name: text for name, text in texts.items() if text != default_text(name)}


def with_name(item: str, field_name: str, names: Sequence[str]) -> str:
    """Return "0:2" as '"north":2', and "2" as it is."""
    number, colon, value = item.partition(":")
    if not colon:
        return item
    if int(number) >= len(names):
        raise ValueError(f"{field_name}: arm {number}: is not one of 0..{len(names) - 1}")
    quoted = names[int(number)].replace('"', '""')
    return f'"{quoted}":{value}'


def default_text(name: str) -> str:
    default = getattr(Constraints, name, "")
    return default if isinstance(default, str) else number_text(name, default)
