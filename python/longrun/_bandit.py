from __future__ import annotations

from typing import Any, Callable, NamedTuple, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._checks import whole
from ._constraints import Constraints, texts_of
from ._noise import Noise, NoNoise

Curves = Union[str, ArrayLike, Sequence[Union[ArrayLike, Callable[[int], float]]]]


class BanditInfo(NamedTuple):
    """One line of the list of bandits that need no file."""

    name: str
    summary: str


def bandits() -> list[BanditInfo]:
    """The bandits of the paper, of later papers, and random ones, as Bandit() takes them."""
    return [BanditInfo(*entry) for entry in _core.bandits()]


class Bandit:
    """A rested bandit: pull m of an arm pays f_arm(m), observed with noise.

    `curves` are a name from bandits(); an array of mean rewards in [0, 1] with a row per arm and a column per pull; or a
    sequence of rows and functions, one per arm. A function is called once for every pull 1, 2, ..., `horizon`, and
    never again.
    """

    def __init__(
        self,
        curves: Curves,
        noise: Noise = NoNoise(),
        *,
        horizon: int | None = None,
        arm_names: Sequence[str] | None = None,
        name: str | None = None,
    ) -> None:
        self.noise = noise
        if isinstance(curves, str):
            if arm_names is not None or name is not None:
                raise ValueError(f"bandit '{curves}' has names of its own")
            self._core = _core.bandit_by_name(curves, str(noise))
            self.horizon = self._core.horizon if horizon is None else whole("horizon", horizon, 63)
        else:
            rewards = tabulate(curves, None if horizon is None else whole("horizon", horizon, 63))
            names = [f"arm {i}" for i in range(len(rewards))] if arm_names is None else list(arm_names)
            self._core = _core.bandit_from_rewards(rewards, names, "curves" if name is None else name, str(noise))
            self.horizon = rewards.shape[1]
        self._named = isinstance(curves, str)

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def arm_names(self) -> list[str]:
        return self._core.arm_names

    @property
    def arms(self) -> int:
        return len(self._core.arm_names)

    def rewards(self, pulls: int | None = None) -> NDArray[np.float64]:
        """The mean rewards of the first `pulls` pulls (the horizon's where not given), a row per arm."""
        return self._core.rewards(self.horizon if pulls is None else whole("pulls", pulls, 63))

    def world(self, horizon: int | None = None, *, seed: int = 0, replicate: int = 0) -> _core.World:
        """The bandit to be played, `horizon` pulls long (its own where not given): pull(arm) returns what is observed."""
        end = self.horizon if horizon is None else whole("horizon", horizon, 63)
        return _core.World(self._core, end, whole("seed", seed, 64), whole("replicate", replicate, 32))

    def __reduce__(self) -> tuple[Any, ...]:
        if self._named:
            return remade, (self.name, self.noise, {"horizon": self.horizon})
        return remade, (self.rewards(), self.noise, {"arm_names": self.arm_names, "name": self.name})

    def __repr__(self) -> str:
        return f"<longrun.Bandit {self.name}, {self.arms} arms, noise {self.noise}>"


def remade(curves: Curves, noise: Noise, more: dict[str, Any]) -> Bandit:
    return Bandit(curves, noise, **more)


def tabulate(curves: Curves, horizon: int | None) -> NDArray[np.float64]:
    """The curves as an array, a row per arm; `horizon` columns where it is given."""
    if not isinstance(curves, np.ndarray):
        curves = [row_of(curve, horizon) for curve in curves]  # type: ignore[union-attr]
        lengths = sorted({len(row) for row in curves})
        if len(lengths) > 1:
            raise ValueError(f"every arm needs as many pulls, and these have {', '.join(map(str, lengths))}")
    rewards = np.ascontiguousarray(curves, dtype=np.float64)
    if rewards.ndim != 2:
        raise ValueError(f"curves are an array with a row per arm and a column per pull, not of {rewards.ndim} dimensions")
    if horizon is not None and rewards.shape[1] < horizon:
        raise ValueError(f"curves of {rewards.shape[1]} pulls are too short for horizon {horizon}")
    return rewards if horizon is None else np.ascontiguousarray(rewards[:, :horizon])


def row_of(curve: Any, horizon: int | None) -> NDArray[np.float64]:
    if not callable(curve):
        row = np.asarray(curve, dtype=np.float64)
        if row.ndim != 1:
            raise ValueError("the curve of an arm is a row of rewards or a function of the pull")
        return row[:horizon]
    if horizon is None:
        raise ValueError("curves that are functions need a horizon")
    return np.array([curve(pull) for pull in range(1, horizon + 1)], dtype=np.float64)


class Optimum(NamedTuple):
    """The pull counts with the largest total reward among all with sum `horizon`."""

    value: float
    pulls: NDArray[np.int64]
    method: str
    """How it was found. Every method is exact."""


def optimum(curves: Bandit | Curves, horizon: int | None = None, *, constraints: Constraints | None = None) -> Optimum:
    """The exact optimum of a bandit whose curves are known: the yardstick of policy regret.

    `curves` as for Bandit, or a Bandit; its horizon where none is given. With constraints, the best that they allow.
    """
    bandit = curves if isinstance(curves, Bandit) else Bandit(curves, horizon=horizon)
    end = bandit.horizon if horizon is None else whole("horizon", horizon, 63)
    return Optimum(*_core.optimum(bandit._core, end, texts_of(constraints)))


def optimistic_future(lower: ArrayLike, upper: ArrayLike, remaining: int) -> float | None:
    """Largest total of the next `remaining` rewards over all concave, non-decreasing curves in [0, 1] that pass through
    every observed band (the linear program (*) of the paper); None when no such curve exists (the arm has peaked).

    Band j, from 0, is [lower[j], upper[j]].
    """
    low, high = (np.ascontiguousarray(end, dtype=np.float64) for end in (lower, upper))
    return _core.optimistic_future(low, high, whole("remaining", remaining, 63))
