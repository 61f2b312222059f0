from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator, NamedTuple, Sequence, Union

import numpy as np

from . import _core
from ._checks import names_of, number_of, text_of, whole
from ._constraints import Constraints, texts_of
from ._noise import Noise

if TYPE_CHECKING:
    import pandas

History = Union[Iterable[tuple[Any, float]], "pandas.DataFrame"]


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
        return " ".join([self.say, *self.why, "What would change the choice:", *self.what_would_change])


def recommend(
    history: History,
    *,
    arms: int | Sequence[str],
    horizon: int,
    noise: Noise | None = None,
    policy: str = _core.default_policy,
    away: int | str | Sequence[int | str] = (),
    constraints: Constraints | None = None,
    scale: tuple[float, float] = (0.0, 1.0),
    seed: int = 0,
) -> Recommendation:
    """What the policy says that has seen the history and nothing else, and what is known of every arm.

    `history` has an arm and its reward for every pull so far, in order, or is a data frame with the columns arm and
    reward; `arms` is how many there are, or their names, by which the history may then call them;
    `horizon` all pulls there will be, those of the history included. Noise is estimated where it is not given. `away`
    are arms that can't be pulled now, beside what the constraints say; `scale` the rewards that stand for 0 and for 1.
    """
    names = names_of("arms", arms) if isinstance(arms, str) or np.ndim(arms) else [""] * whole("arms", arms, 31)
    numbers = {name: arm for arm, name in enumerate(names) if name}

    def number(arm: Any) -> int:
        return numbers[arm] if isinstance(arm, str) and arm in numbers else whole("arm", arm, 31)

    frame: Any = history
    past = zip(frame["arm"], frame["reward"]) if hasattr(frame, "columns") else history
    pulls = [(number(arm), number_of("reward", reward)) for arm, reward in pairs_in("history", past)]
    gone: Any = [away] if isinstance(away, str) or np.ndim(away) == 0 else away
    ((low, high),) = pairs_in("scale", [scale])
    next_round, say, why, what_would_change, remaining, sd, reports = _core.recommend(
        names,
        pulls,
        whole("horizon", horizon, 63),
        None if noise is None else str(noise),
        text_of("policy", policy),
        [number(arm) for arm in gone],
        texts_of(constraints),
        (number_of("scale", low), number_of("scale", high)),
        whole("seed", seed, 64),
    )
    arm_reports = [report_of(*report) for report in reports]
    return Recommendation([NextPull(*pull) for pull in next_round], say, why, what_would_change, remaining, sd, arm_reports)


def pairs_in(name: str, pairs: Any) -> Iterator[tuple[Any, Any]]:
    for pair in pairs if hasattr(pairs, "__iter__") else [pairs]:
        try:
            first, second = pair
        except (TypeError, ValueError):
            raise ValueError(f"{name}: {pair!r} should be two values") from None
        yield first, second


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
