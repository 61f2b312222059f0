"""The package computes the same numbers as the command line, to the last bit."""

import csv
import json

import numpy as np
import pandas
import pytest
from conftest import ROOT

import longrun
from longrun._served_state import recommendation_of

NAMES = [info.name for info in longrun.policies()]
NEED_PLAN = {info.name for info in longrun.policies() if info.needs_plan}


@pytest.mark.parametrize("noise", [longrun.NoNoise(), longrun.Gaussian(0.05), longrun.Bernoulli()])
def test_every_policy_plays_as_on_the_command_line(play, noise):
    records = longrun.simulate(longrun.Bandit("inc_dec_3", noise), NAMES, [200], seeds=[3], root_seed=7)
    for row, name in enumerate(NAMES):
        run = play("--bandit", "inc_dec_3", "--noise", noise, "--policy", name, "--horizon", 200, "--seed", 7, "--replicate", 3)
        assert records["policy"][row] == name
        assert records["pulls"][row].tolist() == run["pulls"], name
        for column, key in (("earned", "return"), ("optimum", "optimum"), ("regret", "regret")):
            assert records[column][row] == run[key], (name, column)


def test_ask_and_tell_make_the_same_decisions_as_a_run(play):
    noise = longrun.Uniform(0.1)
    bandit = longrun.Bandit("inc_dec_2", noise)
    for name in NAMES:
        if name in NEED_PLAN:
            continue
        policy = longrun.policy(name, arms=bandit.arms, horizon=150, noise=noise, seed=2, root_seed=5)
        world = bandit.world(150, seed=2, root_seed=5)
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
    records = longrun.simulate(bandit, ["spo", "ucb", "exp3", "foresight"], [300, 50], seeds=4, root_seed=11, half_width=half_width)
    count = len(records["regret"])
    ours = {(str(records["policy"][i]), int(records["horizon"][i]), int(records["seed"][i])): i for i in range(count)}
    assert len(rows) == count == 32
    for row in rows:
        i = ours[row["policy"], row["horizon"], row["seed"]]
        assert records["noise"][i] == row["noise"] and records["bandit"][i] == row["bandit"]
        assert records["pulls"][i].tolist() == row["pulls"]
        assert [records[c][i] for c in ("earned", "optimum", "regret")] == [row[c] for c in ("return", "optimum", "regret")]


def test_random_bandits_per_seed_have_the_same_records(command_line, tmp_path):
    (tmp_path / "x.toml").write_text(
        "bandits = ['random_peaked_*']\nnoise = ['gaussian:0.05']\npolicies = ['spo', 'exp3']\nhorizons = [40, 90]\nseeds = 5\nseed = 3\n"
    )
    command_line("run", tmp_path / "x.toml", "--out", tmp_path / "out")
    rows = [json.loads(line) for line in command_line("export", tmp_path / "out", "--jsonl").splitlines()]

    def drawn(seed):
        return longrun.Bandit(f"random_peaked_{seed}", longrun.Gaussian(0.05))

    class Same:
        def __init__(self, setting):
            self.policy = longrun.policy("spo", arms=setting.arms, horizon=setting.horizon, noise=setting.noise)
            self.ask, self.tell = self.policy.ask, self.policy.tell

    records = longrun.simulate(drawn, ["spo", "exp3", Same], [40, 90], seeds=5, root_seed=3)
    assert records["pulls"].shape == (30, max(drawn(seed).arms for seed in range(1, 6)))
    assert records["bandit"][:5].tolist() == [f"random_peaked_{seed}" for seed in range(1, 6)]
    ours = {(str(records["policy"][i]), int(records["horizon"][i]), int(records["seed"][i])): i for i in range(30)}
    for row in rows:
        for policy in [row["policy"]] + ["Same"] * (row["policy"] == "spo"):
            i = ours[policy, row["horizon"], row["seed"]]
            assert [n for n in records["pulls"][i].tolist()][: len(row["pulls"])] == row["pulls"]
            assert records["pulls"][i][len(row["pulls"]) :].sum() == 0
            assert [records[c][i] for c in ("earned", "optimum", "regret")] == [row[c] for c in ("return", "optimum", "regret")]


