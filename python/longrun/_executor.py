"""Tasks in an executor of ``concurrent.futures``: processes, clusters."""

from __future__ import annotations

import functools
import pickle
import sys
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from multiprocessing.reduction import ForkingPickler
from typing import Any, Callable

from ._checks import shown
from ._records import Records
from ._units import Result, Task, compute

ATTEMPTS = 3  # for a task whose worker is lost
TASKS_PER_SIMULATION = 128  # at most, unless there are more bandits: enough for many workers, and few for the scheduler
NOT_SENT = (pickle.PicklingError, AttributeError, TypeError, ImportError)  # pickle raises these for what it cannot send


class LostWorkerError(RuntimeError):
    """An executor that lost the workers of the same task again and again, with everything that was finished.

    Parameters
    ----------
    message : str
        The error in one line.
    records : Records, optional
        The finished runs.
    """

    def __init__(self, message: str, records: Records | None = None) -> None:
        super().__init__(message)
        self.records = Records._empty() if records is None else records


class PoolExecutor:
    """A pool with ``apply_async``, such as multiprocessing.Pool or Ray's, in the form of an executor."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def submit(self, function: Callable[[Task], Result], task: Task) -> PoolFuture:
        return PoolFuture(self._pool.apply_async(function, (task,)))


class PoolFuture:
    """A task of a pool."""

    def __init__(self, outcome: Any) -> None:
        self.result: Callable[[], Result] = outcome.get
        self.done: Callable[[], bool] = outcome.ready

    def cancel(self) -> bool:
        return False  # a pool computes every task that it has taken


def executor_of(executor: Any) -> Any:
    """Return the object as an executor."""
    if isinstance(executor, type):
        raise ValueError(f"executor {executor.__name__}: is a class; create an executor, such as {executor.__name__}()")
    if callable(getattr(executor, "submit", None)):
        return executor
    if callable(getattr(executor, "apply_async", None)):
        return PoolExecutor(executor)
    raise ValueError(
        f"executor {shown(executor)}: must have a method submit(), such as concurrent.futures.ProcessPoolExecutor()"
    )


def tasks_for(tasks: list[Task]) -> list[Task]:
    """Return the same units as tasks of a size that suits an executor."""
    units = sum(len(task.seeds) for task in tasks)
    size = max(1, -(-units // TASKS_PER_SIMULATION))
    return [part for task in tasks for part in task.split(-(-len(task.seeds) // size))]


def compute_in(executor: Any, tasks: list[Task], show: Callable[[int], None]) -> list[Result]:
    """Compute all tasks and return the results of those that are finished, even if one of them ends with an error.

    The tasks of a lost worker are computed again: in the executor or, if it is broken, in new processes. Raises
    LostWorkerError after ATTEMPTS losses. The units do not depend on where they are computed.
    """
    if isinstance(executor, ProcessPoolExecutor):  # a pool that fails to pickle may never shut down (Python 3.11)
        try:
            ForkingPickler.dumps(tasks[0].plan)
        except NOT_SENT as error:
            raise not_sent(" ".join(str(error).split())) from error
    check_modules(executor, tasks[0])
    results: dict[int, Result] = {}
    left = list(range(len(tasks)))
    pool, own_pool = executor, None
    loss: BaseException | None = None
    try:
        for _ in range(ATTEMPTS):
            loss = submit_all(pool, tasks, left, results, show)
            left = [number for number in left if number not in results]
            if not left or any(result.error is not None for result in results.values()):
                return [results[number] for number in sorted(results)]
            if own_pool is not None:
                own_pool.shutdown()
            if isinstance(loss, BrokenExecutor):  # it takes no more work
                workers = min(len(left), getattr(executor, "_max_workers", None) or 1)
                pool = own_pool = ProcessPoolExecutor(workers, mp_context=getattr(executor, "_mp_context", None))
    finally:
        if own_pool is not None:
            own_pool.shutdown(cancel_futures=True)
    task = tasks[left[0]]
    why = " ".join(f"{type(loss).__name__}: {loss}".split())
    message = (
        f"executor: the worker of bandit {task.bandit(0).name}, seed {task.seeds[0]} was lost {ATTEMPTS} times ({why})"
    )
    lost = LostWorkerError(message)
    lost._results = [results[number] for number in sorted(results)]  # type: ignore[attr-defined]
    raise lost from loss


def not_sent(why: str) -> ValueError:
    return ValueError(
        f"executor: cannot send the policies ({why}); define policies at the top level of a module, or use loky"
    )


def check_modules(executor: Any, task: Task) -> None:
    """Raise a ValueError for a policy of an interactive session, such as a notebook, that new processes cannot import."""
    context = getattr(executor, "_mp_context", None) or getattr(getattr(executor, "_pool", None), "_ctx", None)
    if context is None or context.get_start_method() == "fork" or hasattr(sys.modules["__main__"], "__file__"):
        return
    for _, name, make in task.plan.own:
        while isinstance(make, functools.partial):
            make = make.func
        if getattr(make, "__module__", None) == "__main__":
            raise not_sent(f"'{name}' is of an interactive session, which new processes cannot import")


def submit_all(
    pool: Any, tasks: list[Task], left: list[int], results: dict[int, Result], show: Callable[[int], None]
) -> BaseException | None:
    """Compute tasks until all have ended or one of them ends with an error. Return the last error of the executor."""
    futures: dict[int, Any] = {}
    loss: BaseException | None = None
    try:
        for number in left:
            try:
                futures[number] = pool.submit(compute, tasks[number])
            except BrokenExecutor as error:
                loss = error
                break
        for number, future in futures.items():
            try:
                results[number] = future.result()
            except NOT_SENT as error:
                raise not_sent(" ".join(str(error).split())) from error
            except Exception as error:
                loss = error
                continue
            show(sum(tasks[done].steps for done in results))
            if results[number].error is not None:
                break
    finally:
        for future in futures.values():
            future.cancel()
    for number, future in futures.items():  # those that have finished meanwhile
        if number not in results and future.done():
            try:
                results[number] = future.result()
            except BaseException:  # cancelled, or lost  # noqa: BLE001
                continue
    return loss
