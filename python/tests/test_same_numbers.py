"""The numbers of the command line, to the last bit."""

import csv
import json

import numpy as np
import pytest
from conftest import ROOT

import longrun

NAMES = [info.name for info in longrun.policies()]


@pytest.mark.parametrize("noise", [longrun.NoNoise(), longrun.Gaussian(0.05), longrun.Bernoulli()])
def test_every_policy_plays_as_on_the_command_line(play, noise):
    records = longrun.simulate(longrun.Bandit("inc_dec_3", noise), NAMES, [200], seeds=[3], seed=7)
    for row, name in enumerate(NAMES):
        run = play("--bandit", "inc_dec_3", "--noise", noise, "--policy", name, "--horizon", 200, "--seed", 7, "--replicate", 3)
        assert records["policy"][row] == name
        assert records["pulls"][row].tolist() == run["pulls"], name
        for column in ("return", "optimum", "regret"):
            assert records[column][row] == run[column], (name, column)


def test_asking_and_telling_is_playing(play):
    noise = longrun.Uniform(0.1)
    bandit = longrun.Bandit("inc_dec_2", noise)
    for name in NAMES:
        if name == "optimal":
            continue
        policy = longrun.policy(name, arms=bandit.arms, horizon=150, noise=noise, seed=5, replicate=2)
        world = longrun._core.World(bandit._core, 150, 5, 2)
        arms = []
        for _ in range(150):
            arms.append(policy.ask())
            policy.tell(arms[-1], world.pull(arms[-1]))
        run = play("--bandit", "inc_dec_2", "--noise", noise, "--policy", name, "--horizon", 150, "--seed", 5, "--replicate", 2, "--trace")
        assert arms == run["arms"], name


@pytest.mark.parametrize("half_width", [None, "3sd", 0.25])
def test_an_experiment_has_the_same_records(command_line, tmp_path, half_width):
    width = "" if half_width is None else f"half_width = {json.dumps(half_width)}\n"
    (tmp_path / "x.toml").write_text(
        "bandits = ['recommender_B']\nnoise = ['gaussian:0.05']\npolicies = ['spo', 'ucb', 'exp3', 'foresight']\n"
        f"horizons = [50, 300]\nseeds = 4\nseed = 11\n{width}"
    )
    command_line("run", tmp_path / "x.toml", "--out", tmp_path / "out")
    rows = [json.loads(line) for line in command_line("export", tmp_path / "out", "--jsonl").splitlines()]
    bandit = longrun.Bandit("recommender_B", longrun.Gaussian(0.05))
    records = longrun.simulate(bandit, ["spo", "ucb", "exp3", "foresight"], [300, 50], seeds=4, seed=11, half_width=half_width)
    count = len(records["regret"])
    ours = {(str(records["policy"][i]), int(records["horizon"][i]), int(records["seed"][i])): i for i in range(count)}
    assert len(rows) == count == 32
    for row in rows:
        i = ours[row["policy"], row["horizon"], row["seed"]]
        assert records["noise"][i] == row["noise"] and records["bandit"][i] == row["bandit"]
        assert records["pulls"][i].tolist() == row["pulls"]
        assert [records[c][i] for c in ("return", "optimum", "regret")] == [row[c] for c in ("return", "optimum", "regret")]


def test_the_optimum_and_the_bound(command_line):
    best = json.loads(command_line("optimum", "--bandit", "recommender_B", "--horizon", 3000, "--json"))
    ours = longrun.optimum(longrun.Bandit("recommender_B"), 3000)
    assert (ours.value, ours.pulls.tolist()) == (best["value"], best["pulls"])
    assert longrun.optimum("recommender_B", 3000).value == best["value"]
    assert longrun.optimistic_future([0.1, 0.15], [0.2, 0.25], 6) == 4.5
    assert longrun.optimistic_future(np.array([0.5, 0.0]), np.array([0.6, 0.1]), 6) is None


def test_a_recommendation(command_line):
    history = ROOT / "datasets" / "example_history.csv"
    theirs = json.loads(command_line("recommend", "--horizon", 1000, "--history", history, "--away", 3, "--json"))
    with open(history) as file:
        pulls = [(row["arm"], float(row["reward"])) for row in csv.DictReader(file)]
    names = [arm["name"] for arm in theirs["arms"]]
    ours = longrun.recommend([(names.index(arm), reward) for arm, reward in pulls], arms=names, horizon=1000, away=[3])
    assert ours.arm == theirs["next"][0]["arm"] and str(ours).startswith(theirs["say"])
    assert ours.why == theirs["why"] and ours.what_would_change == theirs["what_would_change"]
    assert (ours.remaining, ours.noise_sd) == (theirs["remaining"], theirs["noise_sd"]["value"])
    for mine, arm in zip(ours.arms, theirs["arms"]):
        assert mine.reward_now == tuple(arm["reward_now"].values()) and mine.slope == tuple(arm["slope"].values())
        assert (mine.pulls, mine.trend, mine.worth, mine.bound) == (arm["pulls"], arm["trend"], arm["worth"], arm["bound"]["total"])


def test_a_recommendation_before_the_first_pull():
    first = longrun.recommend([], arms=3, horizon=100)
    assert first.arm == 0 and first.arms[0].reward_now is None
    with pytest.raises(ValueError, match="did you mean 'spo'"):
        longrun.recommend([], arms=3, horizon=100, policy="spoo")
    with pytest.raises(ValueError, match="arm 7"):
        longrun.recommend([(7, 0.5)], arms=3, horizon=100)
