from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from ._checks import count, label_text, number_of, shown, whole
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
    name in the study or bandit that the constraints are for; in recommend() and plan(), its label. A number that is also
    the name of another arm is refused, and so is a sequence in recommend() and plan() without `arms`.

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
        fields_of(self, None, decimals=unit_decimals(self))  # raises ValueError for invalid values

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


def given_constraints(minimum_pulls: Any, minimum_share: Any, unavailable: Any) -> dict[str, Any]:
    """Return the arguments of a change of constraints that are not None."""
    given = {"minimum_pulls": minimum_pulls, "minimum_share": minimum_share, "unavailable": unavailable}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        raise ValueError("nothing is changed; give minimum_pulls, minimum_share or unavailable")
    return given


MOST_UNITS = 10**12  # as in longrun/model/constraints.cpp
MOST_DECIMALS = 6  # of units, as in longrun/base/decimal.h
ONE_VALUE_PER_ARM = ("costs", "minimum_pulls", "minimum_share")
MOST_NAMED = 5  # arms in the error for a list of values
FIRST_STAND_IN = 1_000_000  # number of the first name while it is not known which arms it names

ArmValues = tuple[float, tuple[tuple[int, float], ...], bool]
"""A value per arm: that of arms that are not named, those of named arms, and whether they were a list for all arms."""

ArmUnits = tuple[int, tuple[tuple[int, int], ...], bool]


class ConstraintFields(NamedTuple):
    """Constraints as they cross over to C++: arms by number, ascending, and units in 10^-decimals."""

    decimals: int = 0
    units_per_round: int = 1
    costs: ArmUnits = (1, (), False)
    minimum_pulls: ArmUnits = (0, (), False)
    minimum_share: ArmValues = (0.0, (), False)
    unavailable: tuple[tuple[int, int, int], ...] = ()  # arm, first and last round
    units_lapse: bool = False

    def are_none(self) -> bool:
        """Return whether nothing is constrained: arms that are named may have the value of all others."""

        def is_default(field_name: str) -> bool:
            every, named, _ = getattr(self, field_name)
            default = getattr(UNCONSTRAINED, field_name)[0]
            return bool(every == default and all(value == default for _, value in named))

        same = {name: getattr(UNCONSTRAINED, name) for name in ONE_VALUE_PER_ARM if is_default(name)}
        return self._replace(**same) == UNCONSTRAINED


UNCONSTRAINED = ConstraintFields()


def fields_of(
    constraints: Constraints | None,
    arm_names: Sequence[str] | None,
    by_label: bool = False,
    decimals: int = 0,
    arms_are_ordered: bool = True,
) -> ConstraintFields:
    """Return the constraints as the C++ library has them, with units of so many decimals.

    Arms without names have empty ones. If `arm_names` is None, names are accepted without a check. If `by_label`, whole
    numbers are labels too, and not positions. Unless `arms_are_ordered`, a sequence with one number per arm is refused.
    """
    if constraints is None:
        constraints = NO_CONSTRAINTS
    check_kind(constraints)
    if constraints.unspent not in ("keep", "lapse"):
        raise ValueError(f"unspent {shown(constraints.unspent)}: must be 'keep' or 'lapse'")

    def units(name: str, number: Any) -> int:
        return units_in(name, number, decimals)

    def values(name: str, read: Callable[[str, Any], Any]) -> Any:
        value = getattr(constraints, name)
        if not arms_are_ordered:
            check_needs_no_order(name, value, arm_names or ())
        return arm_values(name, value, arm_names, by_label, read)

    return ConstraintFields(
        decimals,
        units("units_per_round", constraints.units_per_round),
        values("costs", units),
        values("minimum_pulls", pulls_in),
        values("minimum_share", share_in),
        round_ranges(constraints.unavailable, arm_names, by_label),
        constraints.unspent == "lapse",
    )


def check_kind(constraints: Any) -> None:
    if not isinstance(constraints, Constraints):
        raise ValueError(f"constraints {shown(constraints)}: must be longrun.Constraints(...)")


