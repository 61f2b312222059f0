"""The history of recommend(), plan() and backtest(), and the labels of its arms."""

from __future__ import annotations

import csv
import io
import math
import os
import re
import sys
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Sequence, Union

import numpy as np

from . import _core
from ._checks import arm_count, label_text, listed, number_of
from ._study_checks import count_of, is_list, is_missing, unknown_arm

if TYPE_CHECKING:
    import pandas

History = Union[Iterable[tuple[Any, float]], "pandas.DataFrame", str, "os.PathLike[str]"]
PastPulls = Union[list[tuple[int, Union[float, None]]], str]
OrderColumns = dict[str, list[str]]  # the cells of columns that may tell the order of the rows, by the names of the columns


class ArmNumbers:
    """The positions of arms by their labels."""

    def __init__(self, labels: Sequence[int | str]) -> None:
        self.labels = labels
        self.names = [label_text("arms", label) for label in labels]
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def of(self, arm: Any) -> int:
        name = label_text("arm", arm)
        if name not in self._numbers:
            raise unknown_arm("arm", name, self.names)
        return self._numbers[name]


def past_of(history: Any, arms: Any) -> tuple[ArmNumbers, PastPulls]:
    """Return the arms, and the past pulls with arms by number, or the path of the file that has them.

    If `arms` is None, the arms are those of the history. What may be a mistake in the history becomes a warning; the C++
    library warns of the mistakes in a file.
    """
    given = None if arms is None else ArmNumbers(labels_of(arms))
    if isinstance(history, (str, os.PathLike)):
        path = os.fspath(history)
        return given or ArmNumbers(labels_in_file(path)), path
    if callable(getattr(history, "explain", None)):
        raise ValueError(
            "history: is a study; study.explain() and study.plan() are about it, and study.history is the history of "
            "its arms study.arms"
        )
    if isinstance(history, Mapping):
        raise ValueError("history: is a dictionary, which has no order; give pairs of an arm and its reward, in order")
    is_frame = hasattr(history, "columns")
    pulls = list(pairs_in("history", columns_of(history) if is_frame else history))
    columns = order_columns(history) if is_frame else {}
    if given is None:
        given = ArmNumbers(labels_in(pulls, columns))
        past = [(given.of(arm), reward_or_none(reward)) for arm, reward in pulls]
    else:
        past = [(given.of(arm), reward_or_none(reward)) for arm, reward in pulls]
        if columns:
            texts_read([str(number) for number, _ in past], columns, [str(number) for number in range(len(given.names))])
    if is_frame and not is_in_known_order(history, columns):
        check_index(getattr(history, "index", None), [number for number, _ in past])
    return given, past


# ---- arms


def labels_of(arms: Any) -> list[int | str]:
    """Return the labels of the arms: those given, or 0 to N - 1."""
    if isinstance(arms, str):
        raise ValueError(f"arms {arms!r}: must be a list of labels, or their number")
    if isinstance(arms, (set, frozenset)):
        raise ValueError("arms: a set has no order; give a list of labels")
    if not is_list(arms):
        return list(range(arm_count("arms", count_of("arms", arms))))
    labels = [str(label) if isinstance(label, str) else int(label_text("arms", label)) for label in arms]
    seen = set()
    for label in labels:
        if str(label) in seen:
            raise ValueError(f"arms: {label!r} is given twice")
        seen.add(str(label))
    return labels


def labels_in_file(path: str) -> list[int | str]:
    """Return the labels in a file, in the order of the command line; as numbers if all are whole numbers."""
    names, cautions = _core.arms_of_file(path)
    for caution in cautions:
        warn(caution)
    whole = all(re.fullmatch("0|-?[1-9][0-9]*", name) for name in names)
    return [int(name) if whole else name for name in names]


def labels_in(pulls: list[tuple[Any, Any]], columns: OrderColumns) -> list[int | str]:
    """Return the labels of the pulls, in the order of the command line."""
    labels: dict[str, int | str] = {}
    texts = []
    for arm, _ in pulls:
        texts.append(label_text("arm", arm))
        if texts[-1] in labels:
            continue
        if len(texts[-1].splitlines()) > 1:
            raise ValueError(f"arm {arm!r}: contains a line break; give the labels of all arms as `arms`")
        labels[texts[-1]] = str(arm) if isinstance(arm, str) else int(arm)
    return [labels[name] for name in texts_read(texts, columns, [])]


