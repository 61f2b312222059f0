"""Policies written in Python: how they are named, created and played."""

from __future__ import annotations

import functools
import inspect
import traceback
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Protocol, SupportsIndex, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._bandit import Bandit
from ._checks import shown
from ._constraints import ConstraintFields
from ._policy import Setting, half_width_of
from ._records import Records
from ._trajectories import KeptSteps


class AskTell(Protocol):
    """A policy written in Python.

    `simulate` calls the class of such a policy with a `Setting`. Under constraints, ``ask`` has one argument, the list of
    the arms that it may choose, and a policy may have a method ``cancel(arm)``, which is called for a choice that is
    given up before it is paid for.
    """

    def ask(self) -> SupportsIndex:
        """Return the arm to pull next.

        Returns
        -------
        int
            Number of the arm, from 0.
        """
        ...

    def tell(self, arm: int, reward: float) -> None:
        """Record a reward.

        Parameters
        ----------
        arm : int
            The arm that was pulled.
        reward : float
            The observed reward.
        """
        ...


MakePolicy = Callable[[Setting], Any]
PolicyChoice = Union[str, MakePolicy]


class PolicyError(ValueError):
    """An error of a policy written in Python, with everything that was finished before.

    Parameters
    ----------
    message : str
        The error in one line.
    policy : str
        Name of the policy.
    bandit : str
        Name of the bandit.
    horizon : int
        Horizon of the run.
    seed : int
        Seed of the run.
    step : int
        Number of the step, from 1: of the pull that is asked for, or whose reward is told; 0 while the policy is
        created.
    details : str
        The traceback of the error.
    records : Records, optional
        The finished runs.
    """

    def __init__(
        self,
        message: str,
        policy: str = "",
        bandit: str = "",
        horizon: int = 0,
        seed: int = 0,
        step: int = 0,
        details: str = "",
        records: Records | None = None,
    ) -> None:
        super().__init__(message)
        self.policy, self.bandit, self.horizon, self.seed, self.step = policy, bandit, horizon, seed, step
        self.details = details
        self.records = Records._empty() if records is None else records


@dataclass
class Run:
    """A finished run of a policy written in Python."""

    pulls: NDArray[np.int64]
    earned: float
    optimum: float
    steps: dict[str, NDArray[Any]] | None


def name_of(policy: PolicyChoice) -> str:
    if isinstance(policy, str):
        return str(policy)
    if not callable(policy):
        raise ValueError(f"policy {shown(policy)}: must be a name of the catalog, or a class with ask() and tell()")
    name = getattr(policy, "name", None)
    if isinstance(name, str):
        return name
    if isinstance(policy, functools.partial):
        return name_of(policy.func)
    return str(getattr(policy, "__name__", type(policy).__name__))


