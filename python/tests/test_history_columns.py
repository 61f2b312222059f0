"""The columns of a data frame are read at once; the answers and the errors are those of its rows, one by one."""

import decimal
import sys

import numpy
import pandas
import pytest

import longrun
from longrun._past import cell_text
from longrun._past_rows import texts_of_column

ARMS = ["north", "south"]


def frame(arms, rewards):
    return pandas.DataFrame({"arm": arms, "reward": rewards})


def answer(history, **options):
    """Return the answer, with what a comparison can see, or the text of the error."""
    try:
        return repr(longrun.recommend(history, **{"horizon": 100, "noise": 0.1, **options}))
    except ValueError as error:
        return str(error)


REWARDS = [0.25, 0.5, None, 0.75, 0.5, 0.25]
COLUMNS = {
    "objects": (ARMS * 3, REWARDS),
    "strings of pandas": (pandas.array(ARMS * 3, "string"), pandas.array(REWARDS, "Float64")),
    "categories": (pandas.Categorical(ARMS * 3, ["west", *ARMS]), pandas.array(REWARDS, "Float32")),
    "whole numbers": (numpy.array([7, -3] * 3, numpy.int16), [0, 1, 0, 1, 1, 0]),
    "unsigned numbers": (numpy.array([2**63, 5] * 3, numpy.uint64), numpy.array([0, 1, 0, 1, 1, 0], numpy.uint8)),
    "whole numbers of pandas": (pandas.array([7, 3] * 3, "Int64"), pandas.array([0, 1, None, 1, 1, 0], "Int64")),
    "whole numbers as floats": ([7.0, 3.0] * 3, numpy.array([0.25, 0.5, numpy.nan] * 2, numpy.float32)),
    "texts of numbers": (["7", "3"] * 3, ["lost", 0.5, None, 0.75, " Lost ", 0.25]),
    "numbers and their texts": (["7", 7, "7", 3, 3.0, "3"], [0.25, 0.5] * 3),
    "objects of numbers": (pandas.Series([7, 3] * 3, dtype=object), [True, False] * 3),
    "decimals": (ARMS * 3, [decimal.Decimal("0.25"), decimal.Decimal("0.5")] * 3),
    "an empty label": (["", "south"] * 3, [0.25, 0.5] * 3),
    "quotes and commas": (['"a", b', "c;d"] * 3, [0.1, 1e-7, 0.0, -0.0, 1.0, 0.30000000000000004]),
    "a missing arm": (["north", None, 7.5, "south"] + ["north"] * 2, [0.25, 0.5] * 3),
    "a missing number": ([7.0, numpy.nan] * 3, [0.25, 0.5] * 3),
    "missing of pandas": (pandas.array(["north", pandas.NA] * 3, "string"), [0.25, 0.5] * 3),
    "a fraction before a missing arm": ([7.0, 3.5, numpy.nan] * 2, [0.25, 0.5] * 3),
    "a fraction after a missing arm": ([7.0, numpy.nan, 3.5] * 2, [0.25, 0.5] * 3),
    "truth values as arms": ([True, False] * 3, [0.25, 0.5] * 3),
    "a truth value among numbers": (pandas.Series([1, True] * 3, dtype=object), [0.25, 0.5] * 3),
    "lists as arms": (pandas.Series([["north"], ["south"]] * 3), [0.25, 0.5] * 3),
    "an endless arm": ([numpy.inf, 1.0] * 3, [0.25, 0.5] * 3),
    "an infinite reward": (ARMS * 3, [0.25, numpy.inf] * 3),
    "a reward off the scale": (ARMS * 3, [0.25, 7.0] * 3),
    "texts as rewards": (ARMS * 3, ["0,5", "0.5"] * 3),
    "complex rewards": (ARMS * 3, numpy.array([0.5, 1j] * 3)),
    "dates as rewards": (ARMS * 3, pandas.to_datetime(["2024-01-01"] * 6)),
    "a line break": (["a\nb", "c"] * 3, [0.25, 0.5] * 3),
}


