from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Mapping, Protocol, Sequence, SupportsIndex, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._bandit import Bandit
from ._checks import whole
from ._constraints import Constraints, texts_of
from ._policy import Setting, half_width_of, half_width_text
from ._progress import progress_bar

if TYPE_CHECKING:
    import pandas


class AskTell(Protocol):
    """A policy written in Python.

    `simulate` calls the class of such a policy with a `Setting`.
    """

    def ask(self) -> SupportsIndex:
        """Return the arm to pull next.

        Returns
        -------
        int
            Number of the arm, from 0.
        """
        ...

    def tell(self, arm: int, reward: float) -> None:
        """Record a reward.

        Parameters
        ----------
        arm : int
            The arm that was pulled.
        reward : float
            The observed reward.
        """
        ...


BanditChoice = Union[Bandit, str, NDArray[Any], Callable[[int], Bandit]]
PolicyChoice = Union[str, Callable[[Setting], AskTell]]


class Records(dict[str, NDArray[Any]]):
    """Results of `simulate`: a dictionary of columns, with a row per run.

    Rows are ordered by policy, then horizon, then seed. The columns have the names of ``longrun export``: bandit,
    noise, policy (with its parameters), horizon, seed, pulls (two dimensions: a column per arm, 0 for arms that the
    bandit of the row does not have), return, optimum and regret.
    """

    def to_pandas(self) -> pandas.DataFrame:
        """Return the records as a data frame.

        Returns
        -------
        pandas.DataFrame
            The same columns, with the pulls of arm i in the column pulls_i.
        """
        import pandas

        columns = {name: column for name, column in self.items() if name != "pulls"}
        columns.update({f"pulls_{arm}": pulls for arm, pulls in enumerate(self["pulls"].T)})
        return pandas.DataFrame(columns)


def simulate(
    bandit: BanditChoice,
    policies: PolicyChoice | Sequence[PolicyChoice],
    horizons: int | Sequence[int] | NDArray[Any] | None = None,
    seeds: int | Sequence[int] | NDArray[Any] = 1,
    threads: int = 0,
    *,
    seed: int = 0,
    half_width: float | str | None = None,
    constraints: Constraints | None = None,
    progress: bool | None = None,
) -> Records:
    """Play every policy at every horizon, once per seed.

    All policies observe the same noise in the same seed. The results equal those of the command line: seed r is
    ``longrun play --seed SEED --replicate r``, and seed r in the records of an experiment whose ``seed`` is SEED.
    Policies of the catalog play without Python's global lock; policies written in Python play after them, one run at
    a time. Ctrl-C stops the computation.

    Parameters
    ----------
    bandit : Bandit or str or array or callable
        A bandit; a name or an array of curves, without noise; or a function that returns the bandit of a seed, for
        averages over random bandits.
    policies : str or callable, or a sequence of these
        A policy of the catalog with its parameters, such as "d-ucb:discount=0.99", or a class that is called with a
        `Setting` and has the methods of `AskTell`. Records name a class by its attribute ``name``, if that is a
        string, or by its own name; ``functools.partial`` sets parameters.
    horizons : int or sequence of int, optional
        Numbers of pulls; under constraints, budgets in units. By default, the horizon of the bandit.
    seeds : int or sequence of int
        Number of seeds, counted from 1, or the seeds.
    threads : int
        Number of threads; 0 means one per core.
    seed : int
        Seed from which all random numbers are derived.
    half_width : float or str, optional
        Half-width of the interval around an observation: a number, "bound", "2sd" or "failure:P". By default, the
        paper's choice for the noise.
    constraints : Constraints, optional
        Constraints of policies and optimum. Only policies of the catalog play under constraints.
    progress : bool, optional
        Whether to show a progress bar, which needs tqdm. By default, it is shown after one second if tqdm is
        installed.

    Returns
    -------
    Records
        A row per policy, horizon and seed.

    Raises
    ------
    ValueError
        If an argument is invalid, or a policy written in Python returns an arm that does not exist.

    Examples
    --------
    >>> bandit = longrun.Bandit("inc_dec_3", noise=longrun.Gaussian(0.05))
    >>> records = longrun.simulate(bandit, ["foresight", "spo"], horizons=[500, 1000], seeds=20)
    >>> records = longrun.simulate(lambda seed: longrun.Bandit(f"random_peaked_{seed}"), "spo", 500, seeds=10)
    """
    replicates = [whole("seeds", s, 32) for s in (range(1, whole("seeds", seeds, 32) + 1) if np.ndim(seeds) == 0 else np.asarray(seeds))]
    if len(set(replicates)) < len(replicates):
        raise ValueError(f"seeds {replicates}: contain a duplicate; give each seed once")
    chosen: list[PolicyChoice] = [policies] if isinstance(policies, str) or callable(policies) else list(policies or [])
    bandits = bandits_of(bandit, replicates)
    if horizons is None:
        horizons = [min((one.horizon for one in bandits), default=0)]
    ends = sorted({whole("horizons", h, 63) for h in np.atleast_1d(np.asarray(horizons))})
    if not (ends and replicates and chosen):
        raise ValueError("nothing to simulate; give at least one policy, one horizon and one seed")
    names = [name_of(policy) for policy in chosen]
    if len(set(names)) < len(names):
        raise ValueError(f"policies {', '.join(names)}: two have the same name; set the attribute `name` of one of them")

    core = [policy for policy in chosen if isinstance(policy, str)]
    own = [policy for policy in chosen if not isinstance(policy, str)]
    texts = constraint_texts(constraints, bandits)
    if own and _core.constrains(texts):
        raise ValueError(f"policy {name_of(own[0])}: only policies of the catalog play under constraints")
    key = whole("seed", seed, 64)
    steps = sum(ends) * len(replicates)
    for policy in own:  # reports an invalid policy before the others play
        make_policy(policy, bandits[0], ends[0], half_width, key, replicates[0])
    with progress_bar(steps * len(chosen), progress) as show:
        parts: list[Mapping[str, Any]] = []
        if core:
            parts.append(
                _core.simulate(
                    [one._core for one in bandits],
                    core,
                    ends,
                    texts,
                    half_width_text(half_width),
                    key,
                    replicates,
                    whole("threads", threads, 15),
                    show,
                )
            )
        played = steps * len(core)
        for policy in own:
            parts.append(play(bandits, policy, ends, half_width, key, replicates, lambda steps_made: show(played + steps_made)))
            played += steps
        show(steps * len(chosen))

    order = [*core, *map(name_of, own)]
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
    """Return one bandit for all replicates, or one for each."""
    if isinstance(bandit, (str, np.ndarray)):
        return [Bandit(bandit)]
    if isinstance(bandit, Bandit):
        return [bandit]
    if not callable(bandit):
        raise ValueError(f"bandit {bandit!r}: must be a Bandit, a name, an array, or a function from a seed to a Bandit")
    bandits = [bandit(replicate) for replicate in replicates]
    for one in bandits:
        if not isinstance(one, Bandit):
            raise ValueError(f"bandit: the function returned {one!r}; it must return a Bandit")
    return bandits


