import copy
import pickle

import numpy as np
import pandas
import pytest

import longrun


def test_an_array_functions_and_a_name_give_the_same_bandit():
    named = longrun.Bandit("inc_1", horizon=100)
    table = longrun.Bandit(named.rewards())
    calls = []

    def first(pull):
        calls.append(pull)
        return table.rewards()[0, pull - 1]

    functions = longrun.Bandit([first, table.rewards()[1]], horizon=100)
    assert calls == list(range(1, 101)), "once per pull"
    assert np.array_equal(named.rewards(), functions.rewards())
    runs = [longrun.simulate(bandit, ["spo", "greedy"], [20, 100], seeds=2) for bandit in (named, table, functions)]
    assert calls == list(range(1, 101)), "and never again"
    for other in runs[1:]:
        assert np.array_equal(runs[0]["regret"], other["regret"]) and np.array_equal(runs[0]["pulls"], other["pulls"])


def test_a_bandit_survives_pickle_and_copy():
    for bandit in (longrun.Bandit("fico_utility", longrun.Uniform(0.1)), longrun.Bandit([[0.1, 0.2], [0.3, 0.1]], arm_names=["a", "b"])):
        for other in (pickle.loads(pickle.dumps(bandit)), copy.deepcopy(bandit)):
            assert (other.name, other.arm_names, other.noise, other.horizon) == (bandit.name, bandit.arm_names, bandit.noise, bandit.horizon)
            assert np.array_equal(other.rewards(), bandit.rewards())


@pytest.mark.parametrize(
    "mistake, message",
    [
        (lambda: longrun.Bandit("inc_9"), "inc_9"),
        (lambda: longrun.Bandit([[0.5, 1.5]]), "arm 0: reward 1.5 of pull 2 is outside"),
        (lambda: longrun.Bandit([[0.5, float("nan")]]), "outside"),
        (lambda: longrun.Bandit([[0.5], [0.5, 0.6]]), "curves: all arms must have the same number of pulls; they have 1, 2"),
        (lambda: longrun.Bandit([0.5, 0.6]), "it must be a row of rewards"),
        (lambda: longrun.Bandit(np.zeros((2, 0))), "at least one arm"),
        (lambda: longrun.Bandit([lambda m: 0.5]), "curves: functions need a horizon"),
        (lambda: longrun.Bandit([[0.5, 0.5]], horizon=3), "curves: 2 pulls are too few for horizon 3"),
        (lambda: longrun.optimum([[0.5, 0.5]], 3), "horizon 3"),
        (lambda: longrun.optimistic_future([0.5], [0.4], 3), r"band 0: \[0.5, 0.4\] is not a finite interval"),
        (lambda: longrun.optimistic_future([0.5], [0.6, 0.7], 3), "lower has 1 numbers and upper 2; they must have the same length"),
    ],
)
def test_invalid_arguments_raise_value_errors(mistake, message):
    with pytest.raises(ValueError, match=message):
        mistake()


def test_bandits_are_listed():
    assert "recommender_B" in {info.name for info in longrun.bandits()}
    assert longrun.Bandit("recommender_B").arms == 4


def test_names_of_arms_are_strings_of_one_line_or_whole_numbers():
    for names in (["tea", "mate"], ("tea", "mate"), np.array(["tea", "mate"]), pandas.Index(["tea", "mate"])):
        assert longrun.Bandit([[0.1], [0.2]], arm_names=names).arm_names == ["tea", "mate"]
    assert longrun.Bandit([[0.1], [0.2]], arm_names=[1, np.int64(2)]).arm_names == ["1", "2"]
    for names, message in (
        ({"tea", "mate"}, "^arm_names: a set has no order; give a list of names$"),
        (["tea", None], "^arm_names: None is not a name; names are strings of one line, or whole numbers$"),
        (["tea", ""], "^arm_names: '' is not a name; "),
        (["tea", "a\nb"], r"^arm_names: 'a\\nb' is not a name; "),
        (["tea", True], "^arm_names: True is not a name; "),
    ):
        with pytest.raises(ValueError, match=message):
            longrun.Bandit([[0.1], [0.2]], arm_names=names)


def test_errors_of_curves_name_the_arm_as_the_caller_does():
    for curves, message in (
        (pandas.DataFrame({"tea": [0.1, 0.2], "mate": [0.5, 2.0]}), "^curves: arm 'mate': reward 2 of pull 2 is outside .0, 1.$"),
        (pandas.DataFrame({"tea": [0.1, 0.2], "mate": ["a", "b"]}), "^curves: column 'mate': rewards must be numbers .they are text.$"),
        ([[0.1, 0.2], [0.5, 2.0]], "^curves: arm 1: reward 2 of pull 2 is outside .0, 1.$"),
        ({"tea": [0.1, 0.2]}, "^curves: is a dictionary; give a list with a row or a function per arm, and its keys as arm_names$"),
    ):
        with pytest.raises(ValueError, match=message):
            longrun.Bandit(curves)


def test_a_noise_has_numbers_and_can_be_a_key():
    for sd in ("0.05", np.array(0.05), np.float32(0.05), 0.05):
        noise = longrun.Gaussian(sd)
        assert type(noise.sd) is float and hash(noise) == hash(longrun.Gaussian(float(sd))) and noise == longrun.Gaussian(float(sd))
    assert repr(longrun.Gaussian("0.05")) == "Gaussian(sd=0.05)"
