from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._checks import names_of, text_of, whole
from ._constraints import Constraints, texts_of
from ._noise import Noise, NoNoise

if TYPE_CHECKING:
    import pandas

Curves = Union[str, NDArray[Any], "pandas.DataFrame", Sequence[Any]]
"""What Bandit() takes: a name, an array, a data frame, or a sequence of rows and functions."""


class BanditInfo(NamedTuple):
    """One line of the list of bandits that need no file."""

    name: str
    summary: str


def bandits() -> list[BanditInfo]:
    """The bandits of the paper, of later papers, and random ones, as Bandit() takes them."""
    return [BanditInfo(*entry) for entry in _core.bandits()]


class Bandit:
    """A rested bandit: pull m of an arm pays f_arm(m), observed with noise.

    `curves` are a name from bandits(); an array of mean rewards in [0, 1] with a row per arm and a column per pull; a
    sequence of rows and functions, one per arm; or a data frame, which is a CSV file of `longrun play --curves`: a column
    per arm and a row per pull. A function is called once for every pull 1, 2, ..., `horizon`, and never again.
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
        end = None if horizon is None else whole("horizon", horizon, 63)
        if end == 0:
            raise ValueError("horizon 0: must be at least 1")
        self._noise = noise
        self._named = isinstance(curves, str)
        if isinstance(curves, str):
            if arm_names is not None or name is not None:
                raise ValueError(f"bandit '{curves}' has names of its own")
            self._core = _core.bandit_by_name(curves, str(noise))
            self._horizon = self._core.horizon if end is None else end
            return
        table: Any = curves
        if hasattr(table, "columns"):
            arm_names = list(table.columns) if arm_names is None else arm_names
            table = table.to_numpy().T
        rewards = tabulate(table, end)
        names = [f"arm {i}" for i in range(len(rewards))] if arm_names is None else names_of("arm_names", arm_names)
        self._core = _core.bandit_from_rewards(rewards, names, "curves" if name is None else text_of("name", name), str(noise))
        self._horizon = rewards.shape[1]

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def noise(self) -> Noise:
        return self._noise

    @property
    def horizon(self) -> int:
        """The horizon where none is given: the source's, or as many pulls as the curves have."""
        return self._horizon

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
        return _core.world(self._core, end, whole("seed", seed, 64), whole("replicate", replicate, 32))

    def __reduce__(self) -> tuple[Any, ...]:
        if self._named:
            return remade, (self.name, self.noise, {"horizon": self.horizon})
        return remade, (self.rewards(), self.noise, {"arm_names": self.arm_names, "name": self.name})

    def __repr__(self) -> str:
        return f"<longrun.Bandit {self.name}, {self.arms} arms, noise {self.noise}>"


def remade(curves: Curves, noise: Noise, more: dict[str, Any]) -> Bandit:
    return Bandit(curves, noise, **more)


def tabulate(curves: Any, horizon: int | None) -> NDArray[np.float64]:
    """The curves as an array, a row per arm; `horizon` columns where it is given."""
    if not isinstance(curves, np.ndarray):
        if callable(curves) or not hasattr(curves, "__iter__"):
            raise ValueError(f"curves {curves!r}: must be a name, an array, or a list with a row or a function per arm")
        curves = [row_of(arm, curve, horizon) for arm, curve in enumerate(curves)]
        lengths = sorted({len(row) for row in curves})
        if len(lengths) > 1:
            raise ValueError(f"every arm needs as many pulls, and these have {', '.join(map(str, lengths))}")
    rewards = numbers_in("curves", curves)
    if rewards.ndim != 2:
        raise ValueError(f"curves are an array with a row per arm and a column per pull, not of {rewards.ndim} dimensions")
    if horizon is not None and rewards.shape[1] < horizon:
        raise ValueError(f"curves of {rewards.shape[1]} pulls are too short for horizon {horizon}")
    return rewards if horizon is None else np.ascontiguousarray(rewards[:, :horizon])


def row_of(arm: int, curve: Any, horizon: int | None) -> NDArray[np.float64]:
    if callable(curve):
        if horizon is None:
            raise ValueError("curves that are functions need a horizon")
        return numbers_in(f"arm {arm}: its function", [curve(pull) for pull in range(1, horizon + 1)])
    row = numbers_in(f"arm {arm}: its curve", curve)
    if row.ndim != 1:
        raise ValueError(f"arm {arm}: its curve is {curve!r}, not a row of rewards or a function of the pull")
    return row[:horizon]


def numbers_in(what: str, values: Any) -> NDArray[np.float64]:
    """As the engine wants them. NumPy would drop masks and imaginary parts without a word."""
    try:
        array = np.asanyarray(values)
        if np.ma.is_masked(array) or np.iscomplexobj(array):
            raise ValueError("masked or complex")
        return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what}: rewards must be numbers ({error})") from None


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
    low, high = numbers_in("lower", lower), numbers_in("upper", upper)
    if low.ndim != 1 or high.ndim != 1:
        raise ValueError("lower and upper must be rows of numbers, an end per observation")
    return _core.optimistic_future(low, high, whole("remaining", remaining, 63))