CONSTRAINED = [
    (longrun.Constraints(minimum_pulls=20, minimum_share={1: 0.1}), ["--minimum-pulls", "20", "--minimum-share", "1:0.1"]),
    (longrun.Constraints(units_per_round=5, costs=[1, 2, 1, 3]), ["--units-per-round", "5", "--costs", "1,2,1,3"]),
    (
        longrun.Constraints(unavailable={0: [(1, 50), (80, 90)], 2: [(10, 10)]}, unspent="lapse"),
        ["--unavailable", "0:1-50,0:80-90,2:10", "--unspent", "lapse"],
    ),
]


@pytest.mark.parametrize("constraints, options", CONSTRAINED, ids=["minima", "rounds and costs", "unavailable arms"])
def test_constraints_are_those_of_the_command_line(play, command_line, constraints, options):
    bandit = longrun.Bandit("recommender_A", longrun.Gaussian(0.05))
    records = longrun.simulate(bandit, ["spo", "foresight", "optimal"], [200, 300], seeds=[4], constraints=constraints)
    for i, (policy, horizon) in enumerate(zip(records["policy"], records["horizon"])):
        run = play("--bandit", "recommender_A", "--noise", bandit.noise, "--policy", policy, "--horizon", horizon, "--replicate", 4, *options)
        assert records["pulls"][i].tolist() == run["pulls"]
        assert [records[c][i] for c in ("earned", "optimum", "regret")] == [run[c] for c in ("return", "optimum", "regret")]
    best = json.loads(command_line("optimum", "--bandit", "recommender_A", "--horizon", 300, "--json", *options))
    ours = longrun.optimum(bandit, 300, constraints=constraints)
    assert (ours.value, ours.pulls.tolist(), ours.method) == (best["optimum"], best["pulls"], best["method"])


def test_the_optimum_and_the_bound(command_line):
    best = json.loads(command_line("optimum", "--bandit", "recommender_B", "--horizon", 3000, "--json"))
    ours = longrun.optimum(longrun.Bandit("recommender_B"), 3000)
    assert (ours.value, ours.pulls.tolist()) == (best["optimum"], best["pulls"])
    assert longrun.optimum("recommender_B", 3000).value == best["optimum"]
    assert longrun.optimistic_future([0.1, 0.15], [0.2, 0.25], 6) == 4.5
    assert longrun.optimistic_future(np.array([0.5, 0.0]), np.array([0.6, 0.1]), 6) is None


def same_pulls(ours, theirs):
    mine = [(each.position, str(each.arm), each.pulls, each.causes) for each in ours.next]
    return mine == [tuple(each.values()) for each in theirs["next"]]


