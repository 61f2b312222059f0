from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Iterator, NamedTuple, Sequence, Union

import numpy as np

from . import _core
from ._checks import label_text, listed, number_of, text_of, whole
from ._constraints import Constraints, number_text, texts_of
from ._noise import Noise
from ._study_checks import count_of, is_list, is_missing, scale_of, unknown_arm

if TYPE_CHECKING:
    import pandas

History = Union[Iterable[tuple[Any, float]], "pandas.DataFrame"]


class RewardNow(NamedTuple):
    """The mean of an arm's newest rewards.

    Parameters
    ----------
    mean : float
        The mean.
    standard_error : float
        Its standard error.
    pulls : int
        Number of rewards that it is the mean of.
    """

    mean: float
    standard_error: float
    pulls: int


class CurveTrend(NamedTuple):
    """The probabilities of each direction of an arm's curve, given its rewards.

    Parameters
    ----------
    rising : float
        Probability that the reward has grown over the later half of the arm's pulls.
    falling : float
        Probability that it has fallen.
    steady : float
        Probability of neither.
    """

    rising: float
    falling: float
    steady: float


class ExpectedReward(NamedTuple):
    """What an arm is expected to pay per remaining pull if all of them go to it.

    Parameters
    ----------
    mean : float
        The expected reward.
    low : float
        The reward is above this one with a probability of 90 %.
    high : float
        The reward is below this one with a probability of 90 %.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class ArmReport:
    """The estimates for one arm.

    Parameters
    ----------
    arm : int or str
        The arm, as `arms` names it.
    pulls : int
        Number of pulls so far, pending ones included.
    reward_now : RewardNow or None
        The mean of the newest rewards; None before the first pull.
    trend : {"rising", "falling", "steady", "undecided"}
        Direction of the reward over the later half of the arm's pulls; undecided unless one is 80 % probable.
    trend_probabilities : CurveTrend or None
        The probability of each direction; None before the first pull.
    expected : ExpectedReward or None
        What the arm is expected to pay; None before the second pull, if no pulls remain or rewards are exact.
    value_of_learning : float or None
        The part of the index that is not expected reward; None where `expected` is.
    index : float
        Reward per remaining pull, by which the default policy compares arms.
    upper_bound : float
        Upper bound on the sum of all remaining rewards, if all pulls go to this arm.
    upper_bound_curve : list of tuple of int and float
        The same bound per pull: corners (pull, reward) of a piecewise linear curve.
    """

    arm: int | str
    pulls: int
    reward_now: RewardNow | None
    trend: str
    trend_probabilities: CurveTrend | None
    expected: ExpectedReward | None
    value_of_learning: float | None
    index: float
    upper_bound: float
    upper_bound_curve: list[tuple[int, float]]


class NextPull(NamedTuple):
    """One pull of the next round, and its reason.

    Parameters
    ----------
    arm : int or str
        The arm, as `arms` names it.
    cause : {"choice", "share", "minimum"}
        The choice of the policy, a minimum share, or minimum pulls.
    position : int
        Position of the arm in `arms`, from 0.
    """

    arm: int | str
    cause: str
    position: int


class Recommendation(NamedTuple):
    """The next pulls, and their explanation.

    ``str()`` of it is the explanation as one paragraph.

    Parameters
    ----------
    next : list of NextPull
        Pulls of the next round, in order; empty if no arm can be pulled.
    what_to_do : str
        The next pulls as a sentence.
    why : list of str
        Sentences that explain the choice.
    what_would_change : list of str
        Sentences that say which rewards would change the choice.
    remaining : int
        Largest number of pulls that the rest of the budget pays for.
    noise_sd : float
        Standard deviation of the noise.
    arms : list of ArmReport
        The estimates for every arm.
    pending : int
        Number of past pulls whose reward is not known yet.
    """

    next: list[NextPull]
    what_to_do: str
    why: list[str]
    what_would_change: list[str]
    remaining: int
    noise_sd: float
    arms: list[ArmReport]
    pending: int

    @property
    def arm(self) -> int | str | None:
        """The first arm of the next round; None if no arm can be pulled."""
        return self.next[0].arm if self.next else None

    def __str__(self) -> str:
        return " ".join([self.what_to_do, *self.why, "What would change the choice:", *self.what_would_change])


def recommend(
    history: History,
    *,
    arms: int | Sequence[int | str],
    horizon: float,
    noise: Noise | None = None,
    policy: str = _core.default_policy,
    unavailable_now: int | str | Sequence[int | str] = (),
    constraints: Constraints | None = None,
    scale: tuple[float, float] = (0.0, 1.0),
    seed: int = 0,
) -> Recommendation:
    """Return the next decision of a study that has observed the history, and the estimates for every arm.

    Parameters
    ----------
    history : iterable of tuple, or pandas.DataFrame
        An arm and its reward for each past pull, in order; or a data frame with the columns "arm" and "reward". A
        reward that is not known yet is None or nan: the pull is pending.
    arms : int or sequence
        The labels of all arms, strings or whole numbers; or their number N, for the labels 0 to N - 1. Everywhere else,
        arms are named by these labels. A whole number is never a position in a list of labels.
    horizon : int or float
        Total number of pulls, those of the history included; under constraints, budget in units. It may have decimals if
        costs have some.
    noise : Noise, optional
        Noise of rewards on the scale from 0 to 1. By default, it is estimated from the history.
    policy : str
        The policy that decides, with its parameters.
    unavailable_now : int or str or sequence
        Arms that cannot be pulled now, in addition to those that the constraints exclude.
    constraints : Constraints, optional
        Constraints of all pulls, past ones included. Costs and units may have up to 6 decimals here.
    scale : tuple of float
        The range of mean rewards, (minimum, maximum).
    seed : int
        Seed of randomized policies.

    Returns
    -------
    Recommendation
        The next pulls, their explanation and the estimates.

    Raises
    ------
    ValueError
        If an arm is unknown, the data frame lacks a column, the history is longer than the horizon, its rewards are
        not on the scale, or no allocation satisfies the constraints.

    Examples
    --------
    >>> history = [("tea", 0.2), ("coffee", 0.5), ("tea", 0.3), ("coffee", 0.5)] * 5
    >>> answer = longrun.recommend(history, arms=["tea", "coffee"], horizon=100)
    >>> answer.what_to_do
    "Pull arm 'coffee' next."
    >>> longrun.recommend([(1, 0.2), (2, 0.5)], arms=[1, 2], horizon=100).next[0].arm in (1, 2)
    True
    """
    labels = labels_of(arms)
    names = [label_text("arms", label) for label in labels]
    numbers = {name: number for number, name in enumerate(names)}

    def number(arm: Any) -> int:
        name = label_text("arm", arm)
        if name not in numbers:
            raise unknown_arm("arm", name, names)
        return numbers[name]

    past = columns_of(history) if hasattr(history, "columns") else history
    pulls = [(number(arm), reward_or_none(reward)) for arm, reward in pairs_in("history", past)]
    single = isinstance(unavailable_now, str) or np.ndim(unavailable_now) == 0
    unavailable: Any = [unavailable_now] if single else unavailable_now
    next_round, what_to_do, why, what_would_change, remaining, sd, pending, reports = _core.recommend(
        names,
        pulls,
        number_text("horizon", horizon),
        None if noise is None else str(noise),
        text_of("policy", policy),
        [number(arm) for arm in unavailable],
        texts_of(constraints, names, by_label=True),
        scale_of(scale),
        whole("seed", seed, 64),
    )
    arm_reports = [report_of(label, *report) for label, report in zip(labels, reports)]
    pulls_of_round = [NextPull(labels[index], cause, index) for index, cause in next_round]
    return Recommendation(pulls_of_round, what_to_do, why, what_would_change, remaining, sd, arm_reports, pending)


def labels_of(arms: Any) -> list[int | str]:
    """Return the labels of the arms: those given, or 0 to N - 1."""
    if isinstance(arms, str):
        raise ValueError(f"arms {arms!r}: must be a list of labels, or their number")
    if isinstance(arms, (set, frozenset)):
        raise ValueError("arms: a set has no order; give a list of labels")
    if not is_list(arms):
        return list(range(count_of("arms", arms, 31)))
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
            first, second = pair
        except (TypeError, ValueError):
            raise ValueError(f"{name}: {pair!r} must be two values") from None
        yield first, second


def report_of(
    arm: int | str,
    pulls: int,
    reward_now: tuple[float, float, int] | None,
    trend: str,
    trend_probabilities: tuple[float, float, float] | None,
    expected: tuple[float, float, float] | None,
    value_of_learning: float | None,
    index: float,
    upper_bound: float,
    upper_bound_curve: list[tuple[int, float]],
) -> ArmReport:
    return ArmReport(
        arm,
        pulls,
        reward_now and RewardNow(*reward_now),
        trend,
        trend_probabilities and CurveTrend(*trend_probabilities),
        expected and ExpectedReward(*expected),
        value_of_learning,
        index,
        upper_bound,
        upper_bound_curve,
    )
