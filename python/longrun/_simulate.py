from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Callable, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._bandit import Bandit, Curves
from ._checks import checked_label, items_of, shown, text_of, whole
from ._constraints import ConstraintFields, Constraints, fields_of
from ._executor import LostWorkerError, compute_in, executor_of, tasks_for
from ._own_policy import AskTell, PolicyChoice, PolicyError, name_of
from ._policy import Setting, half_width_of
from ._progress import progress_bar
from ._question import threads_of
from ._records import Records
from ._study_checks import is_list
from ._trajectories import KeptSteps, check_curves, check_memory, kept_steps_of
from ._units import Plan, Result, Task, play_catalog, play_own, records_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

BanditChoice = Union[Bandit, Curves, Callable[[int], Bandit]]
PoliciesChoice = Union[PolicyChoice, Iterable[PolicyChoice], Mapping[str, PolicyChoice]]
Numbers = Union[int, Iterable[int], NDArray[Any]]


def simulate(
    bandit: BanditChoice | Iterable[BanditChoice] | Mapping[str, BanditChoice],
    policies: PoliciesChoice,
    horizons: Numbers | None = None,
    seeds: Numbers = 1,
    threads: int | None = None,
    *,
    root_seed: int = 0,
    half_width: float | str | None = None,
    constraints: Constraints | None = None,
    trajectories: bool | Iterable[int] | None = None,
    every: int | None = None,
    executor: Executor | Any | None = None,
    progress: bool | None = None,
) -> Records:
    """Play every policy at every horizon, once per seed.

    All policies observe the same noise in the same seed. The results equal those of the command line: seed r is
    ``longrun play --seed ROOT_SEED --replicate r``, and seed r in the records of an experiment whose ``seed`` is
    ROOT_SEED. Policies written in Python play first, one run at a time, so that an error of theirs comes early;
    policies of the catalog play without Python's global lock. Ctrl-C stops the computation.

    Parameters
    ----------
    bandit : Bandit or str or array or pandas.DataFrame or sequence or callable or mapping
        A bandit; curves that `Bandit` accepts, without noise; a function that returns the bandit of a seed, for averages
        over random bandits; or several of these: a list of bandits or names, or a mapping from labels to bandits.
        Records name bandits by their labels or names.
    policies : str or callable, an iterable of these, or a mapping from labels to these
        A policy of the catalog with its parameters, such as "d-ucb:discount=0.99", or a class that is called with a
        `Setting` and has the methods of `AskTell`. Records name a policy by its label; without one, a class by its
        attribute ``name``, if that is a string, or by its own name. ``functools.partial`` sets parameters.
    horizons : int or iterable of int, optional
        Numbers of pulls; under constraints, budgets in units. By default, the horizon of each bandit; of the
        bandits of a function, the shortest one.
    seeds : int or iterable of int
        Number of seeds, counted from 1, or the seeds. All seeds, policies, horizons and bandits together are at most
        10^7 runs.
    threads : int, optional
        Number of threads. By default, one per core.
    root_seed : int
        Seed from which all random numbers are derived. Another root seed gives other noise in the same seeds.
    half_width : float or str, optional
        Half-width of the interval around an observation: a number, "bound", "2sd" or "failure:P". By default, the
        paper's choice for the noise.
    constraints : Constraints, optional
        Constraints of policies and optimum. A policy written in Python then needs ``ask(among)``.
    trajectories : bool or iterable of int, optional
        The steps of every run that are kept, or True for all. `Records.trajectories` has them: 24 bytes per kept step.
        A step after the largest horizon is refused.
    every : int, optional
        Keep every so many steps, and the last one of a run.
    executor : concurrent.futures.Executor, optional
        Computes the units, of one bandit and one seed each, in place of threads: processes, Dask, MPI and others; or a
        pool with ``apply_async``. The records are the same to the last bit. Tasks of a lost worker are computed again.
    progress : bool, optional
        Whether to show a progress bar, which needs tqdm. By default, it is shown after one second if tqdm is
        installed, in a terminal or a notebook.

    Returns
    -------
    Records
        A row per bandit, policy, horizon and seed.

    Raises
    ------
    ValueError
        If an argument is invalid.
    PolicyError
        If a policy written in Python raises an error or returns an arm that does not exist. Its attribute ``records``
        has the finished runs.
    LostWorkerError
        If the workers of an executor are lost again and again.

    Examples
    --------
    >>> bandit = longrun.Bandit("inc_dec_3", noise=longrun.Gaussian(0.05))
    >>> records = longrun.simulate(bandit, ["foresight", "spo"], horizons=[500, 1000], seeds=20)
    >>> records = longrun.simulate(lambda seed: longrun.Bandit(f"random_peaked_{seed}"), "spo", 500, seeds=10)
    >>> records = longrun.simulate(["inc_1", "inc_2"], {"mine": "spo"}, 100, every=10)
    """
    replicates = seeds_of(seeds)
    chosen = policies_of(policies)
    kept = kept_steps_of(trajectories, every)
    ends = None if horizons is None else sorted({whole("horizons", h, 63, least=1) for h in items_of("horizons", horizons)})
    if not (replicates and chosen and ends != []):
        raise ValueError("nothing to simulate; give at least one policy, one horizon and one seed")
    names = [name for name, _ in chosen]
    plan = Plan(
        catalog=[(place, policy) for place, (_, policy) in enumerate(chosen) if isinstance(policy, str)],
        own=[(place, name, policy) for place, (name, policy) in enumerate(chosen) if not isinstance(policy, str)],
        half_width=half_width,
        root_seed=whole("root_seed", root_seed, 64),
        kept=kept,
    )
    labels, tasks = [], []
    for entry, (label, bandits, one_per_seed) in enumerate(entries_of(bandit, replicates, ends)):
        own_ends = [min((one.horizon for one in bandits))] if ends is None else ends
        fields = constraint_fields(constraints, bandits)
        labels.append(label)
        places = list(range(len(replicates)))
        tasks.append(Task(plan, entry, bandits, own_ends, fields, places, replicates, one_per_seed))
    if not tasks:
        raise ValueError("nothing to simulate; give at least one bandit")
    check_runs(sum(len(task.horizons) * len(task.seeds) for task in tasks) * len(chosen))
    check(tasks, kept)
    workers = threads_of(threads)
    engine = None if executor is None else executor_of(executor)

    if executor is not None and threads is not None:
        raise ValueError("threads and executor: exclude each other; the executor has its own workers")

    def finished(results: list[Result]) -> Records:
        return records_of([part for result in results for part in result.parts], tasks, labels, names, replicates)

    with progress_bar(sum(task.steps for task in tasks), progress) as show:
        if engine is not None:
            try:
                results = compute_in(engine, tasks_for(tasks), show)
            except LostWorkerError as error:
                error.records = finished(error.__dict__.pop("_results"))
                raise
        else:
            results = compute_here(tasks, workers, show)
        failed = next((result.error for result in results if result.error is not None), None)
        if failed is not None:
            if isinstance(failed, PolicyError):
                failed.records = finished(results)
            raise failed
        show(sum(task.steps for task in tasks))
    return finished(results)