def test_a_recommendation(command_line):
    history = ROOT / "datasets" / "example_history.csv"
    theirs = json.loads(command_line("recommend", "--horizon", 1000, "--history", history, "--unavailable-now", "item 4", "--json"))
    with open(history) as file:
        pulls = [(row["arm"], float(row["reward"])) for row in csv.DictReader(file)]
    names = [arm["name"] for arm in theirs["arms"]]
    ours = longrun.recommend(pulls, arms=names, horizon=1000, unavailable_now=["item 4"])
    assert same_pulls(ours, theirs) and ours.arm == ours.next[0].arm
    assert str(ours).startswith(theirs["what_to_do"])
    assert ours.why == theirs["why"] and ours.what_would_change == theirs["what_would_change"]
    assert ours.cautions == theirs["cautions"] == [] and ours.outliers == theirs["outliers"] == []
    assert (ours.remaining, ours.noise_sd, ours.noise_estimated) == (theirs["remaining"], *theirs["noise_sd"].values())
    assert (ours.policy, ours.made, ours.units_left, ours.round) == tuple(theirs[key] for key in ("policy", "made", "units_left", "round"))
    assert (ours.what_if.arm, ours.what_if.pulls) == (theirs["what_if"]["name"], theirs["what_if"]["pulls"])
    assert ours.what_if.then == [(each["from"], each["to"], each["name"]) for each in theirs["what_if"]["then"]]
    for mine, arm in zip(ours.arms, theirs["arms"]):
        assert mine.reward_now == tuple(arm["reward_now"].values()) and mine.expected == tuple(arm["expected"].values())
        assert (mine.trend, *mine.trend_probabilities) == tuple(arm["trend"].values())
        assert mine.noise_sd == arm["noise_sd"]
        assert (mine.pulls, mine.remaining) == (arm["pulls"], arm["remaining"])
        assert (mine.value_of_learning, mine.index) == (arm["value_of_learning"], arm["index"])
        assert mine.expected_course == [tuple(point.values()) for point in arm["expected_course"]]
        assert mine.upper_bound == arm["upper_bound"]["total"] and mine.misfit is arm["misfit"] is None
        assert mine.upper_bound_curve == [tuple(point.values()) for point in arm["upper_bound"]["curve"]]


def test_rewards_that_look_like_mistakes_are_those_of_the_command_line(command_line, tmp_path):
    history = []
    for pull in range(30):
        history.append(("tea", 0.9 if pull == 15 else 0.5 + 0.01 * (pull % 3)))
        history.append(("coffee", 0.05 if pull == 0 else 0.6 + 0.01 * (pull % 3)))  # a low first reward
    path = tmp_path / "past.csv"
    path.write_text("arm,reward\n" + "".join(f"{arm},{reward!r}\n" for arm, reward in history))
    theirs = recommendation_of(json.loads(command_line("recommend", "--horizon", 400, "--history", path, "--json")))
    of_file = longrun.recommend(path, horizon=400)
    for answer in (longrun.recommend(history, horizon=400), of_file, theirs):
        assert answer.outliers == [longrun.Outlier(place=30, reward=0.9, counted_as=pytest.approx(0.51))]
        assert answer.doubtful == [longrun.DoubtfulReward(place=1, reward=0.05, typical=pytest.approx(0.61))]
    assert of_file == theirs
    assert longrun.recommend(history[2:30], horizon=400).doubtful == []


def test_an_answer_has_an_attribute_for_every_key_of_its_json(command_line):
    """All but the arguments of the call. What has another name is in docs/python.md."""
    renamed = {"first": "arm", "trend": "trend", "from": "low", "to": "high"}
    arguments = {"horizon", "scale", "constraints", "unavailable_now", "warnings"}
    history = ROOT / "datasets" / "example_history.csv"
    theirs = json.loads(command_line("recommend", "--horizon", 1000, "--history", history, "--json"))
    ours = longrun.recommend(history, horizon=1000)
    for mine, keys in ((ours, theirs), (ours.arms[0], theirs["arms"][0]), (ours.what_if, theirs["what_if"]), (ours.what_if.then[0], theirs["what_if"]["then"][0])):
        for key in set(keys) - arguments - {"name"}:
            assert hasattr(mine, renamed.get(key, key)), key


def test_a_recommendation_under_constraints(command_line):
    theirs = json.loads(
        command_line("recommend", "--arms", 3, "--horizon", 90, "--units-per-round", 4, "--minimum-share", "2:0.25", "--minimum-pulls", 1, "--json")
    )
    constraints = longrun.Constraints(units_per_round=4, minimum_share={2: 0.25}, minimum_pulls=1)
    ours = longrun.recommend([], arms=3, horizon=90, constraints=constraints)
    assert same_pulls(ours, theirs) and sum(each.pulls for each in ours.next) == 4
    assert set().union(*(each.causes for each in ours.next)) == {"share", "minimum", "choice"}


