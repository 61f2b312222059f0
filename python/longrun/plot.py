"""Figures of records with matplotlib, in the colours of `longrun report`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np

from . import _core

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def style(policy: str) -> dict[str, Any]:
    """The style of a policy, named as in a config ("d-ucb:discount=0.99"), for matplotlib's plot()."""
    colour, dashes, width = _core.style_of(policy)
    return {"color": colour, "linewidth": width, "linestyle": (0, tuple(dashes)) if dashes else "-"}


def styles(policies: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The styles of policies in one figure, no two alike: a look that is taken gives way to a spare colour, then to dashes."""
    looks: dict[str, dict[str, Any]] = {}
    for policy in policies:
        look = style(policy)
        spare = itertools.product(["-", "--", ":", "-."], _core.spare_colours())
        while look in looks.values() and (other := next(spare, None)):
            look = {**look, "linestyle": other[0], "color": other[1]}
        looks[policy] = look
    return looks


def regret(records: Mapping[str, Any], *, per_step: bool = True, ax: Axes | None = None) -> Axes:
    """Policy regret over the horizon: the mean over the seeds, with a band of its 95 % interval."""
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1]
    policies = np.asarray(records["policy"])
    horizons = np.asarray(records["horizon"])
    regrets = np.asarray(records["regret"]) / (horizons if per_step else 1)
    for policy, look in styles(dict.fromkeys(policies.tolist())).items():
        mine = policies == policy
        ends = np.unique(horizons[mine])
        samples = [regrets[mine & (horizons == end)] for end in ends]
        mean, low, high = np.transpose([_core.estimate(sample) for sample in samples])
        ax.plot(ends, mean, label=policy, marker="o" if len(ends) == 1 else None, **look)
        ax.fill_between(ends, low, high, color=look["color"], alpha=0.2, linewidth=0)
    ax.set_xlabel("horizon")
    ax.set_ylabel("policy regret per step" if per_step else "policy regret")
    ax.set_ylim(bottom=0)
    ax.legend()
    return ax
