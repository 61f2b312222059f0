from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Sequence

from . import _core
from ._checks import names_of, shown, truth_of, whole
from ._progress import progress_bar
from ._past import History, past_of
from ._question import threads_of
from ._study_checks import count_of, scale_of


BACKTEST_POLICIES = ("foresight", "spo", "ucb", "greedy")  # as in longrun/simulate/backtest/backtest.h


class LogEstimate(NamedTuple):
    """An estimate, less its bias, with its interval.

    Parameters
    ----------
    value : float
        The estimate.
    low : float or None
        The lower end of its 80 % interval; None without resamples.
    high : float or None
        The upper end.
    """

    value: float
    low: float | None
    high: float | None


class FittedCurve(NamedTuple):
    """The curve that is fitted to the rewards of an arm.

    Parameters
    ----------
    first : float
        Reward of the first pull.
    highest : float
        Reward at the peak.
    peak : int
        Pull of the highest reward.
    last : float
        Reward of the last logged pull.
    """

    first: float
    highest: float
    peak: int
    last: float


@dataclass(frozen=True)
class LoggedArm:
    """One arm of a log.

    Parameters
    ----------
    arm : int or str
        The arm, as `arms` names it.
    pulls : int
        Number of its pulls in the log, pending ones included.
    pending : int
        Number of those whose reward is pending or lost.
    curve : FittedCurve or None
        Its curve; None if it has too few rewards for one.
    """

    arm: int | str
    pulls: int
    pending: int
    curve: FittedCurve | None


@dataclass(frozen=True)
class BacktestRow:
    """The result of one way to choose arms.

    Rewards are means per pull, in the unit of the log.

    Parameters
    ----------
    policy : str
        The policy, "equal split" or "optimum".
    reference : bool
        Whether it is not a policy: equal split or the optimum.
    best : bool
        Whether it is the policy with the largest reward.
    reward : LogEstimate
        Mean reward per pull.
    standard_error : float
        Standard error of the reward, because the number of replicates is finite.
    behind_best : LogEstimate
        Reward of the best policy less this one.
    clearly_behind : bool
        Whether the log supports that the best policy earns more.
    regret : LogEstimate
        Policy regret per pull: reward of the optimum less this one.
    pulls : dict of int or str and float
        Mean number of pulls of each arm that has a curve.
    extrapolated : float
        Share of pulls after the last known reward of their arm.
    """

    policy: str
    reference: bool
    best: bool
    reward: LogEstimate
    standard_error: float
    behind_best: LogEstimate
    clearly_behind: bool
    regret: LogEstimate
    pulls: dict[int | str, float]
    extrapolated: float


class Replay(NamedTuple):
    """A policy played on the rewards of a log, without a model of the arms.

    Parameters
    ----------
    pulls : int
        Number of its pulls.
    pending : int
        Number of those whose reward the log does not know.
    reward : float or None
        Mean of the other rewards.
    exhausted : int or str or None
        The arm that had no more rewards; None if the replay reached the horizon.
    """

    pulls: int
    pending: int
    reward: float | None
    exhausted: int | str | None


class RejectionReplay(NamedTuple):
    """A replay by rejection, with the pull numbers that it mixes up.

    Parameters
    ----------
    replay : Replay
        The replay of the rows on which policy and log agree.
    rows : int
        Number of rows of the log that were read.
    mean_delay : float
        How much later, in pulls of the arm, the rewards were logged than the policy made them.
    age_effect : float
        The error that this causes by the fitted curves.
    """

    replay: Replay
    rows: int
    mean_delay: float
    age_effect: float


class PolicyReplays(NamedTuple):
    """The replays of one policy.

    Parameters
    ----------
    policy : str
        The policy.
    columns : list of Replay
        The k-th pull of an arm pays its k-th logged reward. One replay for each of ten orders of the arms.
    rejection : RejectionReplay or None
        Only if the choices of the log were random.
    """

    policy: str
    columns: list[Replay]
    rejection: RejectionReplay | None


