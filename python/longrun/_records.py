from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._checks import items_of

if TYPE_CHECKING:
    import pandas
    import polars

    from ._trajectories import Trajectories

RUN_COLUMNS = ("bandit", "noise", "policy", "horizon", "seed", "earned", "optimum", "regret")
ROWS_SHOWN = 60  # of the summary in a notebook


class Records(dict[str, NDArray[Any]]):
    """Results of `simulate`: a dictionary of columns, with a row per run.

    Rows are ordered by bandit, then policy, horizon and seed. The columns are bandit, noise, policy (with its
    parameters, or its label), horizon, seed, earned (the sum of the mean rewards of all pulls), optimum, regret, and the
    pulls of arm i in pulls_i, 0 for arms that the bandit of the row does not have. ``records["pulls"]`` is all of these
    as an array with a column per arm. ``pandas.DataFrame(records)`` is a data frame of all columns.
    """

    trajectories: Trajectories | None = None
    """The kept steps of the runs, if `simulate` was asked for them."""

    def __missing__(self, column: str) -> NDArray[Any]:
        if column == "pulls" and "pulls_0" in self:
            return np.stack([values for name, values in self.items() if name.startswith("pulls_")], axis=1)
        if column == "return":
            raise KeyError("return: this column is called 'earned'")
        raise KeyError(column)

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
        return other

    __copy__ = copy

    def select(
        self,
        *,
        bandit: str | Iterable[str] | None = None,
        noise: str | Iterable[str] | None = None,
        policy: str | Iterable[str] | None = None,
        horizon: int | Iterable[int] | None = None,
        seed: int | Iterable[int] | None = None,
    ) -> Records:
        """Return the runs with the given values.

        Parameters
        ----------
        bandit : str or iterable of str, optional
            Names or labels of bandits. By default, all.
        noise : str or iterable of str, optional
            Texts of noises.
        policy : str or iterable of str, optional
            Names or labels of policies.
        horizon : int or iterable of int, optional
            Horizons.
        seed : int or iterable of int, optional
            Seeds.

        Returns
        -------
        Records
            The rows, without trajectories; none if no run has these values.

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
                rows &= np.isin(self[column], np.array(items_of(column, values)))
        return type(self)({name: values[rows] for name, values in self.items()})

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
            If no records are given, or they contain the same run twice.

        Examples
        --------
        >>> parts = [longrun.simulate("inc_1", policy, 50) for policy in ("spo", "greedy")]
        >>> longrun.Records.concat(parts)["policy"].tolist()
        ['spo', 'greedy']
        """
        if isinstance(records, Mapping):
            raise ValueError("records: is one result; give a list of results")
        parts = [part if isinstance(part, Records) else cls(part) for part in records]
        if not parts:
            raise ValueError("records: the list is empty; give at least one result")
        for part in parts:
            lacking = [name for name in RUN_COLUMNS if name not in part]
            if lacking:
                raise ValueError(f"records: column {lacking[0]!r} is missing; give results of simulate()")
        columns = {name: np.concatenate([part[name] for part in parts]) for name in RUN_COLUMNS}
        keys = list(zip(*(columns[name].tolist() for name in ("bandit", "noise", "policy", "horizon", "seed"))))
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(
                f"records: bandit {twice[0]}, policy {twice[2]}, horizon {twice[3]}, seed {twice[4]}: is given twice"
            )
        arms = max(part["pulls"].shape[1] for part in parts)
        pulls = np.concatenate([padded(part["pulls"], arms) for part in parts])
        return cls.of(columns, pulls)

    @classmethod
    def of(cls, columns: Mapping[str, NDArray[Any]], pulls: NDArray[Any]) -> Records:
        """Return records of columns, and of pulls with a column per arm.

        Parameters
        ----------
        columns : dict
            All columns but the pulls.
        pulls : numpy.ndarray
            The pulls, with a column per arm.

        Returns
        -------
        Records
            The records.
        """
        return cls({**columns, **{f"pulls_{arm}": column for arm, column in enumerate(np.ascontiguousarray(pulls.T))}})

    def to_pandas(self) -> pandas.DataFrame:
        """Return the records as a data frame.

        Returns
        -------
        pandas.DataFrame
            The same columns.
        """
        import pandas

        return pandas.DataFrame(dict(self))

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
            horizon. ``pandas.DataFrame(records.summary())`` is a table. Bandits that occur in one seed each, such as
            random ones, are one row, whose bandit is "(one per seed)".
        """
        groups: dict[tuple[str, str, int], list[float]] = {}
        bandits = bandit_groups(self)
        for key in zip(bandits, self["policy"].tolist(), self["horizon"].tolist(), self["regret"].tolist()):
            groups.setdefault(key[:3], []).append(key[3])
        estimates = [_core.estimate(np.array(values)) for values in groups.values()]
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
            f"<td>{regret:.4g}</td><td>{low:.4g} to {high:.4g}</td></tr>"
            for bandit, policy, horizon, runs, regret, low, high in rows[:ROWS_SHOWN]
        )
        more = f"<p>{len(rows) - ROWS_SHOWN} more rows: records.summary()</p>" if len(rows) > ROWS_SHOWN else ""
        return (
            f"<p>{html.escape(repr(self))}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
        )


ONE_PER_SEED = "(one per seed)"


def bandit_groups(records: Mapping[str, Any]) -> list[str]:
    """Return the bandit of each row, or ONE_PER_SEED if every bandit has one seed: then they are a random sample."""
    runs = int(np.size(records["regret"]))
    bandits: list[Any] = np.asarray(records["bandit"]).tolist() if "bandit" in records else [""] * runs
    seeds: dict[str, set[int]] = {}
    owners: dict[int, set[str]] = {}
    numbers: Iterable[Any] = np.asarray(records["seed"]).tolist() if "seed" in records else range(runs)
    for bandit, seed in zip(bandits, numbers):
        seeds.setdefault(bandit, set()).add(seed)
        owners.setdefault(seed, set()).add(bandit)
    one_each = all(len(each) == 1 for each in seeds.values()) and all(len(each) == 1 for each in owners.values())
    is_sample = len(seeds) > 1 and one_each
    return [ONE_PER_SEED] * runs if is_sample else [str(bandit) for bandit in bandits]


def padded(pulls: NDArray[Any], arms: int) -> NDArray[Any]:
    """Return the pulls with columns of 0 up to so many arms."""
    return np.pad(pulls, ((0, 0), (0, arms - pulls.shape[1])))
