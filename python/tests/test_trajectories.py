"""Kept steps of runs: what they hold, what they cost, and their figure."""

import csv
import io

import matplotlib
import numpy as np
import pandas
import pyarrow.parquet
import pytest

import longrun

BANDIT = longrun.Bandit("recommender_B", longrun.Gaussian(0.05))
NAMES = ["foresight", "spo", "exp3", "optimal"]


class Alternates:
    def __init__(self, setting):
        self.step, self.arms = 0, setting.arms

    def ask(self):
        self.step += 1
        return self.step % self.arms

    def tell(self, arm, reward):
        pass


RECORDS = longrun.simulate(BANDIT, [*NAMES, Alternates], [50, 120], seeds=[2, 5], root_seed=3, trajectories=True)


def test_records_with_trajectories_are_the_records_without():
    plain = longrun.simulate(BANDIT, [*NAMES, Alternates], [50, 120], seeds=[2, 5], root_seed=3)
    assert plain.trajectories is None and list(plain) == list(RECORDS)
    assert all(np.array_equal(plain[name], RECORDS[name]) for name in plain)
    for noise, policies in ((longrun.NoNoise(), NAMES), (longrun.Bernoulli(), NAMES)):
        bandit = BANDIT.with_noise(noise)
        some, all_steps = (longrun.simulate(bandit, policies, [30, 70], seeds=3, trajectories=kept) for kept in (None, True))
        assert all(np.array_equal(some[name], all_steps[name]) for name in some)


@pytest.mark.parametrize("run", range(RECORDS.runs))
def test_a_trajectory_repeats_the_run_and_its_regret_is_that_of_a_shorter_run(run):
    steps = RECORDS.trajectories.of_run(run)
    horizon, seed = int(RECORDS["horizon"][run]), int(RECORDS["seed"][run])
    assert steps["step"].tolist() == list(range(1, horizon + 1))
    world = BANDIT.world(horizon, seed=seed, root_seed=3)
    means = BANDIT.rewards(horizon)
    made, earned = [0] * BANDIT.arms, 0.0
    for step, arm, pull, reward, regret in zip(*(steps[name].tolist() for name in ("step", "arm", "pull", "reward", "regret"))):
        assert reward == np.float32(world.pull(arm))
        made[arm] += 1
        earned += means[arm, made[arm] - 1]
        assert pull == made[arm]
        assert regret == pytest.approx(longrun.optimum(BANDIT, step).value - earned, abs=1e-5)
    assert made == RECORDS["pulls"][run].tolist()
    assert regret == np.float32(RECORDS["regret"][run])


def test_the_numbers_take_four_bytes_each():
    steps = RECORDS.trajectories
    assert {name: column.dtype.name for name, column in steps.items()} == {
        "run": "int32", "step": "int32", "arm": "int32", "pull": "int32", "reward": "float32", "regret": "float32"
    }  # fmt: skip
    assert steps.nbytes == 24 * (50 + 120) * 2 * 5
    assert "1700 steps of 20 runs" in repr(steps)


def test_every_so_many_steps_or_those_of_a_list_are_kept():
    def kept(**options):
        records = longrun.simulate(BANDIT, ["spo", Alternates], [40, 75], seeds=2, **options)
        return [records.trajectories.of_run(run)["step"].tolist() for run in range(records.runs)]

    assert kept(every=20) == ([[20, 40]] * 2 + [[20, 40, 60, 75]] * 2) * 2
    assert kept(trajectories=[60, 1, 10]) == ([[1, 10]] * 2 + [[1, 10, 60]] * 2) * 2
    assert kept(trajectories=(step for step in (3, 3))) == [[3]] * 8
    few = longrun.simulate(BANDIT, ["spo"], 75, seeds=2, every=20).trajectories
    everything = longrun.simulate(BANDIT, ["spo"], 75, seeds=2, every=1).trajectories
    places = np.isin(everything["step"], [20, 40, 60, 75])
    assert all(np.array_equal(few[name], everything[name][places]) for name in few)


def test_the_memory_is_stated_before_it_is_taken(monkeypatch):
    monkeypatch.setattr(longrun._trajectories, "BYTES_TO_WARN", 10_000)
    with pytest.warns(UserWarning, match="trajectories: 1,000 kept steps of 10 runs take 24.0 kB of memory") as caught:
        longrun.simulate(BANDIT, "spo", 1000, seeds=10, every=10)
    assert [each.filename for each in caught] == [__file__], "the line of the caller"
    monkeypatch.setattr(longrun._core, "simulate", lambda *arguments: pytest.fail("too late"))
    with pytest.raises(ValueError, match="the machine has .*; keep fewer steps"):
        longrun.simulate(BANDIT, "spo", 10**6, seeds=10**7, every=1)
    with pytest.raises(ValueError, match="horizon 3000000000 is too long; at most 2147483647 steps can be kept"):
        longrun.simulate("inc_1", "spo", 3 * 10**9, every=10**9)


