"""A data frame as history: the order of its rows is checked as that of a file, and it may say what the arms are."""

import warnings

import numpy
import pandas
import pytest

import longrun

ARMS = ["north", "south"]
DAYS = [f"2024-01-{day:02}" for day in range(1, 21)]


def frame(**columns):
    rewards = [0.3 + 0.01 * row if row % 2 else 0.6 - 0.01 * row for row in range(20)]
    return pandas.DataFrame({"arm": ARMS * 10, "reward": rewards, **columns})


def recommend(history, **options):
    return longrun.recommend(history, **{"arms": ARMS, "horizon": 100, **options})


CALLS = [
    recommend,
    lambda history: longrun.plan(history, arms=ARMS, horizon=100, futures=100),
    lambda history: longrun.backtest(history, arms=ARMS, horizon=20, replicates=1, resamples=0, policies="greedy"),
    lambda history: recommend(history, arms=None),
]


def warned(call, *arguments, **options):
    """Return the warnings of a call. Each names the line of the test."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*arguments, **options)
    assert all(each.category is UserWarning and each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", ["round", "time", "Round", "TIME"])
def test_a_round_or_a_time_that_descends_is_an_error(call, name):
    values = list(range(1, 21))
    assert warned(call, frame(**{name: values})) == []
    with pytest.raises(ValueError, match=f"^history: row 1, column '{name}': '19' is before '20' of row 0; rows must be in the order"):
        call(frame(**{name: values[::-1]}))


@pytest.mark.parametrize("call", CALLS)
def test_other_dates_that_the_rows_contradict_are_a_warning(call):
    message = "^history: rows must be in the order of their pulls, but by the column 'Date', .* of row 2 is before row 0 of the same arm"
    for dates in (DAYS, pandas.to_datetime(DAYS), pandas.to_datetime(DAYS, utc=True), [f"{day}.1.2024" for day in range(1, 21)]):
        assert warned(call, frame(Date=dates)) == []
        with pytest.warns(UserWarning, match=message) as caught:
            call(frame(Date=dates[::-1]))
        assert len(caught) == 1 and caught[0].filename == __file__


@pytest.mark.parametrize(
    "column, message",
    [
        ({"round": [1.0, None] + [2.0] * 18}, "^history: row 1, column 'round': the value is missing$"),
        ({"time": pandas.to_datetime(DAYS[:19] + [None])}, "^history: row 19, column 'time': the value is missing$"),
        ({"time": ["noon"] * 20}, "^history: row 0, column 'time': 'noon' is not a time; times are "),
        ({"round": [1.5] * 20}, "^history: row 0, column 'round': '1.5' is not a round; rounds are whole numbers$"),
        ({"round": [1] * 20, "Round": [1] * 20, "time": DAYS[::-1]}, "^history: row 1, column 'time': "),
        ({"Round": [1] * 20, "ROUND": [1] * 20}, "^history: has duplicate columns 'Round'$"),
    ],
)
def test_a_round_or_a_time_that_cannot_be_read_is_an_error(column, message):
    with pytest.raises(ValueError, match=message):
        recommend(frame(**column))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("change", [lambda each: each.iloc[::-1], lambda each: each.sample(frac=1, random_state=3)])
@pytest.mark.parametrize("index", [None, list(range(100, 120)), pandas.to_datetime(DAYS), pandas.to_datetime(DAYS, utc=True)])
def test_an_index_that_descends_is_a_warning(call, change, index):
    history = frame() if index is None else frame().set_index(pandas.Index(index))
    assert warned(call, history) == []
    with pytest.warns(UserWarning, match="^history: the index of the data frame is not in ascending order: .* follows ") as caught:
        call(change(history))
    assert len(caught) == 1 and caught[0].filename == __file__
    assert warned(call, change(history).sort_index()) == []
    assert warned(call, change(history).reset_index(drop=True)) == []


@pytest.mark.parametrize("call", CALLS)
def test_dates_as_text_in_an_index_that_descend_are_a_warning(call):
    message = "^history: rows must be in the order of their pulls, but by the column 'index{}', .* of row 2 is before row 0 of the same arm"
    days = pandas.Index(DAYS[::-1], name="day")
    for index, name in (
        (pandas.Index(DAYS[::-1]), ""),
        (days, " day"),
        (pandas.CategoricalIndex(days), " day"),
        (pandas.Index([pandas.Timestamp(day).date() for day in days], name="day"), " day"),
        (pandas.MultiIndex.from_arrays([days, ["shop"] * 20], names=["day", "shop"]), " day"),
        (pandas.MultiIndex.from_arrays([ARMS * 10, pandas.to_datetime(days)], names=["shop", "day"]), " day"),
    ):
        with pytest.warns(UserWarning, match=message.format(name)) as caught:
            call(frame().set_index(index))
        assert len(caught) == 1 and caught[0].filename == __file__
        assert warned(call, frame().set_index(index[::-1])) == []
    assert warned(call, frame().set_index(pandas.Index([f"C{row:03}" for row in range(20)][::-1]))) == [], "no dates"


def test_a_column_that_is_not_of_dates_does_not_confirm_the_order():
    customers = {"customer": [f"C{number:03}" for number in range(20)]}
    shuffled = frame().sample(frac=1, random_state=3)
    assert len(warned(recommend, shuffled.assign(**customers))) == 1
    for days in ([f"{day}.1.2024" for day in range(1, 21)], [f"1/{day}/2024" for day in range(1, 21)], DAYS, pandas.to_datetime(DAYS)):
        assert warned(recommend, shuffled.assign(day=days)) == []
    assert len(warned(recommend, shuffled.assign(day=["2024-01-01"] * 20))) == 1, "one day says nothing"


def test_columns_that_are_not_used_are_no_error():
    arrays = [numpy.array([1.0, 2.0])] * 20
    notes = ["1\x1b[0m\x00"] * 20
    assert warned(recommend, frame(vector=arrays, values=[[1, 2]] * 20, note=notes, period=pandas.period_range("2024-01", periods=20, freq="D"))) == []
    assert warned(recommend, frame(number=list(range(20))[::-1])) != []
    assert warned(recommend, frame(weight=list(range(20))[::-1])) == []
    assert warned(recommend, frame(stamp=[1_700_000_000 - row for row in range(20)])) != []


def test_labels_remain_as_they_are_in_messages():
    lines = frame().assign(arm=["Line 5", "line 5"] * 10)
    assert warned(recommend, lines, arms=None) == ["history: arms 'Line 5' and 'line 5' differ only in upper and lower case; they count as two arms"]
    with pytest.raises(ValueError, match="contains a line break"):
        recommend([("tea\n", 0.5)], arms=None)


def test_rows_that_are_sorted_are_in_order_whatever_their_index():
    shuffled = frame(Date=DAYS, note=[f"b{row}" for row in range(20)], flag=[True] * 20).sample(frac=1, random_state=3)
    assert len(warned(recommend, shuffled)) == 2
    assert warned(recommend, shuffled.sort_values("Date")) == []
    assert warned(recommend, frame(time=range(20)).sample(frac=1, random_state=3).sort_values("time")) == []
    assert warned(recommend, frame().sort_values("arm", kind="stable")) == [], "only the order of the rows of an arm matters"
    assert warned(recommend, pandas.concat([frame()[::2].reset_index(), frame()[1::2].reset_index()])) == []
    named = frame().set_index(pandas.Index([f"row {row}" for row in range(20)]))
    assert warned(recommend, named.iloc[::-1]) == [], "the names of rows have no order"
    plain = {"weight": [0.5, 0.25] * 10, 3: ["x,\n\"y\""] * 20, "empty": [None] * 20}
    assert warned(recommend, frame().assign(**{str(name): cells for name, cells in plain.items()})) == []
    assert warned(recommend, frame().iloc[:0]) == []


@pytest.mark.parametrize("call", [recommend, lambda *a, **o: longrun.plan(*a, **{"arms": ARMS, "horizon": 100, "futures": 100, **o})])
def test_the_arms_are_those_of_the_history(call, tmp_path):
    history = frame()
    path = tmp_path / "past.csv"
    history.to_csv(path, index=False)
    expected = call(history)
    for past in (history, path, list(zip(history["arm"], history["reward"])), zip(history["arm"], history["reward"])):
        assert call(past, arms=None) == expected
    numbered = [(arm, reward) for arm, reward in zip([10, 9] * 10, history["reward"])]
    assert [each.arm for each in call(numbered, arms=None).arms] == [9, 10]
    pandas.DataFrame(numbered, columns=["arm", "reward"]).to_csv(path, index=False)
    assert call(path, arms=None) == call(numbered, arms=None) == call(numbered, arms=[9, 10])
    assert [each.arm for each in call([("b", 0.5), (" a", 0.5), ("a,\"", None)], arms=None).arms] == ["b", " a", "a,\""]


@pytest.mark.parametrize(
    "history, message",
    [
        ([], "^history: has no rows; give the number or the names of the arms$"),
        ([("07", 0.5), (7, 0.5)], "^history: arms '07' and '7' are the same number; write every arm in one way$"),
        ([(float("nan"), 0.5)], "^arm nan: must be a label, a string or a whole number$"),
        ([("", 0.5)], "^history: row 0, column 'arm': "),
        ([("a\nb", 0.5)], "^arm 'a.nb': contains a line break; give the labels of all arms as `arms`$"),
    ],
)
def test_a_history_that_does_not_say_what_the_arms_are_is_an_error(history, message):
    with pytest.raises(ValueError, match=message):
        longrun.recommend(history, horizon=100)


def test_an_arm_that_may_be_a_typo_is_a_warning_if_the_arms_are_those_of_the_history(tmp_path):
    history = pandas.DataFrame({"arm": ["north", "south"] * 30 + ["north", "soth"], "reward": [0.3, 0.5] * 31})
    message = "arm 'soth' (1 row) may be a typo of 'south' (30 rows); they count as two arms"
    assert warned(longrun.recommend, history, horizon=100) == [f"history: {message}"]
    path = tmp_path / "past.csv"
    history.to_csv(path, index=False)
    assert warned(longrun.recommend, path, horizon=100) == [f"{path}: {message}"]
    assert warned(longrun.recommend, history, arms=["north", "south", "soth"], horizon=100) == []


def test_columns_that_have_the_same_name_are_an_error():
    history = frame()
    for name in ("arm", "reward"):
        with pytest.raises(ValueError, match=f"^history: has several columns '{name}'; give one$"):
            longrun.recommend(pandas.concat([history, history[[name]]], axis=1), horizon=1000)


@pytest.mark.parametrize("index", [
    numpy.linspace(0, 1, 20),
    pandas.period_range("2024-01", periods=20, freq="D"),
])
def test_an_index_of_fractions_or_periods_that_descends_is_a_warning(index):
    history = frame().set_index(pandas.Index(index))
    assert warned(recommend, history) == []
    assert len(warned(recommend, history.iloc[::-1])) == 1


@pytest.mark.parametrize("name", [None, "index", "Unnamed: 0"])
def test_a_shuffled_frame_is_a_warning_also_as_a_file(tmp_path, name):
    path = tmp_path / "past.csv"
    frame().to_csv(path, index_label=name)
    assert warned(recommend, path) == [] and warned(recommend, pandas.read_csv(path)) == []
    frame().sample(frac=1, random_state=3).to_csv(path, index_label=name)
    for history in (path, pandas.read_csv(path)):
        (message,) = warned(recommend, history)
        assert "rows must be in the order of their pulls, but by the column " in message


@pytest.mark.parametrize("call", CALLS)
def test_rows_that_occur_twice_are_a_warning_as_in_a_file(call, tmp_path):
    twice = pandas.concat([frame(), frame()], ignore_index=True)
    twice["reward"] = [*twice["reward"][:20], *twice["reward"][:20]]
    expected = "from {} on, the rows repeat those from {} on exactly; every row counts as a pull"
    path = tmp_path / "past.csv"
    twice.to_csv(path, index=False)
    if call in CALLS[:2]:
        assert warned(call, path) == [f"{path}: " + expected.format("line 22", "line 2")]
        assert warned(call, twice) == ["history: " + expected.format("row 20", "row 0")]
    pairs = list(zip(twice["arm"], twice["reward"]))
    assert warned(recommend, pairs, arms=["north", "south"]) == warned(recommend, pairs) == ["history: " + expected.format("row 20", "row 0")]
    doubled = frame().loc[[row // 2 for row in range(40)]].reset_index(drop=True)
    if call is not CALLS[2]:
        assert warned(call, doubled) == ["history: every row occurs twice, the first in row 0 and row 1; every row counts as a pull"]


def test_a_number_of_arms_whose_labels_count_from_1_is_a_warning(tmp_path):
    history = pandas.DataFrame({"arm": [1, 2] * 10, "reward": frame()["reward"]})
    message = "history: arms={} stands for the labels 0 to {}, but no row has 0, so it counts as an arm without pulls; give arms={} if labels count from 1"
    assert warned(recommend, history, arms=3) == [message.format(3, 2, "[1, 2, 3]")]
    assert warned(recommend, list(zip(history["arm"], history["reward"])), arms=30) == [message.format(30, 29, "range(1, 31)")]
    path = tmp_path / "past.csv"
    history.to_csv(path, index=False)
    assert warned(recommend, path, arms=3) == [message.format(3, 2, "[1, 2, 3]")]
    assert warned(recommend, path, arms=[0, 1, 2]) == []
    history.iloc[:0].to_csv(path, index=False)
    assert warned(recommend, path, arms=3) == [], "no rows yet"
    assert warned(recommend, history, arms=[0, 1, 2]) == [], "these labels are meant"
    assert warned(recommend, history.assign(arm=[0, 1] * 10), arms=3) == []
    assert warned(recommend, [], arms=3) == []


def test_rewards_are_read_by_the_rules_of_a_study():
    pairs = [("tea", True), ("coffee", False)] * 10
    assert longrun.recommend(pairs, horizon=100) == longrun.recommend([(arm, float(reward)) for arm, reward in pairs], horizon=100)
    with pytest.raises(ValueError, match="^reward True: counts as 1 or 0 on the scale 0 to 1 only; the scale is 0 to 5$"):
        longrun.recommend(pairs, horizon=100, scale=(0, 5))
    for wrong in ("0.5", b"0.5", 0.5 + 0j):
        with pytest.raises(ValueError, match="^reward .*: must be a number$"):
            longrun.recommend([("tea", wrong)], horizon=100)


def test_arms_that_are_unavailable_now_may_be_any_iterable():
    expected = recommend(frame(), unavailable_now=["north"])
    for arms in ("north", {"north"}, ("north",), (arm for arm in ["north"]), numpy.array(["north"])):
        assert recommend(frame(), unavailable_now=arms) == expected and expected.arm == "south"


def test_curves_whose_index_descends_are_a_warning():
    curves = pandas.DataFrame({"slow": numpy.linspace(0.1, 0.9, 20), "quick": numpy.linspace(0.6, 0.2, 20)})
    for call in (longrun.Bandit, longrun.optimum):
        assert warned(call, curves) == []
        (message,) = warned(call, curves.sample(frac=1, random_state=3))
        assert message.startswith("curves: the index of the data frame is not in ascending order: ")
