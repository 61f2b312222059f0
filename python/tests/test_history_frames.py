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
    assert warned(recommend, frame(bought=[20_240_131 - row for row in range(20)])) != []


def test_labels_remain_as_they_are_in_messages():
    lines = frame().assign(arm=["Line 5", "line 5"] * 10)
    assert warned(recommend, lines, arms=None) == ["history: arms 'Line 5' (10 rows) and 'line 5' (10 rows) differ only in upper and lower case; they count as two arms"]
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
        ([(float("nan"), 0.5)], "^history: row 0: the arm is missing$"),
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
    with pytest.raises(ValueError, match="^history: row 0: reward True: counts as 1 or 0 on the scale 0 to 1 only; the scale is 0 to 5$"):
        longrun.recommend(pairs, horizon=100, scale=(0, 5))
    for wrong in (b"0.5", 0.5 + 0j):
        with pytest.raises(ValueError, match="^history: row 1: reward .*: must be a number$"):
            longrun.recommend([("tea", 0.5), ("tea", wrong)], horizon=100)


def test_arms_that_are_unavailable_now_may_be_any_iterable():
    expected = recommend(frame(), unavailable_now=["north"])
    assert recommend(frame(), unavailable_now=None) == recommend(frame())
    for arms in ("north", {"north"}, ("north",), (arm for arm in ["north"]), numpy.array(["north"])):
        assert recommend(frame(), unavailable_now=arms) == expected and expected.arm == "south"


def test_curves_whose_index_descends_are_a_warning():
    curves = pandas.DataFrame({"slow": numpy.linspace(0.1, 0.9, 20), "quick": numpy.linspace(0.6, 0.2, 20)})
    for call in (longrun.Bandit, longrun.optimum):
        assert warned(call, curves) == []
        (message,) = warned(call, curves.sample(frac=1, random_state=3))
        assert message.startswith("curves: the index of the data frame is not in ascending order: ")


def test_the_frame_of_a_study_with_a_pull_that_was_not_made_is_an_error(tmp_path):
    study = longrun.Study(["a", "b"], 100, noise="bernoulli")
    for number in range(40):
        (decision,) = study.decide()
        if number % 4 == 0:
            study.void(decision)
        else:
            study.observe(decision, number % 3 == 0)
    pulls = study.to_pandas()
    pulls.to_csv(tmp_path / "pulls.csv", index=False)
    message = "column .*outcome.*: 'void' is the outcome of a pull that was not made; leave out the rows with it$"
    for history, where in ((pulls, "history: row 0, "), (pulls.assign(round=1), "history: row 0, "), (tmp_path / "pulls.csv", ".*: line 2, ")):
        with pytest.raises(ValueError, match="^" + where + message):
            longrun.recommend(history, horizon=100)
    made = pulls[pulls["outcome"] != "void"]
    assert longrun.recommend(made, horizon=100) == longrun.recommend(study.history, horizon=100)


def test_a_merge_that_repeats_the_rows_of_one_arm_is_a_warning():
    history = frame(reward=numpy.random.default_rng(1).random(20).round(3), manager=["Ann"] * 20)
    managers = pandas.DataFrame({"arm": ["north", "north", "south"], "manager": ["Ann", "Bob", "Cid"]})
    history = pandas.concat([history, history.assign(reward=history["reward"] / 2)])[["arm", "reward"]].reset_index(drop=True)
    (message,) = warned(recommend, history.merge(managers, on="arm"))
    assert message == (
        "history: every row of arm 'north' occurs twice, the first in row 0 and row 1; every row counts as a pull. If the "
        "rows were joined with a table, it may have the arm more than once"
    )
    assert warned(recommend, history.merge(managers.drop_duplicates("arm"), on="arm")) == []


