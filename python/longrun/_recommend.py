from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Sequence

from . import _core
from ._constraints import Constraints
from ._noise import Noise
from ._past import History, past_of
from ._question import question_of
from ._study_checks import scale_of


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
    low : float
        The mean reward of these pulls is above this one with a probability of 90 %.
    high : float
        The mean reward of these pulls is below this one with a probability of 90 %.
    estimate : float
        The mean drawn towards those of the other arms, because the best of many has been lucky as well; `low` and
        `high` are around it. All three are within the scale, also if the mean is not.
    """

    mean: float
    standard_error: float
    pulls: int
    low: float
    high: float
    estimate: float


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


class Misfit(NamedTuple):
    """A contradiction of the assumption that an arm's mean reward first rises, ever more slowly, and then may fall.

    Parameters
    ----------
    kind : {"speeds up", "rises again"}
        Growth becomes faster, or the reward falls and rises again later.
    first : int
        Number of the first reward that is too small for those before and after, counting the known ones from 1.
    last : int
        Number of the last one.
    counted : int
        Number of the newest rewards of the arm that count because of that; 0 if all do.
    """

    kind: str
    first: int
    last: int
    counted: int


@dataclass(frozen=True)
class ArmReport:
    """The estimates for one arm.

    Parameters
    ----------
    arm : int or str
        The arm, as `arms` names it.
    pulls : int
        Number of pulls so far, pending ones included.
    remaining : int
        Number of pulls that the rest of the budget pays for, if all go to this arm.
    reward_now : RewardNow or None
        The mean of the newest rewards; None before the first pull.
    noise_sd : float
        Standard deviation of the arm's noise, which `reward_now` uses; the policy uses one for all arms.
    trend : {"rising", "falling", "steady", "undecided"}
        Direction of the reward over the later half of the arm's pulls; undecided unless one is 80 % probable.
    trend_probabilities : CurveTrend or None
        The probability of each direction; None before the first pull.
    expected : ExpectedReward or None
        What the arm is expected to pay per pull, over `remaining` pulls; None before the second reward, and if no pulls remain.
    expected_course : list of tuple
        The same at future pulls: (pull, mean, low, high).
    value_of_learning : float or None
        How far the index is above the expected reward; None where `expected` is.
    index : float
        Reward per remaining pull, by which the default policy compares arms.
    upper_bound : float
        Upper bound on the sum of all remaining rewards, if all pulls go to this arm.
    upper_bound_curve : list of tuple of int and float
        The same bound per pull: corners (pull, reward) of a piecewise linear curve.
    misfit : Misfit or None
        How the rewards contradict the assumption that the bound follows from.
    pending : int
        Number of pulls so far whose reward is not known yet.
    pending_counted_as : float or None
        Reward that each of them counts as in decisions and in the index; None without any.
    """

    arm: int | str
    pulls: int
    remaining: int
    reward_now: RewardNow | None
    noise_sd: float
    trend: str
    trend_probabilities: CurveTrend | None
    expected: ExpectedReward | None
    expected_course: list[tuple[int, float, float, float]]
    value_of_learning: float | None
    index: float
    upper_bound: float
    upper_bound_curve: list[tuple[int, float]]
    misfit: Misfit | None
    pending: int
    pending_counted_as: float | None


class NextPulls(NamedTuple):
    """The pulls of one arm in the next round, by their reasons.

    Parameters
    ----------
    arm : int or str
        The arm, as `arms` names it.
    pulls : int
        Number of its pulls.
    causes : dict of str and int
        Number of pulls for each cause: "choice" of the policy, a minimum "share", or "minimum" pulls.
    position : int
        Position of the arm in `arms`, from 0.
    """

    arm: int | str
    pulls: int
    causes: dict[str, int]
    position: int


class Outlier(NamedTuple):
    """A reward so far from those of its arm before and after it that a mistake is more probable than chance.

    Parameters
    ----------
    place : int
        Its place in the history, from 0.
    reward : float
        The reward.
    counted_as : float
        The median of the rewards of its arm next to it, as which it was counted.
    """

    place: int
    reward: float
    counted_as: float


class DoubtfulReward(NamedTuple):
    """A reward that looks like a mistake but may be right, and was counted as it is.

    It is a first or last one of its arm, or one of many that look like mistakes.

    Parameters
    ----------
    place : int
        Its place in the history, from 0.
    reward : float
        The reward.
    typical : float
        The median of the rewards of its arm next to it.
    """

    place: int
    reward: float
    typical: float


class ToLearn(NamedTuple):
    """The cost and the possible gain of a pull that is made to learn, although another arm is expected to pay more.

    Where costs differ, rewards are per unit of the budget, if the rest of it goes to one arm.

    Parameters
    ----------
    instead : int or str
        The arm that is expected to pay most per remaining pull.
    cost : float
        What that arm is expected to pay more at the next pull; may be negative.
    probability : float
        Probability that the pulled arm pays more per remaining pull than that arm is expected to.
    gain : float
        How much more per remaining pull it then pays, on average.
    """

    instead: int | str
    cost: float
    probability: float
    gain: float


class Consequence(NamedTuple):
    """The next choice if the mean reward of the supposed pulls is in a range.

    Parameters
    ----------
    low : float
        Lower end of the range.
    high : float
        Upper end of the range.
    arm : int or str
        The arm that is chosen then.
    """

    low: float
    high: float
    arm: int | str


class WhatIf(NamedTuple):
    """The rewards that would change the choice.

    Parameters
    ----------
    arm : int or str
        The arm that is supposed to be pulled.
    pulls : int
        Number of its supposed pulls.
    then : list of Consequence
        The next choice as a function of the mean reward of these pulls: ranges that ascend without gaps, from one end of
        the scale to the other.
    """

    arm: int | str
    pulls: int
    then: list[Consequence]


class Recommendation(NamedTuple):
    """The next pulls, and their explanation.

    ``str()`` of it is the explanation as one paragraph.

    Parameters
    ----------
    arm : int or str or None
        The arm of the first pull; None if no arm can be pulled.
    next : list of NextPulls
        The arms of the next round; empty if no arm can be pulled.
    what_to_do : str
        The next pulls as a sentence.
    why : list of str
        Sentences that explain the choice.
    what_would_change : list of str
        Sentences that say which rewards would change the choice.
    cautions : list of str
        Sentences that say what in the data may mislead.
    remaining : int
        Largest number of pulls that the rest of the budget pays for.
    noise_sd : float
        Standard deviation of the noise.
    arms : list of ArmReport
        The estimates for every arm.
    pending : int
        Number of past pulls whose reward is not known yet.
    outliers : list of Outlier
        Rewards that look like mistakes, and as what they were counted.
    doubtful : list of DoubtfulReward
        Other rewards that look like mistakes but may be right, and were counted as they are.
    to_learn : ToLearn or None
        What the first pull can teach, if another arm is expected to pay more and a decision follows.
    what_if : WhatIf or None
        The rewards that would change the choice; None if no decision follows the next pulls, for more than 10,000 arms,
        and for a study while outcomes of the arm are pending.
    policy : str
        The policy that decided, with its parameters.
    made : int
        Number of past pulls, pending ones included.
    units_left : float
        Rest of the budget, in the unit of `horizon`.
    round : int
        Number of the next round; without constraints, number of the pull.
    rounds_before : int
        Number of rounds right before it without pulls: units are saved, or no arm can be pulled.
    noise_estimated : bool
        Whether `noise_sd` is estimated from the history.
    """

    arm: int | str | None
    next: list[NextPulls]
    what_to_do: str
    why: list[str]
    what_would_change: list[str]
    cautions: list[str]
    remaining: int
    noise_sd: float
    arms: list[ArmReport]
    pending: int
    outliers: list[Outlier]
    doubtful: list[DoubtfulReward]
    to_learn: ToLearn | None
    what_if: WhatIf | None
    policy: str
    made: int
    units_left: float
    round: int
    rounds_before: int
    noise_estimated: bool

    def __str__(self) -> str:
        change = ["What would change the choice:", *self.what_would_change]
        return " ".join([self.what_to_do, *self.why, *self.cautions, *change])


def recommend(
    history: History,
    *,
    arms: int | Sequence[int | str] | None = None,
    horizon: float,
    noise: Noise | str | float | None = None,
    policy: str = _core.default_policy,
    unavailable_now: int | str | Sequence[int | str] | None = (),
    constraints: Constraints | None = None,
    scale: tuple[float, float] = (0.0, 1.0),
    keep_outliers: bool = False,
    seed: int = 0,
) -> Recommendation:
    """Return the next decision of a study that has observed the history, and the estimates for every arm.

    Parameters
    ----------
    history : iterable of tuple, pandas.DataFrame, str or path
        An arm and its reward for each past pull, in order; a data frame with the columns "arm" and "reward"; or the path
        of a CSV file with these columns, as on the command line. A reward that is not known yet is None or nan, or an
        empty cell: the pull is pending. The rows of a data frame must be in the order of their pulls: a column "round"
        or "time" must not descend, as in a file.
    arms : int or sequence, optional
        The labels of all arms, strings or whole numbers; or their number N, for the labels 0 to N - 1. Everywhere else,
        arms are named by these labels. A whole number is never a position in a list of labels. By default, the arms of
        the history, as on the command line: in numerical order if all labels are whole numbers, else in order of first
        appearance. An arm without pulls then does not take part.
    horizon : int or float
        Total number of pulls, those of the history included; under constraints, budget in units. It may have decimals if
        costs have some.
    noise : Noise or str or float, optional
        Noise of rewards on the scale from 0 to 1: a noise, its text, or on that scale a standard deviation. By default,
        it is estimated from the history.
    policy : str
        The policy that decides, with its parameters.
    unavailable_now : int or str or sequence, optional
        Arms that cannot be pulled now, in addition to those that the constraints exclude.
    constraints : Constraints, optional
        Constraints of all pulls, past ones included. Costs and units may have up to 6 decimals here.
    scale : tuple of float
        The range of mean rewards, (minimum, maximum).
    keep_outliers : bool
        Whether rewards that look like mistakes count as they are.
    seed : int
        Seed of randomized policies.

    Returns
    -------
    Recommendation
        The next pulls, their explanation and the estimates.

    Raises
    ------
    ValueError
        If an arm is unknown, the data frame lacks a column or its rounds or times descend, the history is longer than the horizon, its rewards are
        not on the scale, or no allocation satisfies the constraints.

    Warns
    -----
    UserWarning
        If the history may have a mistake: rows that are not in the order of their pulls by a date or by the index of the
        data frame, rows that repeat those before them, labels of arms that may be typos, or a number of arms whose label
        0 no row has.

    Examples
    --------
    >>> history = [("tea", 0.2), ("coffee", 0.5), ("tea", 0.3), ("coffee", 0.5)] * 5
    >>> answer = longrun.recommend(history, arms=["tea", "coffee"], horizon=100)
    >>> answer.what_to_do
    "Pull arm 'coffee' next."
    >>> longrun.recommend([(1, 0.2), (2, 0.5)], arms=[1, 2], horizon=100).next[0].arm in (1, 2)
    True
    """
    numbers, past = past_of(history, arms, scale_of(scale))
    question = question_of(numbers, past, horizon, noise, policy, unavailable_now, constraints, scale, keep_outliers, seed)
    return answer_of(numbers.labels, _core.recommend(question))


def answer_of(labels: Sequence[int | str], fields: Any) -> Recommendation:
    """Return the recommendation of the fields that the C++ library returns."""
    next_round, first, what_to_do, why, change, cautions, remaining, sd, pending, outliers, doubtful, learn, *more = fields
    reports, policy, made, units_left, round_number, rounds_before, estimated, supposed = more
    return Recommendation(
        arm=labels[first] if next_round else None,
        next=[NextPulls(labels[index], sum(causes.values()), causes, index) for index, causes in next_round],
        what_to_do=what_to_do,
        why=why,
        what_would_change=change,
        cautions=cautions,
        remaining=remaining,
        noise_sd=sd,
        arms=[report_of(label, *report) for label, report in zip(labels, reports)],
        pending=pending,
        outliers=[Outlier(*outlier) for outlier in outliers],
        doubtful=[DoubtfulReward(*reward) for reward in doubtful],
        to_learn=learn and ToLearn(labels[learn[0]], *learn[1:]),
        what_if=supposed and what_if_of(labels, *supposed),
        policy=policy,
        made=made,
        units_left=units_left,
        round=round_number,
        rounds_before=rounds_before,
        noise_estimated=estimated,
    )


def what_if_of(labels: Sequence[int | str], arm: int, pulls: int, then: list[tuple[float, float, int]]) -> WhatIf:
    return WhatIf(labels[arm], pulls, [Consequence(low, high, labels[chosen]) for low, high, chosen in then])


def report_of(
    arm: int | str,
    pulls: int,
    remaining: int,
    reward_now: tuple[float, float, int, float, float, float] | None,
    noise_sd: float,
    trend: str,
    trend_probabilities: tuple[float, float, float] | None,
    expected: tuple[float, float, float] | None,
    expected_course: list[tuple[int, float, float, float]],
    value_of_learning: float | None,
    index: float,
    upper_bound: float,
    upper_bound_curve: list[tuple[int, float]],
    misfit: tuple[str, int, int, int] | None,
    pending: int,
    pending_counted_as: float | None,
) -> ArmReport:
    return ArmReport(
        arm,
        pulls,
        remaining,
        reward_now and RewardNow(*reward_now),
        noise_sd,
        trend,
        trend_probabilities and CurveTrend(*trend_probabilities),
        expected and ExpectedReward(*expected),
        expected_course,
        value_of_learning,
        index,
        upper_bound,
        upper_bound_curve,
        misfit and Misfit(*misfit),
        pending,
        pending_counted_as,
    )