def check_needs_no_order(name: str, value: Any, arm_names: Sequence[str]) -> None:
    """Raise a ValueError for a sequence of values: the arms of a history have an order that the caller did not give."""
    if isinstance(value, Mapping) or np.ndim(value) == 0 or len(value) == 1:
        return
    named = [f"{shown(arm)}: ..." for arm in arm_names[:MOST_NAMED]] + ["..."] * (len(arm_names) > MOST_NAMED)
    raise ValueError(
        f"{name} {shown(list(value))}: is a list, but the arms have no given order; name them, {{{', '.join(named)}}}, or "
        "give the labels of all arms in the order of the list as `arms`"
    )


def arm_values(
    name: str, value: Any, arm_names: Sequence[str] | None, by_label: bool, read: Callable[[str, Any], Any]
) -> tuple[Any, tuple[tuple[int, Any], ...], bool]:
    """Return a value per arm, each as `read` returns it."""
    default = read(name, getattr(Constraints, name))
    if isinstance(value, Mapping):
        numbers = numbers_of(name, value, arm_names, by_label)
        return default, tuple(sorted((numbers[arm], read(name, number)) for arm, number in value.items())), False
    if np.ndim(value) == 0:
        return read(name, value), (), False
    if np.ndim(value) > 1:
        raise ValueError(f"{name}: has {np.ndim(value)} dimensions; give one number per arm")
    listed = tuple(read(name, number) for number in value)
    if not listed:
        raise ValueError(f"{name} []: is empty; give one number per arm, or one for all arms")
    if arm_names is not None and len(listed) != len(arm_names):
        arms = f"{len(arm_names)} arm{'s' * (len(arm_names) != 1)}"
        raise ValueError(f"{name}: has {len(listed)} number{'s' * (len(listed) != 1)} for {arms}; give one per arm")
    if len(listed) == 1:  # as a text, a list of one number is that number
        return listed[0], (), False
    return default, tuple(enumerate(listed)), True


def round_ranges(unavailable: Any, arm_names: Sequence[str] | None, by_label: bool) -> tuple[tuple[int, int, int], ...]:
    accepted = "must be {arm: [(first round, last round), ...]}"
    if not isinstance(unavailable, Mapping):
        raise ValueError(f"unavailable {shown(unavailable)}: {accepted}")
    numbers = numbers_of("unavailable", unavailable, arm_names, by_label)
    ranges = []
    for arm, rounds in unavailable.items():
        try:
            pairs = [(first, last) for first, last in rounds]
        except (TypeError, ValueError):
            raise ValueError(f"unavailable {shown(unavailable)}: {accepted}") from None
        for first, last in pairs:
            begin, end = (round_number(f"unavailable: arm {arm}: round", number) for number in (first, last))
            if end < begin:
                raise ValueError(f"unavailable: arm {arm}: rounds ({begin}, {end}): the last one is before the first one")
            ranges.append((numbers[arm], begin, end))
    return tuple(sorted(ranges, key=lambda each: each[0]))


# ---- numbers


def round_number(name: str, number: Any) -> int:
    return count(name, number, MOST_UNITS)


def pulls_in(name: str, number: Any) -> int:
    value = finite(name, number)
    if not (0 <= value <= MOST_UNITS and value.is_integer()):
        raise ValueError(f"{name} {shown(number)}: must be a whole number from 0 to {MOST_UNITS}")
    return int(value)


def share_in(name: str, number: Any) -> float:
    value = finite(name, number)
    if not 0 <= value <= 1:
        raise ValueError(f"{name} {shown(number)}: must be a number from 0 to 1")
    return value


def units_in(name: str, number: Any, decimals: int) -> int:
    """Return a number of units, times 10^decimals."""
    value = finite(name, number)
    most = MOST_UNITS // 10**decimals
    if not 0 < value <= most:
        precision = f", with {decimals} decimal{'s' * (decimals != 1)}" if most < MOST_UNITS else ""
        raise ValueError(f"{name} {shown(number)}: must be a number above 0, at most {most}{precision}")
    if decimals_in(value) > decimals:
        most_decimals = "must be a whole number here; recommend(), plan() and services take decimals"
        raise ValueError(f"{name} {shown(number)}: {f'has more than {decimals} decimals' if decimals else most_decimals}")
    return int(Decimal(repr(value)).scaleb(decimals))


