"""The history of recommend(), plan() and backtest(), and the labels of its arms."""

from __future__ import annotations

import csv
import io
import math
import os
import re
import sys
import warnings
from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Sequence, Union

import numpy as np

from . import _core
from ._checks import arm_count, elements, is_pyarrow, label_text, listed, shown, text_of
from ._study_checks import count_of, is_list, is_missing, reward_number, unknown_arm

if TYPE_CHECKING:
    import pandas

History = Union[Iterable[tuple[Any, float]], "pandas.DataFrame", str, "os.PathLike[str]"]
PastPulls = Union[list[tuple[int, Union[float, None]]], str]
MOST_SUGGESTED = 10  # labels in a message; more are a range
FIRST_UNIX_TIME = 946_684_800  # of the year 2000, in seconds
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


def past_of(history: Any, arms: Any, scale: tuple[float, float]) -> tuple[ArmNumbers, PastPulls]:
    """Return the arms, and the past pulls with arms by number, or the path of the file that has them.

    If `arms` is None, the arms are those of the history. What may be a mistake in the history becomes a warning; the C++
    library warns of the mistakes in a file.
    """
    given = None if arms is None else ArmNumbers(labels_of(arms))
    if isinstance(history, (str, os.PathLike)):
        path = text_of("history", os.fspath(history))
        if path.splitlines() != [path]:
            raise ValueError("history: is a text; give the path of a file, or pairs of an arm and its reward")
        if given is not None and not is_list(arms):
            check_counted_from_0(len(given.names), numbers_in_file(path, given.names))
        return given or ArmNumbers(labels_in_file(path)), path
    if type(history).__name__ == "LazyFrame":
        raise ValueError("history: is a lazy frame; call its method collect()")
    if callable(getattr(history, "explain", None)):
        raise ValueError(
            "history: is a study; study.explain() and study.plan() are about it, and study.history is the history of "
            "its arms study.arms"
        )
    if isinstance(history, Mapping):
        raise ValueError("history: is a dictionary, which has no order; give pairs of an arm and its reward, in order")
    if isinstance(history, (set, frozenset)):
        raise ValueError("history: is a set, which has no order; give a list of pairs of an arm and its reward")
    if is_pyarrow(history):
        history = history.to_pandas()
    is_frame = column_names(history) is not None
    rows = columns_of(history) if is_frame else elements("history", history) if is_list(history) else [history]
    pairs = list(pairs_in("history", rows))
    rewards = [reward_or_none(reward, scale) for _, reward in pairs]
    pulled = [arm for arm, _ in pairs]
    columns = order_columns(history) if is_frame else {}
    in_order = False
    if given is None:
        labels, in_order = labels_in(pulled, rewards, columns)
        given = ArmNumbers(labels)
        numbers = [given.of(arm) for arm in pulled]
    else:
        numbers = [given.of(arm) for arm in pulled]
        positions = [str(number) for number in range(len(given.names))]
        _, in_order = texts_read(list(map(str, numbers)), rewards, columns, positions)
        if not is_list(arms):
            check_counted_from_0(len(given.names), numbers)
    if is_frame and not in_order:
        check_index(getattr(history, "index", None), numbers)
    return given, list(zip(numbers, rewards))


# ---- arms


def labels_of(arms: Any) -> list[int | str]:
    """Return the labels of the arms: those given, or 0 to N - 1."""
    if isinstance(arms, str):
        raise ValueError(f"arms {arms!r}: must be a list of labels, or their number")
    if isinstance(arms, (set, frozenset)):
        raise ValueError("arms: a set has no order; give a list of labels")
    if not is_list(arms):
        return list(range(arm_count("arms", count_of("arms", arms))))
    texts = [(label, label_text("arms", label)) for label in arms]
    labels = [text if isinstance(label, str) else int(text) for label, text in texts]
    seen = set()
    for label in labels:
        if str(label) in seen:
            raise ValueError(f"arms: {label!r} is given twice")
        seen.add(str(label))
    return labels


def check_counted_from_0(count: int, numbers: list[int]) -> None:
    """Warn if no row has the label 0 of the labels 0 to N - 1, for which a number of arms stands."""
    if not numbers or 0 in numbers:
        return
    from_1 = list(range(1, count + 1)) if count <= MOST_SUGGESTED else range(1, count + 1)
    warn(
        f"history: arms={count} stands for the labels 0 to {count - 1}, but no row has 0, so it counts as an arm without "
        f"pulls; give arms={from_1} if labels count from 1"
    )


def numbers_in_file(path: str, names: list[str]) -> list[int]:
    """Return the labels in a file that are numbers of arms; none if it has no rows or an error, which its reader reports."""
    try:
        found, _ = _core.arms_of_file(path)
    except ValueError:
        return []
    return [int(name) for name in set(found) & set(names)]


def labels_in_file(path: str) -> list[int | str]:
    """Return the labels in a file, in the order of the command line; as numbers if all are whole numbers."""
    names, cautions = _core.arms_of_file(path)
    for caution in cautions:
        warn(caution)
    whole = all(re.fullmatch("0|-?[1-9][0-9]*", name) for name in names)
    return [int(name) if whole else name for name in names]


def labels_in(
    pulled: list[Any], rewards: list[float | None], columns: OrderColumns
) -> tuple[list[int | str], bool]:
    """Return the labels of the pulled arms, in the order of the command line, and whether a column says that the rows are in order."""
    labels: dict[str, int | str] = {}
    texts = []
    for arm in pulled:
        texts.append(label_text("arm", arm))
        if texts[-1] in labels:
            continue
        if texts[-1] and texts[-1].splitlines() != [texts[-1]]:
            raise ValueError(f"arm {shown(arm)}: contains a line break; give the labels of all arms as `arms`")
        labels[texts[-1]] = str(arm) if isinstance(arm, str) else int(arm)
    names, in_order = texts_read(texts, rewards, columns, [])
    return [labels[name] for name in names], in_order


