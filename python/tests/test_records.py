"""Records as data: frames, copies, summaries; and constraints as keys."""

import copy
import pickle

import numpy as np
import pandas
import polars
import pytest

import longrun

RECORDS = longrun.simulate({"two": longrun.Bandit("inc_dec_3", 0.05), "four": longrun.Bandit("recommender_B", 0.05)}, ["spo", "greedy"], [20, 40], seeds=3)


def test_a_data_frame_of_records_has_all_columns():
    for frame in (pandas.DataFrame(RECORDS), RECORDS.to_pandas()):
        assert list(frame.columns) == list(RECORDS) and len(frame) == 24
        assert list(frame.columns[-4:]) == ["pulls_0", "pulls_1", "pulls_2", "pulls_3"]
        assert (frame.filter(like="pulls_").sum(axis=1) == frame["horizon"]).all()
        assert frame[frame["bandit"] == "two"]["pulls_3"].eq(0).all()
    other = RECORDS.to_polars()
    assert isinstance(other, polars.DataFrame) and other.columns == list(RECORDS)
    assert other["regret"].to_list() == RECORDS["regret"].tolist() and other["policy"].to_list() == RECORDS["policy"].tolist()


def test_the_old_name_of_a_column_is_explained():
    with pytest.raises(KeyError, match="this column is called 'earned'"):
        RECORDS["return"]
    with pytest.raises(KeyError, match="nothing"):
        RECORDS["nothing"]


def test_copies_keep_the_type_and_the_trajectories():
    kept = longrun.simulate("inc_1", "spo", 20, every=5)
    for other in (kept.copy(), copy.copy(kept), copy.deepcopy(kept), pickle.loads(pickle.dumps(kept))):
        assert type(other) is longrun.Records and other["regret"].tolist() == kept["regret"].tolist()
        assert other.trajectories["step"].tolist() == [5, 10, 15, 20]


@pytest.mark.parametrize(
    "change",
    [
        lambda records, values: records.setdefault("mine", values),
        lambda records, values: records.update(mine=values),
        lambda records, values: records.__setitem__("mine", values),
        lambda records, values: records.__ior__({"mine": values}),
        lambda records, values: records | {"mine": values},
        lambda records, values: longrun.Records(records, mine=values),
        lambda records, values: longrun.Records({"mine": values, **records}),
    ],
)
def test_a_column_has_a_value_per_run(change):
    for wrong in ([1.0] * 23, [1.0], [], 1.0, None):
        records = RECORDS.copy()
        with pytest.raises(ValueError, match="^column '(mine|bandit)': has .* for .* runs?$"):
            change(records, wrong)
        assert list(records) == list(RECORDS)
    change(RECORDS.copy(), [1.0] * 24)


def test_setdefault_keeps_a_column_that_is_there():
    records = RECORDS.copy()
    assert records.setdefault("regret", [1.0]) is RECORDS["regret"]
    assert records.setdefault("mine", [2.0] * 24).tolist() == [2.0] * 24 == records["mine"].tolist()
    empty = RECORDS.select(horizon=30)
    with pytest.raises(ValueError, match="^column 'mine': has 1 value for 0 runs$"):
        empty["mine"] = [1.0]
    with pytest.raises(ValueError, match="^column 'a': has 1 value for .* run"):
        longrun.Records.fromkeys("ab", 1)


def test_concat_joins_results_of_different_bandits():
    parts = [RECORDS.select(bandit="two"), RECORDS.select(bandit="four")]
    parts[0] = longrun.simulate({"two": longrun.Bandit("inc_dec_3", 0.05)}, ["spo", "greedy"], [20, 40], seeds=3)  # two arms only
    joined = longrun.Records.concat(parts)
    assert all(np.array_equal(joined[name], RECORDS[name]) for name in RECORDS)
    assert type(joined) is longrun.Records


def test_the_summary_has_means_and_intervals():
    table = pandas.DataFrame(RECORDS.summary())
    assert len(table) == 8 and (table["runs"] == 3).all()
    frame = RECORDS.to_pandas()
    mine = frame[(frame["bandit"] == "four") & (frame["policy"] == "spo") & (frame["horizon"] == 40)]["regret"]
    row = table[(table["bandit"] == "four") & (table["policy"] == "spo") & (table["horizon"] == 40)].iloc[0]
    assert row["regret"] == pytest.approx(mine.mean()) and row["low"] <= row["regret"] <= row["high"]
    random = longrun.simulate(lambda seed: longrun.Bandit(f"random_peaked_{seed}"), "spo", 20, seeds=4)
    assert random.summary()["bandit"].tolist() == ["(one per seed)"] and random.summary()["runs"].tolist() == [4]


def test_a_notebook_shows_the_summary():
    shown = RECORDS._repr_html_()
    assert shown.count("<tr>") == 9 and "<td>four</td><td>greedy</td><td>40</td><td>3</td>" in shown
    assert "24 runs of 2 bandits, 2 policies, 2 horizons, 3 seeds" in shown and "24 runs" in repr(RECORDS)
    escaped = longrun.simulate({"<b>": "inc_1"}, "spo", 10)._repr_html_()
    assert "&lt;b&gt;" in escaped and "<b>" not in escaped
    assert longrun.Records()._repr_html_() == "<pre>{}</pre>"


