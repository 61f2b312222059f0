from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Sequence, Union

from . import _core
from ._checks import utf8, whole
from ._constraints import ConstraintFields, Constraints, fields_of
from ._noise import Noise
from ._progress import progress_bar
from ._past import History, past_of
from ._question import question_of, threads_of
from ._study_checks import count_of, is_list, scale_of, shown

Compared = Union[str, Constraints]
"""Constraints to compare with: the text of one, or all of them."""

PlanArguments = tuple[list[Union[str, ConstraintFields]], int, int, int, Callable[[int], None]]


class FutureRange(NamedTuple):
    """A number over all futures: its mean, and an interval in which it lies with a probability of 80 %, from the 10 % to the 90 % quantile.

    A few futures far from the others can move the mean out of the interval.

    Parameters
    ----------
    mean : float
        The mean.
    low : float
        The 10 % quantile.
    high : float
        The 90 % quantile.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class PlannedArm:
    """The next round and the rest of one arm.

    Parameters
    ----------
    arm : int or str
        The arm, as `arms` names it.
    made : int
        Number of pulls so far, pending ones included.
    pending : int
        Number of those whose reward is not known yet.
    next_round : FutureRange
        Pulls in the next round.
    rest : FutureRange
        Pulls until the end, those of the next round included.
    noise_sd : float or None
        Standard deviation of the arm's own noise on the scale from 0 to 1; None if all arms have the noise of the plan.
    """

    arm: int | str
    made: int
    pending: int
    next_round: FutureRange
    rest: FutureRange
    noise_sd: float | None


@dataclass(frozen=True)
class Course:
    """One way to spend the rest of the budget, played in every future.

    Parameters
    ----------
    kind : {"policy", "equal_split", "best_so_far", "greedy", "constrained"}
        What decides about the pulls.
    name : str
        Its name, such as "equal split".
    total : FutureRange
        Sum of the rewards of all remaining pulls, noise included.
    pulls : FutureRange
        Number of pulls that are made.
    arm_pulls : dict of int or str and FutureRange
        Number of pulls of each arm.
    loss : FutureRange
        What the policy earns more than this course in the same future, in mean rewards; the price of a constraint.
    worse_share : float
        Share of the futures in which the course earns less than the policy.
    better_share : float
        Share of the futures in which the course earns more than the policy.
    unmet : float
        Share of the futures in which an arm ends below its minimum or share.
    total_as_shown : float or None
        Mean of `total` if arms whose trend is not stated as rising or falling keep paying the mean of their rewards so
        far, drawn towards those of the other arms; None for courses of another policy.
    loss_as_shown : float or None
        Mean of `loss` under the same condition.
    """

    kind: str
    name: str
    total: FutureRange
    pulls: FutureRange
    arm_pulls: dict[int | str, FutureRange]
    loss: FutureRange
    worse_share: float
    better_share: float
    unmet: float
    total_as_shown: float | None
    loss_as_shown: float | None


@dataclass(frozen=True, repr=False)
class Plan:
    """What the remaining pulls earn, over possible futures.

    ``str()`` of it is the answer as sentences.

    Parameters
    ----------
    what_is_earned : list of str
        Sentences that compare the policy with the simple courses.
    what_constraints_cost : list of str
        One sentence for every compared constraint.
    what_is_not_met : list of str
        Sentences about minimum pulls and shares that are not met.
    cautions : list of str
        Sentences that say what in the data may mislead.
    policy : str
        The policy that decides.
    made : int
        Number of pulls so far, pending ones included.
    pending : int
        Number of those whose reward is not known yet.
    units_left : float
        Rest of the budget, in the unit of `horizon`.
    futures : int
        Number of futures.
    seed : int
        Seed of the futures.
    noise : str
        Noise of future rewards on the scale from 0 to 1, as ``longrun play --noise`` reads it.
    noise_estimated : bool
        Whether the noise is estimated from the rewards.
    arms : list of PlannedArm
        The pulls of every arm.
    courses : list of Course
        The policy, then the simple courses, then the compared constraints.
    """

    what_is_earned: list[str]
    what_constraints_cost: list[str]
    what_is_not_met: list[str]
    cautions: list[str]
    policy: str
    made: int
    pending: int
    units_left: float
    futures: int
    seed: int
    noise: str
    noise_estimated: bool
    arms: list[PlannedArm]
    courses: list[Course]

    def __str__(self) -> str:
        return " ".join([*self.what_is_earned, *self.what_constraints_cost, *self.what_is_not_met, *self.cautions])

    def __repr__(self) -> str:
        return f"<Plan of {len(self.arms)} arms, {len(self.courses)} courses, {self.futures} futures: {self.what_is_earned[0]}>"


def plan(
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
    compare: Compared | Sequence[Compared] = (),
    futures: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    progress: bool | None = None,
) -> Plan:
    """Return what happens if the policy is followed until the budget is spent.

    Futures are drawn from what the rewards leave open. In each, the policy is followed to the end, and so are an equal
    split, the best arm so far, greedy and the compared constraints. Ctrl-C stops the computation. The numbers are those
    of ``longrun plan --json``.

    Parameters
    ----------
    history : iterable of tuple, pandas.DataFrame, str or path
        The past pulls, as for `recommend`.
    arms : int or sequence, optional
        The labels of all arms, or their number, as for `recommend`. By default, the arms of the history.
    horizon : int or float
        Total number of pulls, those of the history included; under constraints, budget in units.
    noise : Noise or str or float, optional
        Noise of rewards on the scale from 0 to 1: a noise, its text, or on that scale a standard deviation. By default,
        it is estimated from the history.
    policy : str
        The policy that decides, with its parameters.
    unavailable_now : int or str or sequence, optional
        Arms that cannot be pulled in the next round, in addition to those that the constraints exclude.
    constraints : Constraints, optional
        Constraints of all pulls, past ones included.
    scale : tuple of float
        The range of mean rewards, (minimum, maximum).
    keep_outliers : bool
        Whether rewards that look like mistakes count as they are.
    compare : Constraints or str or sequence of these
        Constraints whose price is computed: `Constraints`, which take the place of all constraints; or the form of the
        command line, where "minimum-share 0.1" takes the place of the constraint of that name, and "none" removes all.
    futures : int
        Number of futures, from 100 to 1,000,000.
    seed : int
        Seed of the futures.
    threads : int, optional
        Number of threads, which does not change the result. By default, one per core.
    progress : bool, optional
        Whether to show a progress bar, which needs tqdm. By default, it is shown after one second if tqdm is
        installed, in a terminal or a notebook.

    Returns
    -------
    Plan
        The pulls of every arm, and the total of every course.

    Raises
    ------
    ValueError
        If an argument is invalid, as for `recommend`, or the futures are too many for so many arms and pulls.

    Examples
    --------
    >>> history = [("tea", 0.2), ("coffee", 0.5), ("tea", 0.3), ("coffee", 0.5)] * 5
    >>> answer = longrun.plan(history, arms=["tea", "coffee"], horizon=100, compare="minimum-share tea:0.4")
    >>> [course.name for course in answer.courses]
    ['foresight', 'equal split', "arm 'coffee' only", 'greedy', 'minimum-share tea:0.4']
    >>> answer.courses[-1].loss.mean > 0
    True
    """
    numbers, past = past_of(history, arms, scale_of(scale))
    others = compared_of(compare)
    question = question_of(
        numbers, past, horizon, noise, policy, unavailable_now, constraints, scale, keep_outliers, 0,
        [other for other in others if isinstance(other, Constraints)],
    )
    decimals, are_ordered = question[6].decimals, numbers.are_ordered
    return planned(
        lambda: numbers.labels,
        lambda arguments: _core.plan(question, are_ordered, arguments),
        [
            other if isinstance(other, str) else fields_of(other, numbers.names, True, decimals, are_ordered)
            for other in others
        ],
        futures,
        seed,
        threads,
        progress,
    )


def planned(
    labels_now: Callable[[], Sequence[int | str]],
    call: Callable[[PlanArguments], Any],
    compared: list[str | ConstraintFields],
    futures: int,
    seed: int,
    threads: int | None,
    progress: bool | None,
) -> Plan:
    """Return the plan that `call` computes in the C++ library. The other arguments are those of plan().

    The labels of the arms are read afterwards: another thread may add an arm to a study meanwhile.
    """
    number = count_of("futures", futures)
    key = whole("seed", seed, 64)
    with progress_bar(number, progress, " futures") as show:
        fields = call((compared, number, key, threads_of(threads), show))
        show(number)
    labels = labels_now()
    earned, cost, unmet, cautions, name, made, pending, units_left, noise_text, estimated, rounds, courses = fields
    return Plan(
        what_is_earned=earned,
        what_constraints_cost=cost,
        what_is_not_met=unmet,
        cautions=cautions,
        policy=name,
        made=made,
        pending=pending,
        units_left=units_left,
        futures=number,
        seed=key,
        noise=noise_text,
        noise_estimated=estimated,
        arms=[
            PlannedArm(label, pulls, without_reward, FutureRange(*next_round), FutureRange(*rest), noise_sd)
            for label, (pulls, without_reward, next_round, rest, noise_sd) in zip(labels, rounds)
        ],
        courses=[course_of(labels, course) for course in courses],
    )


def compared_of(compare: Any) -> list[Compared]:
    """Return the constraints to compare with."""
    others = compare if is_list(compare) and not isinstance(compare, (str, Mapping)) else [compare]
    others = [utf8("compare", each) if isinstance(each, str) else each for each in others]
    for each in others:
        if not isinstance(each, (str, Constraints)):
            raise ValueError(
                f"compare {shown(each)}: must be longrun.Constraints(...), or the text of a constraint, such as "
                "'minimum-share 0.1'"
            )
    return others


def course_of(labels: Sequence[int | str], course: tuple[Any, ...]) -> Course:
    kind, name, total, pulls, arm_pulls, loss, worse, better, unmet, total_shown, loss_shown = course
    return Course(
        kind=kind,
        name=name,
        total=FutureRange(*total),
        pulls=FutureRange(*pulls),
        arm_pulls={label: FutureRange(*each) for label, each in zip(labels, arm_pulls)},
        loss=FutureRange(*loss),
        worse_share=worse,
        better_share=better,
        unmet=unmet,
        total_as_shown=total_shown,
        loss_as_shown=loss_shown,
    )