def test_a_field_of_a_record_array_is_a_column_also_if_it_is_called_index():
    expected = recommend(frame())
    assert recommend(frame().to_records()) == recommend(frame().to_records(index=False)) == expected
    assert recommend(frame(columns=0).to_records(index=False)) == expected
    (message,) = warned(recommend, frame().sample(frac=1, random_state=3).to_records())
    assert "by the column 'index'" in message


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "column, change, problem",
    [
        ("reward", lambda value: 7.5, "reward 7.5 of arm 'south' is further outside the scale 0 to 1 than noise explains; set the scale to the range of the rewards, or correct this reward if it is wrong"),
        ("reward", lambda value: f"{value:.3f}", "reward '0.[0-9]*': must be a number; pandas.to_numeric.. makes numbers of texts"),
        ("reward", lambda value: f"{value:.3f}".replace(".", ","), "reward '0,[0-9]*': must be a number; read the file with pandas.read_csv.*decimal=\",\".*"),
        ("arm", lambda value: float("nan"), "the arm is missing"),
        ("arm", lambda value: None, "the arm is missing"),
        ("arm", lambda value: pandas.NA, "the arm is missing"),
        ("arm", lambda value: 0.5, "arm 0.5: must be a label, a string or a whole number"),
    ],
)
def test_an_error_about_a_reward_or_an_arm_names_the_row(call, column, change, problem):
    history = frame()
    history[column] = [change(cell) if row == 13 else cell for row, cell in enumerate(history[column])]
    with pytest.raises(ValueError, match=f"^history: row 13: {problem}$"):
        call(history)


@pytest.mark.parametrize("call", [longrun.recommend, lambda *arguments, **options: longrun.plan(*arguments, futures=100, **options)])
def test_constraints_that_the_rounds_of_a_frame_contradict_are_warnings_as_for_a_file(call, tmp_path):
    path = tmp_path / "past.csv"
    frame(round=numpy.arange(20) // 4 + 1).to_csv(path, index=False)
    for constraints, found in (
        (dict(units_per_round=4, unavailable={"north": [(1, 2)]}), ["arm 'north' is unavailable in round 1 by the constraints, but the history has a pull of it there (4 such pulls in all)"]),
        (dict(units_per_round=5), ["round 1 has 4 pulls, but the number of units per round is 5 (4 rounds differ)"]),
        (dict(units_per_round=4), []),
    ):
        options = {"arms": ARMS, "horizon": 100, "constraints": longrun.Constraints(**constraints)}
        of_frame = warned(call, pandas.read_csv(path), **options)
        assert of_frame == [message.replace(str(path), "history") for message in warned(call, path, **options)]
        assert [message.removeprefix("history: ").split(";")[0] for message in of_frame] == found
    pairs = list(zip(frame()["arm"], frame()["reward"]))
    (message,) = warned(recommend, pairs, constraints=longrun.Constraints(units_per_round=4, unavailable={"north": [(1, 2)]}))
    assert "arm 'north' is unavailable in round 1" in message


def test_numbers_of_pulls_that_the_rows_contradict_are_a_warning():
    study = longrun.Study(ARMS, 100, noise=0.1)
    for number in range(40):
        study.observe(study.decide()[0], 0.3 + 0.01 * (number % 7))
    pulls = study.to_pandas()
    assert warned(longrun.recommend, pulls, horizon=100) == []
    shuffled = pulls.sample(frac=1, random_state=3, ignore_index=True)
    assert ["by the column 'decision'" in message or "by the column 'pull'" in message for message in warned(longrun.recommend, shuffled, horizon=100)] == [True], "of two columns, the one with fewer steps back is named"
    for name in ("trial", "Seq", "sequence no", "pull_number"):
        history = frame(**{name: numpy.arange(20) // 2 + 1})
        assert warned(recommend, history) == []
        assert len(warned(recommend, history.sample(frac=1, random_state=3, ignore_index=True))) == 1
        assert warned(recommend, frame(**{name: [3, 1, 2, 0] * 5})) == [], "numbers that occur again are something else"


def test_an_index_that_begins_again_is_that_of_frames_one_after_the_other():
    january, february = frame()[:8].reset_index(drop=True), frame()[8:].reset_index(drop=True)
    assert warned(recommend, pandas.concat([january, february])) == []
    assert len(warned(recommend, pandas.concat([january, february.sample(frac=1, random_state=3)]))) == 1
    assert len(warned(recommend, pandas.concat([frame()[8:], frame()[:8]]))) == 1


def test_a_masked_reward_is_not_known():
    rows = [("north", 0.6), ("south", 0.4), ("north", 0.9), ("south", 0.5)] * 3
    kind = [("arm", "U5"), ("reward", float)]
    known = numpy.ma.array(rows, dtype=kind)
    masked = known.copy()
    masked["reward"][2] = numpy.ma.masked
    pairs = [(arm, None if row == 2 else reward) for row, (arm, reward) in enumerate(rows)]
    assert recommend(masked) == recommend(pairs)
    assert recommend(masked) != recommend(known)
