from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._checks import is_pyarrow, names_of, shown, text_of, whole
from ._constraints import Constraints, fields_of
from ._noise import Noise, NoNoise, noise_of
from ._past import check_index, warn

if TYPE_CHECKING:
    import pandas

Curves = Union[str, NDArray[Any], "pandas.DataFrame", Sequence[Any]]
"""The curves that Bandit() accepts: a name, an array, a data frame, or a sequence of rows and functions."""


FEW_ARMS = 20  # of an array that may have any number of pulls
MOST_ARMS_PER_PULL = 10  # of an array; with more, its rows are probably pulls


class BanditInfo(NamedTuple):
    """One entry of the list of built-in bandits.

    Parameters
    ----------
    name : str
        A name that `Bandit` accepts.
    summary : str
        Description of the bandit.
    """

    name: str
    summary: str


def bandits() -> list[BanditInfo]:
    """Return the built-in bandits: those of the paper, of later papers, and random ones.

    Returns
    -------
    list of BanditInfo
        Names, which `Bandit` accepts, and summaries.
    """
    return [BanditInfo(*entry) for entry in _core.bandits()]


class Bandit:
    """A rested bandit: pull m of an arm pays f_arm(m), observed with noise.

    Parameters
    ----------
    curves : str or array or pandas.DataFrame or sequence
        The mean rewards, all in [0, 1]. A name from `bandits`; an array with a row per arm and a column per pull; a
        data frame with a column per arm and a row per pull; or a sequence with a row or a function per arm. A function
        is called once for each pull 1, 2, ..., `horizon` when the bandit is created, and not afterwards.
    noise : Noise or str or float
        Noise of the observations: a noise, its text such as "gaussian:0.05", or the standard deviation of normal noise, at
        most 1.
    horizon : int, optional
        Number of pulls that is used where no horizon is given. By default, that of the named bandit, or the length of
        the curves. Required for functions.
    arm_names : sequence of str, optional
        Names of the arms. By default, "arm 0", "arm 1" and so on, or the columns of the data frame.
    name : str, optional
        Name of the bandit. By default, "curves".

    Raises
    ------
    ValueError
        If the name is unknown, or a curve is invalid or shorter than the horizon.

    Warns
    -----
    UserWarning
        If the index of a data frame descends, or an array has so many more rows than columns that its rows are probably
        pulls.

    Examples
    --------
    >>> bandit = longrun.Bandit("inc_dec_3", noise=longrun.Gaussian(0.05))
    >>> bandit = longrun.Bandit([lambda m: 1 - m**-0.5, lambda m: 0.6], longrun.Bernoulli(), horizon=1000)
    """

    def __init__(
        self,
        curves: Curves,
        noise: Noise | str | float = NoNoise(),
        *,
        horizon: int | None = None,
        arm_names: Sequence[str] | None = None,
        name: str | None = None,
    ) -> None:
        end = None if horizon is None else whole("horizon", horizon, 63, least=1)
        self._noise = noise = noise_of(noise)
        self._named = isinstance(curves, str)
        if isinstance(curves, str):
            if arm_names is not None or name is not None:
                raise ValueError(f"bandit '{curves}': arm_names and name can be set for curves only, not for a named bandit")
            self._core = _core.bandit_by_name(text_of("bandit", curves), noise._fields())
            self._horizon = self._core.horizon if end is None else end
            return
        table: Any = curves
        if is_pyarrow(table):
            table = table.to_pandas()
        if hasattr(table, "columns"):
            check_index(getattr(table, "index", None), [0] * len(table), "curves", "")
            arm_names = [str(name) for name in table.columns] if arm_names is None else arm_names
            table = [numbers_in(f"curves: column {shown(name)}", row) for name, row in zip(table.columns, table.to_numpy().T)]
        rewards = tabulate(table, end)
        if isinstance(curves, np.ndarray) and len(rewards) >= MOST_ARMS_PER_PULL * rewards.shape[1] and len(rewards) > FEW_ARMS:
            warn(
                f"curves: {len(rewards)} arms with {rewards.shape[1]} pulls each; a row is the curve of an arm: give the array's "
                "transpose, curves.T, if a column is"
            )
        names = [f"arm {i}" for i in range(len(rewards))] if arm_names is None else names_of("arm_names", arm_names)
        if len(set(names)) < len(names):
            raise ValueError(f"arm_names: {next(one for one in names if names.count(one) > 1)!r} is given twice")
        self._core = _core.bandit_from_rewards(rewards, names, "curves" if name is None else text_of("name", name), noise._fields())
        self._horizon = rewards.shape[1]

    @property
    def name(self) -> str:
        """Name of the bandit."""
        return self._core.name

    @property
    def noise(self) -> Noise:
        """Noise of the observations."""
        return self._noise

    @property
    def horizon(self) -> int:
        """Number of pulls that is used where no horizon is given."""
        return self._horizon

    @property
    def arm_names(self) -> list[str]:
        """Names of the arms, in the order of their numbers."""
        return self._core.arm_names

    @property
    def arms(self) -> int:
        """Number of arms."""
        return len(self._core.arm_names)

    def rewards(self, pulls: int | None = None) -> NDArray[np.float64]:
        """Return the mean rewards.

        Parameters
        ----------
        pulls : int, optional
            Number of pulls. By default, the horizon.

        Returns
        -------
        numpy.ndarray
            A row per arm and a column per pull.

        Raises
        ------
        ValueError
            If the curves are shorter.
        """
        return self._core.rewards(self.horizon if pulls is None else whole("pulls", pulls, 63, least=1))

    def world(self, horizon: int | None = None, *, seed: int = 0, root_seed: int = 0) -> _core.World:
        """Start a run of the bandit.

        Parameters
        ----------
        horizon : int, optional
            Number of pulls. By default, the horizon of the bandit.
        seed : int
            Seed of the run. The noise is that of the same seed in `simulate`.
        root_seed : int
            Seed from which all random numbers are derived, as in `simulate`.

        Returns
        -------
        World
            The bandit before its first pull.

        Raises
        ------
        ValueError
            If the curves are shorter than the horizon.
        """
        end = self.horizon if horizon is None else whole("horizon", horizon, 63, least=1)
        return _core.world(self._core, end, whole("root_seed", root_seed, 64), whole("seed", seed, 32))

    def with_noise(self, noise: Noise | str | float) -> Bandit:
        """Return the same bandit with another noise.

        Parameters
        ----------
        noise : Noise or str or float
            Noise of the observations, as in `Bandit`.

        Returns
        -------
        Bandit
            The bandit.
        """
        make, (curves, _, more) = self.__reduce__()
        bandit: Bandit = make(curves, noise_of(noise), more)
        return bandit

    def __reduce__(self) -> tuple[Any, ...]:
        if self._named:
            return restored, (self.name, self.noise, {"horizon": self.horizon})
        return restored, (self.rewards(), self.noise, {"arm_names": self.arm_names, "name": self.name})

    def __repr__(self) -> str:
        return f"<longrun.Bandit {self.name}, {self.arms} arms, noise {self.noise}>"


