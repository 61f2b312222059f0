"""Arms and rewards that are given with labels: none is read by its place where it has a name."""

import numpy as np
import pandas
import pytest

import longrun

NAMES = ["1", "2", "3"]
CURVES = [[0.1] * 30, [0.5] * 30, [0.9] * 30]
BANDIT = longrun.Bandit(CURVES, arm_names=NAMES)
LETTERS = longrun.Bandit(CURVES, arm_names=["a", "b", "c"])


def pulls(bandit, **constraints):
    return longrun.optimum(bandit, 30, constraints=longrun.Constraints(**constraints)).pulls.tolist()


@pytest.mark.parametrize("field", ["costs", "minimum_pulls", "minimum_share"])
def test_the_index_of_a_series_has_the_arms(field):
    values = {"c": 1, "a": 2, "b": 3} if field != "minimum_share" else {"c": 0.1, "a": 0.5, "b": 0}
    series = pandas.Series(values)
    assert longrun.Constraints(**{field: series}) == longrun.Constraints(**{field: values})
    assert pulls(LETTERS, **{field: series}) == pulls(LETTERS, **{field: values})
    in_order = [values[name] for name in "abc"]
    assert pulls(LETTERS, **{field: series}) == pulls(LETTERS, **{field: in_order})
    assert pulls(LETTERS, **{field: series}) != pulls(LETTERS, **{field: list(values.values())}) or field == "costs"


def test_a_series_may_name_some_arms_or_count_them():
    assert pulls(LETTERS, minimum_pulls=pandas.Series({"a": 7})) == [7, 0, 23]
    assert pulls(LETTERS, minimum_pulls=pandas.Series([3, 4, 5])) == [3, 4, 23]
    rounds = pandas.Series({"c": [(1, 10)]})
    assert longrun.Constraints(unavailable=rounds) == longrun.Constraints(unavailable={"c": [(1, 10)]})
    shares = pandas.Series({"coffee": 0.0, "tea": 1.0})
    answer = longrun.recommend([], arms=["tea", "coffee"], horizon=9, constraints=longrun.Constraints(minimum_share=shares))
    assert answer.arm == "tea"


@pytest.mark.parametrize(
    "values, message",
    [
        (pandas.Series([1, 2], index=["a", "a"]), "^costs: the index has a duplicate; give each arm once$"),
        (pandas.Series({"x": 2}), "^costs: arm 'x': is not an arm"),
        (pandas.DataFrame({"a": [1, 2]}), "^costs: has 2 dimensions; give one number per arm$"),
    ],
)
def test_labels_that_are_no_arms_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        pulls(LETTERS, costs=values)


IS_BOTH = ": is a name and the position of another arm; write '1' or '2'$"


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: pulls(BANDIT, minimum_share={1: 0.5}),
        lambda: pulls(BANDIT, unavailable={1: [(1, 3)]}),
        lambda: pulls(longrun.Bandit(pandas.DataFrame(np.transpose(CURVES), columns=[1, 2, 3])), costs={1: 2}),
        lambda: longrun.simulate(BANDIT, "spo", 30, constraints=longrun.Constraints(costs={1: 2})),
        lambda: longrun.Study(NAMES, 30, constraints=longrun.Constraints(minimum_pulls={np.int64(1): 2})),
        lambda: longrun.Study(NAMES, 30).ask(among=[1]),
        lambda: longrun.Study(NAMES, 30).ask(unavailable=1),
        lambda: longrun.Study(NAMES, 30).decide(arms=1),
        lambda: longrun.Study(NAMES, 30).set_unavailable([1]),
    ],
)
def test_a_number_that_is_also_a_name_is_refused(mistake):
    with pytest.raises(ValueError, match="arm 1" + IS_BOTH):
        mistake()


def test_a_number_that_is_a_name_only_is_explained():
    with pytest.raises(ValueError, match="^arm 3: is not one of 0..2; the name is written '3'$"):
        longrun.Study(NAMES, 30).set_unavailable([3])
    with pytest.raises(ValueError, match="^costs: arm 3: is not one of 0..2; the name is written '3'$"):
        pulls(BANDIT, costs={3: 2})


def test_names_and_unambiguous_numbers_are_accepted():
    assert pulls(BANDIT, minimum_pulls={"1": 4, "2": 5}) == [4, 5, 21] == pulls(BANDIT, minimum_pulls={0: 4, "2": 5})
    study = longrun.Study(NAMES, 30)
    assert {decision.arm for decision in study.ask(4, unavailable=["1", "2"])} == {"3"}
    assert {decision.arm for decision in study.ask(4, among=["2", "3"], unavailable="3")} == {"2"}
    same = longrun.Study(["0", "1"], 30)
    assert {decision.arm for decision in same.ask(4, among=1)} == {"1"}, "name and position of the same arm"


def told(decisions, rewards):
    study = longrun.Study(["tea", "coffee"], 30, noise="bernoulli")
    made = study.ask(3)
    study.tell(made if decisions is None else decisions, rewards)
    return [reward for _, reward in study.history]