def constraint_texts(constraints: Constraints | None, bandits: list[Bandit]) -> dict[str, str]:
    """Return the constraints of all bandits as texts. A name must be that of the same arm in every bandit."""
    texts = [texts_of(constraints, one.arm_names) for one in bandits]
    if any(other != texts[0] for other in texts):
        raise ValueError("constraints: a name is that of another arm in another bandit; give numbers")
    return texts[0]


def name_of(policy: PolicyChoice) -> str:
    if isinstance(policy, str):
        return policy
    if not callable(policy):
        raise ValueError(f"policy {policy!r}: must be a name of the catalog, or a class with ask() and tell()")
    name = getattr(policy, "name", None)
    if isinstance(name, str):
        return name
    if isinstance(policy, functools.partial):
        return name_of(policy.func)
    return str(getattr(policy, "__name__", type(policy).__name__))


def make_policy(
    make: Callable[[Setting], AskTell], bandit: Bandit, horizon: int, half_width: float | str | None, seed: int, replicate: int
) -> AskTell:
    width = half_width_of(half_width, bandit.noise, horizon)
    policy = make(Setting(bandit.arms, horizon, bandit.noise, width, seed, replicate))
    if not (callable(getattr(policy, "ask", None)) and callable(getattr(policy, "tell", None))):
        raise ValueError(f"policy {name_of(make)}: {policy!r} lacks the methods ask() and tell(arm, reward)")
    return policy


STEPS_BETWEEN_UPDATES = 10_000  # of the progress bar


def play(
    bandits: list[Bandit],
    make: Callable[[Setting], AskTell],
    horizons: list[int],
    half_width: float | str | None,
    seed: int,
    replicates: list[int],
    show: Callable[[int], None],
) -> dict[str, NDArray[Any]]:
    """Play a policy written in Python with the noise that the policies of the catalog observe."""
    optima = {(i, h): _core.optimum(one._core, h, {})[0] for i, one in enumerate(bandits) for h in horizons}
    rows = len(horizons) * len(replicates)
    pulls = np.zeros((rows, max(one.arms for one in bandits)), dtype=np.int64)
    earned, best = np.zeros(rows), np.zeros(rows)
    before = 0
    for row, (horizon, i) in enumerate((h, i) for h in horizons for i in range(len(replicates))):
        place = min(i, len(bandits) - 1)
        bandit = bandits[place]
        policy = make_policy(make, bandit, horizon, half_width, seed, replicates[i])
        world = bandit.world(horizon, seed=seed, replicate=replicates[i])
        ask, tell, pull = policy.ask, policy.tell, world.pull
        for step in range(0, horizon, STEPS_BETWEEN_UPDATES):
            for _ in range(min(STEPS_BETWEEN_UPDATES, horizon - step)):
                arm = ask()
                try:
                    reward = pull(arm)
                except ValueError as error:
                    raise ValueError(f"policy {name_of(make)}: {error}") from None
                tell(arm, reward)  # type: ignore[arg-type]
            show(before + step)
        before += horizon
        pulls[row, : bandit.arms] = world.pulls
        earned[row] = world.earned
        best[row] = optima[place, horizon]
    regret = np.array([_core.policy_regret(*pair) for pair in zip(best, earned)])
    return {"pulls": pulls, "return": earned, "optimum": best, "regret": regret}
