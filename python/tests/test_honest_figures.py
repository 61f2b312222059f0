"""Figures and summaries show what the records say: no pooled, dropped, merged or invented numbers."""

import copy
import math
import pickle

import matplotlib
import numpy as np
import pandas
import pytest

import longrun

BANDIT = longrun.Bandit("recommender_B", longrun.Gaussian(0.05))


@pytest.fixture(autouse=True)
def close_figures():
    yield
    matplotlib.pyplot.close("all")


class Commits:
    """Pulls arm 1 for 30 steps, and arm 0 from then on."""

    def __init__(self, setting):
        self.step = 0

    def ask(self):
        self.step += 1
        return int(self.step <= 30)

    def tell(self, arm, reward):
        pass


# ---- pulls over time


def pulls_panel(**kept):
    records = longrun.simulate(BANDIT, ["exp3", "spo"], 200, seeds=3, **kept)
    return longrun.plot.trajectory(records)[1]


@pytest.mark.parametrize("kept", [{"every": 20}, {"every": 7}, {"trajectories": [3, 50, 51, 120]}])
def test_the_bounds_of_thinned_pulls_contain_the_exact_ones(kept):
    exact, thinned = pulls_panel(every=1), pulls_panel(**kept)
    assert "shaded: bounds" in thinned.get_ylabel() and "shaded" not in exact.get_ylabel() and not exact.collections
    assert len(exact.get_lines()) == len(thinned.get_lines()) == len(thinned.collections)
    for true, line, band in zip(exact.get_lines(), thinned.get_lines(), thinned.collections):
        path = band.get_paths()[0].vertices
        for step, middle in zip(*line.get_data()):
            ends = path[path[:, 0] == step, 1]
            count = true.get_ydata()[int(step) - 1]
            assert ends.min() - 1e-9 <= count <= ends.max() + 1e-9
            assert middle == pytest.approx((ends.min() + ends.max()) / 2)


def test_exact_pulls_are_counts():
    records = longrun.simulate(BANDIT, Commits, 200, every=1)
    most, other = longrun.plot.trajectory(records)[1].get_lines()
    assert other.get_ydata().tolist() == [min(step, 30) for step in range(1, 201)]
    assert most.get_ydata().tolist() == [max(step - 30, 0) for step in range(1, 201)]


def test_thinned_pulls_of_a_policy_that_commits_are_not_a_straight_line():
    two = longrun.Bandit("inc_dec_3", longrun.Gaussian(0.05))
    _, other = longrun.plot.trajectory(longrun.simulate(two, Commits, 1000, every=100))[1].get_lines()
    assert other.get_ydata().tolist() == [30] * 10


# ---- groups


def two_noises():
    return longrun.Records.concat([longrun.simulate(BANDIT.with_noise(noise), "spo", [20, 40], seeds=3) for noise in (0.05, 0.3)])


def test_several_noises_are_not_pooled():
    records = two_noises()
    table = pandas.DataFrame(records.summary())
    names = ["recommender_B, noise gaussian:0.05", "recommender_B, noise gaussian:0.3"]
    assert list(dict.fromkeys(table["bandit"])) == names and (table["runs"] == 3).all()
    for noise, name in zip(("gaussian:0.05", "gaussian:0.3"), names):
        row = table[(table["bandit"] == name) & (table["horizon"] == 40)]
        assert row["regret"].item() == pytest.approx(records.select(noise=noise, horizon=40)["regret"].mean())
    assert [ax.get_title() for ax in longrun.plot.regret(records)] == names
    assert len(longrun.plot.regret(records.to_pandas())) == 2
    with pytest.raises(ValueError, match="^records: have 2 noises; select one, records.select.noise='gaussian:0.05'., or leave"):
        longrun.plot.regret(records, ax=3)


def test_only_the_bandits_of_a_function_are_one_sample():
    fixed = longrun.Records.concat([longrun.simulate(f"inc_{seed}", "spo", 20, seeds=[seed]) for seed in (1, 2)])
    assert fixed.summary()["bandit"].tolist() == ["inc_1", "inc_2"], "one seed each, but not at random"
    random = longrun.simulate(lambda seed: longrun.Bandit(f"random_peaked_{seed % 3 + 1}"), "spo", 20, seeds=5)
    same = [random, random.copy(), copy.deepcopy(random), pickle.loads(pickle.dumps(random)), random.select(policy="spo")]
    parts = [longrun.simulate(lambda seed: longrun.Bandit(f"random_peaked_{seed % 3 + 1}"), "spo", 20, seeds=[seed]) for seed in range(1, 6)]
    for records in (*same, longrun.Records.concat(parts)):
        assert records.summary()["bandit"].tolist() == ["(one per seed)"] and records.summary()["runs"].tolist() == [5]
    assert isinstance(longrun.plot.regret(random.to_pandas()), matplotlib.axes.Axes)
    assert longrun.simulate({"mine": lambda seed: longrun.Bandit("inc_1")}, "spo", 20, seeds=2).summary()["bandit"].tolist() == ["mine"]
    with pytest.raises(ValueError, match="bandit 'random_peaked_1' is one per seed of a function in some results only"):
        longrun.Records.concat([random, longrun.simulate("random_peaked_1", "spo", 20, seeds=[9])])


