"""The history of recommend(), plan() and backtest(), and the labels of its arms."""

from __future__ import annotations

import math
import os
import re
import sys
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Iterable, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._checks import arm_count, is_pyarrow, label_text, shown, text_of
from ._past_rows import PastRows, column_names, index_of, rows_of_frame, rows_of_pairs, texts_of_column
from ._study_checks import count_of, has_labels, is_list, is_missing, unknown_arm

if TYPE_CHECKING:
    import pandas

History = Union[Iterable[tuple[Any, Union[float, str, None]]], "pandas.DataFrame", str, "os.PathLike[str]"]
Rounds = list[tuple[int, int, int]]  # the number of each, its first pull, and the first pull after it
PastPulls = Union[tuple[NDArray[np.int32], NDArray[np.float64], list[int], Rounds], str]  # arms, rewards, lost rows, rounds
MOST_SUGGESTED = 10  # labels in a message; more are a range
FIRST_TIME = 19_700_101  # the smallest number that is a time whatever its column is called: a day, as 20240131 is
OrderColumns = dict[str, list[str]]  # the cells of columns that may tell the order of the rows, by the names of the columns


class ArmNumbers:
    """The positions of arms by their labels. They are ordered if the caller gave the labels or their number."""

    def __init__(self, labels: Sequence[int | str], are_ordered: bool = True) -> None:
        self.labels = labels
        self.are_ordered = are_ordered
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
        return given or ArmNumbers(labels_in_file(path), are_ordered=False), path
    if type(history).__name__ == "LazyFrame":
        raise ValueError("history: is a lazy frame; call its method collect()")
    if hasattr(history, "compute") and hasattr(history, "columns"):
        raise ValueError("history: is a lazy frame; call its method compute()")
    if callable(getattr(history, "explain", None)):
        raise ValueError(
            "history: is a study; study.explain() and study.plan() are about it, and study.history is the history of "
            "its arms study.arms"
        )
    if hasattr(history, "read"):
        raise ValueError("history: is an open file; give its path, or the frame of pandas.read_csv()")
    if has_labels(history):
        raise ValueError("history: is one column; give the data frame, with the columns 'arm' and 'reward'")
    if isinstance(history, Mapping):
        raise ValueError("history: is a dictionary, which has no order; give pairs of an arm and its reward, in order")
    if isinstance(history, (set, frozenset)):
        raise ValueError("history: is a set, which has no order; give a list of pairs of an arm and its reward")
    if is_pyarrow(history):
        history = history.to_pandas()
    is_frame = column_names(history) is not None
    rows = rows_of_frame(history, scale) if is_frame else rows_of_pairs(history, scale)
    columns = order_columns(history) if is_frame else {}
    if given is None:
        check_one_line(rows.labels)
        names, in_order, rounds, lost = rows_read(rows, columns, [str(label) for label in rows.labels], False)
        labels = {str(label): label for label in rows.labels}
        given = ArmNumbers([labels[name] for name in names], are_ordered=False)
        numbers = rows.renumbered(given.of)
    else:
        numbers = rows.renumbered(given.of)
        of_given = rows._replace(arms=numbers)
        _, in_order, rounds, lost = rows_read(of_given, columns, names_in_messages(given.names), True)
        if not is_list(arms):
            check_counted_from_0(len(given.names), numbers)
    if is_frame and not in_order and not begins_again(index_of(history)):
        check_index(index_of(history), numbers)
    return given, (numbers, rows.rewards, lost, rounds)


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
    if not texts:
        raise ValueError("arms: the list is empty; give the labels of all arms, or leave `arms` out")
    labels = [text if isinstance(label, str) else int(text) for label, text in texts]
    seen = set()
    for label in labels:
        if str(label) in seen:
            raise ValueError(f"arms: {label!r} is given twice")
        seen.add(str(label))
    return labels


def check_counted_from_0(count: int, numbers: Sequence[int] | NDArray[np.int32]) -> None:
    """Warn if no row has the label 0 of the labels 0 to N - 1, for which a number of arms stands."""
    if len(numbers) == 0 or 0 in numbers:
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


def check_one_line(labels: Sequence[int | str]) -> None:
    """Raise a ValueError for a label that a CSV file cannot have."""
    for label in labels:
        text = str(label)
        if text and text.splitlines() != [text]:
            raise ValueError(f"arm {shown(label)}: contains a line break; give the labels of all arms as `arms`")


# ---- the order of the rows of a data frame


def order_columns(frame: Any) -> OrderColumns:
    """Return the columns that may tell the order of the rows, those of rounds and times or else all others, and that of outcomes."""
    names = [name for name in column_names(frame) or () if name not in ("arm", "reward")]
    named = [name for name in names if str(name).lower() in ("round", "time")]
    columns = {}
    for name in names:
        cells = frame[name]
        if len(cells) == 0 or getattr(cells, "ndim", 1) > 1:  # several columns may have one name
            continue
        if name in named or name == "outcome" or (not named and may_tell_order(str(name), cells)):
            columns[one_line(str(name))] = texts_of_column(cells, cell_text)
    return columns if named else {**index_columns(index_of(frame)), **columns}


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
            columns[name] = texts_of_column(cells, cell_text)
    return columns


def may_tell_order(name: str, cells: Any) -> bool:
    """Return whether the cells may be times. That of a long column of other numbers or texts is not worth reading them."""
    first = next((cell for cell in cells if not is_missing(cell)), None)
    if getattr(getattr(cells, "dtype", None), "kind", "O") in "biuf":
        return _core.may_tell_order(name) or (first is not None and first >= FIRST_TIME)
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
    plain = text if text.isprintable() else re.sub(r"[\x00-\x1f\x7f]", " ", text)
    return " ".join(plain.split())


def names_in_messages(names: list[str]) -> list[str]:
    """Return the names on one line each, or the positions of the arms if the names are then empty or the same."""
    lines = [one_line(name) for name in names]
    return lines if all(lines) and len(set(lines)) == len(lines) else [str(number) for number in range(len(names))]


def rows_read(
    rows: PastRows, columns: OrderColumns, labels: list[str], are_all_names: bool
) -> tuple[list[str], bool, Rounds, list[int]]:
    """Read the rows as those of a file, and warn of mistakes.

    `labels` has the labels of the numbers of `rows.arms`, which may be the names of all arms. Return the labels of all
    arms, whether a column says that the rows are in order, the rounds of the history, and the rows whose rewards are lost.
    """
    others = list(columns.items())
    read = _core.read_history_rows(rows.arms, rows.rewards, rows.lost, others, labels, are_all_names)
    found, cautions, in_order, rounds, lost = read
    for caution in cautions:
        warn(caution)
    return found, in_order, rounds, lost


def check_index(index: Any, arms: Iterable[int], what: str = "history", where: str = " in rows of the same arm") -> None:
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


def begins_again(index: Any) -> bool:
    """Return whether the index counts up and begins again with its first number, as after pandas.concat([january, february])."""
    if getattr(getattr(index, "dtype", None), "kind", "O") not in "iu":
        return False
    numbers = np.asarray(index)
    return bool(np.all(numbers[1:][numbers[1:] < numbers[:-1]] == numbers[:1]))


def has_natural_order(index: Any) -> bool:
    """Return whether the index is of numbers or times."""
    return getattr(getattr(index, "dtype", None), "kind", "O") in "iufM" or type(index).__name__ == "PeriodIndex"


def warn(message: str) -> None:
    """Issue a UserWarning at the line outside of this package that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)