def test_dir_shows_the_public_names():
    assert dir(longrun) == sorted([*longrun.__all__, "env"])


def test_constraints_are_equal_if_they_mean_the_same_and_can_be_keys():
    one = longrun.Constraints(units_per_round=5, costs=[1, 2], minimum_share={0: 0.1}, unavailable={1: [(10, 20)]})
    same = longrun.Constraints(units_per_round=5.0, costs=np.array([1.0, 2.0]), minimum_share={np.int64(0): 0.1}, unavailable={1: ((10, 20),)})
    assert one == same and hash(one) == hash(same) and {one: "a"}[same] == "a"
    assert one != longrun.Constraints(units_per_round=5) and one != 3
    assert longrun.Constraints() == longrun.Constraints(minimum_share={}) and len({longrun.Constraints(), longrun.Constraints(costs=1.0)}) == 1
    costs = {0: 2}
    kept = longrun.Constraints(costs=costs)
    costs[0] = 3
    assert kept == longrun.Constraints(costs={0: 2}), "a change of the argument changes nothing"
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one


def test_a_value_that_no_run_can_have_is_an_error_of_the_selection():
    records = longrun.simulate(longrun.Bandit("inc_1", 0.05), ["spo", "greedy"], [20, 40], seeds=2)
    assert records.select(noise=longrun.Gaussian(0.05)).runs == records.select(noise="gaussian:0.05").runs == 8
    assert records.select(horizon=np.float64(20), seed=np.array([1])).runs == 2
    for choice, message in (
        ({"policy": 3}, "^policy 3: must be a string$"),
        ({"bandit": [3]}, "^bandit 3: must be a string$"),
        ({"noise": 0.05}, "^noise 0.05: must be a string$"),
        ({"noise": longrun.Gaussian(0.1)}, "^noise 'gaussian:0.1': no run has it; did you mean 'gaussian:0.05'[?]$"),
        ({"horizon": "20"}, "^horizon '20': must be a whole number from 0$"),
        ({"seed": True}, "^seed True: must be a whole number from 0$"),
    ):
        with pytest.raises(ValueError, match=message):
            records.select(**choice)


def test_columns_can_be_added_by_update_and_by_union():
    records = longrun.simulate("inc_1", "spo", [20, 40], every=5)
    joined = records | {"mine": [1, 2]}
    assert type(joined) is longrun.Records and joined["mine"].tolist() == [1, 2] and "mine" not in records
    assert joined.trajectories is records.trajectories
    joined |= {"other": [3, 4]}
    joined.update({"a": [5, 6]}, b=[7, 8])
    assert type(joined) is longrun.Records and joined["b"].tolist() == [7, 8]
    before = list(joined)
    for wrong in (lambda: joined.update(c=[1, 2], d=[1]), lambda: joined | {"d": [1]}, lambda: joined.__ior__({"d": [1]})):
        with pytest.raises(ValueError, match="^column 'd': has 1 value for 2 runs$"):
            wrong()
    assert list(joined) == before


def test_only_results_can_be_joined():
    records = longrun.simulate("inc_1", "spo", 20)
    assert longrun.Records.concat([records.select(seed=2), records.to_pandas()]).runs == 1
    with pytest.raises(ValueError, match="^records 3: must be a list of results$"):
        longrun.Records.concat(3)
    for wrong in ("a", 3, None):
        with pytest.raises(ValueError, match=f"^records: {wrong!r} is not a result of simulate[(][)], or its data frame$"):
            longrun.Records.concat([wrong])


def test_a_run_that_does_not_exist_has_no_steps():
    records = longrun.simulate("inc_1", "spo", [20, 40], every=5)
    assert len(records.trajectories.of_run(np.int64(1))["step"]) == 8
    for run, message in ((-1, "^run -1: must be a whole number from 0$"), (2, "^run 2: must be the row of one of the 2 runs, counted from 0$")):
        with pytest.raises(ValueError, match=message):
            records.trajectories.of_run(run)
    with pytest.raises(ValueError, match="^records: have no runs to draw$"):
        longrun.plot.trajectory(records.select(seed=2))


def test_constraints_do_not_change_after_they_were_created():
    costs = {0: 2, "tea": 3}
    constraints = longrun.Constraints(costs=costs, unavailable={1: [(2, 3)]})
    before = hash(constraints)
    costs[0] = 5
    for change in (lambda: constraints.costs.__setitem__(0, 5), lambda: constraints.costs.update({0: 5}), lambda: constraints.unavailable.clear()):
        with pytest.raises(TypeError, match="^constraints cannot be changed; create new ones$"):
            change()
    assert hash(constraints) == before and constraints.costs == {0: 2, "tea": 3}
    for twin in (pickle.loads(pickle.dumps(constraints)), copy.deepcopy(constraints), copy.copy(constraints)):
        assert twin == constraints and hash(twin) == before and repr(twin) == repr(constraints)
