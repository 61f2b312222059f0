"""Checks of arguments. Each raises a ValueError of one line that names the argument, its value and what is accepted."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np

from . import _core

MOST_LISTED = 20  # names in an error message
MOST_SHOWN = 60  # characters of a value in an error message
LONGEST_LABEL = 500  # characters of a label
MOST_ARMS = 10**8  # each takes about 100 bytes in most policies; more would take the memory of the machine


def shown(value: Any) -> str:
    """Return the value as an error message shows it: on one line, and not long."""
    text = " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 3] + "..."


def is_truth_value(value: Any) -> bool:
    """Return whether the value is True or False, which count as numbers in Python, but hardly ever are meant as such."""
    return isinstance(value, (bool, np.bool_))


def truth_of(name: str, value: Any) -> bool:
    """Return the truth value. A text such as "no" is none, although it counts as true in Python."""
    if not is_truth_value(value):
        raise ValueError(f"{name} {shown(value)}: must be True or False")
    return bool(value)


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


def count(name: str, number: Any, most: int) -> int:
    """Return a whole number from 1 to `most`."""
    value = whole(name, number, 63, least=1)
    if value > most:
        raise ValueError(f"{name} {value}: must be a whole number from 1 to {most}")
    return value


def arm_count(name: str, number: Any) -> int:
    """Return a number of arms, from 1 to MOST_ARMS."""
    return count(name, number, MOST_ARMS)


def number_of(name: str, number: Any) -> float:
    """Return the number as a float."""
    try:
        if is_truth_value(number):
            raise TypeError
        return float(number)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} {shown(number)}: must be a number") from None


def text_of(name: str, text: Any) -> str:
    """Return the text. It must be a string that can be encoded as UTF-8."""
    if not isinstance(text, str):
        raise ValueError(f"{name} {shown(text)}: must be a string")
    return utf8(name, text)


def utf8(name: str, text: str) -> str:
    """Return the text as a plain string. It has no half of a surrogate pair, which no text outside of Python can have."""
    if not is_utf8(text):
        raise ValueError(f"{name} {shown(text)}: is not valid Unicode")
    return str(text)


def checked_label(name: str, text: str) -> str:
    """Return the text of a label or name. It is not longer than messages and tables can show."""
    if len(text) > LONGEST_LABEL:
        raise ValueError(f"{name} {shown(text)}: has {len(text)} characters; at most {LONGEST_LABEL} are accepted")
    return utf8(name, text)


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
    return elements(name, values)


def elements(name: str, values: Any) -> list[Any]:
    """Return the elements. An iterator without any is an error: what has used it before has taken them."""
    listed = list(values.to_pylist() if is_pyarrow(values) else values)
    if not listed and hasattr(values, "__next__"):
        raise ValueError(f"{name}: is an iterator without elements, which may have been used already; give a list")
    return listed


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
    return checked_label(name, text)


def is_whole(value: Any) -> bool:
    """Return whether the value is a whole number, of Python or NumPy, and not a truth value."""
    return isinstance(value, (int, np.integer)) and not is_truth_value(value)


def label_text(name: str, value: Any) -> str:
    """Return the text of a label: a string, or a whole number; 3.0 counts as 3, because data frames make floats of ints."""
    if isinstance(value, str):
        return checked_label(name, value)
    try:
        if is_truth_value(value):
            raise ValueError
        number = int(value)
        if number != value:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} {shown(value)}: must be a label, a string or a whole number") from None
    return str(number)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return "; did you mean 'north'?" for a name that is nearly one of these, or an empty text."""
    if not is_utf8(name):
        return ""
    return "\\n".join(_core.did_you_mean(name, list(filter(is_utf8, names))).splitlines())


def is_pyarrow(value: Any) -> bool:
    """Return whether the value is a table or an array of pyarrow, which need not be installed."""
    return type(value).__module__.partition(".")[0] == "pyarrow"


def is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def listed(names: Iterable[Any]) -> str:
    """Return the names as an error message lists them."""
    quoted = [shown(str(name)) for name in names]
    return ", ".join(quoted[:MOST_LISTED]) + (f", ... ({len(quoted)} in all)" if len(quoted) > MOST_LISTED else "")