def compute_here(tasks: list[Task], threads: int, show: Callable[[int], None]) -> list[Result]:
    """Compute all tasks in this process: first the policies written in Python, then those of the catalog."""
    results, done = [], 0
    for task in tasks:
        before = done
        results.append(play_own(task, lambda steps: show(before + steps)))  # noqa: B023
        if results[-1].error is not None:
            return results
        done += sum(task.horizons) * len(task.seeds) * len(task.plan.own)
    groups: dict[Any, list[Task]] = {}
    for task in tasks:
        groups.setdefault((tuple(task.horizons), task.constraints), []).append(task)
    if not tasks[0].plan.catalog:
        return results
    for group in groups.values():
        before = done
        results.append(Result([play_catalog(group, threads, lambda steps: show(before + steps))]))  # noqa: B023
        done += sum(sum(task.horizons) * len(task.seeds) * len(task.plan.catalog) for task in group)
    return results


def check(tasks: list[Task], kept: KeptSteps) -> None:
    """Raise an error for what is invalid, before anything is played."""
    for task in tasks:
        for bandit in task.bandits:
            for horizon in task.horizons:
                _core.check_horizon(bandit._core, horizon)
                half_width_of(task.plan.half_width, bandit.noise, horizon)
    for _, name in tasks[0].plan.catalog:
        _core.check_policy(text_of("policies", name))
    first_runs = {run.name: run for _, _, _, run in reversed(tasks[0].own_runs())}
    for run in first_runs.values():
        run.make_policy()
    if kept:
        runs: dict[int, int] = {}
        for task in tasks:
            for horizon in task.horizons:
                policies = len(task.plan.catalog) + len(task.plan.own)
                runs[horizon] = runs.get(horizon, 0) + len(task.seeds) * policies
        check_memory(kept, runs)
    for task in tasks:
        for bandit in task.bandits:
            check_curves(bandit.arms, task.horizons[-1], bandit.name)


MOST_RUNS = 10**7  # of one call; each takes several hundred bytes


def check_runs(runs: int) -> None:
    if runs > MOST_RUNS:
        raise ValueError(f"seeds: at least {runs:,} runs are too many for one call; at most {MOST_RUNS:,} are accepted")


def seeds_of(seeds: Any) -> list[int]:
    if not is_list(seeds):
        count = whole("seeds", seeds, 32)
        check_runs(count)
        return list(range(1, count + 1))
    if hasattr(seeds, "__len__"):
        check_runs(len(seeds))
    replicates = [whole("seeds", seed, 32) for seed in items_of("seeds", seeds)]
    if len(set(replicates)) < len(replicates):
        raise ValueError(f"seeds {shown(replicates)}: contain a duplicate; give each seed once")
    return replicates


