"""Figures of records with matplotlib, in the colours of ``longrun report``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np

from . import _core

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _keywords(colour: str, dashes: list[int], width: float) -> dict[str, Any]:
    return {"color": colour, "linewidth": width, "linestyle": (0, tuple(dashes)) if dashes else "-"}


def style(policy: str) -> dict[str, Any]:
    """Return the style of a policy text ("d-ucb:discount=0.99").

    Parameters
    ----------
    policy : str
        A policy with its parameters, or the name of a policy written in Python.

    Returns
    -------
    dict
        Keyword arguments of matplotlib's ``plot()``.
    """
    return _keywords(*_core.style_of(policy))


def styles(policies: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the styles of the policies of one figure, all different.

    They are those of ``longrun report``. If two policies have the same style, the later one gets a lighter or darker
    shade of its colour, and other dashes.

    Parameters
    ----------
    policies : iterable of str
        Policies with their parameters.

    Returns
    -------
    dict of str to dict
        For each policy, keyword arguments of matplotlib's ``plot()``.
    """
    names = list(dict.fromkeys(policies))
    return {name: _keywords(*line) for name, line in zip(names, _core.figure_lines(names))}


def regret(records: Mapping[str, Any], *, per_step: bool = True, ax: Axes | None = None) -> Axes:
    """Draw the policy regret over the horizon: the mean over the seeds, with its 95 % interval.

    Parameters
    ----------
    records : Records or pandas.DataFrame
        Result of `simulate`, or its ``to_pandas()``.
    per_step : bool
        Whether to divide regret by the horizon.
    ax : matplotlib.axes.Axes, optional
        The axes to draw into. By default, those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that contain the lines.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1]
    policies = np.asarray(records["policy"])
    horizons = np.asarray(records["horizon"])
    regrets = np.asarray(records["regret"]) / (horizons if per_step else 1)
    for policy, line in styles(dict.fromkeys(policies.tolist())).items():
        rows = policies == policy
        ends = np.unique(horizons[rows])
        samples = [regrets[rows & (horizons == end)] for end in ends]
        mean, low, high = np.transpose([_core.estimate(sample) for sample in samples])
        ax.plot(ends, mean, label=policy, marker="o" if len(ends) == 1 else None, **line)
        ax.fill_between(ends, low, high, color=line["color"], alpha=0.2, linewidth=0)
    ax.set_xlabel("horizon")
    ax.set_ylabel("policy regret per step" if per_step else "policy regret")
    ax.set_ylim(bottom=0)
    ax.legend()
    return ax
