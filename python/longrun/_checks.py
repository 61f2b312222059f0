"""Checks of arguments. Each raises a ValueError of one line that names the argument, its value and what is accepted."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np

MOST_LISTED = 20  # names in an error message
MOST_ARMS = 10**8  # each takes about 100 bytes in most policies; more would take the memory of the machine


def whole(name: str, number: Any, bits: int, least: int = 0) -> int:
    """Return the number as an int. It must be whole, at least `least` and below 2^bits; 1e4 counts as 10000."""
    try:
        value = int(number)
        exact = bool(value == number)
    except (TypeError, ValueError, OverflowError):
        exact = False
    if exact and least <= value < 2**bits:
        return value
    shown = number.item() if isinstance(number, np.generic) else number
    limit = f" and below 2^{bits}" if exact and value >= least else ""
    raise ValueError(f"{name} {shown!r}: must be a whole number from {least}{limit}")


def arm_count(name: str, number: Any) -> int:
    """Return a number of arms, from 1 to MOST_ARMS."""
    value = whole(name, number, 63, least=1)
    if value > MOST_ARMS:
        raise ValueError(f"{name} {value}: must be a whole number from 1 to {MOST_ARMS}")
    return value


def number_of(name: str, number: Any) -> float:
    """Return the number as a float."""
    try:
        return float(number)
    except (TypeError, ValueError):
        raise ValueError(f"{name} {number!r}: must be a number") from None


def text_of(name: str, text: Any) -> str:
    """Return the text. It must be a string."""
    if not isinstance(text, str):
        raise ValueError(f"{name} {text!r}: must be a string")
    return text


def items_of(name: str, values: Any) -> list[Any]:
    """Return the values as a list: those of an iterable, in ascending order if it is a set, or the one value."""
    if isinstance(values, (set, frozenset)):
        try:
            return sorted(values)
        except TypeError:
            raise ValueError(f"{name} {values!r}: a set has no order; give a list") from None
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__") or getattr(values, "ndim", 1) == 0:
        return [values]
    if getattr(values, "ndim", 1) > 1:
        raise ValueError(f"{name}: has {values.ndim} dimensions; give a list")
    return list(values)


def names_of(name: str, names: Any) -> list[str]:
    """Return the names as strings. A single string is an error, because it would be split into its letters."""
    if isinstance(names, (str, dict)) or not hasattr(names, "__iter__"):
        raise ValueError(f"{name} {names!r}: must be a list of names")
    return [str(one) for one in names]


def label_text(name: str, label: Any) -> str:
    """Return the text of a label: a string, or a whole number; 3.0 counts as 3, because data frames make floats of ints."""
    if isinstance(label, str):
        return str(label)
    try:
        if isinstance(label, (bool, np.bool_)):
            raise ValueError
        value = int(label)
        if value != label:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        shown = label.item() if isinstance(label, np.generic) else label
        raise ValueError(f"{name} {shown!r}: must be a label, a string or a whole number") from None
    return str(value)


def listed(names: Iterable[Any]) -> str:
    """Return the names as an error message lists them."""
    quoted = [repr(str(name)) for name in names]
    return ", ".join(quoted[:MOST_LISTED]) + (f", ... ({len(quoted)} in all)" if len(quoted) > MOST_LISTED else "")