class RandomChoiceTest(NamedTuple):
    """Tests of the claim that the arms of a log were chosen uniformly at random.

    Parameters
    ----------
    uniform : float or None
        The p-value of the test that all arms are chosen equally often; None if the log is too short.
    independent : float or None
        The p-value of the test that an arm does not depend on the arm before it.
    """

    uniform: float | None
    independent: float | None


@dataclass(frozen=True, repr=False)
class Backtest:
    """Policies compared on a bandit that is fitted to a log.

    ``str()`` of it is the comparison as sentences.

    Parameters
    ----------
    conclusions : list of str
        Sentences that compare the policies.
    warnings : list of str
        Sentences that say what the log does not support.
    horizon : int
        Number of pulls of each simulated run.
    replicates : int
        Number of simulated runs of each policy.
    resamples : int
        Number of resampled logs.
    seed : int
        Seed of all random numbers.
    log_pulls : int
        Number of pulls in the log, pending ones included.
    log_pending : int
        Number of those whose reward is pending or lost.
    log_reward : float
        Mean of the known rewards.
    noise : str
        The fitted noise on the scale from 0 to 1, as ``longrun play --noise`` reads it.
    noise_sd : float
        Its standard deviation, in the unit of the log.
    noise_outliers : int
        Number of rewards that do not count in it.
    arms : list of LoggedArm
        The arms with a curve, then those without one.
    policies : list of BacktestRow
        The policies in the given order, then equal split and the optimum.
    by_chance : float or None
        The difference of two policies that 5 % of logs exceed if all arms pay the same; None without resamples or with
        one policy.
    replays : list of PolicyReplays
        The replays of each policy.
    random_choices : RandomChoiceTest or None
        Tests of the choices; None unless they are said to be random.
    """

    conclusions: list[str]
    warnings: list[str]
    horizon: int
    replicates: int
    resamples: int
    seed: int
    log_pulls: int
    log_pending: int
    log_reward: float
    noise: str
    noise_sd: float
    noise_outliers: int
    arms: list[LoggedArm]
    policies: list[BacktestRow]
    by_chance: float | None
    replays: list[PolicyReplays]
    random_choices: RandomChoiceTest | None

    @property
    def best(self) -> BacktestRow:
        """The policy with the largest reward."""
        return next(row for row in self.policies if row.best)

    def __str__(self) -> str:
        return " ".join([*self.conclusions, *self.warnings])

    def __repr__(self) -> str:
        return f"<Backtest of {len(self.replays)} policies on {self.log_pulls} pulls: {self.conclusions[0]}>"


