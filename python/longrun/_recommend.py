from __future__ import annotations

from typing import Iterable, NamedTuple, Sequence

from . import _core
from ._checks import whole
from ._constraints import Constraints, texts_of
from ._noise import Noise


class Measured(NamedTuple):
    """A number and how sure it is."""

    value: float
    standard_error: float


class ArmReport(NamedTuple):
    """What is known of an arm."""

    pulls: int
    reward_now: Measured | None
    """The reward as it is now; None before the first pull."""
    slope: Measured | None
    """Per pull; None before there are two rewards to compare."""
    trend: str
    """rising, falling or undecided"""
    worth: float
    """Reward per remaining pull: what foresight compares arms by."""
    bound: float
    """What the remaining pulls pay at most, in total, if they all go to this arm."""
    bound_curve: list[tuple[int, float]]
    """That bound, pull by pull: the corners of a broken line."""


class NextPull(NamedTuple):
    """A pull of the next round."""

    arm: int
    because: str
    """choice; or what the constraints ask for: share, minimum"""


class Recommendation(NamedTuple):
    """Which arm is next, and why. str() of it says so in words."""

    next: list[NextPull]
    """The next round, in order; empty where nothing can be pulled any more."""
    say: str
    why: list[str]
    what_would_change: list[str]
    remaining: int
    noise_sd: float
    arms: list[ArmReport]

    @property
    def arm(self) -> int | None:
        """The first of the next round; None where nothing can be pulled any more."""
        return self.next[0].arm if self.next else None

    def __str__(self) -> str:
        return " ".join([self.say, *self.why, *self.what_would_change])


def recommend(
    history: Iterable[tuple[int, float]],
    *,
    arms: int | Sequence[str],
    horizon: int,
    noise: Noise | None = None,
    policy: str = _core.default_policy,
    away: Sequence[int] = (),
    constraints: Constraints | None = None,
    scale: tuple[float, float] = (0.0, 1.0),
    seed: int = 0,
) -> Recommendation:
    """What the policy says that has seen the history and nothing else, and what is known of every arm.

    `history` has an arm and its reward for every pull so far, in order; `arms` is how many there are, or their names;
    `horizon` all pulls there will be, those of the history included. Noise is estimated where it is not given. `away`
    are arms that can't be pulled now, beside what the constraints say; `scale` the rewards that stand for 0 and for 1.
    """
    names = list(arms) if isinstance(arms, Sequence) else [""] * whole("arms", arms, 31)
    pulls = [(whole("arm", arm, 31), float(reward)) for arm, reward in history]
    for arm in [*(arm for arm, _ in pulls), *away]:
        if not 0 <= arm < len(names):
            raise ValueError(f"arm {arm} is not one of 0..{len(names) - 1}")
    if not scale[0] < scale[1]:
        raise ValueError(f"scale {scale}: should be two numbers, the second larger")
    next_round, say, why, what_would_change, remaining, sd, reports = _core.recommend(
        names,
        pulls,
        whole("horizon", horizon, 63),
        None if noise is None else str(noise),
        policy,
        list(away),
        texts_of(constraints),
        scale,
        whole("seed", seed, 64),
    )
    arm_reports = [report_of(*report) for report in reports]
    return Recommendation([NextPull(*pull) for pull in next_round], say, why, what_would_change, remaining, sd, arm_reports)


def report_of(
    pulls: int,
    level: tuple[float, float] | None,
    slope: tuple[float, float] | None,
    trend: str,
    worth: float,
    bound: float,
    bound_curve: list[tuple[int, float]],
) -> ArmReport:
    return ArmReport(pulls, level and Measured(*level), slope and Measured(*slope), trend, worth, bound, bound_curve)