def test_rounds_in_which_units_are_saved():
    constraints = longrun.Constraints(costs={"farms": 4, "shops": 1})
    answer = longrun.recommend([("farms", 0.9), ("shops", 0.1)], horizon=100, policy="greedy", constraints=constraints)
    assert (answer.arm, answer.rounds_before, answer.round) == ("farms", 3, 9), "5 units are spent, and farms cost 4"


def test_a_recommendation_before_the_first_pull():
    first = longrun.recommend([], arms=3, horizon=100)
    assert first.arm == 0 and first.arms[0].reward_now is None
    with pytest.raises(ValueError, match="did you mean 'spo'"):
        longrun.recommend([], arms=3, horizon=100, policy="spoo")
    with pytest.raises(ValueError, match="^history: row 0: arm '7': is not an arm; arms are '0', '1', '2'$"):
        longrun.recommend([(7, 0.5)], arms=3, horizon=100)


def test_whole_numbers_are_labels_and_never_positions():
    history = [(1, 0.1), (2, 0.2), (3, 0.9)] * 8
    answer = longrun.recommend(history, arms=[1, 2, 3], horizon=100)
    assert [(arm.arm, arm.pulls) for arm in answer.arms] == [(1, 8), (2, 8), (3, 8)]
    assert answer.arms[0].reward_now.mean == pytest.approx(0.1) and answer.arm == 3 and answer.next[0].position == 2
    assert answer.what_to_do == "Pull arm 3 next."
    frame = pandas.DataFrame(history, columns=["arm", "reward"]).astype(float)
    assert longrun.recommend(frame, arms=[1, 2, 3], horizon=100) == answer
    reordered = longrun.recommend(history, arms=["3", "1", "2"], horizon=100)
    assert reordered.arm == "3" and reordered.next[0].position == 0
    minimum = longrun.Constraints(minimum_pulls={1: 50})
    assert longrun.recommend(history, arms=[1, 2, 3], horizon=100, constraints=minimum).arm == 1
    assert longrun.recommend(history, arms=[3, 2, 1], horizon=100, constraints=minimum).arm == 1
    large = longrun.Constraints(costs={10**12: 2})
    assert longrun.recommend([], arms=[10**12, 7], horizon=100, constraints=large).arm == 10**12


def test_a_missing_reward_is_pending():
    frame = pandas.DataFrame({"arm": ["a", "b", "a", "b"], "reward": [0.5, 0.4, 0.6, None]})
    answer = longrun.recommend(frame, arms=["a", "b"], horizon=10)
    assert (answer.pending, answer.remaining, answer.arms[1].pulls) == (1, 6, 2)
    assert (answer.made, answer.arms[1].pending, answer.arms[0].pending) == (4, 1, 0)
    assert answer.arms[1].pending_counted_as is not None and answer.arms[0].pending_counted_as is None
    assert answer == longrun.recommend([("a", 0.5), ("b", 0.4), ("a", 0.6), ("b", None)], arms=["a", "b"], horizon=10)


def test_costs_may_have_decimals(command_line):
    constraints = longrun.Constraints(costs={"a": 2.5, "b": 0.1}, units_per_round=10.5)
    ours = longrun.recommend([], arms=["a", "b"], horizon=100.5, constraints=constraints)
    options = ["--names", "a,b", "--costs", "a:2.5,b:0.1", "--units-per-round", 10.5, "--json"]
    theirs = json.loads(command_line("recommend", "--horizon", 100.5, *options))
    assert same_pulls(ours, theirs) and ours.remaining == theirs["remaining"] == 1005
    tenths = longrun.Constraints(costs=0.1)
    assert longrun.recommend([(0, 0.5)] * 10, arms=1, horizon=1, constraints=tenths).remaining == 0
    assert longrun.recommend([(0, 0.5)] * 9, arms=1, horizon=1, constraints=tenths).remaining == 1
