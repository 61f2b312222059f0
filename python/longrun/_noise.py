from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import Any, ClassVar, Sequence

from . import _core
from ._checks import is_truth_value, number_of, shown, utf8

NoiseFields = tuple[str, list[float]]
"""A noise as it crosses over to C++: the name of its kind, and the values of its fields."""


@dataclass(frozen=True)
class Noise:
    """The noise of a bandit: how observations differ from mean rewards.

    The base class of all noises. ``str()`` of a noise is the form that the command line accepts, such as
    "gaussian:0.05".
    """

    _kind: ClassVar[str] = "?"

    def __post_init__(self) -> None:
        if type(self) is Noise:
            raise ValueError(f"Noise(): is the class of every noise; use {', '.join(each.__name__ for each in Noise.__subclasses__())}")
        for part in fields(self):
            value = number_of(f"{type(self).__name__}: {part.name}", getattr(self, part.name))
            object.__setattr__(self, part.name, value)  # a float, also of a text or an array
            if not 0 <= value <= _core.largest_noise:
                raise ValueError(
                    f"{type(self).__name__}: {part.name} {shown(value)}: must be a number from 0 to {_core.largest_noise:g}"
                )
        try:
            _core.noise_text(self._fields())
        except ValueError as error:
            raise ValueError(f"{self!r}: {error}") from None

    def _fields(self) -> NoiseFields:
        return self._kind, list(astuple(self))

    def __str__(self) -> str:
        return ":".join([self._kind, *map(repr, astuple(self))])


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


def noise_of(noise: Any) -> Noise:
    """Return the noise of an argument: a noise, its text, or the standard deviation of normal noise."""
    if isinstance(noise, Noise):
        return noise
    if isinstance(noise, str):
        return noise_from_fields(_core.noise_fields(utf8("noise", noise)))
    if is_truth_value(noise) or noise is None:
        raise ValueError(f"noise {noise}: must be a noise such as longrun.Gaussian(0.05), its text, or a standard deviation")
    if isinstance(noise, type) and issubclass(noise, Noise):
        raise ValueError(f"noise {noise.__name__}: is a class; create a noise, such as longrun.Gaussian(0.05)")
    try:
        sd = float(noise)
    except TypeError:
        raise ValueError(
            f"noise {shown(noise)}: must be a noise such as longrun.Gaussian(0.05), its text, or a standard deviation"
        ) from None
    if sd > 1:
        raise ValueError(
            f"noise {shown(noise)}: is larger than the scale 0 to 1 of rewards; write longrun.Gaussian({sd:g}) if this is meant"
        )
    return Gaussian(sd)


def noise_from_fields(fields: tuple[str, Sequence[float]]) -> Noise:
    """Return the noise that C++ returned."""
    kind, values = fields
    make: Any = next(each for each in Noise.__subclasses__() if each._kind == kind)
    noise: Noise = make(*values)
    return noise