def policies_of(policies: Any) -> list[tuple[str, PolicyChoice]]:
    """Return the policies with their names."""
    if isinstance(policies, Mapping):
        named = [(label_of("policies", each), policy) for each, policy in policies.items()]
        for _, policy in named:
            name_of(policy)  # raises ValueError for what is not a policy
    else:
        if isinstance(policies, str) or callable(policies):
            policies = [policies]
        elif isinstance(policies, (set, frozenset)):
            policies = sorted(policies, key=name_of)
        elif policies is None or not is_list(policies):
            policies = [] if policies is None else [policies]
        named = [(name_of(policy), policy) for policy in policies]
    names = [name for name, _ in named]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"policies: two are called {twice!r}; give labels, {{label: policy}}")
    return [(name, str(policy) if isinstance(policy, str) else policy) for name, policy in named]


def label_of(name: str, key: Any) -> str:
    """Return the key of a mapping as a label."""
    text = checked_label(f"{name}: label", str(key))
    if not text:
        raise ValueError(f"{name}: a label is empty")
    return text


Entry = tuple[Union[str, None], list[Bandit], bool]  # a label, bandits, and whether a function returned them


def entries_of(bandit: Any, replicates: list[int], ends: list[int] | None) -> list[Entry]:
    """Return the bandits with their labels; None stands for the names of the bandits.

    An entry has one bandit for all replicates, or, from a function, one for each.
    """
    if isinstance(bandit, Mapping):
        labels = [label_of("bandit", each) for each in bandit]
        for each in labels:
            if labels.count(each) > 1:
                raise ValueError(f"bandit: two labels are {each!r} as text; labels must differ")
        return [entry_of(each, one, replicates, ends) for each, one in zip(labels, bandit.values())]
    if (
        isinstance(bandit, (Bandit, str, np.ndarray))
        or hasattr(bandit, "columns")
        or callable(bandit)
        or not is_list(bandit)
    ):
        return [entry_of(None, bandit, replicates, ends)]
    several: list[Any] = sorted(bandit, key=str) if isinstance(bandit, (set, frozenset)) else list(bandit)
    whole_bandits = [isinstance(one, (Bandit, str)) or dimensions(one) == 2 for one in several]
    if not several:
        return []
    if not any(whole_bandits):
        return [entry_of(None, several, replicates, ends)]
    if not all(whole_bandits):
        raise ValueError("bandit: the list has bandits and single curves; give bandits, or the curves of one bandit")
    entries = [bandits_of(one, replicates, ends) for one in several]
    names = [bandits[0].name for bandits in entries]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"bandit: two are called {name!r}; give labels, {{label: bandit}}")
    return [(name, bandits, False) for name, bandits in zip(names, entries)]


def entry_of(label: str | None, bandit: Any, replicates: list[int], ends: list[int] | None) -> Entry:
    is_function = callable(bandit) and not isinstance(bandit, Bandit)
    return label, bandits_of(bandit, replicates, ends), is_function


def dimensions(value: Any) -> int:
    if callable(value):
        return 0
    try:
        return int(np.ndim(value))
    except ValueError:  # rows of different lengths
        return 1


def bandits_of(bandit: Any, replicates: list[int], ends: list[int] | None) -> list[Bandit]:
    """Return one bandit for all replicates, or one for each."""
    if isinstance(bandit, Bandit):
        return [bandit]
    if isinstance(bandit, type):
        raise ValueError(f"bandit {bandit.__name__}: is a class; create a bandit, such as longrun.Bandit('inc_dec_3')")
    if not callable(bandit):
        if not isinstance(bandit, str) and not is_list(bandit):
            raise ValueError(
                f"bandit {shown(bandit)}: must be a Bandit, curves that Bandit() accepts, or a function from a seed to a Bandit"
            )
        curves: Any = bandit if isinstance(bandit, (str, np.ndarray)) or hasattr(bandit, "columns") else list(bandit)
        has_functions = isinstance(curves, list) and any(callable(curve) for curve in curves)
        return [Bandit(curves, horizon=max(ends) if has_functions and ends else None)]
    bandits = [bandit(replicate) for replicate in replicates]
    for one in bandits:
        if not isinstance(one, Bandit):
            raise ValueError(f"bandit: the function returned {shown(one)}; it must return a Bandit")
    return bandits


def constraint_fields(constraints: Constraints | None, bandits: list[Bandit]) -> ConstraintFields:
    """Return the constraints of all bandits. A name must be that of the same arm in every bandit."""
    fields = [fields_of(constraints, one.arm_names) for one in bandits]
    if any(other != fields[0] for other in fields):
        raise ValueError("constraints: a name is that of another arm in another bandit; give numbers")
    return fields[0]


__all__ = ["AskTell", "LostWorkerError", "PolicyError", "Records", "Setting", "simulate"]