@pytest.mark.parametrize(
    "bandits, message",
    [
        ({1: "inc_1", "1": "inc_2"}, "^bandit: two labels are '1' as text; labels must differ$"),
        ({"": "inc_1"}, "^bandit: a label is empty$"),
    ],
)
def test_labels_of_bandits_differ(bandits, message):
    with pytest.raises(ValueError, match=message):
        longrun.simulate(bandits, "spo", 20)


# ---- intervals


def test_a_single_run_has_no_interval():
    one = longrun.simulate(BANDIT, ["spo", "greedy"], [20, 40])
    table = one.summary()
    assert np.isnan(table["low"]).all() and np.isnan(table["high"]).all() and np.isfinite(table["regret"]).all()
    assert "<td>–</td>" in one._repr_html_() and "nan" not in one._repr_html_()
    assert not longrun.plot.regret(one).collections, "lines without bands"
    points = longrun.plot.regret(one.select(horizon=20))
    assert not points.containers and [line.get_marker() for line in points.get_lines()] == ["o", "o"]
    assert points.get_legend_handles_labels()[1] == ["spo", "greedy"]
    traced = longrun.simulate(BANDIT, "spo", 40, every=10)
    assert not longrun.plot.trajectory(traced)[0].collections
    assert not math.isnan(two_noises().summary()["low"][0])


def test_intervals_below_zero_are_within_the_axes():
    frame = pandas.DataFrame({"bandit": "b", "noise": "none:", "policy": "spo", "horizon": 100, "seed": [1, 2, 3], "regret": [0.0, 0.0, 30.0]})
    low = longrun._core.estimate(frame["regret"].to_numpy())[1]
    assert low < 0 and longrun.plot.regret(frame, per_step=False).get_ylim()[0] < low
    lines = pandas.concat([frame, frame.assign(horizon=200)])
    assert longrun.plot.regret(lines, per_step=False).get_ylim()[0] < low
    assert longrun.plot.regret(frame.assign(regret=[3.0, 3.1, 3.2])).get_ylim()[0] == 0


# ---- what is drawn of several bandits and policies


def test_every_policy_is_drawn_under_constraints_with_costs():
    constraints = longrun.Constraints(units_per_round=7, costs=[1, 2, 3, 5])
    for kept in ({"every": 10}, {"trajectories": [1, 10]}):
        records = longrun.simulate(BANDIT, ["spo", "exp3", "greedy"], 200, seeds=4, constraints=constraints, **kept)
        regret, pulls, _ = longrun.plot.trajectory(records)
        assert [text.get_text() for text in regret.get_legend().get_texts()] == ["spo", "exp3", "greedy"]
        assert len(regret.containers) == 3
        for policy, point in zip(("spo", "exp3", "greedy"), regret.containers):
            mine = records.select(policy=policy)
            assert point.lines[0].get_ydata()[0] == pytest.approx(mine["regret"].mean())
            assert point.lines[0].get_xdata()[0] == pytest.approx(mine["pulls"].sum(axis=1).mean())


def test_the_horizon_of_a_figure_is_that_of_its_bandit():
    records = longrun.simulate({"A": longrun.Bandit("inc_1", horizon=30), "B": longrun.Bandit("inc_2", horizon=60)}, "spo", every=10)
    assert longrun.plot.trajectory(records, bandit="A")[0].get_lines()[0].get_xdata().tolist() == [10, 20, 30]
    with pytest.raises(ValueError, match="^records: have no runs of bandit 'C'; bandits are 'A', 'B'$"):
        longrun.plot.trajectory(records, bandit="C")


def test_the_legend_has_the_policies_of_all_bandits():
    parts = [longrun.simulate("inc_1", "spo", [20, 40]), longrun.simulate("inc_2", ["greedy", "spo"], [20, 40])]
    axes = longrun.plot.regret(longrun.Records.concat(parts))
    (legend,) = axes[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["spo", "greedy"]


def test_selected_runs_keep_their_trajectories():
    records = longrun.simulate(BANDIT, ["spo", "exp3"], [30, 60], seeds=3, every=10)
    some = records.select(policy="exp3", horizon=60, seed=[1, 3])
    alone = longrun.simulate(BANDIT, "exp3", 60, seeds=[1, 3], every=10)
    assert all(np.array_equal(some.trajectories[name], alone.trajectories[name]) for name in alone.trajectories)
    assert some.trajectories["run"].dtype == np.int32 and some.trajectories.to_pandas().equals(alone.trajectories.to_pandas())
    assert longrun.plot.trajectory(some)[0].get_lines()[0].get_xdata().tolist() == [10, 20, 30, 40, 50, 60]
    assert records.trajectories["run"].max() == 11 and records.select(seed=9).trajectories["run"].size == 0