def test_under_constraints_the_regret_is_known_at_the_end():
    class Restricted(Alternates):
        def ask(self, among):
            return among[super().ask() % len(among)]

    constraints = longrun.Constraints(units_per_round=5, costs=[1, 2, 1, 3])
    records = longrun.simulate(BANDIT, ["spo", Restricted], [60, 90], seeds=2, constraints=constraints, trajectories=True)
    plain = longrun.simulate(BANDIT, ["spo", Restricted], [60, 90], seeds=2, constraints=constraints)
    assert all(np.array_equal(plain[name], records[name]) for name in plain)
    for run in range(records.runs):
        steps = records.trajectories.of_run(run)
        assert np.bincount(steps["arm"], minlength=4).tolist() == records["pulls"][run].tolist()
        assert np.isnan(steps["regret"][:-1]).all() and steps["regret"][-1] == np.float32(records["regret"][run])
    longrun.plot.trajectory(records)
    matplotlib.pyplot.close("all")


def test_the_command_line_writes_the_same_trajectory(command_line, tmp_path):
    for extra, constraints in ([], None), (["--units-per-round", 5], longrun.Constraints(units_per_round=5)):
        path = tmp_path / "steps.csv"
        options = ["--bandit", "recommender_B", "--noise", "gaussian:0.05", "--policy", "spo", "--horizon", 100, "--seed", 3, "--replicate", 2]
        plain = command_line("play", *options, *extra)
        assert command_line("play", *options, *extra, "--trajectory", path) == plain
        theirs = pandas.read_csv(path)
        ours = longrun.simulate(BANDIT, "spo", 100, seeds=[2], root_seed=3, trajectories=True, constraints=constraints).trajectories
        assert list(theirs.columns) == ["step", *(["round"] if extra else []), "arm", "pull", "reward", "regret"]
        for name in ("step", "arm", "pull", "reward", "regret"):
            assert np.array_equal(theirs[name].to_numpy().astype(ours[name].dtype), ours[name], equal_nan=name == "regret"), name
    assert next(csv.reader(io.StringIO(path.read_text())))[1] == "round"


def test_data_frames_and_parquet_files_name_the_run_of_each_step(tmp_path):
    frame = RECORDS.trajectories.to_pandas()
    assert list(frame.columns) == ["bandit", "policy", "horizon", "seed", "run", "step", "arm", "pull", "reward", "regret"]
    run = frame[(frame["policy"] == "exp3") & (frame["horizon"] == 50) & (frame["seed"] == 5)]
    assert run["arm"].tolist() == RECORDS.trajectories.of_run(int(run["run"].iloc[0]))["arm"].tolist() and len(run) == 50
    RECORDS.trajectories.to_parquet(tmp_path / "steps.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "steps.parquet").to_pandas()
    assert list(table.columns) == list(frame.columns) and (table.astype(frame.dtypes) == frame).all(axis=None)


def test_a_figure_shows_regret_pulls_and_places():
    regret, pulls, curves = longrun.plot.trajectory(RECORDS)
    styles = longrun.plot.styles([*NAMES, "Alternates"])
    lines = {line.get_label(): line for line in regret.get_lines()}
    assert {name: line.get_color() for name, line in lines.items()} == {name: style["color"] for name, style in styles.items()}
    steps = [RECORDS.trajectories.of_run(run)["regret"] for run in range(RECORDS.runs) if RECORDS["policy"][run] == "spo" and RECORDS["horizon"][run] == 120]
    assert lines["spo"].get_ydata() == pytest.approx(np.mean(steps, axis=0))
    assert len(regret.collections) == 5, "an interval for each"
    assert {line.get_color() for line in pulls.get_lines()} <= {style["color"] for style in styles.values()}
    ends = sorted(line.get_ydata()[-1] for line in pulls.get_lines() if line.get_color() == styles["exp3"]["color"])
    mine = RECORDS.select(policy="exp3", horizon=120)["pulls"].mean(axis=0)
    assert ends == pytest.approx(sorted(mine)[-2:]), "the arms that it pulls most; 12 lines are for 5 policies"
    points = [line for line in curves.get_lines() if line.get_marker() == "o"]
    assert {line.get_color() for line in points} == {style["color"] for style in styles.values()}
    grey = [line for line in curves.get_lines() if line.get_marker() != "o"]
    assert len(grey) == 4 and grey[0].get_ydata()[0] == BANDIT.rewards(1)[0, 0]
    matplotlib.pyplot.close("all")


def test_a_figure_of_several_bandits_needs_a_name_and_random_ones_have_no_curves():
    records = longrun.simulate(["inc_1", "inc_2"], "spo", [30, 40], every=10)
    with pytest.raises(ValueError, match="records: have 2 bandits; name one, such as bandit='inc_1'"):
        longrun.plot.trajectory(records)
    with pytest.raises(ValueError, match="have no runs of bandit 'inc_3'; bandits are 'inc_1', 'inc_2'"):
        longrun.plot.trajectory(records, bandit="inc_3")
    with pytest.raises(ValueError, match="have no runs of bandit 'inc_2' with horizon 35"):
        longrun.plot.trajectory(records, bandit="inc_2", horizon=35)
    assert longrun.plot.trajectory(records, bandit="inc_2", horizon=30)[0].get_lines()[0].get_xdata().tolist() == [10, 20, 30]
    random = longrun.simulate(lambda seed: longrun.Bandit(f"random_peaked_{seed}"), "spo", 40, seeds=3, every=10)
    assert "differs" in longrun.plot.trajectory(random)[2].texts[0].get_text()
    matplotlib.pyplot.close("all")
