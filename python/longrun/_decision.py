"""Decisions of a study, and how arguments name them and the arms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, SupportsFloat, SupportsIndex, Union

NO_ARM = -1  # the arm of a decision that is given by its number only

ArmChoice = Union[str, SupportsIndex]
"""An arm: its name, or its number from 0."""

Arms = Union[ArmChoice, Iterable[ArmChoice]]

Rewards = Union[SupportsFloat, Iterable[SupportsFloat]]


@dataclass(frozen=True)
class Decision:
    """One pull that a study decided on.

    Parameters
    ----------
    id : int
        The number of a decision in its study: 1, 2, ...
    arm : str
        Name of the arm to pull.
    index : int
        Number of the arm, from 0.
    pull : int
        Number of this pull of the arm, from 1, if all pulls before it are made.
    cause : {"choice", "share", "minimum"}
        The choice of the policy, a minimum share, or minimum pulls.
    """

    id: int
    arm: str
    index: int
    pull: int
    cause: str
    _study: str | None = field(default=None, init=False, repr=False, compare=False)  # the study that made it


DecisionChoice = Union[Decision, SupportsIndex]
"""A decision, or its number."""

Decisions = Union[DecisionChoice, Iterable[DecisionChoice]]

Told = Union[Decision, ArmChoice, Iterable[Union[Decision, ArmChoice]]]
"""What `tell` takes rewards of: a decision, its number, the name of an arm, or several of these."""


class Difference(NamedTuple):
    """A recorded decision that replay would make otherwise.

    Parameters
    ----------
    event : int
        Number of the event.
    recorded : list of str
        The arms that were pulled.
    recomputed : list of str
        The arms that this version of the package would pull.
    """

    event: int
    recorded: list[str]
    recomputed: list[str]


class ArmNames(NamedTuple):
    """The names of all arms, and their numbers by name."""

    names: list[str]
    numbers: dict[str, int]
