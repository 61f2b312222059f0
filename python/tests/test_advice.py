"""plan() and backtest() are `longrun plan` and `longrun backtest`, to the last bit, and take the arguments of recommend()."""

import csv
import dataclasses
import json
import time
import warnings

import pandas
import pytest
from conftest import ROOT

import longrun
from longrun._progress import progress_bar

HISTORY = ROOT / "datasets" / "example_history.csv"
LOG = ROOT / "datasets" / "example_log.csv"
ITEMS = ["item 1", "item 2", "item 3", "item 4"]
LOG_ARMS = ["late", "early", "level"]


def pulls_in(path):
    with open(path) as file:
        return [(row["arm"], float(row["reward"])) for row in csv.DictReader(file)]


def as_json(thing):
    """Return a result with the keys of its JSON: named tuples and data classes are objects."""
    if dataclasses.is_dataclass(thing):
        return {field.name: as_json(getattr(thing, field.name)) for field in dataclasses.fields(thing)}
    if hasattr(thing, "_asdict"):
        return {name: as_json(value) for name, value in thing._asdict().items()}
    if isinstance(thing, dict):
        return {name: as_json(value) for name, value in thing.items()}
    return [as_json(each) for each in thing] if isinstance(thing, list) else thing


PLAN_KEYS = ["what_is_earned", "what_constraints_cost", "what_is_not_met", "cautions", "policy", "made", "pending", "units_left", "futures", "seed"]


def assert_same_plan(ours, theirs):
    mine = as_json(ours)
    assert {key: mine[key] for key in PLAN_KEYS} == {key: theirs[key] for key in PLAN_KEYS}
    assert (ours.noise, ours.noise_estimated) == (theirs["noise"]["text"], theirs["noise"]["estimated"])
    for arm, other in zip(mine["arms"], theirs["arms"], strict=True):
        assert str(arm.pop("arm")) == other.pop("name")
        del other["arm"]
        assert arm == {"noise_sd": None, **other}
    labels = [str(arm.arm) for arm in ours.arms]
    for course, other in zip(mine["courses"], theirs["courses"], strict=True):
        assert [str(label) for label in course["arm_pulls"]] == labels
        course["arm_pulls"] = list(course["arm_pulls"].values())
        assert course == other


def test_a_plan_is_that_of_the_command_line(command_line):
    options = ["--futures", 200, "--seed", 7, "--compare", "minimum-share item 2:0.2", "--compare", "none", "--unavailable-now", "item 4"]
    constraints = longrun.Constraints(units_per_round=20, minimum_pulls={"item 1": 80})
    theirs = json.loads(
        command_line("plan", "--horizon", 600, "--history", HISTORY, "--units-per-round", 20, "--minimum-pulls", "item 1:80", *options, "--json")
    )
    for history, threads in [(pulls_in(HISTORY), 1), (pandas.read_csv(HISTORY), 2), (HISTORY, None), (str(HISTORY), None)]:
        ours = longrun.plan(
            history,
            arms=ITEMS,
            horizon=600,
            constraints=constraints,
            compare=["minimum-share item 2:0.2", "none"],
            unavailable_now="item 4",
            futures=200,
            seed=7,
            threads=threads,
        )
        assert_same_plan(ours, json.loads(json.dumps(theirs)))
    assert str(ours).startswith(" ".join(theirs["what_is_earned"])) and repr(ours).startswith("<Plan of 4 arms, 6 courses, 200 futures: Following")


def test_a_plan_with_decimals_a_scale_and_numbers_as_labels(command_line, tmp_path):
    path = tmp_path / "past.csv"
    rewards = [(7, 20.0), (3, 50.0), (7, 30.0), (3, 52.0), (7, 41.0), (3, None)] * 4
    path.write_text("arm,reward\n" + "".join(f"{arm},{'' if reward is None else reward}\n" for arm, reward in rewards))
    theirs = json.loads(
        command_line("plan", "--horizon", 90.5, "--history", path, "--costs", "7:1.5", "--scale", "0:100", "--policy", "ucb", "--futures", 100, "--json")
    )
    arguments = {"horizon": 90.5, "scale": (0, 100), "policy": "ucb", "futures": 100, "constraints": longrun.Constraints(costs={7: 1.5})}
    ours = longrun.plan(rewards, arms=[3, 7], **arguments)
    assert_same_plan(ours, theirs)
    assert ours.arms[0].arm == 3 and ours.pending == 4 and set(ours.courses[0].arm_pulls) == {3, 7}
    with pytest.raises(dataclasses.FrozenInstanceError):
        ours.made = 3


