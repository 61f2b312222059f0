from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._checks import did_you_mean, items_of, listed, shown, text_of, whole
from ._noise import Noise

if TYPE_CHECKING:
    import pandas
    import polars

    from ._trajectories import Trajectories

KEY_COLUMNS = ("bandit", "noise", "policy", "horizon", "seed")
RUN_COLUMNS = (*KEY_COLUMNS, "earned", "optimum", "regret")
ROWS_SHOWN = 60  # of the summary in a notebook
FEWEST_RUNS = 2  # of an interval
SAMPLED = "longrun_one_per_seed"  # attribute of data frames: the bandits that a function returned, one per seed


class Records(dict[str, NDArray[Any]]):
    """Results of `simulate`: a dictionary of columns, with a row per run.

    Rows are ordered by bandit, then policy, horizon and seed. The columns are bandit, noise, policy (with its
    parameters, or its label), horizon, seed, earned (the sum of the mean rewards of all pulls), optimum, regret, and the
    pulls of arm i in pulls_i, 0 for arms that the bandit of the row does not have. ``records["pulls"]`` is all of these
    as an array with a column per arm. ``pandas.DataFrame(records)`` is a data frame of all columns.
    """

    trajectories: Trajectories | None = None
    """The kept steps of the runs, if `simulate` was asked for them."""

    _sampled: frozenset[str] = frozenset()  # the bandits that a function without a label returned, one per seed

    def __init__(self, *columns: Any, **more: Any) -> None:
        super().__init__()
        for column, values in dict(*columns, **more).items():
            self[column] = values

    def __missing__(self, column: str) -> NDArray[Any]:
        if column == "pulls" and "pulls_0" in self:
            return np.stack([values for name, values in self.items() if name.startswith("pulls_")], axis=1)
        if column == "return":
            raise KeyError("return: this column is called 'earned'")
        if not isinstance(column, str):
            raise KeyError(f"records[{shown(column)}]: records are columns, such as records['regret']; select() chooses runs")
        raise KeyError(f"{shown(column)[1:-1]}: is not a column{did_you_mean(column, self)}")

    def __getitem__(self, column: str) -> NDArray[Any]:
        if isinstance(column, (np.ndarray, list)) or hasattr(column, "columns"):
            raise KeyError("records[...]: takes the name of a column; select(policy='spo') chooses runs")
        return super().__getitem__(column)

    def __setitem__(self, column: str, values: Any) -> None:
        if not isinstance(column, str):
            raise ValueError(f"column {shown(column)}: must be a string")
        array = np.asarray(values)
        count = 1 if array.ndim == 0 else len(array)
        others = [len(values) for name, values in self.items() if name != column]
        runs = others[0] if others else count
        if array.ndim == 0 or count != runs:
            raise ValueError(f"column {column!r}: has {count} value{'s' * (count != 1)} for {runs} run{'s' * (runs != 1)}")
        super().__setitem__(column, array)

    def setdefault(self, column: str, values: Any = None) -> NDArray[Any]:
        """Return a column, which is set first if there is none.

        Parameters
        ----------
        column : str
            Name of the column.
        values : array_like
            The values of a new column, one per run.

        Returns
        -------
        numpy.ndarray
            The column.

        Raises
        ------
        ValueError
            If a new column does not have one value per run.
        """
        if column not in self:
            self[column] = values
        return self[column]

    def update(self, *columns: Any, **more: Any) -> None:
        """Set columns, each with a value per run.

        Parameters
        ----------
        *columns : mapping or iterable of tuple
            Columns by their names, as for ``dict.update``.
        **more : array_like
            Further columns.

        Raises
        ------
        ValueError
            If a column does not have one value per run; then nothing is changed.
        """
        changed = self.copy()
        for column, values in dict(*columns, **more).items():
            changed[column] = values
        super().update(changed)

    def __or__(self, other: Any) -> Records:  # type: ignore[override]
        if not isinstance(other, Mapping):
            return NotImplemented
        joined = self.copy()
        joined.update(other)
        return joined

    def __ior__(self, other: Any) -> Records:  # type: ignore[override]
        self.update(other)
        return self

    @property
    def runs(self) -> int:
        """Number of runs, which are the rows."""
        return len(self["regret"]) if "regret" in self else 0

    def copy(self) -> Records:
        """Return a copy that shares the columns.

        Returns
        -------
        Records
            The copy.
        """
        other = type(self)(self)
        other.trajectories = self.trajectories
        other._sampled = self._sampled
        return other

    __copy__ = copy

    def select(
        self,
        *,
        bandit: str | Iterable[str] | None = None,
        noise: Noise | str | Iterable[Noise | str] | None = None,
        policy: str | Iterable[str] | None = None,
        horizon: int | Iterable[int] | None = None,
        seed: int | Iterable[int] | None = None,
    ) -> Records:
        """Return the runs with the given values.

        Parameters
        ----------
        bandit : str or iterable of str, optional
            Names or labels of bandits. By default, all.
        noise : Noise or str or iterable of these, optional
            Noises, or their texts.
        policy : str or iterable of str, optional
            Names or labels of policies.
        horizon : int or iterable of int, optional
            Horizons.
        seed : int or iterable of int, optional
            Seeds.

        Returns
        -------
        Records
            The rows, with their trajectories; none if no run has these values.

        Raises
        ------
        ValueError
            If no run at all is of that bandit, noise or policy, or a value cannot be one of its column.

        Examples
        --------
        >>> records = longrun.simulate("inc_1", ["spo", "greedy"], [50, 100])
        >>> records.select(policy="spo", horizon=[50, 100]).runs
        2
        """
        rows = np.ones(self.runs, dtype=bool)
        wanted = {"bandit": bandit, "noise": noise, "policy": policy, "horizon": horizon, "seed": seed}
        for column, values in wanted.items():
            if values is not None:
                chosen = [chosen_value(column, value) for value in items_of(column, values)]
                self._check_names(column, chosen)
                rows &= np.isin(self[column], np.array(chosen))
        selected = type(self)({name: values[rows] for name, values in self.items()})
        selected._sampled = self._sampled
        if self.trajectories is not None:
            selected.trajectories = self.trajectories._of_rows(rows)
        return selected

    def _check_names(self, column: str, chosen: list[Any]) -> None:
        """Raise a ValueError for a text that no run has: a typing error would be an empty selection."""
        present = dict.fromkeys(self[column].tolist())
        for name in chosen:
            if isinstance(name, str) and present and name not in present:
                known = list(map(str, present))
                raise ValueError(
                    f"{column} {shown(name)}: no run has it{did_you_mean(name, known) or '; they have ' + listed(known)}"
                )

    @classmethod
    def concat(cls, records: Iterable[Mapping[str, Any]]) -> Records:
        """Return the rows of several records, one after the other.

        Parameters
        ----------
        records : iterable of Records
            Results of `simulate`. Their bandits may have different numbers of arms.

        Returns
        -------
        Records
            All rows, without trajectories.

        Raises
        ------
        ValueError
            If no records are given, they contain the same run twice, or a bandit is one of a function in some of them
            only.

        Examples
        --------
        >>> parts = [longrun.simulate("inc_1", policy, 50) for policy in ("spo", "greedy")]
        >>> longrun.Records.concat(parts)["policy"].tolist()
        ['spo', 'greedy']
        """
        if isinstance(records, Mapping):
            raise ValueError("records: is one result; give a list of results")
        if not hasattr(records, "__iter__"):
            raise ValueError(f"records {shown(records)}: must be a list of results")
        parts = [part if isinstance(part, Records) else cls(columns_in(part)) for part in records]
        if not parts:
            raise ValueError("records: the list is empty; give at least one result")
        for part in parts:
            lacking = [name for name in RUN_COLUMNS if name not in part]
            if lacking:
                raise ValueError(f"records: column {lacking[0]!r} is missing; give results of simulate()")
        columns = {name: np.concatenate([part[name] for part in parts]) for name in RUN_COLUMNS}
        keys = list(zip(*(columns[name].tolist() for name in KEY_COLUMNS)))
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(
                f"records: bandit {twice[0]}, policy {twice[2]}, horizon {twice[3]}, seed {twice[4]}: is given twice"
            )
        sampled = frozenset().union(*(part._sampled for part in parts))
        for part in parts:
            mixed = sorted((sampled - part._sampled) & set(part["bandit"].tolist()))
            if mixed:
                raise ValueError(
                    f"records: bandit {mixed[0]!r} is one per seed of a function in some results only; "
                    "give labels in simulate(), {label: bandit}"
                )
        arms = max(part["pulls"].shape[1] for part in parts)
        pulls = np.concatenate([padded(part["pulls"], arms) for part in parts])
        joined = cls._of(columns, pulls)
        joined._sampled = sampled
        return joined

    @classmethod
    def _empty(cls) -> Records:
        """Return records without runs, which have all columns."""
        kinds: dict[str, Any] = {"horizon": np.int64, "seed": np.int64, "earned": float, "optimum": float, "regret": float}
        columns = {name: np.zeros(0, dtype=kinds.get(name, "U1")) for name in RUN_COLUMNS}
        return cls._of(columns, np.zeros((0, 1), dtype=np.int64))

    @classmethod
    def _of(cls, columns: Mapping[str, NDArray[Any]], pulls: NDArray[Any]) -> Records:
        """Return records of columns, and of pulls with a column per arm."""
        return cls({**columns, **{f"pulls_{arm}": column for arm, column in enumerate(np.ascontiguousarray(pulls.T))}})

    def to_pandas(self) -> pandas.DataFrame:
        """Return the records as a data frame.

        Returns
        -------
        pandas.DataFrame
            The same columns.
        """
        import pandas

        frame = pandas.DataFrame(dict(self))
        if self._sampled:
            frame.attrs[SAMPLED] = sorted(self._sampled)  # for plot.regret
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return the records as a data frame of Polars.

        Returns
        -------
        polars.DataFrame
            The same columns.
        """
        import polars

        return polars.DataFrame(
            {name: column.tolist() if column.dtype.kind == "U" else column for name, column in self.items()}
        )

    def summary(self) -> dict[str, NDArray[Any]]:
        """Return the mean regret of each policy, with its 95 % interval.

        Returns
        -------
        dict of str to numpy.ndarray
            The columns bandit, policy, horizon, runs, regret, low and high, with a row for each bandit, policy and
            horizon. ``pandas.DataFrame(records.summary())`` is a table. The bandits of a function from a seed to a
            bandit are one row, whose bandit is "(one per seed)". A bandit with several noises has a row for each, whose
            bandit is "NAME, noise NOISE". The interval of a single run is unknown: low and high are nan.
        """
        groups: dict[tuple[str, str, int], list[float]] = {}
        bandits = bandit_groups(self)
        for key in zip(bandits, self["policy"].tolist(), self["horizon"].tolist(), self["regret"].tolist()):
            groups.setdefault(key[:3], []).append(key[3])
        estimates = [estimate_of(np.array(values)) for values in groups.values()]
        names = np.array(list(groups), dtype=object).reshape(-1, 3)
        mean, low, high = np.array(estimates, dtype=float).reshape(-1, 3).T
        return {
            "bandit": names[:, 0].astype(str),
            "policy": names[:, 1].astype(str),
            "horizon": names[:, 2].astype(np.int64),
            "runs": np.array([len(values) for values in groups.values()], dtype=np.int64),
            "regret": mean,
            "low": low,
            "high": high,
        }

    def __repr__(self) -> str:
        if "regret" not in self:
            return dict.__repr__(self)
        counts = [(name, len(set(self[name].tolist()))) for name in ("bandit", "policy", "horizon", "seed")]
        plural = {"policy": "policies"}
        of = ", ".join(f"{count} {name if count == 1 else plural.get(name, name + 's')}" for name, count in counts)
        return f"<longrun.Records: {self.runs} run{'s' * (self.runs != 1)} of {of}>"

    def _repr_html_(self) -> str:
        if "regret" not in self:
            return f"<pre>{html.escape(dict.__repr__(self))}</pre>"
        table = self.summary()
        rows = list(zip(*(column.tolist() for column in table.values())))
        head = "".join(
            f"<th>{title}</th>" for title in ("bandit", "policy", "horizon", "runs", "mean regret", "95 % interval")
        )
        body = "".join(
            f"<tr><td>{html.escape(bandit)}</td><td>{html.escape(policy)}</td><td>{horizon}</td><td>{runs}</td>"
            f"<td>{regret:.4g}</td><td>{'–' if math.isnan(low) else f'{low:.4g} to {high:.4g}'}</td></tr>"
            for bandit, policy, horizon, runs, regret, low, high in rows[:ROWS_SHOWN]
        )
        more = f"<p>{len(rows) - ROWS_SHOWN} more rows: records.summary()</p>" if len(rows) > ROWS_SHOWN else ""
        return (
            f"<p>{html.escape(repr(self))}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
        )


def chosen_value(column: str, value: Any) -> str | int:
    """Return a value that select() looks for in the column."""
    if column in ("horizon", "seed"):
        return whole(column, value, 63)
    if isinstance(value, Noise):
        return _core.noise_text(value._fields())
    return text_of(column, value)


def columns_in(part: Any) -> Mapping[str, Any]:
    """Return the columns of a result of simulate(), or of its data frame."""
    if isinstance(part, Mapping) or hasattr(part, "columns"):
        return {name: np.asarray(part[name]) for name in part}
    raise ValueError(f"records: {shown(part)} is not a result of simulate(), or its data frame")


ONE_PER_SEED = "(one per seed)"


def bandit_groups(records: Mapping[str, Any]) -> list[str]:
    """Return the bandit of each row, as summaries and figures name it.

    It is ONE_PER_SEED for the bandits of a function, which are a sample. If a bandit has several noises, they are named.
    """
    runs = int(np.size(records["regret"]))
    bandits: list[Any] = np.asarray(records["bandit"]).tolist() if "bandit" in records else [""] * runs
    noises: list[Any] = np.asarray(records["noise"]).tolist() if "noise" in records else [""] * runs
    sampled = records._sampled if isinstance(records, Records) else set(getattr(records, "attrs", {}).get(SAMPLED, ()))
    names = [ONE_PER_SEED if bandit in sampled else str(bandit) for bandit in bandits]
    noises_of: dict[str, set[Any]] = {}
    for name, noise in zip(names, noises):
        noises_of.setdefault(name, set()).add(noise)
    return [f"{name}, noise {noise}" if len(noises_of[name]) > 1 else name for name, noise in zip(names, noises)]


def estimate_of(values: NDArray[Any]) -> tuple[float, float, float]:
    """Return the mean and the ends of its 95 % interval, which are nan for a single value."""
    mean, low, high = _core.estimate(values)
    return (mean, low, high) if len(values) >= FEWEST_RUNS else (mean, math.nan, math.nan)


def padded(pulls: NDArray[Any], arms: int) -> NDArray[Any]:
    """Return the pulls with columns of 0 up to so many arms."""
    return np.pad(pulls, ((0, 0), (0, arms - pulls.shape[1])))
