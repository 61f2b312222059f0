"""What a user may have got wrong, as ValueErrors of one line."""

from __future__ import annotations

from typing import Any

import numpy as np


def whole(name: str, number: Any, bits: int) -> int:
    """The number, where it is whole and the engine can hold it; 1e4 is as good as 10000."""
    try:
        value = int(number)
        exact = bool(value == number)
    except (TypeError, ValueError, OverflowError):
        exact = False
    if not exact or not 0 <= value < 2**bits:
        raise ValueError(f"{name} {number.item() if isinstance(number, np.generic) else number!r}: must be a whole number >= 0 and below 2^{bits}")
    return value


def number_of(name: str, number: Any) -> float:
    try:
        return float(number)
    except (TypeError, ValueError):
        raise ValueError(f"{name} {number!r}: must be a number") from None


def text_of(name: str, text: Any) -> str:
    if not isinstance(text, str):
        raise ValueError(f"{name} {text!r}: must be a string")
    return text


def names_of(name: str, names: Any) -> list[str]:
    """Texts, one after the other; a single text would be taken for its letters."""
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise ValueError(f"{name} {names!r}: must be a list of names")
    return [str(one) for one in names]