@pytest.mark.parametrize("arms, rewards", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_columns_are_read_as_their_rows_are(arms, rewards):
    history = frame(arms, rewards)
    pairs = list(zip(history["arm"], history["reward"]))
    labels = list(dict.fromkeys(str(arm) for arm, _ in pairs))[:2]
    for options in ({}, {"arms": ["north", "south"]}, {"arms": [7, 3, -3]}, {"arms": 8}, {"arms": labels}):
        expected, found = answer(pairs, **options), answer(history, **options)
        assert found == expected, options
        assert "\n" not in found or "Recommendation" in found


def test_rows_of_errors_are_those_of_the_frame():
    history = frame(ARMS * 3, REWARDS)
    assert answer(history, arms=["north"]) == "history: row 1: arm 'south': is not an arm; did you mean 'north'?"
    history.loc[4, "arm"] = None
    assert answer(history) == "history: row 4: the arm is missing"
    history.loc[3, "reward"] = 70
    assert answer(history, arms=ARMS).startswith("history: row 4: the arm is missing")


@pytest.mark.parametrize("lost", ["lost", "Lost"])
def test_a_lost_reward_is_none_that_is_pending(tmp_path, lost):
    pairs = [("north", 0.25), ("south", 0.5), ("north", lost), ("south", None), ("north", 0.5), ("south", 0.75)]
    recommended = longrun.recommend(pairs, horizon=100, noise=0.1)
    assert recommended.pending == 1 and recommended.made == 6
    assert [arm.pulls for arm in recommended.arms] == [3, 3]
    path = tmp_path / "lost.csv"
    path.write_text("arm,reward\n" + "".join(f"{arm},{'' if reward is None else reward}\n" for arm, reward in pairs))
    assert longrun.recommend(path, horizon=100, noise=0.1) == recommended
    assert longrun.recommend(frame(*zip(*pairs)), horizon=100, noise=0.1) == recommended
    assert longrun.recommend([*pairs[:2], ("north", None), *pairs[3:]], horizon=100, noise=0.1).pending == 2


def test_the_frame_of_a_study_says_what_is_lost():
    study = longrun.Study(ARMS, 100, noise=0.1)
    decisions = study.decide(4)
    study.observe(decisions[:2], [0.25, 0.5])
    study.lose(decisions[2])
    assert longrun.recommend(study.to_pandas(), arms=ARMS, horizon=100, noise=0.1).pending == 1
    assert study.explain().pending == 1


def test_a_long_frame_takes_no_call_per_row():
    rows = 20_000
    chance = numpy.random.default_rng(1)
    history = frame(chance.choice(["a", "b", "c"], rows), chance.random(rows).round(4))
    calls = 0

    def count(*_):
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        longrun.recommend(history, horizon=2 * rows, noise=0.1)
    finally:
        sys.setprofile(None)
    assert calls < rows, "a function per row would take seconds for millions of rows"


def test_a_frame_and_its_pairs_have_the_same_answer_for_many_rows():
    chance = numpy.random.default_rng(2)
    history = frame(chance.choice(["a", "b", "c"], 500), chance.random(500))
    pairs = list(history.itertuples(index=False, name=None))
    assert answer(history, horizon=1000) == answer(pairs, horizon=1000)
    assert answer(history, horizon=1000).startswith("Recommendation(")


ORDERS = {
    "times": pandas.to_datetime(["2024-01-01 09:30", None, "2024-01-01 09:30", "2024-01-02 00:00"]),
    "times of a zone": pandas.to_datetime(["2024-03-31 00:30", "2024-10-27 00:30"], utc=True).tz_convert("Europe/Berlin"),
    "days": ["2024-01-01", None, "2024-01-01", "1.\n2.2024"],
    "whole numbers": pandas.array([20240101, pandas.NA, 20240102], "Int64"),
    "numbers": [1.0, numpy.nan, 1.5, -0.0, 0.0, numpy.inf],
    "kinds of objects": [1, True, 1.0, "1", None, decimal.Decimal(1)],
    "categories": pandas.Categorical(["Jan", "Feb", "Jan", None]),
    "months": pandas.period_range("2024-01", periods=3, freq="M"),
}


@pytest.mark.parametrize("cells", ORDERS.values(), ids=ORDERS)
def test_texts_of_a_column_are_those_of_its_cells(cells):
    for column in (pandas.Series(cells), pandas.Index(cells)):
        assert texts_of_column(column, cell_text) == [cell_text(cell) for cell in column]
