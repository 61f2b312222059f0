from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import ClassVar

from . import _core
from ._checks import number_of


@dataclass(frozen=True)
class Noise:
    """How observations err. str() of it is what the command line takes as --noise."""

    _kind: ClassVar[str] = "?"

    def __post_init__(self) -> None:
        _core.noise_text(str(self))  # raises ValueError for numbers that make no sense

    def __str__(self) -> str:
        return ":".join([self._kind, *(repr(number_of(self._kind, number)) for number in astuple(self))])


@dataclass(frozen=True)
class NoNoise(Noise):
    """The observation is the mean reward itself."""

    _kind = "none"


@dataclass(frozen=True)
class Gaussian(Noise):
    """Normal, unbounded."""

    _kind = "gaussian"
    sd: float


@dataclass(frozen=True)
class Uniform(Noise):
    """Uniform on [-bound, bound]."""

    _kind = "uniform"
    bound: float


@dataclass(frozen=True)
class SymmetricBeta(Noise):
    """A symmetric beta distribution stretched to [-bound, bound] with standard deviation `sd` < `bound`."""

    _kind = "beta"
    bound: float
    sd: float


@dataclass(frozen=True)
class StudentT(Noise):
    """Student's t with 3 degrees of freedom, scaled to this standard deviation: now and then far off."""

    _kind = "student"
    sd: float


@dataclass(frozen=True)
class Bernoulli(Noise):
    """The observation is 1 with the mean reward as its probability, else 0."""

    _kind = "bernoulli"
