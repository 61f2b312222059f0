from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Iterable, NamedTuple, Sequence, cast, overload

import numpy as np

from . import _core
from ._checks import arm_count, items_of, number_of, text_of, utf8, whole
from ._noise import Noise, NoNoise, noise_of
from ._study_checks import UNIT_SCALE, is_list, scale_of

if TYPE_CHECKING:
    from ._study import Study


class PolicyInfo(NamedTuple):
    """One entry of the catalog.

    Parameters
    ----------
    name : str
        Name of the policy.
    summary : str
        Description of the policy.
    parameters : dict of str to str
        The parameters that ``policy("d-ucb:discount=0.99", ...)`` can set, with their meaning and default.
    needs_plan : bool
        Whether the policy follows a plan, which can be computed only from known curves.
    """

    name: str
    summary: str
    parameters: dict[str, str]
    needs_plan: bool


def policies() -> list[PolicyInfo]:
    """Return all policies.

    Returns
    -------
    list of PolicyInfo
        The entries of the catalog.
    """
    return [PolicyInfo(*entry) for entry in _core.policies()]


@dataclass(frozen=True)
class Setting:
    """The information that a policy receives.

    It does not include the bandit, so a policy cannot read curves or draw extra observations.

    Parameters
    ----------
    arms : int
        Number of arms.
    horizon : int
        Total number of pulls.
    noise : Noise
        Noise of the observations.
    half_width : float
        Half-width of the interval around an observation; 0 means that observations are exact.
    seed : int
        Seed of the run, as in the records. It differs from run to run.
    root_seed : int
        Seed from which all random numbers are derived, that of `simulate`.
    """

    arms: int
    horizon: int
    noise: Noise
    half_width: float
    seed: int
    root_seed: int = 0
    _generators: dict[int, np.random.Generator] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )  # by stream

    def rng(self, stream: int = 0) -> np.random.Generator:
        """Return a generator of random numbers that is keyed by the seeds of the run.

        Its numbers differ from run to run, and are the same whenever and wherever the run is repeated. They are
        independent of the noise. Calls with the same stream return the same generator, which continues: a call in every
        step gives new numbers in every step.

        Parameters
        ----------
        stream : int
            Number of the generator, if a policy needs several independent ones.

        Returns
        -------
        numpy.random.Generator
            The generator.
        """
        number = whole("stream", stream, 32)
        if number not in self._generators:
            key = np.random.SeedSequence([self.root_seed, self.seed, number])
            self._generators[number] = np.random.Generator(np.random.Philox(key))
        return self._generators[number]


@overload
def policy(
    name: str = ...,
    *,
    arms: int,
    horizon: int,
    noise: Noise | str | float | None = ...,
    half_width: float | str | None = ...,
    seed: int = ...,
    root_seed: int = ...,
    plan: Iterable[int] = ...,
    scale: tuple[float, float] = ...,
) -> _core.Policy: ...


@overload
def policy(
    name: str = ...,
    *,
    arms: Sequence[str],
    horizon: int,
    noise: Noise | str | float | None = ...,
    half_width: None = ...,
    seed: int = ...,
    root_seed: int = ...,
    plan: Iterable[int] = ...,
    scale: tuple[float, float] = ...,
) -> Study: ...


def policy(
    name: str = _core.default_policy,
    *,
    arms: int | Sequence[str],
    horizon: int,
    noise: Noise | str | float | None = None,
    half_width: float | str | None = None,
    seed: int = 0,
    root_seed: int = 0,
    plan: Iterable[int] = (),
    scale: tuple[float, float] = UNIT_SCALE,
) -> _core.Policy | Study:
    """Create a policy that is asked for arms and told their rewards.

    It is the short form of a `Study`: without decisions that have numbers, events and constraints.

    Parameters
    ----------
    name : str
        A policy as a user names it: a catalog name, then parameters, such as "d-ucb:discount=0.99,exploration=1".
    arms : int or sequence of str
        Number of arms; or their names, for a `Study` with this policy, whose decisions name arms.
    horizon : int
        Total number of pulls, those of a logged history included.
    noise : Noise or str or float, optional
        Noise of rewards on the scale from 0 to 1. By default, a study of named arms estimates it from the rewards, and
        with a number of arms, rewards have no noise: one that is outside the scale by more than 5 % of its range is
        refused. If such rewards are due to noise, state the noise; a larger scale is not needed.
    half_width : float or str, optional
        Half-width of the interval around an observation, on the scale from 0 to 1: a number, "bound", "2sd" or
        "failure:P". By default, the paper's choice for the noise.
    seed : int
        Seed of randomized policies: that of the run in `simulate`.
    root_seed : int
        Seed from which all random numbers are derived, as in `simulate`.
    plan : iterable of int
        Number of pulls of every arm, such as those of `optimum`; their sum is the horizon. Only for a policy that needs a
        plan (`PolicyInfo`).
    scale : tuple of float
        The range of mean rewards, (minimum, maximum). Rewards that are clearly outside are refused.

    Returns
    -------
    Policy or Study
        The policy before its first decision; a study if arms have names.

    Raises
    ------
    ValueError
        If the name is unknown or an argument is out of range.

    Examples
    --------
    >>> policy = longrun.policy("spo", arms=4, horizon=2000, noise=longrun.Gaussian(0.05))
    >>> arm = policy.ask()
    >>> policy.tell(arm, 0.3)
    """
    end = whole("horizon", horizon, 63, least=1)
    if is_list(arms) or isinstance(arms, str):
        from ._study import Study

        if half_width is not None or root_seed != 0 or items_of("plan", plan):
            raise ValueError("half_width, root_seed and plan: are for a number of arms; a study of named arms has none of them")
        return Study(cast("Sequence[str]", arms), end, noise=noise, policy=name, scale=scale, seed=seed)
    noise = NoNoise() if noise is None else noise_of(noise)
    return _core.policy(
        text_of("policy", name),
        arm_count("arms", arms),
        end,
        noise._fields(),
        half_width_of(half_width, noise, end),
        whole("root_seed", root_seed, 64),
        whole("seed", seed, 32),
        [whole("plan", pulls, 63) for pulls in items_of("plan", plan)],
        scale_of(scale),
    )


def half_width_of(half_width: float | str | None, noise: Noise, horizon: int) -> float:
    return _core.half_width(half_width_text(half_width), noise._fields(), horizon)


def half_width_text(half_width: float | str | None) -> str:
    if half_width is None:
        return ""
    return utf8("half_width", half_width) if isinstance(half_width, str) else repr(number_of("half_width", half_width))
