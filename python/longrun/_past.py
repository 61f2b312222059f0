"""The history of recommend(), plan() and backtest(), and the labels of its arms."""

from __future__ import annotations

import csv
import io
import math
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Set
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Sequence, TypeVar, Union

import numpy as np

from . import _core
from ._checks import arm_count, elements, is_pyarrow, label_text, listed, shown, text_of
from ._study_checks import count_of, has_labels, is_list, is_missing, reward_number, unknown_arm

if TYPE_CHECKING:
    import pandas

History = Union[Iterable[tuple[Any, float]], "pandas.DataFrame", str, "os.PathLike[str]"]
Value = TypeVar("Value")
Rounds = list[tuple[int, int, int]]  # the number of each, its first pull, and the first pull after it
PastPulls = Union[tuple[list[tuple[int, Union[float, None]]], Rounds], str]
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
    rows = columns_of(history) if is_frame else elements("history", history) if is_list(history) else [history]
    pairs = list(pairs_in("history", rows))
    rewards = in_rows(lambda reward: reward_or_none(reward, scale), (reward for _, reward in pairs))
    pulled = in_rows(pulled_label, (arm for arm, _ in pairs))
    columns = order_columns(history) if is_frame else {}
    if given is None:
        labels, in_order, rounds = labels_in(pulled, rewards, columns)
        given = ArmNumbers(labels, are_ordered=False)
        numbers = [given.of(arm) for arm in pulled]
    else:
        numbers = in_rows(given.of, pulled)
        _, in_order, rounds = texts_read(list(map(str, numbers)), rewards, columns, names_in_messages(given.names))
        if not is_list(arms):
            check_counted_from_0(len(given.names), numbers)
    if is_frame and not in_order and not begins_again(index_of(history)):
        check_index(index_of(history), numbers)
    return given, (list(zip(numbers, rewards)), rounds)


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
    pulled: list[int | str], rewards: list[float | None], columns: OrderColumns
) -> tuple[list[int | str], bool, Rounds]:
    """Return the labels of the pulled arms, in the order of the command line, and what texts_read() returns of the order."""
    labels: dict[str, int | str] = {}
    texts = [str(arm) for arm in pulled]
    for text, arm in zip(texts, pulled):
        if text in labels:
            continue
        if text and text.splitlines() != [text]:
            raise ValueError(f"arm {shown(arm)}: contains a line break; give the labels of all arms as `arms`")
        labels[text] = arm
    names, in_order, rounds = texts_read(texts, rewards, columns, [])
    return [labels[name] for name in names], in_order, rounds


# ---- pulls


def in_rows(read: Callable[[Any], Value], cells: Iterable[Any]) -> list[Value]:
    """Return what `read` returns for each cell. An error names the row, from 0."""
    values: list[Value] = []
    try:
        for cell in cells:
            values.append(read(cell))
    except ValueError as error:
        raise ValueError(f"history: row {len(values)}: {error}") from None
    return values


def pulled_label(arm: Any) -> int | str:
    """Return the label of a pulled arm, a string or a whole number."""
    try:
        text = label_text("arm", arm)
    except ValueError:
        if is_missing(arm) or (isinstance(arm, (float, np.floating)) and math.isnan(arm)):
            raise ValueError("the arm is missing") from None
        raise
    return text if isinstance(arm, str) else int(text)


def reward_or_none(reward: Any, scale: tuple[float, float]) -> float | None:
    """Return the reward, or None if it is missing."""
    if is_missing(reward):
        return None
    try:
        value = reward if type(reward) is float else reward_number(reward, scale)
    except ValueError as error:
        is_text = isinstance(reward, str)
        with_comma = is_text and re.fullmatch(r"\s*-?[0-9.]*,[0-9]+\s*", reward)
        how = 'read the file with pandas.read_csv(..., decimal=",")' if with_comma else "pandas.to_numeric() makes numbers of texts"
        raise ValueError(f"{error}; {how}" if is_text else str(error)) from None
    return None if math.isnan(value) else value


def column_names(history: Any) -> list[Any] | None:
    """Return the names of the columns of a data frame or a structured array; None if the history is neither."""
    if isinstance(history, np.ndarray):  # fields of a recarray are attributes, too, which may be called columns or index
        return list(history.dtype.names) if history.dtype.names else None
    return list(history.columns) if hasattr(history, "columns") else None


def index_of(frame: Any) -> Any:
    """Return the index of a data frame; None if it has none."""
    return None if isinstance(frame, np.ndarray) else getattr(frame, "index", None)


def columns_of(frame: Any) -> Iterator[tuple[Any, Any]]:
    names = column_names(frame) or []
    for name in ("arm", "reward"):
        if name not in names:
            in_index = name in getattr(index_of(frame), "names", ())
            how = "; its index has it: call reset_index()" if in_index else ""
            raise ValueError(f"history: has no column {name!r}; its columns are {listed(names) or 'none'}{how}")
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
            raise ValueError(f"{name}: {shown(pair)} must be two values, an arm and its reward") from None
        yield first, second


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
            columns[one_line(str(name))] = [cell_text(cell) for cell in cells]
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
            columns[name] = [cell_text(cell) for cell in cells]
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
    return " ".join(re.sub(r"[\x00-\x1f\x7f]", " ", text).split())


def names_in_messages(names: list[str]) -> list[str]:
    """Return the names on one line each, or the positions of the arms if the names are then empty or the same."""
    lines = [one_line(name) for name in names]
    return lines if all(lines) and len(set(lines)) == len(lines) else [str(number) for number in range(len(names))]


def texts_read(
    arms: list[str], rewards: list[float | None], columns: OrderColumns, names: list[str]
) -> tuple[list[str], bool, Rounds]:
    """Read the arms, rewards and the order of rows as from a file, and warn of mistakes.

    If `names` has the names of all arms, `arms` has their positions, else their labels. Return the labels of all arms,
    whether a column says that the rows are in order, and the rounds of the history.
    """
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["arm", "reward", *columns])
    writer.writerows(zip(arms, map(reward_text, rewards), *columns.values()))
    labels, cautions, in_order, rounds = _core.read_history_text(text.getvalue(), names)
    for caution in cautions:
        warn(caution)
    return labels, in_order, rounds


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
