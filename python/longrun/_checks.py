from __future__ import annotations

from typing import Any


def whole(name: str, number: Any, bits: int) -> int:
    """The number, where it is whole and the engine can hold it; 1e4 is as good as 10000."""
    try:
        value = int(number)
        exact = bool(value == number)
    except (TypeError, ValueError, OverflowError):
        exact = False
    if not exact or not 0 <= value < 2**bits:
        raise ValueError(f"{name} {number}: must be a whole number >= 0 and below 2^{bits}")
    return value