COMPARED = [
    (longrun.Constraints(units_per_round=20, minimum_share={"item 2": 0.2}), "minimum-share item 2:0.2"),
    (longrun.Constraints(units_per_round=20), "minimum-share 0"),
    (longrun.Constraints(), "none"),
]


def test_constraints_to_compare_with_are_those_of_their_texts():
    options = {"arms": ITEMS, "horizon": 600, "futures": 100, "constraints": longrun.Constraints(units_per_round=20, minimum_share=0.1)}
    ours = longrun.plan(pulls_in(HISTORY), compare=[constraints for constraints, _ in COMPARED], **options)
    theirs = longrun.plan(pulls_in(HISTORY), compare=[text for _, text in COMPARED], **options)
    assert [dataclasses.replace(course, name="") for course in ours.courses] == [dataclasses.replace(course, name="") for course in theirs.courses]
    names = ["units-per-round 20, minimum-share item 2:0.2", "units-per-round 20", "no constraints"]
    assert [course.name for course in ours.courses[-3:]] == names
    one = longrun.plan(pulls_in(HISTORY), compare=COMPARED[0][0], **options)
    assert one.courses[-1] == ours.courses[-3]


def test_decimals_of_constraints_to_compare_with_are_exact():
    options = {"arms": ["tea", "coffee"], "horizon": 40, "futures": 100}
    history = [("tea", 0.2), ("coffee", 0.5)] * 5
    plain = longrun.plan(history, **options)
    other = longrun.plan(history, compare=longrun.Constraints(costs={"tea": 2.5, "coffee": 0.75}), **options)
    assert other.units_left == plain.units_left == 30 and other.courses[0] == plain.courses[0]
    assert other.courses[-1].name == "costs tea:2.5,coffee:0.75"
    study = longrun.Study(["tea", "coffee"], 40)
    study.tell(*map(list, zip(*history)))
    assert study.plan(longrun.Constraints(costs=2), futures=100).courses[-1] == study.plan("costs 2", futures=100).courses[-1]
    with pytest.raises(ValueError, match="^costs 2.5: must be a whole number here; recommend"):
        study.plan(longrun.Constraints(costs=2.5), futures=100)
    with pytest.raises(ValueError, match="^compare: minimum-share 0.8: minimum_share: the shares of all 2 arms add up to 1.6, more than 1$"):
        study.plan(longrun.Constraints(minimum_share=0.8), futures=100)


def test_a_plan_without_a_history_and_of_yes_or_no_rewards(command_line):
    theirs = json.loads(command_line("plan", "--horizon", 60, "--arms", 3, "--noise", "bernoulli", "--futures", 100, "--json"))
    assert_same_plan(longrun.plan([], arms=3, horizon=60, noise=longrun.Bernoulli(), futures=100), theirs)


def test_the_default_policies_of_a_backtest_are_those_of_the_library():
    assert longrun._backtest.BACKTEST_POLICIES == tuple(longrun._core.backtest_policies())


