from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np
from numpy.typing import NDArray

from ._bandit import Bandit
from ._checks import items_of, shown, whole
from ._past import warn
from ._study_checks import is_list

if TYPE_CHECKING:
    import pandas

    from ._records import Records

COLUMNS = ("step", "arm", "pull", "reward", "regret")
BYTES_PER_STEP = 24  # of a kept step: its run and five numbers of 4 bytes
BYTES_PER_REWARD = 16  # of a tabulated curve: a reward, and the sum of all up to it
MOST_MEMORY = 0.5  # share of the memory of the machine that trajectories may take
BYTES_TO_WARN = 2**30
LONGEST = 2**31  # steps of a run are numbered with 32 bits


@dataclass(frozen=True)
class KeptSteps:
    """The steps of a run that are kept: every so many and the last one, or those of a list."""

    every: int = 0
    listed: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return self.every > 0 or bool(self.listed)

    def up_to(self, steps: int) -> NDArray[np.int64]:
        if self.every == 0:
            return np.array([step for step in self.listed if step <= steps], dtype=np.int64)
        kept = np.arange(self.every, steps + 1, self.every, dtype=np.int64)
        return kept if steps % self.every == 0 else np.append(kept, steps)

    def count(self, steps: int) -> int:
        if self.every == 0:
            return sum(step <= steps for step in self.listed)
        return -(-steps // self.every)


def kept_steps_of(trajectories: Any, every: Any) -> KeptSteps:
    """Return the steps to keep."""
    if trajectories is None or trajectories is False:
        return KeptSteps(0 if every is None else whole("every", every, 31, least=1))
    if every is not None:
        raise ValueError("trajectories and every: exclude each other; give the steps to keep, or every how many")
    if trajectories is True:
        return KeptSteps(1)
    if not is_list(trajectories):  # one step, or every so many?
        raise ValueError(f"trajectories {shown(trajectories)}: must be True or a list of steps; every=10 keeps every 10th step")
    steps = sorted({whole("trajectories", step, 31, least=1) for step in items_of("trajectories", trajectories)})
    if not steps:
        raise ValueError("trajectories: no step is given; give the steps to keep, such as [1, 10, 100]")
    return KeptSteps(0, tuple(steps))


def check_memory(kept: KeptSteps, runs: Mapping[int, int]) -> None:
    """Say how much memory the kept steps of the runs take: a warning, or an error if it is too much for the machine.

    A step that no run reaches is an error. `runs` has the number of runs by horizon.
    """
    if kept.listed and kept.listed[-1] > max(runs):
        raise ValueError(f"trajectories {kept.listed[-1]}: is after the last step; the largest horizon is {max(runs)}")
    if max(runs) >= LONGEST:
        raise ValueError(f"trajectories: horizon {max(runs)} is too long; at most {LONGEST - 1} steps can be kept")
    steps = sum(kept.count(horizon) * count for horizon, count in runs.items())
    need = BYTES_PER_STEP * steps
    stated = f"{steps:,} kept steps of {sum(runs.values()):,} runs take {sized(need)} of memory"
    machine = memory_of_machine()
    if need > MOST_MEMORY * machine:
        raise ValueError(f"trajectories: {stated}, and the machine has {sized(machine)}; keep fewer steps (every=)")
    if need > BYTES_TO_WARN:
        warn(f"trajectories: {stated}")


def check_curves(arms: int, horizon: int, name: str) -> None:
    """Raise a ValueError if the tables of the curves up to the horizon do not fit into the machine."""
    need, machine = BYTES_PER_REWARD * arms * horizon, memory_of_machine()
    if need > machine:
        raise ValueError(
            f"horizons {horizon}: the curves of bandit {name!r} up to this pull take {sized(need)} of memory, and the "
            f"machine has {sized(machine)}"
        )


def memory_of_machine() -> int:
    """Return the memory of the machine in bytes."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not known on this system
        return 2**34


def sized(count: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


class Trajectories(dict[str, NDArray[Any]]):
    """Kept steps of the runs of `simulate`: a dictionary of columns, with a row per kept step.

    The columns are run (the row of the run in the records), step (from 1), arm, pull (which pull of the arm it is, from
    1), reward (as observed) and regret (the policy regret if the run ended at this step; under constraints it is known
    at the end of the run only, and nan before). Rewards and regret are 32-bit floating-point numbers, the others 32-bit
    integers: 24 bytes per kept step.
    """

    _bandits: dict[str, Bandit]  # by their labels, without those that differ from seed to seed
    _runs: dict[str, NDArray[Any]]  # the columns bandit, policy, horizon and seed of the records

    def to_pandas(self) -> pandas.DataFrame:
        """Return the steps as a data frame.

        Returns
        -------
        pandas.DataFrame
            The columns bandit, policy, horizon and seed of the run, and those of the steps.
        """
        import pandas

        frame = pandas.DataFrame(dict(self))
        for place, (name, column) in enumerate(self._runs.items()):
            if column.dtype.kind in "UO":
                values, codes = np.unique(column, return_inverse=True)
                frame.insert(place, name, pandas.Categorical.from_codes(codes[self["run"]], categories=values))
            else:
                frame.insert(place, name, column[self["run"]])
        return frame

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the steps to a Parquet file, which needs pyarrow.

        Parameters
        ----------
        path : str or path
            The file. It has the columns of `to_pandas`.
        """
        import pyarrow
        import pyarrow.parquet

        columns: dict[str, Any] = {}
        for name, column in self._runs.items():
            if column.dtype.kind in "UO":
                values, codes = np.unique(column, return_inverse=True)
                columns[name] = pyarrow.DictionaryArray.from_arrays(
                    codes[self["run"]].astype(np.int32), values.tolist()
                )
            else:
                columns[name] = column[self["run"]]
        pyarrow.parquet.write_table(pyarrow.table({**columns, **self}), os.fspath(path))

    @property
    def nbytes(self) -> int:
        """Memory of all columns in bytes."""
        return sum(column.nbytes for column in self.values())

    def of_run(self, run: int) -> dict[str, NDArray[Any]]:
        """Return the kept steps of one run.

        Parameters
        ----------
        run : int
            The row of the run in the records.

        Returns
        -------
        dict of str to numpy.ndarray
            The columns step, arm, pull, reward and regret.

        Raises
        ------
        ValueError
            If the records have no such row.
        """
        row, runs = whole("run", run, 63), len(self._runs["seed"])
        if row >= runs:
            raise ValueError(f"run {row}: must be the row of one of the {runs} runs, counted from 0")
        rows = slice(*np.searchsorted(self["run"], [row, row + 1]))
        return {name: self[name][rows] for name in COLUMNS}

    def _of_rows(self, rows: NDArray[np.bool_]) -> Trajectories:
        """Return the kept steps of some runs. `rows` says for each row of the records whether it is one of them."""
        kept = rows[self["run"]]
        result = Trajectories({name: column[kept] for name, column in self.items()})
        result["run"] = (np.cumsum(rows) - 1)[result["run"]].astype(np.int32)
        result._bandits = self._bandits
        result._runs = {name: column[rows] for name, column in self._runs.items()}
        return result

    def __repr__(self) -> str:
        return (
            f"<longrun.Trajectories: {len(self['step'])} steps of {len(self._runs['seed'])} runs, {sized(self.nbytes)}>"
        )


def trajectories_of(
    records: Records, parts: list[dict[str, NDArray[Any]]], bandits: Mapping[str, Bandit]
) -> Trajectories:
    """Return the trajectories of records, from those of each of their runs."""
    lengths = [len(part["step"]) for part in parts]
    result = Trajectories(run=np.repeat(np.arange(len(parts), dtype=np.int32), lengths))
    for name in COLUMNS:
        kind = np.float32 if name in ("reward", "regret") else np.int32
        result[name] = np.concatenate([part[name] for part in parts]) if parts else np.zeros(0, dtype=kind)
    result._bandits = dict(bandits)
    result._runs = {name: records[name] for name in ("bandit", "policy", "horizon", "seed")}
    return result
