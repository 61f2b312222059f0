from collections.abc import Callable, Iterable, Sequence
from typing import (
    Annotated,
    NoReturn,
    SupportsFloat,
    SupportsIndex,
    overload
)

import numpy
from numpy.typing import NDArray


version: str = '0.1.0'

default_policy: str = 'foresight'

def policies() -> list[tuple[str, str, dict[str, str], bool]]: ...

def bandits() -> list[tuple[str, str]]: ...

largest_noise: float = 1e+100

def noise_text(noise: tuple[str, Sequence[float]]) -> str: ...

def noise_fields(text: str) -> tuple[str, list[float]]: ...

def check_horizon(bandit: Bandit, horizon: int) -> None: ...

def check_policy(policy: str) -> None: ...

def half_width(text: str, noise: tuple[str, Sequence[float]], horizon: int) -> float: ...

def style_of(policy: str) -> tuple[str, list[int], float]: ...

def figure_lines(policies: Sequence[str]) -> list[tuple[str, list[int], float]]: ...

def estimate(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, float, float]: ...

class Policy:
    """
    A policy outside the play loop.

    A pull is pending from `ask` until `tell`, `lose` or `cancel`. Rewards may arrive late and in any order, or be of pulls
    that were not asked for (a logged history). While pulls are pending, the policy decides as if they had paid what is
    expected of their arms. The function `policy` creates a policy.

    Copies and pickles keep the state exactly. A pickle holds the arguments of the policy and its state, for most policies a few kilobytes.
    """

    def __init__(self) -> None: ...

    @overload
    def ask(self, *, among: int | Iterable[int] | None = None, unavailable: int | Iterable[int] | None = None) -> int: ...

    @overload
    def ask(self, n: int, among: int | Iterable[int] | None = None, unavailable: int | Iterable[int] | None = None) -> list[int]:
        """
        Return the arm to pull next, or the arms of the next pulls.

        The pulls are pending from now on.

        Parameters
        ----------
        n : int, optional
            Number of pulls; if the horizon has fewer left, as many as it has. By default, one arm is returned, not a list.
        among : int or iterable of int, optional
            The arms that the choice is restricted to. By default, all arms.
        unavailable : int or iterable of int, optional
            Arms that cannot be pulled this time.

        Returns
        -------
        int or list of int
            Number of the arm, from 0; with `n`, a list of arms.

        Raises
        ------
        ValueError
            If an arm does not exist, none is left to choose from, or all pulls of the horizon are made or pending.
        """

    def select_arm(self) -> int:
        """
        Return the arm to pull next. The same as `ask` without arguments.

        Returns
        -------
        int
            Number of the arm, from 0.
        """

    def tell(self, arm: SupportsIndex | Iterable[SupportsIndex], reward: SupportsFloat | Iterable[SupportsFloat]) -> None:
        """
        Record the reward of a pending pull of `arm`.

        Without a pending pull of the arm, the reward is that of a pull that was not asked for. `tell` and `update` are the same.
        Of several rewards, all are recorded, or none if one of them is refused.

        Parameters
        ----------
        arm : int or iterable of int
            Number of the arm, from 0; or one for each reward.
        reward : float or iterable of float
            The observed reward, or one for each arm, in their order. The index of a pandas.Series must be that of the arms, the
            arms themselves, or 0, 1, ...

        Raises
        ------
        ValueError
            If an arm does not exist, a reward is not finite or not on the scale of the policy, the numbers of arms and rewards
            differ, or all pulls of the horizon are made or pending and the arm has none that is pending.
        """

    def update(self, arm: SupportsIndex | Iterable[SupportsIndex], reward: SupportsFloat | Iterable[SupportsFloat]) -> None:
        """
        Record the reward of a pending pull of `arm`.

        Without a pending pull of the arm, the reward is that of a pull that was not asked for. `tell` and `update` are the same.
        Of several rewards, all are recorded, or none if one of them is refused.

        Parameters
        ----------
        arm : int or iterable of int
            Number of the arm, from 0; or one for each reward.
        reward : float or iterable of float
            The observed reward, or one for each arm, in their order. The index of a pandas.Series must be that of the arms, the
            arms themselves, or 0, 1, ...

        Raises
        ------
        ValueError
            If an arm does not exist, a reward is not finite or not on the scale of the policy, the numbers of arms and rewards
            differ, or all pulls of the horizon are made or pending and the arm has none that is pending.
        """

    def lose(self, arm: SupportsIndex) -> None:
        """
        Record that the reward of a pending pull of `arm` never arrives.

        Parameters
        ----------
        arm : int
            Number of the arm, from 0.

        Raises
        ------
        ValueError
            If the arm has no pending pull.
        """

    def cancel(self, arm: SupportsIndex) -> None:
        """
        Record that a pending pull of `arm` was not made.

        Parameters
        ----------
        arm : int
            Number of the arm, from 0.

        Raises
        ------
        ValueError
            If the arm has no pending pull.
        """

    def pending(self, arm: SupportsIndex) -> int:
        """
        Return the pending pulls of `arm`.

        Parameters
        ----------
        arm : int
            Number of the arm, from 0.

        Returns
        -------
        int
            Pulls that were asked for and have no outcome yet.
        """

    @property
    def name(self) -> str:
        """Name of the policy, with its parameters."""

    @property
    def arms(self) -> int:
        """Number of arms."""

    @property
    def horizon(self) -> int:
        """Total number of pulls."""

    def __copy__(self) -> Policy: ...

    def __deepcopy__(self, memo: object) -> Policy: ...

    def __getstate__(self) -> tuple[str, str, int, int, str, float | None, int, int, list[int], float, float, bytes]: ...

    def __setstate__(self, arg: tuple[str, str, int, int, str, float | None, int, int, Sequence[int], float, float, bytes], /) -> None: ...

    def __repr__(self) -> str: ...