@dataclass(frozen=True)
class OwnRun:
    """One run of a policy written in Python that is to be played."""

    name: str
    make: MakePolicy
    bandit: Bandit
    horizon: int
    constraints: ConstraintFields
    half_width: float | str | None
    root_seed: int
    seed: int

    def error(self, error: Exception, step: int) -> PolicyError:
        what = " ".join(str(error).split())
        if not isinstance(error, ValueError):
            what = f"{type(error).__name__}: {what}" if what else type(error).__name__
        message = f"policy {self.name}: {what} (bandit {self.bandit.name}, horizon {self.horizon}, seed {self.seed}, step {step})"
        details = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        return PolicyError(message, self.name, self.bandit.name, self.horizon, self.seed, step, details)

    def make_policy(self) -> Any:
        width = half_width_of(self.half_width, self.bandit.noise, self.horizon)
        setting = Setting(self.bandit.arms, self.horizon, self.bandit.noise, width, self.seed, self.root_seed)
        try:
            policy = self.make(setting)
        except Exception as error:
            raise self.error(error, 0) from error
        if not (callable(getattr(policy, "ask", None)) and callable(getattr(policy, "tell", None))):
            raise self.error(ValueError(f"{shown(policy)} lacks the methods ask() and tell(arm, reward)"), 0)
        if not self.constraints.are_none() and not takes_arms(policy.ask):
            what = "under constraints, ask() must have an argument: the arms that it may choose"
            raise self.error(ValueError(what), 0)
        return policy

    def play(self, optima: Optima, kept: KeptSteps, show: Callable[[int], None]) -> Run:
        """Play the policy with the noise that the policies of the catalog observe."""
        policy = self.make_policy()
        world = self.bandit.world(self.horizon, seed=self.seed, root_seed=self.root_seed)
        if not self.constraints.are_none():
            arms, rewards = self.play_rounds(policy, world, show)
        elif kept:
            arms, rewards = np.zeros(self.horizon, np.int32), np.zeros(self.horizon, np.float32)
            self.play_pulls(policy, recorded(world.pull, arms, rewards), show)
        else:
            arms = rewards = None
            self.play_pulls(policy, world.pull, show)
        best = optima.of(self.bandit, self.horizon, self.constraints)
        steps = None
        if kept and arms is not None and rewards is not None:
            steps = self.kept_steps(kept, arms, rewards, optima, _core.policy_regret(best, world.earned))
        return Run(np.array(world.pulls, dtype=np.int64), world.earned, best, steps)

    def play_pulls(self, policy: Any, pull: Callable[[Any], float], show: Callable[[int], None]) -> None:
        ask, tell = policy.ask, policy.tell
        step = 0
        try:
            for begin in range(0, self.horizon, STEPS_BETWEEN_UPDATES):
                for step in range(begin, min(begin + STEPS_BETWEEN_UPDATES, self.horizon)):  # noqa: B007
                    arm = ask()
                    tell(arm, pull(arm))
                show(step)
        except Exception as error:
            raise self.error(error, step + 1) from error

    def play_rounds(self, policy: Any, world: _core.World, show: Callable[[int], None]) -> tuple[Any, Any]:
        """Play under constraints: each choice is restricted to the arms that the constraints allow."""
        asked = told = 0
        step = 1  # the pull that is asked for, or whose reward is told

        def ask(among: list[int]) -> Any:
            nonlocal asked, step
            asked += 1
            step = asked
            return policy.ask(among)

        def tell(arm: int, reward: float) -> None:
            nonlocal told, step
            told += 1
            step = told
            policy.tell(arm, reward)
            if told % STEPS_BETWEEN_UPDATES == 0:
                show(told)

        give_up = getattr(policy, "cancel", lambda arm: None)

        def cancel(arm: int) -> None:
            nonlocal asked
            asked -= 1
            give_up(arm)

        try:
            arms = _core.play_own(
                self.bandit._core, self.horizon, self.constraints, self.root_seed, self.seed, ask, tell, cancel
            )
        except Exception as error:
            raise self.error(error, step) from error
        return np.array(arms, dtype=np.int32), np.array([world.pull(arm) for arm in arms], dtype=np.float32)

    def kept_steps(
        self, kept: KeptSteps, arms: NDArray[Any], rewards: NDArray[Any], optima: Optima, last: float
    ) -> dict[str, NDArray[Any]]:
        pulls = np.zeros(len(arms), dtype=np.int32)
        for arm in np.unique(arms):
            places = arms == arm
            pulls[places] = np.arange(1, places.sum() + 1)
        if not self.constraints.are_none():
            regret = np.full(len(arms), np.nan)
            regret[-1:] = last
        else:
            means = self.bandit.rewards(self.horizon)[arms, pulls - 1]
            best = optima.after(self.bandit, self.horizon)
            regret = best - np.cumsum(means)
            regret[-1] = last
            regret[(regret < 0) & (regret > -1e-9 * np.maximum(1, best))] = 0  # rounding, as in policy_regret()
        places = kept.up_to(len(arms)) - 1
        return {
            "step": (places + 1).astype(np.int32),
            "arm": arms[places].astype(np.int32),
            "pull": pulls[places],
            "reward": rewards[places].astype(np.float32),
            "regret": regret[places].astype(np.float32),
        }


def recorded(pull: Callable[[Any], float], arms: NDArray[Any], rewards: NDArray[Any]) -> Callable[[Any], float]:
    """Return `pull` with a record of its arms and rewards."""
    places: Iterator[int] = iter(range(len(arms)))

    def pulled(arm: Any) -> float:
        reward = pull(arm)
        place = next(places)
        arms[place], rewards[place] = arm, reward
        return reward

    return pulled


def takes_arms(ask: Any) -> bool:
    """Return whether `ask` can be called with one argument."""
    try:
        inspect.signature(ask).bind([0])
    except TypeError:
        return False
    except ValueError:  # a compiled function does not say
        return True
    return True


class Optima:
    """The optima of bandits, each computed once."""

    def __init__(self) -> None:
        self._values: dict[tuple[int, int], float] = {}
        self._after: dict[int, NDArray[np.float64]] = {}

    def of(self, bandit: Bandit, horizon: int, constraints: ConstraintFields) -> float:
        key = (id(bandit), horizon)
        if key not in self._values:
            self._values[key] = _core.optimum(bandit._core, horizon, constraints)[0]
        return self._values[key]

    def after(self, bandit: Bandit, horizon: int) -> NDArray[np.float64]:
        """Return the optima of 1, 2, ... pulls."""
        known = self._after.get(id(bandit))
        if known is None or len(known) < horizon:
            self._after[id(bandit)] = known = np.asarray(_core.optima_after(bandit._core, horizon))
        return known[:horizon]


STEPS_BETWEEN_UPDATES = 10_000  # of the progress bar