def assert_same_backtest(ours, theirs):
    mine = as_json(ours)
    same = ["conclusions", "warnings", "horizon", "replicates", "resamples", "seed", "by_chance"]
    assert {key: mine[key] for key in same} == {key: theirs[key] for key in same}
    assert [ours.log_pulls, ours.log_pending, ours.log_reward] == [theirs["log"][key] for key in ("pulls", "pending", "reward")]
    assert [ours.noise, ours.noise_sd, ours.noise_outliers] == [theirs["noise"][key] for key in ("kind", "sd", "outliers")]
    labels = {other["arm"]: arm.arm for arm, other in zip(ours.arms, theirs["arms"])}
    for arm, other in zip(mine["arms"], theirs["arms"], strict=True):
        assert str(arm.pop("arm")) == other.pop("name")
        del other["arm"]
        assert arm == other
    for row, other in zip(mine["policies"], theirs["policies"], strict=True):
        assert list(row["pulls"]) == [labels[arm] for arm in theirs["fitted_arms"]]
        row["pulls"] = list(row["pulls"].values())
        assert row == other
    for replay, other in zip(mine["replays"], theirs["replays"], strict=True):
        for each in [*other["columns"], *([other["rejection"]] if "rejection" in other else [])]:
            if each["exhausted"] is not None:
                each["exhausted"] = labels[each["exhausted"]]
        rejection = replay.pop("rejection")
        assert {**replay, **({"rejection": {**rejection.pop("replay"), **rejection}} if rejection else {})} == other
    assert mine["random_choices"] == theirs.get("random_choices")


def test_a_backtest_is_that_of_the_command_line(command_line):
    options = ["--horizon", 150, "--policies", "spo,ucb,sw-ucb:window=50", "--replicates", 20, "--resamples", 20, "--seed", 3]
    theirs = json.loads(command_line("backtest", "--history", LOG, *options, "--choices", "random", "--json"))
    for history, threads in [(pulls_in(LOG), 1), (pandas.read_csv(LOG), None), (LOG, 2)]:
        ours = longrun.backtest(
            history,
            arms=LOG_ARMS,
            horizon=150,
            policies=["spo", "ucb", "sw-ucb:window=50"],
            choices="random",
            replicates=20,
            resamples=20,
            seed=3,
            threads=threads,
        )
        assert_same_backtest(ours, json.loads(json.dumps(theirs)))
    assert ours.best.best and not ours.best.reference and ours.best.policy in ours.conclusions[0]
    assert repr(ours).startswith("<Backtest of 3 policies on 900 pulls: On the bandit") and str(ours).startswith(ours.conclusions[0])


def test_a_backtest_with_pending_rewards_an_arm_left_out_and_a_scale(command_line, tmp_path):
    log = [(arm, 10.0 * arm + step % 7) for step in range(40) for arm in (1, 2)] + [(2, None), (9, 30.0)]
    path = tmp_path / "log.csv"
    path.write_text("arm,reward\n" + "".join(f"{arm},{'' if reward is None else reward}\n" for arm, reward in log))
    theirs = json.loads(command_line("backtest", "--history", path, "--scale", "0:50", "--resamples", 0, "--replicates", 5, "--json"))
    ours = longrun.backtest(log, arms=[1, 2, 9], scale=(0, 50), resamples=0, replicates=5)
    assert_same_backtest(ours, theirs)
    assert ours.arms[-1] == longrun.LoggedArm(9, 1, 0, None) and ours.policies[0].reward.low is None
    assert [row.policy for row in ours.policies] == ["foresight", "spo", "ucb", "greedy", "equal split", "optimum"]