def policy(policy: str, arms: int, horizon: int, noise: tuple[str, Sequence[float]], half_width: float | None, seed: int, replicate: int, plan: Sequence[int], scale: tuple[float, float]) -> Policy: ...

class Bandit:
    @property
    def name(self) -> str: ...

    @property
    def arm_names(self) -> list[str]: ...

    @property
    def horizon(self) -> int: ...

    @property
    def longest_horizon(self) -> int: ...

    def rewards(self, pulls: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

def bandit_by_name(name: str, noise: tuple[str, Sequence[float]]) -> Bandit: ...

def bandit_from_rewards(rewards: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], arm_names: Sequence[str], name: str, noise: tuple[str, Sequence[float]]) -> Bandit: ...

class World:
    """
    One replicate of a bandit that is being played.

    Its noise is a function of (seed, replicate, arm, pull), not of time: two policies that make the same pull observe the
    same reward. `Bandit.world` creates a world.
    """

    def pull(self, arm: SupportsIndex) -> float:
        """
        Pull `arm` once and return the observed reward.

        Parameters
        ----------
        arm : int
            Number of the arm, from 0.

        Returns
        -------
        float
            The observed reward.

        Raises
        ------
        ValueError
            If the arm does not exist, or all pulls of the horizon have been made.
        """

    def __copy__(self) -> World: ...

    def __deepcopy__(self, memo: object) -> World: ...

    def __repr__(self) -> str: ...

    def __reduce__(self) -> NoReturn: ...

    @property
    def pulls(self) -> list[int]:
        """Number of pulls of each arm."""

    @property
    def earned(self) -> float:
        """Sum of the mean rewards, without noise, of all pulls made."""

def world(bandit: Bandit, horizon: int, seed: int, replicate: int) -> World: ...

def optimum(bandit: Bandit, horizon: int, constraints: tuple[int, int, tuple[int, Sequence[tuple[int, int]], bool], tuple[int, Sequence[tuple[int, int]], bool], tuple[float, Sequence[tuple[int, float]], bool], Sequence[tuple[int, int, int]], bool]) -> tuple[float, Annotated[NDArray[numpy.int64], dict(shape=(None,))], str]: ...

def optimistic_future(lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], remaining: int) -> float | None: ...

def policy_regret(optimum: float, earned: float) -> float: ...

def recommend(question: tuple[Sequence[str], tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Sequence[int], Sequence[tuple[int, int, int]]] | str, int, tuple[str, Sequence[float]] | None, str, Sequence[int], tuple[int, int, tuple[int, Sequence[tuple[int, int]], bool], tuple[int, Sequence[tuple[int, int]], bool], tuple[float, Sequence[tuple[int, float]], bool], Sequence[tuple[int, int, int]], bool], tuple[float, float], bool, int]) -> object: ...

def read_history_rows(arms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rewards: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lost: Sequence[int], others: Sequence[tuple[str, Sequence[str]]], labels: Sequence[str], are_all_names: bool) -> tuple[list[str], list[str], bool, list[tuple[int, int, int]], list[int]]: ...

def may_tell_order(column: str) -> bool: ...

def arms_of_file(path: str) -> tuple[list[str], list[str]]: ...

def plan(question: tuple[Sequence[str], tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Sequence[int], Sequence[tuple[int, int, int]]] | str, int, tuple[str, Sequence[float]] | None, str, Sequence[int], tuple[int, int, tuple[int, Sequence[tuple[int, int]], bool], tuple[int, Sequence[tuple[int, int]], bool], tuple[float, Sequence[tuple[int, float]], bool], Sequence[tuple[int, int, int]], bool], tuple[float, float], bool, int], arms_are_ordered: bool, arguments: tuple[Sequence[str | tuple[int, int, tuple[int, Sequence[tuple[int, int]], bool], tuple[int, Sequence[tuple[int, int]], bool], tuple[float, Sequence[tuple[int, float]], bool], Sequence[tuple[int, int, int]], bool]], int, int, int, Callable[[int], None]]) -> object: ...

def backtest_policies() -> list[str]: ...

