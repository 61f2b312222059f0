from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, NamedTuple

from . import _core
from ._checks import number_of, text_of, whole
from ._noise import Noise, NoNoise
from ._study_checks import UNIT_SCALE, scale_of


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
        Seed of the random numbers.
    replicate : int
        Number of the replicate, which selects other random numbers with the same seed.
    """

    arms: int
    horizon: int
    noise: Noise
    half_width: float
    seed: int
    replicate: int


def policy(
    name: str = _core.default_policy,
    *,
    arms: int,
    horizon: int,
    noise: Noise = NoNoise(),
    half_width: float | str | None = None,
    seed: int = 0,
    replicate: int = 0,
    plan: Iterable[int] = (),
    scale: tuple[float, float] = UNIT_SCALE,
) -> _core.Policy:
    """Create a policy that is asked for arms and told their rewards.

    Parameters
    ----------
    name : str
        A policy as a user names it: a catalog name, then parameters, such as "d-ucb:discount=0.99,exploration=1".
    arms : int
        Number of arms.
    horizon : int
        Total number of pulls, those of a logged history included.
    noise : Noise
        Noise of rewards on the scale from 0 to 1. By default, rewards have no noise, so every reward outside the scale
        is refused. If such rewards are due to noise, state the noise; a larger scale is not needed.
    half_width : float or str, optional
        Half-width of the interval around an observation, on the scale from 0 to 1: a number, "bound", "2sd" or
        "failure:P". By default, the paper's choice for the noise.
    seed : int
        Seed of randomized policies.
    replicate : int
        Number of the replicate, which selects other random numbers with the same seed.
    plan : iterable of int
        Number of pulls of every arm, such as those of `optimum`. Only for a policy that needs a plan (`PolicyInfo`).
    scale : tuple of float
        The range of mean rewards, (minimum, maximum). Rewards that are clearly outside are refused.

    Returns
    -------
    Policy
        The policy before its first decision.

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
    end = whole("horizon", horizon, 63)
    return _core.Policy(
        text_of("policy", name),
        whole("arms", arms, 31),
        end,
        str(noise),
        half_width_of(half_width, noise, end),
        whole("seed", seed, 64),
        whole("replicate", replicate, 32),
        [whole("plan", pulls, 63) for pulls in plan],
        scale_of(scale),
    )


def half_width_of(half_width: float | str | None, noise: Noise, horizon: int) -> float:
    return _core.half_width(half_width_text(half_width), str(noise), horizon)


def half_width_text(half_width: float | str | None) -> str:
    if half_width is None:
        return ""
    return half_width if isinstance(half_width, str) else repr(number_of("half_width", half_width))
