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
