"""A whole array, series or data frame in place of any argument is no error, or one of a single short line."""

import inspect
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas
import pytest

import longrun
import longrun.env

BANDIT = longrun.Bandit("inc_dec_3", 0.05)
RECORDS = longrun.simulate(BANDIT, ["spo", "greedy"], [20, 40], seeds=2, every=5)
HISTORY = [("tea", 0.2), ("coffee", 0.5), ("tea", 0.3), ("coffee", 0.5)] * 5
FRAME = pandas.DataFrame({"arm": ["tea", "coffee"] * 40, "reward": np.linspace(0, 1, 80), "Note": ["x"] * 80})
LONGEST = 300  # characters; names of arms are listed up to 20
OBJECTS = {
    "series": FRAME["reward"],
    "frame": FRAME,
    "array": np.linspace(0, 2, 2500).reshape(50, 50),
    "text": "a text\nof two lines",
    "texts": ["a text\nof two lines"],
    "object": type("Several", (), {"__repr__": lambda self: "several\nlines"})(),
}


def study():
    return longrun.Study(["tea", "coffee"], 100, noise=0.1)


def decided():
    made = study()
    made.decide(4)
    return made


def asked():
    made = longrun.policy("spo", arms=3, horizon=100)
    made.ask(4)
    return made


# For each function, valid arguments. Those with an object to make first are methods of it.
FUNCTIONS = {
    "recommend": (None, {"history": HISTORY, "arms": ["tea", "coffee"], "horizon": 100}),
    "plan": (None, {"history": HISTORY, "arms": ["tea", "coffee"], "horizon": 30, "futures": 100}),
    "backtest": (None, {"history": HISTORY, "arms": ["tea", "coffee"], "horizon": 20, "policies": "greedy", "replicates": 1, "resamples": 0}),
    "simulate": (None, {"bandit": BANDIT, "policies": "spo", "horizons": 20}),
    "optimum": (None, {"curves": BANDIT, "horizon": 20}),
    "optimistic_future": (None, {"lower": [0.1, 0.15], "upper": [0.2, 0.25], "remaining": 6}),
    "policy": (None, {"name": "spo", "arms": 2, "horizon": 20}),
    "Bandit": (None, {"curves": [[0.1], [0.2]]}),
    "Study": (None, {"arms": 2, "budget": 20}),
    "Constraints": (None, {}),
    "Gaussian": (None, {"sd": 0.1}),
    "Uniform": (None, {"bound": 0.1}),
    "SymmetricBeta": (None, {"bound": 0.1, "sd": 0.05}),
    "StudentT": (None, {"sd": 0.1}),
    "Client": (None, {"url": "http://127.0.0.1:1"}),
    "plot.regret": (None, {"records": RECORDS}),
    "plot.trajectory": (None, {"records": RECORDS}),
    "plot.style": (None, {"policy": "spo"}),
    "plot.styles": (None, {"policies": ["spo"]}),
    "env.RestedBandit": (None, {"bandit": BANDIT, "horizon": 20}),
    "Policy": (None, {}),
    "Bandit.rewards": (lambda: BANDIT, {"pulls": 5}),
    "Bandit.world": (lambda: BANDIT, {"horizon": 5}),
    "Bandit.with_noise": (lambda: BANDIT, {"noise": 0.1}),
    "World.pull": (lambda: BANDIT.world(5), {"arm": 0}),
    "Policy.ask": (asked, {"n": 2, "among": [0], "unavailable": [1]}),
    "Policy.tell": (asked, {"arm": 0, "reward": 0.5}),
    "Policy.update": (asked, {"arm": [0, 1], "reward": [0.5, 0.5]}),
    "Policy.lose": (asked, {"arm": 0}),
    "Policy.cancel": (asked, {"arm": 0}),
    "Policy.pending": (asked, {"arm": 0}),
    "Study.decide": (decided, {"count": 1}),
    "Study.ask": (decided, {"n": 1}),
    "Study.tell": (decided, {"decision": 1, "reward": 0.5}),
    "Study.observe": (decided, {"decision": 1, "reward": 0.5}),
    "Study.lose": (decided, {"decision": 1}),
    "Study.void": (decided, {"decision": 1}),
    "Study.correct": (decided, {"decision": 1, "outcome": 0.5}),
    "Study.correct_record": (decided, {"event": 1, "outcome": 0.5}),
    "Study.record": (decided, {"arm": "tea", "reward": 0.5}),
    "Study.set_unavailable": (decided, {"arms": ["tea"]}),
    "Study.add_arm": (decided, {"name": "mate"}),
    "Study.extend_budget": (decided, {"units": 5}),
    "Study.change_noise": (decided, {"noise": 0.2}),
    "Study.change_constraints": (decided, {"minimum_pulls": 1}),
    "Study.plan": (decided, {"futures": 100}),
    "Study.to_json_lines": (decided, {}),
    "Study.from_json_lines": (study, {"text": study().to_json_lines()}),
    "Records.select": (lambda: RECORDS, {}),
    "Records.concat": (lambda: RECORDS, {"records": [RECORDS]}),
    "Records.update": (lambda: RECORDS.copy(), {"mine": np.zeros(8)}),
    "Trajectories.of_run": (lambda: RECORDS.trajectories, {"run": 0}),
    "env.RestedBandit.reset": (lambda: longrun.env.RestedBandit(BANDIT, 5), {"seed": 1}),
    "env.RestedBandit.step": (lambda: reset(longrun.env.RestedBandit(BANDIT, 5)), {"action": 0}),
}
UNCHECKED = {"progress"}  # any object is true or false


