"""An argument of another kind than expected is an error of one line that says what is accepted, not a traceback from inside."""

from concurrent.futures import ProcessPoolExecutor

import matplotlib.pyplot as plt
import numpy as np
import pandas
import pytest

import longrun
import longrun.env

BANDIT = longrun.Bandit("inc_dec_3", 0.05)
RECORDS = longrun.simulate(BANDIT, ["spo", "greedy"], [50, 100], seeds=3)
ARMS = {"arms": ["tea", "coffee"], "horizon": 100}


def study():
    return longrun.Study(["tea", "coffee"], 20, noise=0.1)


MISTAKES = {
    "class of executors": (lambda: longrun.simulate(BANDIT, "spo", 50, executor=ProcessPoolExecutor), "^executor ProcessPoolExecutor: is a class; create an executor"),
    "class of bandits": (lambda: longrun.simulate(longrun.Bandit, "spo", 50), "^bandit Bandit: is a class; create a bandit"),
    "class of noises": (lambda: longrun.Study(2, 10, noise=longrun.Gaussian), "^noise Gaussian: is a class; create a noise, such as longrun.Gaussian.0.05.$"),
    "number of steps": (lambda: longrun.simulate(BANDIT, "spo", 50, trajectories=10), "^trajectories 10: must be True or a list of steps; every=10 keeps every 10th step$"),
    "horizon beyond memory": (lambda: longrun.simulate(BANDIT, "spo", 10**12), "^horizons 1000000000000: the curves of bandit 'inc_dec_3' up to this pull take 32000.0 GB of memory, and the machine has"),
    "path of a study": (lambda: longrun.Study.from_json_lines("study.jsonl"), "^text 'study.jsonl': has no lines of JSON; give the text of the file, not its path$"),
    "comparison as dictionary": (lambda: study().plan({"minimum_share": 0.1}), r"^compare {'minimum_share': 0.1}: must be longrun.Constraints\(...\), or the text of a constraint, such as 'minimum-share 0.1'$"),
    "comparison as numbers": (lambda: longrun.plan([], compare=["none", 3], **ARMS), "^compare 3: must be longrun.Constraints"),
    "study to recommend": (lambda: longrun.recommend(study(), **ARMS), "^history: is a study; study.explain.. and study.plan.. are about it, and study.history is the history"),
    "study to plan": (lambda: longrun.plan(study(), **ARMS), "^history: is a study"),
    "study to backtest": (lambda: longrun.backtest(study(), arms=["tea", "coffee"]), "^history: is a study"),
    "history as dictionary": (lambda: longrun.recommend({"tea": [0.1], "coffee": [0.5]}, **ARMS), "^history: is a dictionary, which has no order; give pairs"),
    "texts of two letters": (lambda: longrun.recommend(["a1", "b0"], arms=["a", "b"], horizon=10), "^history: 'a1' must be two values, an arm and its reward$"),
    "options of reset": (lambda: longrun.env.RestedBandit(BANDIT, 5).reset(options=3), "^options 3: must be a dictionary, such as {'replicate': 0}$"),
    "selection without runs": (lambda: RECORDS.select(policy="spoo"), "^policy 'spoo': no run has it; did you mean 'spo'[?]$"),
    "selection of another bandit": (lambda: RECORDS.select(bandit=["inc_dec_3", "zz"]), "^bandit 'zz': no run has it; they have 'inc_dec_3'$"),
    "short column": (lambda: RECORDS.copy().__setitem__("mine", [1, 2]), "^column 'mine': has 2 values for 12 runs$"),
    "one value as column": (lambda: RECORDS.copy().__setitem__("mine", 1), "^column 'mine': has 1 value for 12 runs$"),
    "nothing to draw": (lambda: longrun.plot.regret(None), "^records None: must be a result of simulate.., or its data frame$"),
    "list to draw": (lambda: longrun.plot.regret([1, 2]), "^records .1, 2.: must be a result of simulate"),
    "bandit to draw": (lambda: longrun.plot.trajectory(BANDIT), "^records <longrun.Bandit .*>: must be a result of simulate"),
    "frame without regret": (lambda: longrun.plot.regret(RECORDS.to_pandas().drop(columns="regret")), "^records: have no column 'regret'"),
    "figure as axes": (lambda: longrun.plot.regret(RECORDS, ax=plt.figure()), "^ax <Figure .*>: must be axes, such as matplotlib.pyplot.gca..$"),
    "module as axes": (lambda: longrun.plot.regret(RECORDS, ax=plt), "^ax .*: must be axes"),
    "horizon as text": (lambda: longrun.plot.trajectory(longrun.simulate(BANDIT, "spo", 20, every=5), horizon="20"), "^horizon '20': must be a whole number"),
    "styles of one policy": (lambda: longrun.plot.styles("spo"), "^policies 'spo': must be a list of policies; style.. takes one$"),
}


@pytest.mark.parametrize("call, message", MISTAKES.values(), ids=MISTAKES)
def test_a_wrong_object_is_a_value_error_of_one_line(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
    plt.close("all")


def test_records_say_how_columns_are_read():
    for wrong, message in (
        ("reget", "reget: is not a column; did you mean 'regret'?"),
        ("return", "return: this column is called 'earned'"),
        (0, "records[0]: records are columns, such as records['regret']; select() chooses runs"),
        (RECORDS["policy"] == "spo", "records[...]: takes the name of a column; select(policy='spo') chooses runs"),
    ):
        with pytest.raises(KeyError) as error:
            RECORDS[wrong]
        assert error.value.args == (message,)
    own = RECORDS.copy()
    own["squared"] = list(np.square(RECORDS["regret"]))
    assert isinstance(own["squared"], np.ndarray) and "squared" not in RECORDS
    assert "squared" in own.select(policy="spo") and pandas.DataFrame(own).shape == (12, len(RECORDS) + 1)


def test_an_empty_selection_of_seeds_can_be_summed_up_and_joined():
    nothing = RECORDS.select(seed=99)
    assert nothing.runs == 0 and nothing.summary()["regret"].size == 0 and "0 runs" in nothing._repr_html_()
    assert longrun.Records.concat([RECORDS, nothing]).runs == 12
    with pytest.raises(ValueError, match="^records: have no runs to draw$"):
        longrun.plot.regret(nothing)


def test_the_address_of_a_page_is_not_that_of_a_service(tmp_path):
    from served import Server

    server = Server(tmp_path / "data")
    with pytest.raises(longrun.RefusedError, match="there is nothing at /studies/a/v1/studies; give the URL that `longrun serve` prints$"):
        longrun.Client(server.url + "/studies/a").studies()
    server.stop()
