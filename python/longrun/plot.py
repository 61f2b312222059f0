"""Figures of records with matplotlib, in the colours of ``longrun report``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np

from . import _core
from ._checks import items_of, listed, shown, text_of, truth_of, whole
from ._records import KEY_COLUMNS, bandit_groups, estimate_of

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
    return _keywords(*_core.style_of(text_of("policy", policy)))


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
    if isinstance(policies, str):
        raise ValueError(f"policies {shown(policies)}: must be a list of policies; style() takes one")
    names = list(dict.fromkeys(text_of("policies", policy) for policy in items_of("policies", policies)))
    return {name: _keywords(*line) for name, line in zip(names, _core.figure_lines(names))}


COLUMNS = 3  # of figures of several bandits
MOST_IN_LEGEND = 6  # policies of a legend inside the axes; a longer one is beside them
MARGIN = 0.03  # below an interval that reaches below 0, as a share of the height


def regret(records: Mapping[str, Any], *, per_step: bool = True, ax: Axes | None = None) -> Axes | NDArray[Any]:
    """Draw the policy regret over the horizon: the mean over the seeds, with its 95 % interval.

    Parameters
    ----------
    records : Records or pandas.DataFrame
        Result of `simulate`, or its ``to_pandas()``. Several bandits are drawn side by side, and so are several noises of
        a bandit. The bandits of a function from a seed to a bandit are one sample. A single run has no interval.
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
        If there are no runs, a run occurs twice, or runs of several bandits are to be drawn into given axes.
    """
    check_records(records, ("policy", "horizon", "regret"))
    horizons = np.asarray(records["horizon"])
    if len(horizons) == 0:
        raise ValueError("records: have no runs to draw")
    check_runs_differ(records)
    groups = np.array(bandit_groups(records))
    names = list(dict.fromkeys(groups.tolist()))
    if ax is not None and len(names) > 1:
        bandits = np.asarray(records["bandit"])
        one, other = ("noise", records["noise"]) if len(set(bandits.tolist())) == 1 else ("bandit", bandits)
        raise ValueError(
            f"records: have {len(names)} {one}s; select one, records.select({one}={str(np.asarray(other)[0])!r}), "
            "or leave ax out"
        )
    if ax is not None and not (callable(getattr(ax, "plot", None)) and callable(getattr(ax, "set_ylim", None))):
        raise ValueError(f"ax {shown(ax)}: must be axes, such as matplotlib.pyplot.gca()")
    policies = np.asarray(records["policy"])
    regrets = np.asarray(records["regret"]) / (horizons if truth_of("per_step", per_step) else 1)
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
        _figure_legend(axes, list(lines))
    else:
        legend(axes[0], len(lines))
    return axes[0] if len(names) == 1 else np.array(axes, dtype=object)


def _figure_legend(axes: Iterable[Axes], policies: list[str]) -> None:
    """Add one legend for several axes. A policy need not be drawn in all of them."""
    handles: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    shown = [policy for policy in policies if policy in handles]
    ax.figure.legend([handles[policy] for policy in shown], shown, loc="outside right center")


def _set_bottom(ax: Axes, lows: Iterable[float]) -> None:
    """Start the axis at 0, or below if an interval does."""
    lowest = min((low for low in lows if np.isfinite(low)), default=0.0)
    ax.set_ylim(bottom=0 if lowest >= 0 else lowest - MARGIN * (ax.get_ylim()[1] - lowest))


def _draw_point(ax: Axes, x: float, values: Any, policy: str, line: Mapping[str, Any]) -> float:
    """Draw the mean of the values with its interval, and return the lower end, or the mean if there is none."""
    mean, low, high = estimate_of(np.ascontiguousarray(values, dtype=float))
    look = {"color": line["color"], "clip_on": False, "zorder": 3}
    if np.isnan(low):
        ax.plot([x], [mean], marker="o", linestyle="none", label=policy, **look)
        return mean
    ax.errorbar([x], [mean], yerr=[[mean - low], [high - mean]], fmt="o", capsize=4, label=policy, **look)
    return low


def _draw_regret(ax: Axes, policies: Any, horizons: Any, regrets: Any, lines: Mapping[str, dict[str, Any]]) -> None:
    """Draw the regret of one bandit: lines with bands, or points with bars if there is one horizon."""
    ends = np.unique(horizons)
    present = [policy for policy in lines if policy in policies]
    lows: list[float] = []
    if len(ends) == 1:
        for place, policy in enumerate(present):
            x = ends[0] + (place - (len(present) - 1) / 2) * 0.02 * ends[0]  # apart, so that no bar hides another
            lows.append(_draw_point(ax, x, regrets[policies == policy], policy, lines[policy]))
        ax.set_xticks(ends, labels=[f"{ends[0]}"])
        ax.set_xlim(0.9 * ends[0] - 0.01 * len(present) * ends[0], 1.1 * ends[0] + 0.01 * len(present) * ends[0])
    else:
        for policy in present:
            own = policies == policy
            mine = np.unique(horizons[own])
            samples = [regrets[own & (horizons == end)] for end in mine]
            mean, low, high = np.transpose([estimate_of(sample) for sample in samples])
            ax.plot(mine, mean, label=policy, marker="o" if len(mine) == 1 else None, **lines[policy])
            if not np.isnan(low).all():
                ax.fill_between(mine, low, high, color=lines[policy]["color"], alpha=0.2, linewidth=0)
            lows.extend(low)
    _set_bottom(ax, lows)


def check_records(records: Any, columns: Iterable[str]) -> None:
    """Raise a ValueError unless the records have these columns."""
    if not (isinstance(records, Mapping) or hasattr(records, "columns")):
        raise ValueError(f"records {shown(records)}: must be a result of simulate(), or its data frame")
    for column in columns:
        if column not in records:
            raise ValueError(f"records: have no column {column!r}; it is one of a result of simulate()")


def check_runs_differ(records: Mapping[str, Any]) -> None:
    """Raise a ValueError if a run occurs twice, which would make intervals too narrow."""
    if "seed" not in records:
        return
    columns = [name for name in (*KEY_COLUMNS, "regret") if name in records]
    seen = set()
    for run in zip(*(np.asarray(records[name]).tolist() for name in columns)):
        if run in seen:
            named = ", ".join(f"{name} {value}" for name, value in zip(columns[:-1], run))
            raise ValueError(f"records: {named}: is given twice, with the same regret; leave out the copies of runs")
        seen.add(run)


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

    Left: the policy regret if a run ended at each step, the mean over the seeds with its 95 % interval; under constraints
    it is known at the end only, and is a point at the mean number of pulls. Middle: the mean number of pulls of the arms
    that a policy pulls most; dashes tell arms apart. If not all steps are kept, it is not known exactly: the shade is all
    that the kept steps allow, and the line is in its middle. Right: the mean rewards of all arms, and
    for each policy a point at its mean number of pulls of each arm at the end.

    Parameters
    ----------
    records : Records
        Result of `simulate` with kept steps (``every=`` or ``trajectories=``).
    bandit : str, optional
        Name or label of the bandit. Required if there are several.
    horizon : int, optional
        Horizon of the runs. By default, the largest one of the bandit.

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
        check_records(records, ())
        raise ValueError("records: have no trajectories; simulate(..., every=10) keeps every 10th step")
    if records.runs == 0:
        raise ValueError("records: have no runs to draw")
    groups = np.array(bandit_groups(records))
    names = list(dict.fromkeys(groups.tolist()))
    if bandit is None and len(names) > 1:
        raise ValueError(f"records: have {len(names)} bandits; name one, such as bandit={names[0]!r}")
    name = names[0] if bandit is None else bandit
    if name not in names:
        raise ValueError(f"records: have no runs of bandit {shown(name)}; bandits are {listed(names)}")
    end = int(np.max(records["horizon"][groups == name])) if horizon is None else whole("horizon", horizon, 63, least=1)
    runs = np.flatnonzero((groups == name) & (records["horizon"] == end))
    if len(runs) == 0:
        raise ValueError(f"records: have no runs of bandit {shown(name)} with horizon {end}")
    lines = styles(dict.fromkeys(records["policy"].tolist()))
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
    drawn_arms: set[int] = set()
    lows: list[float] = []
    is_exact = True
    for policy, line in lines.items():
        own = runs[records["policy"][runs] == policy]
        if len(own) == 0:
            continue
        kept = [steps.of_run(run) for run in own]
        pulls = records["pulls"][own]
        lows.append(_draw_regret_over_time(axes[0], kept, records["regret"][own], pulls, policy, line))
        arms, exact = _draw_pulls(axes[1], kept, pulls, line, max(1, MOST_PULL_LINES // len(lines)))
        drawn_arms |= arms
        is_exact = is_exact and exact
        _draw_places(axes[2], steps, name, records["pulls"][own], line)
    _draw_curves(axes[2], steps, name, end)
    axes[0].set(xlabel="step", ylabel="policy regret up to the step")
    bounds = "" if is_exact else "\n(shaded: bounds, as not all steps are kept)"
    axes[1].set(xlabel="step", ylabel=f"pulls of the arm, mean over seeds{bounds}")
    axes[2].set(xlabel="pull of the arm", ylabel="mean reward")
    _set_bottom(axes[0], lows)
    axes[1].set_ylim(bottom=0)
    if len(lines) <= MOST_IN_LEGEND:
        legend(axes[0], len(lines))
    else:
        _figure_legend(axes[:1], list(lines))
    _arm_legend(axes[1], sorted(drawn_arms))
    figure.suptitle(f"{name}, horizon {end}")
    return np.asarray(axes, dtype=object)


def _draw_regret_over_time(
    ax: Axes, kept: list[Any], final: Any, pulls: Any, policy: str, line: dict[str, Any]
) -> float:
    """Draw the regret of the kept steps, or that of the whole runs if it is known at their end only.

    Return the lowest end of the intervals.
    """
    count = min(len(run["step"]) for run in kept)
    values = np.array([run["regret"][:count] for run in kept], dtype=float)
    if count == 0 or np.isnan(values).any():
        return _draw_point(ax, float(pulls.sum(axis=1).mean()), final, policy, line)
    places = kept[0]["step"][:count]
    mean, low, high = np.transpose([estimate_of(np.ascontiguousarray(column)) for column in values.T])
    ax.plot(places, mean, label=policy, marker="o" if len(places) == 1 else None, **line)
    if not np.isnan(low).all():
        ax.fill_between(places, low, high, color=line["color"], alpha=0.2, linewidth=0)
    return float(np.min(mean if np.isnan(low).all() else low))


def _draw_pulls(ax: Axes, kept: list[Any], pulls: Any, line: dict[str, Any], arms: int) -> tuple[set[int], bool]:
    """Draw the pulls of the `arms` arms that are pulled most. Return these arms, and whether the pulls are exact."""
    totals = pulls.mean(axis=0)
    most = [int(arm) for arm in np.argsort(-totals, kind="stable")[: min(arms, MOST_ARMS_DRAWN)] if totals[arm] > 0]
    grid = np.unique(np.concatenate([run["step"] for run in kept])).astype(np.int64)
    low, high = np.zeros((2, len(most), len(grid)))
    for run, final in zip(kept, pulls):
        least, largest = _pull_bounds(run, final, grid)
        low += least[most] / len(kept)
        high += largest[most] / len(kept)
    is_exact = bool(np.allclose(low, high))
    for arm, least, largest in zip(most, low, high):
        ax.plot(
            grid,
            (least + largest) / 2,
            color=line["color"],
            linewidth=line["linewidth"],
            linestyle=ARM_DASHES[arm % len(ARM_DASHES)],
        )
        if not is_exact:
            ax.fill_between(grid, least, largest, color=line["color"], alpha=0.12, linewidth=0)
    return set(most), is_exact


def _pull_bounds(run: Mapping[str, Any], final: Any, grid: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the least and the largest number of pulls that each arm can have had at the steps of the grid.

    A kept step has the exact count of its arm. In between, a count rises by at most 1 per step, and the counts of all
    arms add up to the step. `final` has the counts at the end of the run. The grid contains the kept steps.
    """
    total = int(final.sum())
    steps = np.concatenate([[0], np.minimum(grid, total), [total]])
    known = np.full((len(final), len(steps)), -1, dtype=np.int64)
    known[:, 0], known[:, -1] = 0, final
    known[run["arm"], np.searchsorted(grid, run["step"]) + 1] = run["pull"]
    is_known, most = known >= 0, total + 1
    last = np.maximum.accumulate(known, axis=1)
    needed = np.maximum.accumulate(np.where(is_known, known - steps, -most)[:, ::-1], axis=1)[:, ::-1] + steps
    following = np.minimum.accumulate(np.where(is_known, known, most)[:, ::-1], axis=1)[:, ::-1]
    possible = np.minimum.accumulate(np.where(is_known, known - steps, most), axis=1) + steps
    least, largest = np.maximum(last, needed), np.minimum(following, possible)
    others_least, others_largest = least.sum(axis=0) - least, largest.sum(axis=0) - largest
    bounds = np.maximum(least, steps - others_largest), np.minimum(largest, steps - others_least)
    return bounds[0][:, 1:-1], bounds[1][:, 1:-1]


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