def restored(curves: Curves, noise: Noise, more: dict[str, Any]) -> Bandit:
    """Create the bandit of a pickle."""
    return Bandit(curves, noise, **more)


def tabulate(curves: Any, horizon: int | None) -> NDArray[np.float64]:
    """Return the curves as an array with a row per arm, and `horizon` columns if it is given."""
    if isinstance(curves, (set, frozenset)):
        raise ValueError("curves: a set has no order; give a list with a row or a function per arm")
    if isinstance(curves, Mapping):
        raise ValueError("curves: is a dictionary; give a list with a row or a function per arm, and its keys as arm_names")
    if not isinstance(curves, np.ndarray):
        if callable(curves) or not hasattr(curves, "__iter__"):
            raise ValueError(f"curves {shown(curves)}: must be a name, an array, or a list with a row or a function per arm")
        curves = [row_of(arm, curve, horizon) for arm, curve in enumerate(curves)]
        lengths = sorted({len(row) for row in curves})
        if len(lengths) > 1:
            raise ValueError(f"curves: all arms must have the same number of pulls; they have {', '.join(map(str, lengths))}")
    rewards = numbers_in("curves", curves)
    if rewards.ndim != 2:
        raise ValueError(f"curves: must have 2 dimensions, a row per arm and a column per pull, not {rewards.ndim}")
    if horizon is not None and rewards.shape[1] < horizon:
        raise ValueError(f"curves: {rewards.shape[1]} pulls are too few for horizon {horizon}")
    return rewards if horizon is None else np.ascontiguousarray(rewards[:, :horizon])


def row_of(arm: int, curve: Any, horizon: int | None) -> NDArray[np.float64]:
    if callable(curve):
        if horizon is None:
            raise ValueError("curves: functions need a horizon")
        return np.array([reward_at(arm, pull, curve) for pull in range(1, horizon + 1)])
    row = numbers_in(f"curves: arm {arm}", curve)
    if row.ndim != 1:
        raise ValueError(f"curves: arm {arm} is {shown(curve)}; it must be a row of rewards or a function of the pull")
    return row[:horizon]