def reset(environment):
    environment.reset(seed=1)
    return environment


def function_of(name, make):
    if make is not None:
        return getattr(make(), name.rpartition(".")[2])
    found = longrun
    for part in name.split("."):
        found = getattr(found, part)
    return found


def parameters_of(name, make, valid):
    try:
        named = [each.name for each in inspect.signature(function_of(name, make)).parameters.values() if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    except ValueError:  # a compiled function does not say
        named = []
    return sorted({*named, *valid} - UNCHECKED)


CALLS = [(name, parameter) for name, (make, valid) in FUNCTIONS.items() for parameter in parameters_of(name, make, valid)]


@pytest.mark.parametrize("name, parameter", CALLS, ids=[f"{name}-{parameter}" for name, parameter in CALLS])
def test_an_error_is_one_line(name, parameter):
    make, valid = FUNCTIONS[name]
    for kind, wrong in OBJECTS.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                function_of(name, make)(**{**valid, parameter: wrong})
            except Exception as error:
                message = str(error)
                assert "\n" not in message and len(message) <= LONGEST, (kind, message)
                if name != "Policy":
                    assert isinstance(error, (ValueError, KeyError, OSError)), (kind, repr(error))
        assert not [each for each in caught if "\n" in str(each.message)]
    plt.close("all")


def test_every_public_function_is_tried():
    functions = {name for name in longrun.__all__ if inspect.isfunction(getattr(longrun, name))}
    without_arguments = {"bandits", "policies"}
    assert functions - without_arguments <= set(FUNCTIONS)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: asked().tell(0, FRAME["reward"]), "^reward 0 0.0.*[.][.][.]: must be a number$"),
        (lambda: longrun.simulate(lambda seed: FRAME, "spo", 5), "^bandit: the function returned .*[.][.][.]; it must return a Bandit$"),
        (lambda: longrun.recommend([("tea", FRAME["reward"])], horizon=9), "^history: row 0: reward 0 0.0.*[.][.][.]: must be a number$"),
        (lambda: longrun.simulate(BANDIT, "spo", 5, seeds=[*range(200_000), 1]), r"^seeds \[0, 1, 2.*[.][.][.]: contain a duplicate; give each seed once$"),
        (lambda: longrun.recommend("arm,reward\na,.5\n", horizon=9), "^history: is a text; give the path of a file, or pairs of an arm and its reward$"),
        (lambda: longrun.recommend([("x y", 0.5)], arms=["x\ny"], horizon=9), r"^history: row 0: arm 'x y': is not an arm; did you mean 'x\\ny'[?]$"),
        (lambda: longrun.plot.style(None), "^policy None: must be a string$"),
        (lambda: longrun.plot.styles([1]), "^policies 1: must be a string$"),
        (lambda: longrun.Bandit([lambda m: 1 / 0 if m > 2 else int("a\nb")], horizon=5), "^curves: arm 0, pull 1: the function raised ValueError: "),
    ],
)
def test_the_error_says_what_is_accepted(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


def test_a_policy_is_created_by_a_function():
    with pytest.raises(TypeError, match="^Policy: is created by longrun.policy[(][)], such as longrun.policy[(]'spo', arms=2, horizon=100[)]$"):
        longrun.Policy("spo", 2, 100)