def backtest(arm_names: Sequence[str], history: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Sequence[int], Sequence[tuple[int, int, int]]] | str, horizon: int, policies: Sequence[str], scale: tuple[float, float], keep_outliers: bool, random_choices: bool, replicates: int, resamples: int, seed: int, threads: int, progress: Callable[[int, int], None]) -> tuple[list[str], list[str], int, tuple[int, int, float], tuple[str, float, int], list[tuple[int, int, int, tuple[float, float, int, float] | None]], list[tuple[str, bool, tuple[float, float | None, float | None], float, tuple[float, float | None, float | None], bool, tuple[float, float | None, float | None], list[float], float]], int, float | None, list[tuple[str, list[tuple[int, int, float | None, int | None]], tuple[tuple[int, int, float | None, int | None], int, float, float] | None]], tuple[float | None, float | None] | None]: ...

def simulate(bandits: Sequence[Bandit], units: Sequence[tuple[int, int]], policies: Sequence[str], horizons: Sequence[int], constraints: tuple[int, int, tuple[int, Sequence[tuple[int, int]], bool], tuple[int, Sequence[tuple[int, int]], bool], tuple[float, Sequence[tuple[int, float]], bool], Sequence[tuple[int, int, int]], bool], half_width: str, seed: int, threads: int, every: int, steps: Sequence[int], progress: Callable[[int], None]) -> dict[str, object]: ...

def optima_after(bandit: Bandit, horizon: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def play_own(bandit: Bandit, budget: int, constraints: tuple[int, int, tuple[int, Sequence[tuple[int, int]], bool], tuple[int, Sequence[tuple[int, int]], bool], tuple[float, Sequence[tuple[int, float]], bool], Sequence[tuple[int, int, int]], bool], seed: int, replicate: int, ask: object, tell: object, cancel: object) -> list[int]: ...

class StudyLog:
    def decide(self, count: int, among: Sequence[int]) -> list[tuple[int, int, int, str]]: ...

    def report(self, decision: int, arm: int, kind: str, reward: float) -> None: ...

    def correct(self, decision: int, kind: str, reward: float) -> None: ...

    def correct_record(self, event: int, kind: str, reward: float) -> None: ...

    def record(self, arm: int, reward: float) -> None: ...

    def tell(self, rewards: Sequence[tuple[int | None, int, float]], kind: str) -> None: ...

    def explain(self) -> object: ...

    def plan(self, arguments: tuple[Sequence[str | tuple[int, int, tuple[int, Sequence[tuple[int, int]], bool], tuple[int, Sequence[tuple[int, int]], bool], tuple[float, Sequence[tuple[int, float]], bool], Sequence[tuple[int, int, int]], bool]], int, int, int, Callable[[int], None]]) -> object: ...

    def set_unavailable(self, arms: Sequence[int]) -> None: ...

    def add_arm(self, name: str) -> None: ...

    def extend_budget(self, units: int) -> None: ...

    def change_noise(self, noise: tuple[str, Sequence[float]] | None) -> None: ...

    def change_constraints(self, members: Sequence[str], constraints: tuple[int, int, tuple[int, Sequence[tuple[int, int]], bool], tuple[int, Sequence[tuple[int, int]], bool], tuple[float, Sequence[tuple[int, float]], bool], Sequence[tuple[int, int, int]], bool]) -> None: ...

    def replay(self, text: str, confirm: Callable[[Sequence[tuple[int, Sequence[str], Sequence[str]]]], None]) -> list[tuple[int, list[str], list[str]]]: ...

    def json_lines(self, start: int, end: int | None = None) -> str: ...

    @property
    def first_line(self) -> int: ...

    @property
    def last_event(self) -> int: ...

    def snapshot(self) -> bytes: ...

    def state(self) -> bytes: ...

    @property
    def arm_count(self) -> int: ...

    @property
    def arms(self) -> list[str]: ...

    @property
    def budget(self) -> int: ...

    @property
    def policy(self) -> str: ...

    @property
    def seed(self) -> int: ...

    @property
    def scale(self) -> tuple[float, float]: ...

    @property
    def noise(self) -> tuple[str, list[float]] | None: ...

    @property
    def unit_decimals(self) -> int: ...

    @property
    def spent(self) -> int: ...

    @property
    def done(self) -> bool: ...

    @property
    def pulls(self) -> list[int]: ...

    @property
    def pending(self) -> list[tuple[int, int]]: ...

    @property
    def pending_count(self) -> int: ...

    @property
    def unavailable(self) -> list[int]: ...

    def __copy__(self) -> StudyLog: ...

    def __deepcopy__(self, memo: object) -> StudyLog: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

def study(arms: Sequence[str], budget: int, noise: tuple[str, Sequence[float]] | None, policy: str, scale: tuple[float, float], constraints: tuple[int, int, tuple[int, Sequence[tuple[int, int]], bool], tuple[int, Sequence[tuple[int, int]], bool], tuple[float, Sequence[tuple[int, float]], bool], Sequence[tuple[int, int, int]], bool], seed: int, keep: int | None) -> StudyLog: ...

def study_from_snapshot(data: bytes, keep: int | None) -> StudyLog: ...

def study_from_json_lines(text: str, keep: int | None) -> tuple[StudyLog, list[tuple[int, list[str], list[str]]]]: ...

def did_you_mean(name: str, names: Sequence[str]) -> str: ...
