from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Protocol, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._bandit import Bandit
from ._checks import whole
from ._constraints import Constraints, texts_of
from ._policy import Setting, half_width_of, half_width_text

if TYPE_CHECKING:
    import pandas


class AskTell(Protocol):
    """A policy written in Python."""

    def ask(self) -> int: ...

    def tell(self, arm: int, reward: float) -> None: ...


BanditChoice = Union[Bandit, str, Callable[[int], Bandit]]
PolicyChoice = Union[str, Callable[[Setting], AskTell]]


class Records(dict[str, NDArray[Any]]):
    """Tidy records: a column per name, a row per run, by policy, then horizon, then seed.

    The columns are those of `longrun export`: bandit, noise, policy, horizon, seed, pulls (of every arm: two
    dimensions; 0 of arms that the bandit of the row does not have), return, optimum, regret.
    """

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame, with the pulls of arm i in the column pulls_i."""
        import pandas

        columns = {name: column for name, column in self.items() if name != "pulls"}
        columns.update({f"pulls_{arm}": pulls for arm, pulls in enumerate(self["pulls"].T)})
        return pandas.DataFrame(columns)


def simulate(
    bandit: BanditChoice,
    policies: Sequence[PolicyChoice],
    horizons: int | Sequence[int] | None = None,
    seeds: int | Sequence[int] = 1,
    threads: int = 0,
    *,
    seed: int = 0,
    half_width: float | str | None = None,
    constraints: Constraints | None = None,
    progress: bool | None = None,
) -> Records:
    """Every policy at every horizon, once per seed; the same numbers as the command line's.

    `bandit` may be a function that is given a seed and returns the bandit of that seed, for averages over bandits drawn
    at random: `lambda seed: Bandit(f"random_peaked_{seed}")`.

    A policy is a name of the catalog, "d-ucb:discount=0.99" with parameters, or a class of yours: it is called with a
    Setting and has ask() and tell(arm, reward). `seeds` is how many, counted from 1, or which; all policies see the
    same noise in the same seed. Seed r here is `longrun play --seed SEED --replicate r`, and seed r in the records of an
    experiment whose `seed` is SEED.

    The catalog's policies play on `threads` threads (0: one per core) without Python's lock; yours play after them, one
    at a time, and not under constraints. Ctrl-C stops it. `progress` shows a bar where tqdm is installed; where it is not
    said, once the work takes a while.
    """
    replicates = [whole("seeds", s, 32) for s in (range(1, whole("seeds", seeds, 32) + 1) if np.ndim(seeds) == 0 else seeds)]  # type: ignore[union-attr]
    chosen = [policies] if isinstance(policies, str) or callable(policies) else list(policies)
    bandits = bandits_of(bandit, replicates)
    if horizons is None:
        horizons = [min((one.horizon for one in bandits), default=0)]
    ends = sorted({whole("horizons", h, 63) for h in np.atleast_1d(horizons)})
    if not (ends and replicates and chosen):
        raise ValueError("nothing to simulate: it takes at least one policy, one horizon and one seed")
    names = [name_of(policy) for policy in chosen]
    if len(set(names)) < len(names):
        raise ValueError(f"two policies have the same name: {', '.join(names)}")

    core = [policy for policy in chosen if isinstance(policy, str)]
    own = [policy for policy in chosen if not isinstance(policy, str)]
    if own and constraints is not None:
        raise ValueError(f"{name_of(own[0])}: only policies of the catalog play under constraints")
    key = whole("seed", seed, 64)
    steps = sum(ends) * len(replicates)
    with progress_bar(steps * len(chosen), progress) as show:
        parts: list[Mapping[str, Any]] = []
        if core:
            parts.append(
                _core.simulate(
                    [one._core for one in bandits],
                    core,
                    ends,
                    texts_of(constraints),
                    half_width_text(half_width),
                    key,
                    replicates,
                    whole("threads", threads, 15),
                    show,
                )
            )
        played = steps * len(core)
        for policy in own:
            parts.append(play(bandits, policy, ends, half_width, key, replicates, lambda made: show(played + made)))
            played += steps
        show(steps * len(chosen))

    order = [name_of(policy) for policy in [*core, *own]]
    rows = len(ends) * len(replicates)
    places = np.concatenate([np.arange(rows) + order.index(name) * rows for name in names])
    results = {name: np.concatenate([part[name] for part in parts])[places] for name in parts[0]}
    by_seed = np.broadcast_to(np.arange(len(bandits)), len(replicates))
    bandit_names = np.array([one.name for one in bandits])[by_seed]
    noises = np.array([_core.noise_text(str(one.noise)) for one in bandits])[by_seed]
    return Records(
        bandit=np.tile(bandit_names, len(ends) * len(names)),
        noise=np.tile(noises, len(ends) * len(names)),
        policy=np.repeat(names, rows),
        horizon=np.tile(np.repeat(ends, len(replicates)), len(names)),
        seed=np.tile(replicates, len(ends) * len(names)),
        **results,
    )


def bandits_of(bandit: BanditChoice, replicates: list[int]) -> list[Bandit]:
    """One for all replicates, or one for each."""
    if isinstance(bandit, str):
        return [Bandit(bandit)]
    if isinstance(bandit, Bandit):
        return [bandit]
    if not callable(bandit):
        raise ValueError(f"{bandit!r} is no bandit: it takes a Bandit, a name, or a function from a seed to a Bandit")
    bandits = [bandit(replicate) for replicate in replicates]
    for one in bandits:
        if not isinstance(one, Bandit):
            raise ValueError(f"the function that makes bandits made {one!r}")
    return bandits


def name_of(policy: PolicyChoice) -> str:
    if isinstance(policy, str):
        return policy
    return str(getattr(policy, "name", None) or getattr(policy, "__name__", type(policy).__name__))


def play(
    bandits: list[Bandit],
    make: Callable[[Setting], AskTell],
    horizons: list[int],
    half_width: float | str | None,
    seed: int,
    replicates: list[int],
    show: Callable[[int], None],
) -> dict[str, NDArray[Any]]:
    """A policy of the user's in the world that the catalog's policies see."""
    optima = {(i, h): _core.optimum(one._core, h, {})[0] for i, one in enumerate(bandits) for h in horizons}
    rows = len(horizons) * len(replicates)
    pulls = np.zeros((rows, max(one.arms for one in bandits)), dtype=np.int64)
    earned, best = np.zeros(rows), np.zeros(rows)
    steps = 0
    for row, (horizon, i) in enumerate((h, i) for h in horizons for i in range(len(replicates))):
        place = min(i, len(bandits) - 1)
        bandit = bandits[place]
        width = half_width_of(half_width, bandit.noise, horizon)
        policy = make(Setting(bandit.arms, horizon, bandit.noise, width, seed, replicates[i]))
        world = bandit.world(horizon, seed=seed, replicate=replicates[i])
        ask, tell, pull = policy.ask, policy.tell, world.pull
        for _ in range(horizon):
            arm = ask()
            tell(arm, pull(arm))
        pulls[row, : bandit.arms] = world.pulls
        earned[row] = world.earned
        best[row] = optima[place, horizon]
        steps += horizon
        show(steps)
    regret = np.array([_core.policy_regret(*pair) for pair in zip(best, earned)])
    return {"pulls": pulls, "return": earned, "optimum": best, "regret": regret}


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
