"""Checks of the arguments of a study. Each raises a ValueError of one line."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, Sequence

import numpy as np

from . import _core
from ._checks import number_of, whole
from ._noise import Gaussian, Noise

MOST_LISTED = 20  # names in an error message
MOST_SHOWN = 60  # characters of a value in an error message
UNIT_SCALE = (0.0, 1.0)


def arm_names_of(arms: Any) -> list[str]:
    if isinstance(arms, str):
        raise ValueError(f"arms {arms!r}: must be a list of names, or their number")
    if isinstance(arms, (set, frozenset)):
        raise ValueError("arms: a set has no order; give a list of names")
    if not is_list(arms):
        return [f"arm {number}" for number in range(count_of("arms", arms, 31))]
    names = list(arms)
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"arms: {shown(name)} must be a string; numbers would be confused with the numbers of arms")
    return [utf8("arms", str(name)) for name in names]


def count_of(name: str, number: Any, bits: int = 63) -> int:
    """Return the number as an int. It must be whole and at least 1; a truth value is not a number."""
    if isinstance(number, (bool, np.bool_)):
        raise ValueError(f"{name} {number}: must be a whole number from 1")
    return whole(name, number, bits, least=1)


def is_missing(reward: Any) -> bool:
    """Return whether the value stands for a missing one: None, or NA or NaT of pandas, which need not be installed."""
    return reward is None or type(reward).__name__ in ("NAType", "NaTType")


def is_list(value: Any) -> bool:
    """Return whether the value has elements. A NumPy array of dimension 0 has none."""
    return hasattr(value, "__iter__") and getattr(value, "ndim", 1) > 0


def scale_of(scale: Any) -> tuple[float, float]:
    try:
        if isinstance(scale, (str, bytes, Mapping, Set)):
            raise TypeError
        low, high = scale
        if isinstance(low, (str, bytes)) or isinstance(high, (str, bytes)):
            raise TypeError
    except (TypeError, ValueError):
        raise ValueError(f"scale {shown(scale)}: must be two numbers, (minimum, maximum)") from None
    return number_of("scale", low), number_of("scale", high)


def noise_on(scale: tuple[float, float], noise: Any) -> str | None:
    """Return the noise as text. A number could be meant on either scale, so it is accepted only if both are the same."""
    if noise is None or isinstance(noise, (Noise, str)):
        return None if noise is None else str(noise)
    if isinstance(noise, (bool, np.bool_)):
        raise ValueError(f"noise {noise}: must be a noise, a standard deviation, or None to estimate it")
    sd = number_of("noise", noise)
    low, high = scale
    if scale != UNIT_SCALE and high > low:
        raise ValueError(
            f"noise {shown(noise)}: a number is accepted on the scale 0 to 1 only; if it is a standard deviation of rewards "
            f"on the scale {low:g} to {high:g}, write longrun.Gaussian({sd / (high - low):g})"
        )
    return str(Gaussian(sd))


def kept(keep_events: Any) -> int | None:
    """Return the number of events to keep; None for all."""
    return None if keep_events is True else whole("keep_events", keep_events, 62)


def lines_of(text: Any) -> str:
    if not isinstance(text, str):
        raise ValueError(f"text {shown(text)}: must be a string, such as that of to_json_lines()")
    return utf8("text", text)


def utf8(name: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} {shown(text)}: is not valid Unicode") from None
    return text


def shown(value: Any) -> str:
    """Return the value as an error message shows it: on one line, and not long."""
    text = " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 3] + "..."


def listed(names: Sequence[str]) -> str:
    quoted = [repr(name) for name in names]
    return ", ".join(quoted[:MOST_LISTED]) + (f", ... ({len(quoted)} in all)" if len(quoted) > MOST_LISTED else "")


def unknown_arm(where: str, arm: str, names: Sequence[str]) -> ValueError:
    """Return the error for an arm that is not one of the names."""
    meant = _core.did_you_mean(arm, list(names)) or f"; arms are {listed(names)}"
    return ValueError(f"{where} {str(arm)!r}: is not an arm{meant}")