def finite(name: str, number: Any) -> float:
    """Return the number as a float, which is nan for texts and for what is not finite."""
    value = math.nan if isinstance(number, (str, bytes)) else number_of(name, number)
    return value if math.isfinite(value) else math.nan


def decimals_in(value: float) -> int:
    """Return how many decimals a number has: 1 for 2.5."""
    if value.is_integer():
        return 0
    return -int(Decimal(repr(value)).normalize().as_tuple().exponent)


def unit_decimals(constraints: Constraints) -> int:
    """Return how many decimals the units of constraints have."""
    costs: Any = constraints.costs
    numbers = list(costs.values()) if isinstance(costs, Mapping) else [costs] if np.ndim(costs) == 0 else list(costs)
    most = 0
    for name, number in (("units_per_round", constraints.units_per_round), *(("costs", cost) for cost in numbers)):
        value = math.nan if np.ndim(number) > 0 else finite(name, number)
        decimals = 0 if math.isnan(value) else decimals_in(value)  # fields_of() refuses what is no number
        if decimals > MOST_DECIMALS:
            raise ValueError(f"{name} {shown(number)}: units have at most {MOST_DECIMALS} decimals")
        most = max(most, decimals)
    return most


def horizon_units(horizon: Any, constraints: Sequence[Constraints]) -> tuple[int, int]:
    """Return a horizon in units of 10^-decimals, and these decimals: those of the horizon and of the constraints."""
    decimals = max(map(unit_decimals, constraints), default=0)
    if isinstance(horizon, (str, bytes)):
        raise ValueError(f"horizon {shown(horizon)}: must be a number")
    value = number_of("horizon", horizon)
    own = decimals_in(value) if math.isfinite(value) else 0
    if decimals == 0 and own > 0:
        raise ValueError(f"horizon {shown(horizon)}: must be a whole number, unless costs or units per round have decimals")
    decimals = max(decimals, min(own, MOST_DECIMALS))
    if own > decimals or not 0 < value <= MOST_UNITS // 10**decimals:
        raise ValueError(
            f"horizon {shown(horizon)}: must be a number above 0, at most {MOST_UNITS // 10**decimals}"
            + (f", with at most {decimals} decimal{'s' * (decimals != 1)}" if decimals else "")
        )
    return int(Decimal(repr(value)).scaleb(decimals)), decimals


# ---- arms


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


# ---- the texts of the service


def constraints_by_name(constraints: Constraints, names: Sequence[str]) -> dict[str, str]:
    """Return the constraints as the service reads them: texts in which arms are called by their names."""
    check_kind(constraints)
    fields = fields_of(constraints, names, decimals=unit_decimals(constraints))

    def units(number: int) -> str:
        return decimal_text(Decimal(number).scaleb(-fields.decimals))

    def name_of(field_name: str, arm: int) -> str:
        if arm >= len(names):
            raise ValueError(f"{field_name}: arm {arm}: is not one of 0..{len(names) - 1}")
        return '"' + names[arm].replace('"', '""') + '"'

    def by_arm(field_name: str, text: Callable[[Any], str]) -> str:
        every, named, _ = getattr(fields, field_name)
        if not named:
            return "" if every == read_default(field_name) else text(every)
        return ",".join(f"{name_of(field_name, arm)}:{text(value)}" for arm, value in named)

    def read_default(field_name: str) -> Any:
        default = getattr(UNCONSTRAINED, field_name)[0]
        return default * 10**fields.decimals if field_name == "costs" else default

    unavailable = (f"{name_of('unavailable', arm)}:{first}-{last}" for arm, first, last in fields.unavailable)
    texts = {
        "units_per_round": "" if constraints.units_per_round == 1 else units(fields.units_per_round),
        "costs": by_arm("costs", units),
        "minimum_pulls": by_arm("minimum_pulls", str),
        "minimum_share": by_arm("minimum_share", lambda share: decimal_text(Decimal(repr(share)))),
        "unavailable": ",".join(unavailable),
        "unspent": "lapse" if fields.units_lapse else "",
    }
    return {name: text for name, text in texts.items() if text}


def decimal_text(number: Decimal) -> str:
    """Return the number without an exponent and zeros at its end."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


NO_CONSTRAINTS = Constraints()
