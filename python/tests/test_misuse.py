"""Likely mistakes with data whose answer is known: each is read as it is meant, or refused, never counted wrongly."""

import io
import warnings

import dask.dataframe
import numpy as np
import pandas
import polars
import pyarrow
import pytest

import longrun

HISTORY = [("tea", 0.2), ("coffee", 0.5)] * 10
FRAME = pandas.DataFrame(HISTORY, columns=["arm", "reward"])
NUMBERED = [(1, 0.25), (2, 0.5)] * 10


def means(history, **options):
    """Return the mean of the newest rewards of each arm, rounded. Warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = longrun.recommend(history, **{"horizon": 100, **options})
    return {report.arm: report.reward_now and round(report.reward_now.mean, 9) for report in answer.arms}


@pytest.mark.parametrize(
    "history",
    [
        pyarrow.Table.from_pandas(FRAME),
        pyarrow.RecordBatch.from_pandas(FRAME[["reward", "arm"]]),
        polars.from_pandas(FRAME),
        FRAME.astype({"arm": "category"}),
        FRAME.to_records(index=False),
        FRAME[["reward", "arm"]].to_records(index=False),
        (pair for pair in HISTORY),
        zip(FRAME["arm"], FRAME["reward"]),
    ],
    ids=["table", "batch", "polars", "categorical", "records", "other order", "generator", "zip"],
)
def test_every_kind_of_table_has_the_same_rewards(history):
    assert means(history) == {"tea": 0.2, "coffee": 0.5}


def test_fields_of_a_structured_array_are_read_by_name():
    swapped = np.array([(0.25, 1), (0.5, 2)] * 10, dtype=[("reward", float), ("arm", int)])
    assert means(swapped) == {1: 0.25, 2: 0.5}
    read_only = np.array(NUMBERED)
    read_only.setflags(write=False)
    assert means(read_only) == {1: 0.25, 2: 0.5}


def used(rows):
    rows = iter(rows)
    list(rows)
    return rows


@pytest.mark.parametrize(
    "history, message",
    [
        (used(HISTORY), "^history: is an iterator without elements, which may have been used already; give a list$"),
        (set(HISTORY), "^history: is a set, which has no order; give a list of pairs of an arm and its reward$"),
        ([{"arm": "tea", "reward": 0.2}] * 5, "^history: {'arm': 'tea', 'reward': 0.2} must be two values, an arm and its reward$"),
        ([{1, 0.5}] * 5, "^history: {.*} must be two values, an arm and its reward$"),
        (polars.from_pandas(FRAME).lazy(), r"^history: is a lazy frame; call its method collect\(\)$"),
        (dask.dataframe.from_pandas(FRAME, npartitions=1), r"^history: is a lazy frame; call its method compute\(\)$"),
        (FRAME.set_index("arm"), r"^history: has no column 'arm'; its columns are 'reward'; its index has it: call reset_index\(\)$"),
        (FRAME["reward"], "^history: is one column; give the data frame, with the columns 'arm' and 'reward'$"),
        (io.StringIO("arm,reward"), r"^history: is an open file; give its path, or the frame of pandas.read_csv\(\)$"),
        (pyarrow.Table.from_pandas(FRAME).rename_columns(["arms", "reward"]), "^history: has no column 'arm'; its columns are 'arms', 'reward'$"),
        ([(arm, 100 * reward) for arm, reward in HISTORY], "is further outside the scale 0 to 1 than noise explains; set the scale"),
    ],
    ids=["used iterator", "set", "dictionaries", "pairs as sets", "lazy", "dask", "arm in the index", "series", "file", "other column", "percent"],
)
def test_a_history_that_would_be_read_wrongly_is_refused(history, message):
    for call in (
        lambda: longrun.recommend(history, arms=["tea", "coffee"], horizon=100),
        lambda: longrun.plan(history, arms=["tea", "coffee"], horizon=100, futures=100),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda arms: longrun.Study(["tea", "coffee"], 100).ask(unavailable=arms),
        lambda arms: longrun.Study(["tea", "coffee"], 100).ask(among=arms),
        lambda arms: longrun.Study(["tea", "coffee"], 100).set_unavailable(arms),
        lambda arms: longrun.Study(["tea", "coffee"], 100).tell(arms, used([0.5])),
        lambda arms: longrun.recommend(HISTORY, horizon=100, unavailable_now=arms),
        lambda arms: longrun.simulate("inc_1", "spo", 5).select(policy=arms),
    ],
    ids=["unavailable", "among", "set_unavailable", "tell", "recommend", "select"],
)
def test_an_iterator_that_was_used_is_refused(call):
    with pytest.raises(ValueError, match="is an iterator without elements, which may have been used already; give a list$"):
        call(used(["tea"]))


@pytest.mark.parametrize("answer", ["no", 0, print])
def test_progress_is_shown_or_not(answer):
    for call in (
        lambda: longrun.plan(HISTORY, horizon=100, futures=100, progress=answer),
        lambda: longrun.backtest(HISTORY, horizon=20, policies="greedy", replicates=1, resamples=0, progress=answer),
        lambda: longrun.simulate("inc_1", "spo", 5, progress=answer),
        lambda: longrun.Study(["a", "b"], 9, noise=0.1).plan(futures=100, progress=answer),
    ):
        with pytest.raises(ValueError, match="^progress .*: must be True or False$"):
            call()


@pytest.mark.parametrize("answer", ["no", "false", 0, None])
def test_an_answer_that_is_no_truth_value_is_refused(answer):
    with pytest.raises(ValueError, match="^keep_outliers .*: must be True or False$"):
        longrun.recommend(HISTORY, horizon=100, keep_outliers=answer)
    with pytest.raises(ValueError, match="^keep_outliers .*: must be True or False$"):
        longrun.backtest(HISTORY, keep_outliers=answer)
    records = longrun.simulate("inc_1", "spo", 5)
    with pytest.raises(ValueError, match="^per_step .*: must be True or False$"):
        longrun.plot.regret(records, per_step=answer)


@pytest.mark.parametrize(
    "call",
    [
        lambda noise: longrun.recommend(HISTORY, horizon=100, noise=noise),
        lambda noise: longrun.Study(2, 100, noise=noise),
        lambda noise: longrun.Study(2, 100).change_noise(noise),
    ],
)
def test_a_deviation_larger_than_the_scale_is_refused_unless_it_is_a_noise(call):
    with pytest.raises(ValueError, match="^noise 5: is larger than the scale 0 to 1; set the scale to the range of the rewards, or write longrun.Gaussian"):
        call(5)
    call(longrun.Gaussian(5))
    call(1)


@pytest.mark.parametrize("field", ["costs", "minimum_pulls", "minimum_share"])
def test_a_list_has_one_number_per_arm(field):
    constraints = longrun.Constraints(**{field: [1]})
    message = f"^{field}: has 1 number for 2 arms; give one per arm$"
    for call in (
        lambda: longrun.Study(["tea", "coffee"], 100, constraints=constraints),
        lambda: longrun.recommend(HISTORY, horizon=100, constraints=constraints),
        lambda: longrun.optimum([[0.1] * 9, [0.2] * 9], 9, constraints=constraints),
        lambda: longrun.simulate([[0.1] * 9, [0.2] * 9], "spo", 9, constraints=constraints),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    assert longrun.Study(["tea"], 100, constraints=constraints).ask()[0].arm == "tea"


def test_tables_of_pyarrow_are_curves_and_rewards():
    curves = {"a": [0.1, 0.2], "b": [0.3, 0.4]}
    bandit = longrun.Bandit(pyarrow.table(curves))
    assert bandit.arm_names == ["a", "b"] and bandit.rewards(2).tolist() == [[0.1, 0.2], [0.3, 0.4]]
    study = longrun.Study(["tea", "coffee"], 100, noise=0.1)
    study.ask(3)
    study.tell(pyarrow.array([3, 1, 2]), pyarrow.array([0.3, 0.1, 0.2]))
    assert [reward for _, reward in study.history] == [0.1, 0.2, 0.3]


def test_an_array_with_a_column_per_arm_is_a_warning():
    curves = np.linspace(0, 1, 900).reshape(3, 300)
    with pytest.warns(UserWarning, match="^curves: 300 arms with 3 pulls each; a row is the curve of an arm: give .*curves.T, if a column is$") as caught:
        longrun.Bandit(curves.T)
    assert [each.filename for each in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert longrun.Bandit(curves).arms == 3
        assert longrun.Bandit(np.zeros((20, 1))).arms == 20 and longrun.Bandit(np.zeros((90, 10))).arms == 90


def test_the_noise_of_a_bandit_is_not_larger_than_the_scale_of_its_rewards():
    for call in (lambda: longrun.Bandit("inc_1", 5), lambda: longrun.policy("spo", arms=2, horizon=9, noise=5)):
        with pytest.raises(ValueError, match=r"^noise 5: is larger than the scale 0 to 1 of rewards; write longrun.Gaussian\(5\) if this is meant$"):
            call()
    assert longrun.Bandit("inc_1", longrun.Gaussian(5)).noise == longrun.Gaussian(5)