FRAME = pandas.DataFrame({"decision": [3, 1, 2], "reward": [1, 0, 1]}, index=[9, 8, 7])


@pytest.mark.parametrize(
    "decisions, rewards, message",
    [
        (None, {1: 1, 2: 0, 3: 0}, "^reward: is a dict; give a list with a reward for each decision$"),
        (None, {0, 1, 0.5}, "^reward: is a set; give a list"),
        (None, b"\x00\x01\x00", "^reward: is a bytes; give a list"),
        (None, "101", "^reward: 1 reward for 3 decisions$"),
        (None, FRAME[["reward"]], "^reward: has 2 dimensions; give a list"),
        (None, np.zeros((3, 1)), "^reward: has 2 dimensions; give a list"),
        ({1: "a", 2: "b", 3: "c"}, [1, 0, 0], "^decision: is a dict; give a list with decisions or arms$"),
        ({1, 2, 3}, [1, 0, 0], "^decision: is a set; give a list"),
        (b"\x01\x02\x03", [1, 0, 0], "^decision: is a bytes; give a list"),
        (np.array([[1], [2], [3]]), [1, 0, 0], "^decision: has 2 dimensions; give a list"),
        (None, pandas.Series([1, 0, 1], index=[3, 1, 2]), "^reward: the index is not that of the decisions; give reward.tolist"),
        ([1, 2, 3], pandas.Series([1, 0, 1], index=[2, 0, 1]), "^reward: the index is not that of the decisions"),
        (FRAME["decision"], FRAME["reward"].sort_index(), "^reward: the index is not that of the decisions"),
        (["tea", "coffee"], pandas.Series({"coffee": 1, "tea": 0}), "^reward: the index is not that of the decisions"),
    ],
)
def test_rewards_that_could_belong_to_other_decisions_are_refused(decisions, rewards, message):
    with pytest.raises(ValueError, match=message):
        told(decisions, rewards)


@pytest.mark.parametrize(
    "decisions, rewards",
    [
        (FRAME["decision"], FRAME["reward"]),
        (FRAME["decision"], FRAME["reward"].tolist()),
        ([1, 2, 3], pandas.Series([0, 1, 1])),
        (None, pandas.Series({1: 0, 2: 1, 3: 1})),
        ([3, 1, 2], pandas.Series({3: 1, 1: 0, 2: 1})),
        (np.array([1, 2, 3]), np.array([0, 1, 1])),
        ({1: 0, 2: 1, 3: 1}.keys(), {1: 0, 2: 1, 3: 1}.values()),
    ],
)
def test_rewards_are_those_of_their_decisions(decisions, rewards):
    assert told(decisions, rewards) == [0, 1, 1]


@pytest.mark.parametrize("is_file", [False, True])
@pytest.mark.parametrize("field", ["costs", "minimum_pulls", "minimum_share"])
def test_a_list_of_values_for_a_history_needs_an_order_that_is_given(field, is_file, tmp_path):
    history = pandas.DataFrame({"arm": ["east", "north", "south"] * 10, "reward": [0.5, 0.6, 0.4] * 10})
    if is_file:
        history.to_csv(tmp_path / "past.csv", index=False)
        history = tmp_path / "past.csv"
    values = [0.25, 0.25, 0.5] if field == "minimum_share" else [1, 1, 4]
    listed = longrun.Constraints(**{field: values})
    named = longrun.Constraints(**{field: dict(zip(["north", "south", "east"], values))})
    message = f"^(compare: )?{field.replace('_', '.')} .* is a list, but the arms have no given order; name them.*'?east'?: ?"
    for compare in ([], [listed]):
        with pytest.raises(ValueError, match=message + ".*, or give the labels of all arms in the order of the list as `arms`$"):
            longrun.plan(history, horizon=90, futures=100, constraints=None if compare else listed, compare=compare)
    with pytest.raises(ValueError, match="^compare: .* is a list, but the arms have no given order; name them: east:"):
        longrun.plan(history, horizon=90, futures=100, compare=f"{field.replace('_', '-')} {','.join(map(str, values))}")
    with pytest.raises(ValueError, match=message):
        longrun.recommend(history, horizon=90, constraints=listed)
    arms = ["north", "south", "east"]
    assert longrun.recommend(history, arms=arms, horizon=90, constraints=listed) == longrun.recommend(history, arms=arms, horizon=90, constraints=named)


def test_a_number_of_arms_is_an_order_of_the_values_of_a_list():
    history = [(0, 0.5), (1, 0.6)] * 10
    listed = longrun.recommend(history, arms=2, horizon=90, constraints=longrun.Constraints(costs=[1, 2]))
    assert listed == longrun.recommend(history, arms=2, horizon=90, constraints=longrun.Constraints(costs={1: 2}))
    with pytest.raises(ValueError, match="^costs .1, 2.: is a list, but the arms have no given order; name them, {'0': ..., '1': ...}, or give"):
        longrun.recommend(history, horizon=90, constraints=longrun.Constraints(costs=[1, 2]))