# ---- pulls


def reward_or_none(reward: Any) -> float | None:
    """Return the reward, or None if it is missing."""
    if is_missing(reward):
        return None
    value = number_of("reward", reward)
    return None if math.isnan(value) else value


def columns_of(frame: Any) -> Iterator[tuple[Any, Any]]:
    for name in ("arm", "reward"):
        if name not in frame.columns:
            raise ValueError(f"history: has no column {name!r}; its columns are {listed(frame.columns) or 'none'}")
    return zip(frame["arm"], frame["reward"])


def pairs_in(name: str, pairs: Any) -> Iterator[tuple[Any, Any]]:
    for pair in pairs if hasattr(pairs, "__iter__") else [pairs]:
        try:
            if isinstance(pair, (str, bytes)):  # two letters are not an arm and its reward
                raise TypeError
            first, second = pair
        except (TypeError, ValueError):
            raise ValueError(f"{name}: {pair!r} must be two values") from None
        yield first, second


# ---- the order of the rows of a data frame


def order_columns(frame: Any) -> OrderColumns:
    """Return the columns that may tell the order of the rows: those of rounds and times, or else all others."""
    names = [name for name in frame.columns if name not in ("arm", "reward")]
    named = [name for name in names if str(name).lower() in ("round", "time")]
    columns = {}
    for name in named or names:
        cells = frame[name]
        if len(cells) == 0 or getattr(cells, "ndim", 1) != 1:  # several columns have this name
            continue
        first = cell_text(next(iter(cells)))
        if named or any(letter.isdigit() for letter in first):  # every time has a digit
            columns[" ".join(str(name).split())] = [cell_text(cell) for cell in cells]
    return columns


def cell_text(value: Any) -> str:
    """Return the value as a cell of a CSV file. Data frames make floats of whole numbers."""
    if is_missing(value) or value != value:
        return ""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return " ".join(str(value).split())


def texts_read(arms: list[str], columns: OrderColumns, names: list[str]) -> list[str]:
    """Read the labels of arms and the order of rows as from a file, warn of mistakes, and return the labels of all arms."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["arm", "reward", *columns])
    writer.writerows((arm, "", *cells) for arm, *cells in zip(arms, *columns.values()))
    try:
        labels, cautions = _core.read_history_text(text.getvalue(), names)
    except ValueError as error:
        raise ValueError(with_rows(str(error))) from None
    for caution in cautions:
        warn(with_rows(caution))
    return labels


def with_rows(message: str) -> str:
    """Return a message about a file in terms of a data frame: row 0 is in line 2, below the header."""
    message = re.sub(r"^history: line 1 has ", "history: has ", message)
    message = re.sub(r"^(history: line \d+), column \d+ \((.*?)\): ", r"\1, column '\2': ", message)
    return re.sub(r"\bline (\d+)\b", lambda line: f"row {int(line[1]) - 2}", message)


def is_in_known_order(frame: Any, columns: OrderColumns) -> bool:
    """Return whether a column of the frame says that the rows are in order, whatever the index is."""
    if any(name.lower() in ("round", "time") for name in columns):
        return True  # they are checked
    for name in frame.columns:
        column = frame[name]
        if name in ("arm", "reward") or str(name) not in columns or getattr(column.dtype, "kind", "O") in "biuf":
            continue
        cells = columns[str(name)]
        if cells[0] != cells[-1] and all(map(str.__le__, cells, cells[1:])):
            return True
    return False


def check_index(index: Any, arms: list[int]) -> None:
    """Warn if the index is of whole numbers or times and descends between rows of an arm: they were shuffled or reversed.

    Only the order of the rows of one arm matters.
    """
    if getattr(getattr(index, "dtype", None), "kind", "O") not in "iuM" or index.is_monotonic_increasing:
        return
    last: dict[int, Any] = {}
    for value, arm in zip(index, arms):
        if arm in last and value < last[arm]:
            warn(
                f"history: the index of the data frame is not in ascending order: {value} follows {last[arm]} in rows of "
                "the same arm; rows must be in the order of their pulls: sort them in that order, and then call "
                "reset_index(drop=True)"
            )
            return
        last[arm] = value


def warn(message: str) -> None:
    """Issue a UserWarning at the line outside of this package that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)
