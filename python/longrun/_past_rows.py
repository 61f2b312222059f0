"""The rows of a history: arms as numbers of labels, and rewards, of pairs or of the columns of a data frame."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping, Set
from typing import Any, Iterable, Iterator, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._checks import elements, label_text, listed, shown
from ._study_checks import is_list, is_missing, reward_number

LOST = "lost"  # in place of a reward that will never be known, as the outcome of a study is called
FACTORIZED = ("string", "integer", "empty")  # what pandas calls columns of objects whose labels differ if they are unequal


class PastRows(NamedTuple):
    """The rows of a history."""

    arms: NDArray[np.int32]  # [row]: place of its label
    labels: list[int | str]  # in order of first appearance, with different texts
    rewards: NDArray[np.float64]  # [row]: nan if it is pending or lost
    lost: list[int]  # rows whose rewards are lost, ascending

    def renumbered(self, number_of: Callable[[Any], int]) -> NDArray[np.int32]:
        """Return the arms as the numbers that `number_of` has for the labels. Its error names the row, from 0."""
        numbers = np.empty(len(self.labels), np.int32)
        for place, label in enumerate(self.labels):
            try:
                numbers[place] = number_of(label)
            except ValueError as error:
                raise in_row(int(np.argmax(self.arms == place)), error) from None
        return numbers[self.arms]


def rows_of_pairs(history: Any, scale: tuple[float, float]) -> PastRows:
    pairs = list(pairs_in("history", elements("history", history) if is_list(history) else [history]))
    rewards, lost = rewards_of((reward for _, reward in pairs), scale)
    return PastRows(*labels_of_cells(arm for arm, _ in pairs), rewards, lost)


def rows_of_frame(frame: Any, scale: tuple[float, float]) -> PastRows:
    arms, rewards = columns_of(frame)
    numbers = numbers_of_column(rewards)
    values, lost = rewards_of(rewards, scale) if numbers is None else (numbers, [])
    return PastRows(*(labels_of_column(arms) or labels_of_cells(arms)), values, lost)


# ---- cells, one by one


def in_row(row: int, error: object) -> ValueError:
    """Return the error with its row, from 0."""
    return ValueError(f"history: row {row}: {error}")


def rewards_of(cells: Iterable[Any], scale: tuple[float, float]) -> tuple[NDArray[np.float64], list[int]]:
    """Return the rewards, nan if they are not known, and the rows of those that are lost."""
    rewards: list[float] = []
    lost = []
    try:
        for cell in cells:
            if type(cell) is float:
                rewards.append(cell)
                continue
            if isinstance(cell, str) and cell.strip().lower() == LOST:
                lost.append(len(rewards))
                cell = None
            rewards.append(math.nan if is_missing(cell) else reward_in(cell, scale))
    except ValueError as error:
        raise in_row(len(rewards), error) from None
    return np.array(rewards, np.float64), lost


def reward_in(cell: Any, scale: tuple[float, float]) -> float:
    """Return the reward, which may be nan."""
    try:
        return reward_number(cell, scale)
    except ValueError as error:
        is_text = isinstance(cell, str)
        with_comma = is_text and re.fullmatch(r"\s*-?[0-9.]*,[0-9]+\s*", cell)
        how = 'read the file with pandas.read_csv(..., decimal=",")' if with_comma else "pandas.to_numeric() makes numbers of texts"
        raise ValueError(f"{error}; {how}" if is_text else str(error)) from None


def labels_of_cells(cells: Iterable[Any]) -> tuple[NDArray[np.int32], list[int | str]]:
    """Return the arm of each row as the place of its label, and the labels in order of first appearance."""
    places: dict[str, int] = {}  # by the texts of labels
    labels: list[int | str] = []
    arms: list[int] = []
    for arm in cells:
        place = places.get(arm) if type(arm) is str else None
        if place is None:
            try:
                label = pulled_label(arm)
            except ValueError as error:
                raise in_row(len(arms), error) from None
            place = places.setdefault(str(label), len(labels))
            if place == len(labels):
                labels.append(label)
        arms.append(place)
    return np.array(arms, np.int32), labels


def pulled_label(arm: Any) -> int | str:
    """Return the label of a pulled arm, a string or a whole number."""
    try:
        text = label_text("arm", arm)
    except ValueError:
        if is_missing(arm) or (isinstance(arm, (float, np.floating)) and math.isnan(arm)):
            raise ValueError("the arm is missing") from None
        raise
    return text if isinstance(arm, str) else int(text)


def pairs_in(name: str, pairs: Any) -> Iterator[tuple[Any, Any]]:
    for pair in pairs:
        try:
            if isinstance(pair, (str, bytes, Mapping, Set)):  # two letters or keys are not an arm and its reward
                raise TypeError
            first, second = pair
        except (TypeError, ValueError):
            raise ValueError(f"{name}: {shown(pair)} must be two values, an arm and its reward") from None
        yield first, second


# ---- data frames


def column_names(history: Any) -> list[Any] | None:
    """Return the names of the columns of a data frame or a structured array; None if the history is neither."""
    if isinstance(history, np.ndarray):  # fields of a recarray are attributes, too, which may be called columns or index
        return list(history.dtype.names) if history.dtype.names else None
    return list(history.columns) if hasattr(history, "columns") else None


def index_of(frame: Any) -> Any:
    """Return the index of a data frame; None if it has none."""
    return None if isinstance(frame, np.ndarray) else getattr(frame, "index", None)


def columns_of(frame: Any) -> tuple[Any, Any]:
    """Return the columns of arms and rewards."""
    names = column_names(frame) or []
    for name in ("arm", "reward"):
        if name not in names:
            in_index = name in getattr(index_of(frame), "names", ())
            how = "; its index has it: call reset_index()" if in_index else ""
            raise ValueError(f"history: has no column {name!r}; its columns are {listed(names) or 'none'}{how}")
        if getattr(frame[name], "ndim", 1) > 1:
            raise ValueError(f"history: has several columns {name!r}; give one")
    return frame["arm"], frame["reward"]


def numbers_of_column(column: Any) -> NDArray[np.float64] | None:
    """Return the rewards of a column of numbers, as rewards_of() does, in a hundredth of its time; None for others."""
    if getattr(getattr(column, "dtype", None), "kind", "O") not in "iuf":
        return None
    if is_of_pandas(column):
        return np.ascontiguousarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if isinstance(column, np.ma.MaskedArray):
        known = ~np.ma.getmaskarray(column)  # what is masked is not known
        return np.where(known, np.asarray(column, np.float64), np.nan)
    return np.ascontiguousarray(column, np.float64) if isinstance(column, np.ndarray) else None


def labels_of_column(column: Any) -> tuple[NDArray[np.int32], list[int | str]] | None:
    """Return the labels of a column of pandas, as labels_of_cells() does, with one look at each label; None for others."""
    known = factorized(column, "iufO")
    if known is None:
        return None
    places, found = known
    missing = np.flatnonzero(places < 0)
    labels: list[int | str] = []
    for place, arm in enumerate(found):
        try:
            labels.append(pulled_label(arm))
        except ValueError as error:
            row = int(np.argmax(places == place))
            if len(missing) and missing[0] < row:
                break
            raise in_row(row, error) from None
    if len(missing):
        raise in_row(int(missing[0]), "the arm is missing")
    if len({str(label) for label in labels}) < len(labels):  # 1 and "1" are one arm
        return None
    return np.ascontiguousarray(places, np.int32), labels


def texts_of_column(column: Any, text_of: Callable[[Any], str]) -> list[str]:
    """Return the texts of the cells, which `text_of` has once for each value of a column of pandas."""
    known = factorized(column, "iufMO")
    if known is None:
        return [text_of(cell) for cell in column]
    places, found = known
    texts = [text_of(cell) for cell in found]
    texts.append(text_of(None))  # at place -1
    return [texts[place] for place in places.tolist()]


def factorized(column: Any, kinds: str) -> tuple[NDArray[np.intp], Iterable[Any]] | None:
    """Return the place of each cell in the values of a column of pandas, -1 if it is missing, and these in order.

    Return None for others, and for columns of several kinds of objects: True is no label, and equal to 1, which is one.
    """
    if not is_of_pandas(column) or column.dtype.kind not in kinds:
        return None
    import pandas

    is_category = isinstance(column.dtype, pandas.CategoricalDtype)
    if column.dtype.kind == "O" and not is_category and pandas.api.types.infer_dtype(column, skipna=True) not in FACTORIZED:
        return None
    places, found = pandas.factorize(column)
    return places, found


def is_of_pandas(column: Any) -> bool:
    """Return whether the column, or the index, is one of pandas, which need not be installed."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(column, (pandas.Series, pandas.Index))