def reward_at(arm: int, pull: int, curve: Any) -> float:
    """Return the reward of a function. It must be a number: a text that reads like one is a mistake."""
    try:
        reward = curve(pull)
    except Exception as error:
        raise ValueError(f"curves: arm {arm}, pull {pull}: the function raised {raised(error)}") from error
    if isinstance(reward, (str, bytes)) or reward is None or np.iscomplexobj(reward):
        raise ValueError(f"curves: arm {arm}, pull {pull}: the function returned {shown(reward)}; it must return a number in [0, 1]")
    try:
        return float(reward)
    except (TypeError, ValueError):
        raise ValueError(f"curves: arm {arm}, pull {pull}: the function returned {shown(reward)}; it must return a number in [0, 1]") from None


def raised(error: Exception) -> str:
    """Return an error of a function of the caller on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def numbers_in(what: str, values: Any) -> NDArray[np.float64]:
    """Return the values as a C-contiguous array of doubles. NumPy would drop masks and imaginary parts silently."""
    try:
        array = np.asanyarray(values)
        if np.ma.is_masked(array) or np.iscomplexobj(array):
            raise ValueError("masked or complex")
        if array.dtype.kind in "US" or (array.dtype.kind == "O" and any(isinstance(one, (str, bytes)) for one in array.flat)):
            raise ValueError("they are text")
        return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what}: rewards must be numbers ({' '.join(str(error).split())})") from None


class Optimum(NamedTuple):
    """The pull counts with the largest total reward of all counts whose sum is `horizon`, or that constraints allow.

    Parameters
    ----------
    value : float
        The largest total of mean rewards.
    pulls : numpy.ndarray
        Number of pulls of each arm.
    method : str
        The algorithm. Every algorithm is exact.
    """

    value: float
    pulls: NDArray[np.int64]
    method: str


def optimum(curves: Bandit | Curves, horizon: int | None = None, *, constraints: Constraints | None = None) -> Optimum:
    """Return the exact optimum of a bandit whose curves are known: the reference of policy regret.

    Parameters
    ----------
    curves : Bandit or str or array or pandas.DataFrame or sequence
        A bandit, or curves that `Bandit` accepts.
    horizon : int, optional
        Number of pulls; under constraints, budget in units. By default, the horizon of the bandit.
    constraints : Constraints, optional
        Constraints that the optimum satisfies.

    Returns
    -------
    Optimum
        The largest total reward, and the pulls that attain it.

    Raises
    ------
    ValueError
        If the curves are shorter than the horizon, or no allocation satisfies the constraints.

    Examples
    --------
    >>> longrun.optimum([[0.1, 0.4, 0.6, 0.5], [0.5, 0.5, 0.5, 0.5]]).pulls.tolist()
    [0, 4]
    """
    bandit = curves if isinstance(curves, Bandit) else Bandit(curves, horizon=horizon)
    end = bandit.horizon if horizon is None else whole("horizon", horizon, 63, least=1)
    return Optimum(*_core.optimum(bandit._core, end, fields_of(constraints, bandit.arm_names)))


def optimistic_future(lower: ArrayLike, upper: ArrayLike, remaining: int) -> float | None:
    """Return the largest possible total of an arm's next rewards while the arm still rises.

    Return the largest total of the next `remaining` rewards over all concave, non-decreasing curves in [0, 1] that pass
    through every observed band (the linear program (*) of the paper), or None if no such curve exists (the arm has
    peaked).

    Parameters
    ----------
    lower : array_like
        Lower ends of the bands, one per observation.
    upper : array_like
        Upper ends of the bands, one per observation.
    remaining : int
        Number of future rewards.

    Returns
    -------
    float or None
        The largest total, or None.

    Raises
    ------
    ValueError
        If the lengths differ, or an end is not finite, or a lower end is above its upper end.

    Examples
    --------
    >>> longrun.optimistic_future([0.1, 0.15], [0.2, 0.25], 6)
    4.5
    """
    low, high = numbers_in("lower", lower), numbers_in("upper", upper)
    if low.ndim != 1 or high.ndim != 1:
        raise ValueError("lower and upper: must be rows of numbers, one per observation")
    return _core.optimistic_future(low, high, whole("remaining", remaining, 63))
