"""Checks of arguments. Each raises a ValueError of one line that names the argument, its value and what is accepted."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np

MOST_LISTED = 20  # names in an error message
MOST_SHOWN = 60  # characters of a value in an error message
MOST_ARMS = 10**8  # each takes about 100 bytes in most policies; more would take the memory of the machine


def shown(value: Any) -> str:
    """Return the value as an error message shows it: on one line, and not long."""
    text = " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 3] + "..."


def is_truth_value(value: Any) -> bool:
    """Return whether the value is True or False, which count as numbers in Python, but hardly ever are meant as such."""
    return isinstance(value, (bool, np.bool_))


def whole(name: str, number: Any, bits: int, least: int = 0) -> int:
    """Return the number as an int. It must be whole, at least `least` and below 2^bits; 1e4 counts as 10000."""
    try:
        if is_truth_value(number):
            raise TypeError
        value = int(number)
        exact = bool(value == number)
    except (TypeError, ValueError, OverflowError):
        exact = False
    if exact and least <= value < 2**bits:
        return value
    limit = f" and below 2^{bits}" if exact and value >= least else ""
    raise ValueError(f"{name} {shown(number)}: must be a whole number from {least}{limit}")


def arm_count(name: str, number: Any) -> int:
    """Return a number of arms, from 1 to MOST_ARMS."""
    value = whole(name, number, 63, least=1)
    if value > MOST_ARMS:
        raise ValueError(f"{name} {value}: must be a whole number from 1 to {MOST_ARMS}")
    return value


def number_of(name: str, number: Any) -> float:
    """Return the number as a float."""
    try:
        if is_truth_value(number):
            raise TypeError
        return float(number)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} {shown(number)}: must be a number") from None


def text_of(name: str, text: Any) -> str:
    """Return the text. It must be a string."""
    if not isinstance(text, str):
        raise ValueError(f"{name} {shown(text)}: must be a string")
    return text


def items_of(name: str, values: Any) -> list[Any]:
    """Return the values as a list: those of an iterable, in ascending order if it is a set, or the one value."""
    if isinstance(values, (set, frozenset)):
        try:
            return sorted(values)
        except TypeError:
            raise ValueError(f"{name} {shown(values)}: a set has no order; give a list") from None
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__") or getattr(values, "ndim", 1) == 0:
        return [values]
    if getattr(values, "ndim", 1) > 1:
        raise ValueError(f"{name}: has {values.ndim} dimensions; give a list")
    return list(values)


def names_of(name: str, names: Any) -> list[str]:
    """Return the names as strings. A single string is an error, because it would be split into its letters."""
    if isinstance(names, (str, bytes, dict)) or not hasattr(names, "__iter__"):
        raise ValueError(f"{name} {shown(names)}: must be a list of names")
    if isinstance(names, (set, frozenset)):
        raise ValueError(f"{name}: a set has no order; give a list of names")
    return [name_text(name, one) for one in names]


def name_text(name: str, one: Any) -> str:
    """Return a name as text: a string that can be shown on one line, or a whole number."""
    text = one if isinstance(one, str) else str(one) if is_whole(one) else ""
    if text.splitlines() != [text]:
        raise ValueError(f"{name}: {shown(one)} is not a name; names are strings of one line, or whole numbers")
    return str(text)


def is_whole(value: Any) -> bool:
    """Return whether the value is a whole number, of Python or NumPy, and not a truth value."""
    return isinstance(value, (int, np.integer)) and not is_truth_value(value)


def label_text(name: str, label: Any) -> str:
    """Return the text of a label: a string, or a whole number; 3.0 counts as 3, because data frames make floats of ints."""
    if isinstance(label, str):
        return str(label)
    try:
        if is_truth_value(label):
            raise ValueError
        value = int(label)
        if value != label:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} {shown(label)}: must be a label, a string or a whole number") from None
    return str(value)


def listed(names: Iterable[Any]) -> str:
    """Return the names as an error message lists them."""
    quoted = [repr(str(name)) for name in names]
    return ", ".join(quoted[:MOST_LISTED]) + (f", ... ({len(quoted)} in all)" if len(quoted) > MOST_LISTED else "")
