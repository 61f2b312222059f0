from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any, ClassVar

from . import _core
from ._checks import number_of


@dataclass(frozen=True)
class Noise:
    """The noise of a bandit: how observations differ from mean rewards.

    The base class of all noises. ``str()`` of a noise is the form that the command line accepts, such as
    "gaussian:0.05".
    """

    _kind: ClassVar[str] = "?"

    def __post_init__(self) -> None:
        _core.noise_text(str(self))  # raises ValueError for invalid numbers

    def __str__(self) -> str:
        return ":".join([self._kind, *(repr(number_of(self._kind, number)) for number in astuple(self))])


@dataclass(frozen=True)
class NoNoise(Noise):
    """No noise: the observation is the mean reward."""

    _kind = "none"


@dataclass(frozen=True)
class Gaussian(Noise):
    """Normal noise, unbounded.

    Parameters
    ----------
    sd : float
        Standard deviation.
    """

    _kind = "gaussian"
    sd: float


@dataclass(frozen=True)
class Uniform(Noise):
    """Uniform noise on [-bound, bound].

    Parameters
    ----------
    bound : float
        Largest difference of an observation from its mean.
    """

    _kind = "uniform"
    bound: float


@dataclass(frozen=True)
class SymmetricBeta(Noise):
    """A symmetric beta distribution stretched to [-bound, bound] with standard deviation `sd` < `bound`.

    Parameters
    ----------
    bound : float
        Largest difference of an observation from its mean.
    sd : float
        Standard deviation.
    """

    _kind = "beta"
    bound: float
    sd: float


@dataclass(frozen=True)
class StudentT(Noise):
    """Student's t with 3 degrees of freedom, scaled to standard deviation `sd`: heavy tails.

    Parameters
    ----------
    sd : float
        Standard deviation.
    """

    _kind = "student"
    sd: float


@dataclass(frozen=True)
class Bernoulli(Noise):
    """Binary rewards: the observation is 1 with the mean reward as its probability, else 0."""

    _kind = "bernoulli"


def noise_from_text(text: str) -> Noise:
    """Return the noise of a text such as "gaussian:0.05"."""
    kind, *numbers = text.split(":")
    make: Any = next(each for each in Noise.__subclasses__() if each._kind == kind)
    noise: Noise = make(*map(float, numbers))
    return noise
