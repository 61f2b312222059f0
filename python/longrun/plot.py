"""Figures of records with matplotlib, in the colours of ``longrun report``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np

from . import _core
from ._records import bandit_groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ._records import Records


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


COLUMNS = 3  # of figures of several bandits
MOST_IN_LEGEND = 6  # policies of a legend inside the axes; a longer one is beside them


def regret(records: Mapping[str, Any], *, per_step: bool = True, ax: Axes | None = None) -> Axes | NDArray[Any]:
    """Draw the policy regret over the horizon: the mean over the seeds, with its 95 % interval.

    Parameters
    ----------
    records : Records or pandas.DataFrame
        Result of `simulate`, or its ``to_pandas()``. Several bandits are drawn side by side. Bandits that occur in one
        seed each, such as random ones, are one sample.
    per_step : bool
        Whether to divide regret by the horizon.
    ax : matplotlib.axes.Axes, optional
        The axes to draw into, for records of one bandit. By default, those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes or numpy.ndarray of matplotlib.axes.Axes
        The axes that contain the lines; one for each bandit if there are several.

    Raises
    ------
    ValueError
        If there are no runs, or runs of several bandits are to be drawn into given axes.
    """
    horizons = np.asarray(records["horizon"])
    if len(horizons) == 0:
        raise ValueError("records: have no runs to draw")
    groups = np.array(bandit_groups(records))
    names = list(dict.fromkeys(groups.tolist()))
    if ax is not None and len(names) > 1:
        raise ValueError(
            f"records: have {len(names)} bandits; select one, records.select(bandit={names[0]!r}), or leave ax out"
        )
    policies = np.asarray(records["policy"])
    regrets = np.asarray(records["regret"]) / (horizons if per_step else 1)
    lines = styles(dict.fromkeys(policies.tolist()))
    if ax is None:
        axes = new_axes(len(names))
    else:
        axes = [ax]
    for name, one in zip(names, axes):
        here = groups == name
        _draw_regret(one, policies[here], horizons[here], regrets[here], lines)
        one.set_xlabel("horizon")
        if len(names) > 1:
            one.set_title(name)
    for one in axes[::COLUMNS]:
        one.set_ylabel("policy regret per step" if per_step else "policy regret")
    if len(names) > 1:
        axes[0].figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center")
    else:
        legend(axes[0], len(lines))
    return axes[0] if len(names) == 1 else np.array(axes, dtype=object)


def _draw_regret(ax: Axes, policies: Any, horizons: Any, regrets: Any, lines: Mapping[str, dict[str, Any]]) -> None:
    """Draw the regret of one bandit: lines with bands, or points with bars if there is one horizon."""
    ends = np.unique(horizons)
    present = [policy for policy in lines if policy in policies]
    if len(ends) == 1:
        for place, policy in enumerate(present):
            mean, low, high = _core.estimate(regrets[policies == policy])
            bar = {"color": lines[policy]["color"], "capsize": 4, "clip_on": False, "zorder": 3}
            x = ends[0] + (place - (len(present) - 1) / 2) * 0.02 * ends[0]  # apart, so that no bar hides another
            ax.errorbar([x], [mean], yerr=[[mean - low], [high - mean]], fmt="o", label=policy, **bar)
        ax.set_xticks(ends, labels=[f"{ends[0]}"])
        ax.set_xlim(0.9 * ends[0] - 0.01 * len(present) * ends[0], 1.1 * ends[0] + 0.01 * len(present) * ends[0])
    else:
        for policy in present:
            own = policies == policy
            mine = np.unique(horizons[own])
            samples = [regrets[own & (horizons == end)] for end in mine]
            mean, low, high = np.transpose([_core.estimate(sample) for sample in samples])
            ax.plot(mine, mean, label=policy, marker="o" if len(mine) == 1 else None, **lines[policy])
            ax.fill_between(mine, low, high, color=lines[policy]["color"], alpha=0.2, linewidth=0)
    ax.set_ylim(bottom=0)


def new_axes(count: int) -> list[Any]:
    """Return the axes of a new figure, side by side."""
    import matplotlib.pyplot as plt

    if count == 1:
        return [plt.subplots(layout="constrained")[1]]
    columns = min(count, COLUMNS)
    rows = -(-count // columns)
    grid = plt.subplots(rows, columns, figsize=(4.8 * columns, 4 * rows), layout="constrained", squeeze=False)[1].flat
    for unused in grid[count:]:
        unused.set_visible(False)
    return list(grid[:count])


def legend(ax: Axes, entries: int) -> None:
    """Add the legend: beside the axes if it is long, because it would hide lines."""
    if entries > MOST_IN_LEGEND:
        ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), borderaxespad=0)
    else:
        ax.legend()


MOST_ARMS_DRAWN = 4  # arms of a policy whose pulls are drawn
MOST_PULL_LINES = 12  # of all policies together, unless there are more policies
LABEL_DISTANCE = 0.05  # between the numbers of two arms, as a share of the height
ARM_DASHES: list[Any] = ["-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2))]


def trajectory(records: Records, *, bandit: str | None = None, horizon: int | None = None) -> NDArray[Any]:
    """Draw runs over time: regret, pulls of the arms, and where each policy is on the curves of the arms.

    Left: the policy regret if a run ended at each step, the mean over the seeds with its 95 % interval. Middle: the mean
    number of pulls of the arms that a policy pulls most; dashes tell arms apart. Right: the mean rewards of all arms, and
    for each policy a point at its mean number of pulls of each arm at the end.

    Parameters
    ----------
    records : Records
        Result of `simulate` with kept steps (``every=`` or ``trajectories=``).
    bandit : str, optional
        Name or label of the bandit. Required if there are several.
    horizon : int, optional
        Horizon of the runs. By default, the largest one.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes
        The three axes.

    Raises
    ------
    ValueError
        If the records have no trajectories, or no runs of that bandit and horizon; or if there are several bandits and
        none is named.

    Examples
    --------
    >>> bandit = longrun.Bandit("inc_dec_3", longrun.Gaussian(0.05))
    >>> records = longrun.simulate(bandit, ["foresight", "greedy"], 500, seeds=5, every=10)
    >>> axes = longrun.plot.trajectory(records)
    """
    steps = getattr(records, "trajectories", None)
    if steps is None:
        raise ValueError("records: have no trajectories; simulate(..., every=10) keeps every 10th step")
    groups = np.array(bandit_groups(records))
    names = list(dict.fromkeys(groups.tolist()))
    if bandit is None and len(names) > 1:
        raise ValueError(f"records: have {len(names)} bandits; name one, such as bandit={names[0]!r}")
    name = names[0] if bandit is None else bandit
    end = int(np.max(records["horizon"])) if horizon is None else horizon
    runs = np.flatnonzero((groups == name) & (records["horizon"] == end))
    if len(runs) == 0:
        raise ValueError(f"records: have no runs of bandit {name!r} with horizon {end}")
    lines = styles(dict.fromkeys(records["policy"].tolist()))
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
    drawn_arms: set[int] = set()
    for policy, line in lines.items():
        own = runs[records["policy"][runs] == policy]
        if len(own) == 0:
            continue
        kept = [steps.of_run(run) for run in own]
        _draw_regret_over_time(axes[0], kept, policy, line)
        drawn_arms |= _draw_pulls(
            axes[1], kept, records["pulls"][own], line, end, max(1, MOST_PULL_LINES // len(lines))
        )
        _draw_places(axes[2], steps, name, records["pulls"][own], line)
    _draw_curves(axes[2], steps, name, end)
    axes[0].set(xlabel="step", ylabel="policy regret up to the step")
    axes[1].set(xlabel="step", ylabel="pulls of the arm, mean over seeds")
    axes[2].set(xlabel="pull of the arm", ylabel="mean reward")
    axes[0].set_ylim(bottom=0)
    axes[1].set_ylim(bottom=0)
    legend(axes[0], len(lines)) if len(lines) <= MOST_IN_LEGEND else figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside right center"
    )
    _arm_legend(axes[1], sorted(drawn_arms))
    figure.suptitle(f"{name}, horizon {end}")
    return np.asarray(axes, dtype=object)


def _draw_regret_over_time(ax: Axes, kept: list[Any], policy: str, line: dict[str, Any]) -> None:
    count = min(len(run["step"]) for run in kept)
    values = np.array([run["regret"][:count] for run in kept], dtype=float)
    known = ~np.isnan(values).any(axis=0)
    if not known.any():
        return
    places = kept[0]["step"][:count][known]
    mean, low, high = np.transpose([_core.estimate(np.ascontiguousarray(column)) for column in values[:, known].T])
    ax.plot(places, mean, label=policy, marker="o" if len(places) == 1 else None, **line)
    ax.fill_between(places, low, high, color=line["color"], alpha=0.2, linewidth=0)


def _draw_pulls(ax: Axes, kept: list[Any], pulls: Any, line: dict[str, Any], end: int, arms: int) -> set[int]:
    """Draw the pulls of the `arms` arms that are pulled most, and return these arms."""
    totals = pulls.mean(axis=0)
    most = [int(arm) for arm in np.argsort(-totals, kind="stable")[: min(arms, MOST_ARMS_DRAWN)] if totals[arm] > 0]
    grid = np.unique(np.concatenate([run["step"] for run in kept]))
    for arm in most:
        curves = []
        for run, final in zip(kept, pulls[:, arm]):
            own = run["arm"] == arm
            steps = np.concatenate([[0], run["step"][own], [end]])
            counts = np.concatenate([[0], run["pull"][own], [final]])
            curves.append(np.interp(grid, steps, counts))  # between two kept steps in a straight line
        ax.plot(
            grid,
            np.mean(curves, axis=0),
            color=line["color"],
            linewidth=line["linewidth"],
            linestyle=ARM_DASHES[arm % len(ARM_DASHES)],
        )
    return set(most)


def _arm_legend(ax: Axes, arms: list[int]) -> None:
    from matplotlib.lines import Line2D

    shown = arms[:MOST_IN_LEGEND]
    handles = [
        Line2D([], [], color="0.3", linestyle=ARM_DASHES[arm % len(ARM_DASHES)], label=f"arm {arm}") for arm in shown
    ]
    ax.legend(handles=handles)


def _draw_curves(ax: Axes, steps: Any, name: str, end: int) -> None:
    """Draw the mean rewards of the arms, unless the bandit differs from seed to seed."""
    bandit = steps._bandits.get(name)
    if bandit is None:
        ax.text(0.5, 0.5, "the bandit differs\nfrom seed to seed", ha="center", va="center", transform=ax.transAxes)
        return
    places = np.unique(np.linspace(1, end, 400).astype(int))
    means = bandit.rewards(end)
    for arm, rewards in enumerate(means):
        ax.plot(
            places, rewards[places - 1], color="0.6", linewidth=1, linestyle=ARM_DASHES[arm % len(ARM_DASHES)], zorder=1
        )
    if bandit.arms > 2 * MOST_IN_LEGEND:
        return
    bottom, top = ax.get_ylim()
    place = bottom
    for arm in np.argsort(means[:, -1], kind="stable"):
        place = max(float(means[arm, -1]), place + LABEL_DISTANCE * (top - bottom))
        ax.annotate(f"{arm}", (end, place), xytext=(4, 0), textcoords="offset points", va="center", color="0.4")


def _draw_places(ax: Axes, steps: Any, name: str, pulls: Any, line: dict[str, Any]) -> None:
    """Draw a point on each curve, at the mean number of pulls of its arm."""
    bandit = steps._bandits.get(name)
    if bandit is None:
        return
    for arm in range(bandit.arms):
        mean = float(pulls[:, arm].mean())
        if mean >= 1:
            reward = float(bandit.rewards(int(np.ceil(mean)))[arm, -1])
            ax.plot(
                [mean],
                [reward],
                marker="o",
                markersize=7,
                color=line["color"],
                markeredgecolor="white",
                linestyle="none",
                zorder=3,
            )