def test_a_file_is_read_as_on_the_command_line(command_line, tmp_path):
    assert longrun.recommend(HISTORY, arms=ITEMS, horizon=1000) == longrun.recommend(pulls_in(HISTORY), arms=ITEMS, horizon=1000)
    path = tmp_path / "past.csv"
    path.write_text("Date;ARM;reward\n" + "".join(f"2024-01-{20 - day:02};{arm};{0.1 * arm}\n" for day in range(10) for arm in (1, 2)))
    for call in (
        lambda: longrun.recommend(path, arms=[1, 2], horizon=100),
        lambda: longrun.plan(path, arms=[1, 2], horizon=100, futures=100),
        lambda: longrun.backtest(path, arms=[1, 2], replicates=1, resamples=0, policies="greedy"),
    ):
        with pytest.warns(UserWarning, match="Date") as warned:
            call()
        assert len(warned) == 1 and warned[0].filename == __file__
    path.write_text("arm,reward\n" + "".join(f"1,{0.2 + 0.01 * (step % 3)}\n2,{0.5 + 0.01 * (step % 4)}\n" for step in range(60)) + "1,0.9\n1,0.2\n1,0.21\n1,0.2\n2,0.5\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = longrun.recommend(path, arms=[1, 2], horizon=500)
    theirs = json.loads(command_line("recommend", "--history", path, "--horizon", 500, "--json"))
    assert answer.cautions == theirs["cautions"] and "(line 122)" in answer.cautions[0]
    with pytest.raises(ValueError, match="nothing.csv"):
        longrun.plan("nothing.csv", arms=2, horizon=10)
    with pytest.raises(ValueError, match="label '2'|'2'"):
        longrun.backtest(path, arms=[1], horizon=10)


MISTAKES = [
    (lambda: longrun.plan([(3, 0.1)], arms=2, horizon=10), "^history: row 0: arm '3': is not an arm; arms are '0', '1'$"),
    (lambda: longrun.plan([], arms=2, horizon=10, futures=5), "^futures: 5 is not in 100..1000000$"),
    (lambda: longrun.plan([], arms=2, horizon=10, futures=1.5), "^futures 1.5: must be a whole number from 1$"),
    (lambda: longrun.plan([], arms=2, horizon=10, threads=0), "^threads 0: must be a whole number from 1$"),
    (lambda: longrun.plan([], arms=["a", "b"], horizon=10, compare="minimum-share c:0.1"), "^compare: minimum-share c:0.1: .*'c'"),
    (lambda: longrun.plan([], arms=2, horizon=10, compare="minimum-share 0.8"), "^compare: minimum-share 0.8: minimum_share: the shares of all 2 arms add up to 1.6, more than 1$"),
    (lambda: longrun.Study(["a", "b"], 10).plan("minimum-share 0.8"), "^compare: minimum-share 0.8: minimum_share: the shares of all 2 arms add up to 1.6, more than 1$"),
    (lambda: longrun.plan([], arms=2, horizon=10, compare="least 3"), "^compare: least 3: unknown constraint 'least'"),
    (lambda: longrun.plan([], arms=2, horizon=10, compare=3), r"^compare 3: must be longrun.Constraints\(...\), or the text of a constraint, such as 'minimum-share 0.1'$"),
    (lambda: longrun.plan([(0, 7.5)], arms=2, horizon=10), "scale"),
    (lambda: longrun.backtest([(0, 0.1)] * 9, arms=1), "only 1 arm with at least 5 rewards"),
    (lambda: longrun.backtest([], arms=2, choices="mine"), "^choices 'mine': must be 'random'"),
    (lambda: longrun.backtest([], arms=2, policies="spoo"), "did you mean 'spo'"),
    (lambda: longrun.backtest([], arms=2, horizon=0), "^horizon 0: must be a whole number from 1$"),
    (lambda: longrun.backtest([], arms=2, resamples=3), "^resamples 3: must be 0 or from 20 to"),
    (lambda: longrun.backtest([("a", "x")], arms=["a"]), "^history: row 0: reward 'x': must be a number; pandas.to_numeric.. makes numbers of texts$"),
]


@pytest.mark.parametrize("call, message", MISTAKES)
def test_a_mistake_is_an_error_of_one_line(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


def test_progress_is_shown_if_it_is_wanted(capfd):
    longrun.plan([], arms=2, horizon=50, futures=100, progress=True)
    assert "100/100" in capfd.readouterr().err
    longrun.plan([], arms=2, horizon=50, futures=100, progress=False)
    assert capfd.readouterr().err == ""


def test_no_progress_is_shown_without_a_terminal_unless_it_is_wanted(capfd):
    with progress_bar(2000, None, " futures") as show:
        time.sleep(1.1)  # a bar begins after one second
        show(1500)
    assert capfd.readouterr().err == ""
    with progress_bar(2000, True, " futures") as show:
        show(1500)
    assert "1500/2000" in capfd.readouterr().err
