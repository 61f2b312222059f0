from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, NamedTuple

from . import _core
from ._checks import number_of, text_of, whole
from ._noise import Noise, NoNoise


class PolicyInfo(NamedTuple):
    """One line of the catalog."""

    name: str
    summary: str
    parameters: dict[str, str]
    """What can be set, with its meaning and default: policy("d-ucb:discount=0.99", ...)."""


def policies() -> list[PolicyInfo]:
    """The one list of policies: CLI help, Python, docs and conformance tests read it."""
    return [PolicyInfo(*entry) for entry in _core.policies()]


@dataclass(frozen=True)
class Setting:
    """All that a policy is told. Never the bandit: it can't peek at curves or draw extra observations."""

    arms: int
    horizon: int
    noise: Noise
    half_width: float
    """Half-width of the interval around an observation."""
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
) -> _core.Policy:
    """A policy as a user names it: a catalog name, then parameters, such as "d-ucb:discount=0.99,exploration=1".

    `half_width` is how far off it takes an observation to be: a number, "bound", "2sd" or "failure:P"; what the noise
    implies where not given. `plan` is for `optimal` alone: the pulls of every arm, as optimum() finds them.
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
    )


def half_width_of(half_width: float | str | None, noise: Noise, horizon: int) -> float:
    return _core.half_width(half_width_text(half_width), str(noise), horizon)


def half_width_text(half_width: float | str | None) -> str:
    if half_width is None:
        return ""
    return half_width if isinstance(half_width, str) else repr(number_of("half_width", half_width))
