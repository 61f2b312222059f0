from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Protocol, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._bandit import Bandit
from ._policy import Setting, half_width_of, half_width_text, whole

if TYPE_CHECKING:
    import pandas


class AskTell(Protocol):
    """A policy written in Python."""

    def ask(self) -> int: ...

    def tell(self, arm: int, reward: float) -> None: ...


PolicyChoice = Union[str, Callable[[Setting], AskTell]]


class Records(dict[str, NDArray[Any]]):
    """Tidy records: a column per name, a row per run, by policy, then horizon, then seed.

    The columns are those of `longrun export`: bandit, noise, policy, horizon, seed, pulls (of every arm: two
    dimensions), return, optimum, regret.
    """

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame, with the pulls of arm i in the column pulls_i."""
        import pandas

        columns = {name: column for name, column in self.items() if name != "pulls"}
        columns.update({f"pulls_{arm}": pulls for arm, pulls in enumerate(self["pulls"].T)})
        return pandas.DataFrame(columns)


def simulate(
    bandit: Bandit,
    policies: Sequence[PolicyChoice],
    horizons: Sequence[int] | None = None,
    seeds: int | Sequence[int] = 1,
    threads: int = 0,
    *,
    seed: int = 0,
    half_width: float | str | None = None,
    progress: bool | None = None,
) -> Records:
    """Every policy at every horizon, once per seed; the same numbers as the command line's.

    A policy is a name of the catalog, "d-ucb:discount=0.99" with parameters, or a class of yours: it is called with a
    Setting and has ask() and tell(arm, reward). `seeds` is how many, counted from 1, or which; all policies see the
    same noise in the same seed. Seed r here is `longrun play --seed SEED --replicate r`, and seed r in the records of an
    experiment whose `seed` is SEED.

    The catalog's policies play on `threads` threads (0: one per core) without Python's lock; yours play after them, one
    at a time. Ctrl-C stops it at the end of a run. `progress` shows a bar where tqdm is installed; where it is not said,
    once the work takes a while.
    """
    ends = sorted({int(h) for h in ([bandit.horizon] if horizons is None else horizons)})
    replicates = [whole("seeds", s, 32) for s in (range(1, seeds + 1) if isinstance(seeds, (int, np.integer)) else seeds)]
    chosen = [policies] if isinstance(policies, str) or callable(policies) else list(policies)
    if not (ends and replicates and chosen):
        raise ValueError("nothing to simulate: it takes at least one policy, one horizon and one seed")
    if ends[0] < 1:
        raise ValueError("a bandit without a horizon of its own needs horizons of at least 1")
    names = [name_of(policy) for policy in chosen]
    if len(set(names)) < len(names):
        raise ValueError(f"two policies have the same name: {', '.join(names)}")

    core = [policy for policy in chosen if isinstance(policy, str)]
    own = [policy for policy in chosen if not isinstance(policy, str)]
    text = half_width_text(half_width)
    steps = sum(ends) * len(replicates)
    with progress_bar(steps * len(chosen), progress) as show:
        parts: list[Mapping[str, Any]] = []
        if core:
            parts.append(_core.simulate(bandit._core, core, ends, text, whole("seed", seed, 64), replicates, threads, show))
        played = steps * len(core)
        for policy in own:
            parts.append(play(bandit, policy, ends, half_width, seed, replicates, lambda made: show(played + made)))
            played += steps
        show(steps * len(chosen))

    order = [name_of(policy) for policy in [*core, *own]]
    rows = len(ends) * len(replicates)
    places = np.concatenate([np.arange(rows) + order.index(name) * rows for name in names])
    results = {name: np.concatenate([part[name] for part in parts])[places] for name in parts[0]}
    return Records(
        bandit=np.repeat(bandit.name, rows * len(names)),
        noise=np.repeat(_core.noise_text(str(bandit.noise)), rows * len(names)),
        policy=np.repeat(names, rows),
        horizon=np.tile(np.repeat(ends, len(replicates)), len(names)),
        seed=np.tile(replicates, len(ends) * len(names)),
        **results,
    )


def name_of(policy: PolicyChoice) -> str:
    if isinstance(policy, str):
        return policy
    return str(getattr(policy, "name", None) or getattr(policy, "__name__", type(policy).__name__))


def play(
    bandit: Bandit,
    make: Callable[[Setting], AskTell],
    horizons: list[int],
    half_width: float | str | None,
    seed: int,
    replicates: list[int],
    show: Callable[[int], None],
) -> dict[str, NDArray[Any]]:
    """A policy of the user's in the world that the catalog's policies see."""
    pulls, earned, best = [], [], []
    steps = 0
    for horizon in horizons:
        width = half_width_of(half_width, bandit.noise, horizon)
        optimum = _core.optimum(bandit._core, horizon)[0]
        for replicate in replicates:
            policy = make(Setting(bandit.arms, horizon, bandit.noise, width, seed, replicate))
            world = _core.World(bandit._core, horizon, seed, replicate)
            ask, tell, pull = policy.ask, policy.tell, world.pull
            for _ in range(horizon):
                arm = ask()
                tell(arm, pull(arm))
            pulls.append(world.pulls)
            earned.append(world.earned)
            best.append(optimum)
            steps += horizon
            show(steps)
    return {
        "pulls": np.array(pulls),
        "return": np.array(earned),
        "optimum": np.array(best),
        "regret": np.array([_core.policy_regret(*pair) for pair in zip(best, earned)]),
    }


@contextmanager
def progress_bar(steps: int, wanted: bool | None) -> Iterator[Callable[[int], None]]:
    """Yields what is to be called with the steps made so far."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a notebook without widgets gets a bar of characters, which will do
            from tqdm.auto import tqdm
    except ImportError:
        if wanted:
            raise
        wanted = False
    if wanted is False:
        yield lambda done: None
        return
    with tqdm(total=steps, unit=" steps", unit_scale=True, delay=0 if wanted else 1, leave=bool(wanted)) as bar:
        yield lambda done: bar.update(done - bar.n) and None