def backtest(
    history: History,
    *,
    arms: int | Sequence[int | str] | None = None,
    horizon: int | None = None,
    policies: str | Sequence[str] = BACKTEST_POLICIES,
    scale: tuple[float, float] = (0.0, 1.0),
    keep_outliers: bool = False,
    choices: str | None = None,
    replicates: int = 200,
    resamples: int = 100,
    seed: int = 0,
    threads: int | None = None,
    progress: bool | None = None,
) -> Backtest:
    """Return how policies compare on a bandit that is fitted to a log.

    A curve that rises and then may fall is fitted to the rewards of each arm, and the policies are simulated on these
    curves. Intervals come from logs that are resampled from the fit. Ctrl-C stops the computation. The numbers are those
    of ``longrun backtest --json``.

    Parameters
    ----------
    history : iterable of tuple, pandas.DataFrame, str or path
        The log, as for `recommend`.
    arms : int or sequence, optional
        The labels of all arms, or their number, as for `recommend`. By default, the arms of the history.
    horizon : int, optional
        Number of pulls of each simulated run. By default, as many as the log has.
    policies : str or sequence of str
        Policies of the catalog with their parameters. By default, four.
    scale : tuple of float
        The range of mean rewards, (minimum, maximum).
    keep_outliers : bool
        Whether rewards that look like mistakes count as they are.
    choices : {"random"}, optional
        States that the arms of the log were chosen uniformly at random: this is tested, and the log is replayed by
        rejection as well.
    replicates : int
        Number of simulated runs of each policy.
    resamples : int
        Number of resampled logs, at least 20; 0 means no intervals.
    seed : int
        Seed of all random numbers.
    threads : int, optional
        Number of threads, which does not change the result. By default, one per core.
    progress : bool, optional
        Whether to show a progress bar, which needs tqdm. By default, it is shown after one second if tqdm is
        installed, in a terminal or a notebook.

    Returns
    -------
    Backtest
        The comparison, the fitted arms and the replays.

    Raises
    ------
    ValueError
        If an argument is invalid, the rewards are not on the scale, or fewer than two arms have enough rewards.

    Examples
    --------
    >>> log = [("tea", 0.2), ("coffee", 0.5), ("tea", 0.3), ("coffee", 0.6)] * 20
    >>> result = longrun.backtest(log, arms=["tea", "coffee"], horizon=40, policies=["greedy", "ucb"])
    >>> [row.policy for row in result.policies]
    ['greedy', 'ucb', 'equal split', 'optimum']
    """
    numbers, past = past_of(history, arms, scale_of(scale))
    labels = numbers.labels
    if choices not in (None, "random"):
        raise ValueError(f"choices {shown(choices)}: must be 'random', or None if nothing is known about them")
    names = [policies] if isinstance(policies, str) else names_of("policies", policies)
    repeats = count_of("replicates", replicates, 31), whole("resamples", resamples, 31)
    key = whole("seed", seed, 64)
    with progress_bar(None, progress) as show:
        conclusions, warnings, pulls, log, noise, logged, rows, best, by_chance, replays, tests = _core.backtest(
            numbers.names,
            past,
            0 if horizon is None else count_of("horizon", horizon),
            names,
            scale_of(scale),
            truth_of("keep_outliers", keep_outliers),
            choices is not None,
            *repeats,
            key,
            threads_of(threads),
            show,
        )
    fitted = [labels[number] for number, _, _, curve in logged if curve]
    return Backtest(
        conclusions=conclusions,
        warnings=warnings,
        horizon=pulls,
        replicates=repeats[0],
        resamples=repeats[1],
        seed=key,
        log_pulls=log[0],
        log_pending=log[1],
        log_reward=log[2],
        noise=noise[0],
        noise_sd=noise[1],
        noise_outliers=noise[2],
        arms=[LoggedArm(labels[number], made, pending, curve and FittedCurve(*curve)) for number, made, pending, curve in logged],
        policies=[row_of(row, place == best, fitted) for place, row in enumerate(rows)],
        by_chance=by_chance,
        replays=[replays_of(replay, labels) for replay in replays],
        random_choices=tests and RandomChoiceTest(*tests),
    )


def row_of(row: tuple[Any, ...], best: bool, fitted: list[int | str]) -> BacktestRow:
    name, reference, reward, standard_error, behind, clearly_behind, regret, pulls, extrapolated = row
    return BacktestRow(
        policy=name,
        reference=reference,
        best=best,
        reward=LogEstimate(*reward),
        standard_error=standard_error,
        behind_best=LogEstimate(*behind),
        clearly_behind=clearly_behind,
        regret=LogEstimate(*regret),
        pulls=dict(zip(fitted, pulls)),
        extrapolated=extrapolated,
    )


def replays_of(replays: tuple[Any, ...], labels: Sequence[int | str]) -> PolicyReplays:
    def replay_of(replay: tuple[Any, ...]) -> Replay:
        pulls, pending, reward, exhausted = replay
        return Replay(pulls, pending, reward, None if exhausted is None else labels[exhausted])

    policy, columns, rejection = replays
    by_rejection = rejection and RejectionReplay(replay_of(rejection[0]), *rejection[1:])
    return PolicyReplays(policy, [replay_of(column) for column in columns], by_rejection)