# ---- pulls


def reward_or_none(reward: Any, scale: tuple[float, float]) -> float | None:
    """Return the reward, or None if it is missing."""
    if is_missing(reward):
        return None
    value = reward if type(reward) is float else reward_number(reward, scale)
    return None if math.isnan(value) else value


def column_names(history: Any) -> list[Any] | None:
    """Return the names of the columns of a data frame or a structured array; None if the history is neither."""
    if hasattr(history, "columns"):
        return list(history.columns)
    names = getattr(getattr(history, "dtype", None), "names", None)
    return list(names) if names else None


def columns_of(frame: Any) -> Iterator[tuple[Any, Any]]:
    names = column_names(frame) or []
    for name in ("arm", "reward"):
        if name not in names:
            raise ValueError(f"history: has no column {name!r}; its columns are {listed(names) or 'none'}")
        if getattr(frame[name], "ndim", 1) > 1:
            raise ValueError(f"history: has several columns {name!r}; give one")
    return zip(frame["arm"], frame["reward"])


def pairs_in(name: str, pairs: Any) -> Iterator[tuple[Any, Any]]:
    for pair in pairs:
        try:
            if isinstance(pair, (str, bytes, Mapping, Set)):  # two letters or keys are not an arm and its reward
                raise TypeError
            first, second = pair
        except (TypeError, ValueError):
            raise ValueError(f"{name}: {shown(pair)} must be two values") from None
        yield first, second


# ---- the order of the rows of a data frame


def order_columns(frame: Any) -> OrderColumns:
    """Return the columns that may tell the order of the rows: those of rounds and times, or else all others."""
    names = [name for name in column_names(frame) or () if name not in ("arm", "reward")]
    named = [name for name in names if str(name).lower() in ("round", "time")]
    columns = {}
    for name in named or names:
        cells = frame[name]
        # Several columns may have one name.
        if len(cells) > 0 and getattr(cells, "ndim", 1) == 1 and (named or may_tell_order(str(name), cells)):
            columns[one_line(str(name))] = [cell_text(cell) for cell in cells]
    return columns if named else {**index_columns(getattr(frame, "index", None)), **columns}


def index_columns(index: Any) -> OrderColumns:
    """Return the levels of an index that may tell the order of the rows: texts, which may be dates, and those of several.

    check_index() checks numbers and times of an index with one level.
    """
    levels = getattr(index, "nlevels", 0)
    columns = {}
    for level in range(levels):
        cells = index.get_level_values(level)
        is_checked = levels == 1 and has_natural_order(cells)
        name = one_line("index" if cells.name is None else f"index {cells.name}")
        if len(cells) > 0 and not is_checked and may_tell_order(name, cells):
            columns[name] = [cell_text(cell) for cell in cells]
    return columns


def may_tell_order(name: str, cells: Any) -> bool:
    """Return whether the cells may be times. That of a long column of other numbers or texts is not worth reading them."""
    first = next((cell for cell in cells if not is_missing(cell)), None)
    if getattr(getattr(cells, "dtype", None), "kind", "O") in "biuf":
        return _core.may_tell_order(name) or (first is not None and first >= FIRST_UNIX_TIME)
    is_text = isinstance(first, str)
    return (is_text or not is_list(first)) and any(letter.isdigit() for letter in cell_text(first))  # every time has a digit


def cell_text(value: Any) -> str:
    """Return the value as a cell of a CSV file. Data frames make floats of whole numbers."""
    if is_missing(value):
        return ""
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return "" if math.isnan(number) else str(int(number)) if number.is_integer() else str(value)
    return one_line(str(value))


def one_line(text: str) -> str:
    """Return the text without line breaks and other control characters, which a CSV file cannot have."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f]", " ", text).split())


def texts_read(
    arms: list[str], rewards: list[float | None], columns: OrderColumns, names: list[str]
) -> tuple[list[str], bool]:
    """Read the labels of arms, rewards and the order of rows as from a file, and warn of mistakes.

    Return the labels of all arms, and whether a column says that the rows are in order.
    """
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["arm", "reward", *columns])
    writer.writerows(zip(arms, map(reward_text, rewards), *columns.values()))
    labels, cautions, in_order = _core.read_history_text(text.getvalue(), names)
    for caution in cautions:
        warn(caution)
    return labels, in_order


def reward_text(reward: float | None) -> str:
    """Return the reward as a cell of a CSV file. What is not finite is an error later, and empty here."""
    return "" if reward is None or math.isinf(reward) else repr(reward)


def check_index(index: Any, arms: list[int], what: str = "history", where: str = " in rows of the same arm") -> None:
    """Warn if the index is of numbers or times and descends between rows of an arm: they were shuffled or reversed.

    Only the order of the rows of one arm matters.
    """
    if not has_natural_order(index) or index.is_monotonic_increasing:
        return
    last: dict[int, Any] = {}
    for value, arm in zip(index, arms):
        if arm in last and value < last[arm]:
            warn(
                f"{what}: the index of the data frame is not in ascending order: {value} follows {last[arm]}{where}; rows "
                "must be in the order of their pulls: sort them in that order, and then call reset_index(drop=True)"
            )
            return
        last[arm] = value


def has_natural_order(index: Any) -> bool:
    """Return whether the index is of numbers or times."""
    return getattr(getattr(index, "dtype", None), "kind", "O") in "iufM" or type(index).__name__ == "PeriodIndex"


def warn(message: str) -> None:
    """Issue a UserWarning at the line outside of this package that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)
