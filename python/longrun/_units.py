"""The units of a simulation, one bandit and one seed each, and how tasks of several units are computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._bandit import Bandit
from ._constraints import ConstraintFields
from ._own_policy import MakePolicy, Optima, OwnRun, PolicyError
from ._policy import half_width_text
from ._records import Records, padded
from ._trajectories import COLUMNS, KeptSteps, trajectories_of

Part = dict[str, Any]  # columns of finished runs, and their kept steps


@dataclass(frozen=True)
class Plan:
    """What is played in every unit."""

    catalog: list[tuple[int, str]]  # the policies of the catalog, with their places in the records
    own: list[tuple[int, str, MakePolicy]]  # those written in Python, with their names
    half_width: float | str | None
    root_seed: int
    kept: KeptSteps


@dataclass(frozen=True)
class Task:
    """Some units of one bandit, or of one function from a seed to a bandit."""

    plan: Plan
    entry: int  # place of the bandit in the records
    bandits: list[Bandit]  # one for all seeds, or one for each
    horizons: list[int]
    constraints: ConstraintFields
    places: list[int]  # of the seeds in the records
    seeds: list[int]
    one_per_seed: bool = False  # whether a function returned the bandits

    @property
    def steps(self) -> int:
        """Steps of all units."""
        return sum(self.horizons) * len(self.seeds) * (len(self.plan.catalog) + len(self.plan.own))

    def bandit(self, place: int) -> Bandit:
        return self.bandits[place if self.one_per_seed else 0]

    def split(self, tasks: int) -> list[Task]:
        """Return the same units as several tasks."""
        bounds = [len(self.seeds) * part // tasks for part in range(tasks + 1)]
        parts = []
        for begin, end in zip(bounds, bounds[1:]):
            bandits = self.bandits[begin:end] if self.one_per_seed else self.bandits
            parts.append(
                Task(
                    self.plan,
                    self.entry,
                    bandits,
                    self.horizons,
                    self.constraints,
                    self.places[begin:end],
                    self.seeds[begin:end],
                    self.one_per_seed,
                )
            )
        return [part for part in parts if part.seeds]

    def own_runs(self) -> list[tuple[int, int, int, OwnRun]]:
        """Return the runs of policies written in Python, with the places of policy, horizon and seed."""
        return [
            (
                place,
                horizon,
                seed,
                OwnRun(
                    name,
                    make,
                    self.bandit(i),
                    horizon,
                    self.constraints,
                    self.plan.half_width,
                    self.plan.root_seed,
                    self.seeds[i],
                ),
            )
            for place, name, make in self.plan.own
            for horizon in self.horizons
            for i, seed in enumerate(self.places)
        ]


@dataclass
class Result:
    """The finished runs of a task, and the error that ended it, if any."""

    parts: list[Part] = field(default_factory=list)
    error: Exception | None = None


def play_own(task: Task, show: Callable[[int], None]) -> Result:
    """Play the policies that are written in Python."""
    result = Result()
    optima, done = Optima(), 0
    rows: list[tuple[int, int, int, Any]] = []
    try:
        for place, horizon, seed, run in task.own_runs():
            before = done
            rows.append((place, horizon, seed, run.play(optima, task.plan.kept, lambda step: show(before + step))))  # noqa: B023
            done += horizon
            show(done)
    except Exception as error:
        result.error = error
    if rows:
        runs = [row[3] for row in rows]
        arms = max(len(run.pulls) for run in runs)
        earned, optimum = np.array([run.earned for run in runs]), np.array([run.optimum for run in runs])
        result.parts.append(
            {
                "entry": np.full(len(rows), task.entry),
                "policy": np.array([row[0] for row in rows]),
                "horizon": np.array([row[1] for row in rows], dtype=np.int64),
                "seed": np.array([row[2] for row in rows]),
                "pulls": np.concatenate([padded(run.pulls[np.newaxis], arms) for run in runs]),
                "earned": earned,
                "optimum": optimum,
                "regret": np.array([_core.policy_regret(*pair) for pair in zip(optimum, earned)]),
                "steps": [run.steps for run in runs],
            }
        )
    return result


def play_catalog(tasks: list[Task], threads: int, show: Callable[[int], None]) -> Part:
    """Play the policies of the catalog in tasks with the same horizons and constraints."""
    first = tasks[0]
    plan = first.plan
    bandits = [bandit for task in tasks for bandit in task.bandits]
    units, entries, seeds = [], [], []
    before = 0
    for task in tasks:
        for i, seed in enumerate(task.seeds):
            units.append((before + (i if task.one_per_seed else 0), seed))
        entries += [task.entry] * len(task.seeds)
        seeds += task.places
        before += len(task.bandits)
    columns = _core.simulate(
        [bandit._core for bandit in bandits],
        units,
        [name for _, name in plan.catalog],
        first.horizons,
        first.constraints,
        half_width_text(plan.half_width),
        plan.root_seed,
        threads,
        plan.kept.every,
        list(plan.kept.listed),
        show,
    )
    cells = len(plan.catalog) * len(first.horizons)
    part: Part = {name: columns[name] for name in ("pulls", "earned", "optimum", "regret")}
    part["entry"] = np.tile(entries, cells)
    part["seed"] = np.tile(seeds, cells)
    part["policy"] = np.repeat([place for place, _ in plan.catalog], len(first.horizons) * len(units))
    part["horizon"] = np.tile(np.repeat(np.array(first.horizons, dtype=np.int64), len(units)), len(plan.catalog))
    part["steps"] = kept_steps_in(columns["trajectories"]) if plan.kept else [None] * (cells * len(units))
    return part


def kept_steps_in(steps: Any) -> list[dict[str, NDArray[Any]]]:
    """Return the kept steps of each run."""
    spans = zip(steps["room"].tolist(), steps["kept"].tolist())
    return [{name: steps[name][begin : begin + count] for name in COLUMNS} for begin, count in spans]


def compute(task: Task) -> Result:
    """Compute a task in an executor, on one thread. An error of the computation is returned, not raised.

    So whatever a future raises is an error of the executor.
    """
    result = play_own(task, lambda done: None)
    if result.error is None and task.plan.catalog:
        try:
            result.parts.append(play_catalog([task], 1, lambda done: None))
        except Exception as error:
            result.error = error
    if isinstance(result.error, PolicyError):
        result.error.__cause__ = None  # `details` has its traceback; it may be of a class that cannot be pickled
        result.error.__traceback__ = None
    return result


def records_of(
    parts: list[Part], tasks: list[Task], labels: list[str | None], policies: list[str], seeds: list[int]
) -> Records:
    """Return the finished runs in the order of the records. A label of None stands for the names of the bandits."""
    if not parts:
        return Records._empty()
    arms = max(part["pulls"].shape[1] for part in parts)
    columns = {
        name: np.concatenate([part[name] for part in parts])
        for name in ("entry", "policy", "horizon", "seed", "earned", "optimum", "regret")
    }
    pulls = np.concatenate([padded(part["pulls"], arms) for part in parts])
    order = np.lexsort((columns["seed"], columns["horizon"], columns["policy"], columns["entry"]))
    columns = {name: column[order] for name, column in columns.items()}
    names: dict[tuple[int, int], str] = {}
    noises: dict[tuple[int, int], str] = {}
    for task in tasks:
        for i, place in enumerate(task.places):
            bandit = task.bandit(i)
            label = labels[task.entry]
            names[task.entry, place] = bandit.name if label is None else label
            noises[task.entry, place] = _core.noise_text(bandit.noise._fields())
    keys = list(zip(columns["entry"].tolist(), columns["seed"].tolist()))
    records = Records._of(
        {
            "bandit": np.array([names[key] for key in keys]),
            "noise": np.array([noises[key] for key in keys]),
            "policy": np.array(policies)[columns["policy"]],
            "horizon": columns["horizon"],
            "seed": np.array(seeds)[columns["seed"]],
            "earned": columns["earned"],
            "optimum": columns["optimum"],
            "regret": columns["regret"],
        },
        pulls[order],
    )
    records._sampled = frozenset(
        names[task.entry, place]
        for task in tasks
        if task.one_per_seed and labels[task.entry] is None
        for place in task.places
    )
    if tasks[0].plan.kept:
        steps = [one for part in parts for one in part["steps"]]
        bandits = {names[task.entry, task.places[0]]: task.bandits[0] for task in tasks if not task.one_per_seed}
        records.trajectories = trajectories_of(records, [steps[row] for row in order], bandits)
    return records
