"""Rested bandits as environments of Gymnasium.

Importing this module registers longrun/RestedBandit-v0 for ``gymnasium.make()``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from . import _core
from ._bandit import Bandit, Curves, optimum
from ._checks import shown, whole
from ._noise import Noise

Observation = NDArray[np.float64]


class RestedBandit(gymnasium.Env[Observation, np.int64]):
    """A bandit as an environment for reinforcement learning.

    An action is an arm, and its reward is the observed reward. An observation is, for each arm, its number of pulls
    divided by the horizon; this is the complete state of a rested bandit. An episode ends at the horizon.

    Parameters
    ----------
    bandit : Bandit or str or array or pandas.DataFrame or sequence
        A bandit, or curves that `Bandit` accepts.
    horizon : int, optional
        Number of pulls of an episode. By default, the horizon of the bandit.
    noise : Noise or str or float, optional
        Noise of the rewards, as in `Bandit`. By default, that of the bandit; curves have none.
    root_seed : int
        Seed from which all random numbers are derived, as in `simulate`.

    Examples
    --------
    >>> env = longrun.env.RestedBandit(longrun.Bandit("recommender_B", longrun.Gaussian(0.05)), horizon=500)
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        bandit: Bandit | Curves,
        horizon: int | None = None,
        noise: Noise | str | float | None = None,
        root_seed: int = 0,
    ) -> None:
        made = bandit if isinstance(bandit, Bandit) else Bandit(bandit, horizon=horizon)
        self.bandit = made if noise is None else made.with_noise(noise)
        self.root_seed = whole("root_seed", root_seed, 64)
        self.horizon = self.bandit.horizon if horizon is None else whole("horizon", horizon, 63, least=1)
        self.action_space = gymnasium.spaces.Discrete(self.bandit.arms)
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (self.bandit.arms,), np.float64)
        self._means = self.bandit.rewards(self.horizon)
        self._optimum = optimum(self.bandit, self.horizon).value
        self._seed: int | None = None
        self._replicate = 0
        self._world: _core.World | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        Parameters
        ----------
        seed : int, optional
            Seed of the episode: its noise is that of the same seed in `simulate`. Without a seed, the episode is the
            next replicate of the last seed.
        options : dict, optional
            ``{"replicate": r}`` starts replicate r of the seed, from 0: the noise of the same seed with ``root_seed + r``.

        Returns
        -------
        observation : numpy.ndarray
            Zeros: no arm has been pulled.
        info : dict
            Empty.
        """
        number = None if seed is None else whole("seed", seed, 32)
        replicate = replicate_in(options)
        super().reset(seed=number)
        if number is not None:
            self._seed, self._replicate = number, 0
        elif self._seed is None:
            self._seed = int(self.np_random.integers(2**32))
        else:
            self._replicate += 1
        if replicate is not None:
            self._replicate = replicate
        self._world = self._new_world()
        self._pulls = np.zeros(self.bandit.arms, dtype=np.int64)
        return self._observation(), {}

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Pull an arm.

        Parameters
        ----------
        action : int
            The arm, from 0.

        Returns
        -------
        observation : numpy.ndarray
            For each arm, its number of pulls divided by the horizon.
        reward : float
            The observed reward.
        terminated : bool
            Whether all pulls of the horizon have been made.
        truncated : bool
            False.
        info : dict
            The mean reward of the pull as "mean" and, at the end of an episode, the policy regret as "regret".

        Raises
        ------
        gymnasium.error.ResetNeeded
            If `reset` has not been called.
        ValueError
            If the arm does not exist, or the episode has ended.
        """
        if self._world is None:
            raise gymnasium.error.ResetNeeded("call reset() before the first step()")
        arm = whole("action", action, 31)
        reward = self._world.pull(arm)
        info = {"mean": float(self._means[arm, self._pulls[arm]])}
        self._pulls[arm] += 1
        ended = bool(self._pulls.sum() == self.horizon)
        if ended:
            info["regret"] = _core.policy_regret(self._optimum, self._world.earned)
        return self._observation(), reward, ended, False, info

    def _new_world(self) -> _core.World:
        assert self._seed is not None
        return self.bandit.world(self.horizon, seed=self._seed, root_seed=(self.root_seed + self._replicate) % 2**64)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_world": None if self._world is None else self._world.pulls}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._world is None:
            return
        self._world = self._new_world()  # the noise of a pull does not depend on the order of the pulls
        for arm, pulls in enumerate(state["_world"]):
            for _ in range(pulls):
                self._world.pull(arm)

    def _observation(self) -> Observation:
        return self._pulls / self.horizon


def replicate_in(options: Any) -> int | None:
    """Return the replicate of the options of reset()."""
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise ValueError(f"options {shown(options)}: must be a dictionary, such as {{'replicate': 0}}")
    unknown = [name for name in options if name != "replicate"]
    if unknown:
        raise ValueError(f"options: {shown(unknown[0])} is not an option; accepted is 'replicate'")
    return whole("options: replicate", options["replicate"], 32) if "replicate" in options else None


gymnasium.register("longrun/RestedBandit-v0", "longrun.env:RestedBandit")
