"""Events of studies: JSON Lines, replay, a sequence, a data frame."""

import collections.abc
import copy
import json
import pickle
import random
import time
import warnings

import pytest

import longrun
from studies import ARMS, new_study, play


def test_events_have_the_json_form_of_the_library():
    study = new_study()
    study.observe(study.decide(arms=["south"])[0], 0.5)
    lines = study.to_json_lines().splitlines()
    assert json.loads(lines[0])["event"] == "created"
    decision = '{"id":1,"arm":"south","pull":1,"cause":"choice"}'
    assert lines[1:] == [
        f'{{"seq":1,"event":"decided","round":1,"decisions":[{decision}],"among":["south"]}}',
        '{"seq":2,"event":"settled","decision":1,"outcome":"observed","reward":0.5}',
    ]
    assert study.to_json_lines(2) == lines[2] + "\n" and study.to_json_lines(3) == ""


def test_decisions_that_replay_would_make_otherwise_stand_and_are_reported():
    study = new_study()
    play(study, 20)
    lines = study.to_json_lines().splitlines()
    changed = json.loads(lines[-2])
    recorded = "north" if changed["decisions"][0]["arm"] != "north" else "south"
    recomputed, changed["decisions"][0]["arm"] = changed["decisions"][0]["arm"], recorded
    changed["decisions"][0]["pull"] = study.pulls[recorded] + 1
    with pytest.warns(UserWarning, match="would decide otherwise in 1 recorded event, first in event 39; the recorded decisions stand"):
        other = longrun.Study.from_json_lines("\n".join([*lines[:-2], json.dumps(changed)]))
    assert other.differences == [longrun.Difference(39, [recorded], [recomputed])]
    assert other.pending == {20: recorded}
    assert pickle.loads(pickle.dumps(other)).differences == other.differences


def with_another_arm(line, pulls):
    """Return the line of a decision with the next arm, and the two arms. `pulls` are those before the decision."""
    event = json.loads(line)
    (decision,) = event["decisions"]
    recomputed = decision["arm"]
    decision["arm"] = ARMS[(ARMS.index(recomputed) + 1) % len(ARMS)]
    decision["pull"] = pulls[decision["arm"]] + 1
    return json.dumps(event), decision["arm"], recomputed


@pytest.mark.parametrize("kept_pulls", [0, 20])  # of the study that replays: fewer and more than it repeats
def test_replay_warns_before_it_changes_the_study(kept_pulls):
    study = new_study()
    play(study, 20)
    begun = longrun.Study.from_snapshot(study.snapshot()) if kept_pulls == 0 else copy.copy(study)
    study.decide()
    study.observe(21, 0.5)
    first, second = study.to_json_lines(41).splitlines()
    changed, recorded, recomputed = with_another_arm(first, begun.pulls)
    before = begun.snapshot()
    with warnings.catch_warnings(), pytest.raises(UserWarning, match="would decide otherwise in 1 recorded event, first in event 41"):
        warnings.simplefilter("error")
        begun.replay(f"{changed}\n{second}\n")
    assert begun.snapshot() == before and begun.last_event == 40 and begun.differences == [] and begun.pending == {}
    with pytest.warns(UserWarning) as warned:
        begun.replay(f"{changed}\n{second}\n")
    assert warned[0].filename == __file__
    assert begun.differences == [longrun.Difference(41, [recorded], [recomputed])] and begun.last_event == 42


def test_a_study_that_changes_during_the_warning_of_replay_is_not_replayed():
    study = new_study()
    play(study, 5)
    other = copy.copy(study)
    study.decide()
    changed, _, _ = with_another_arm(study.to_json_lines(11), other.pulls)

    def decide(*arguments, **keywords):
        other.decide()

    with pytest.MonkeyPatch.context() as patch, pytest.raises(ValueError, match="^line 1: seq: 11; the next event is number 12$"):
        patch.setattr(warnings, "warn", decide)
        other.replay(changed)
    assert other.last_event == 11 and other.differences == [] and other.to_json_lines() == study.to_json_lines()


def test_an_event_that_does_not_follow_leaves_those_before_it_out():
    study = new_study()
    play(study, 20)
    longer = copy.copy(study)
    (decision,) = longer.decide()
    longer.lose(decision)
    lines = longer.to_json_lines(41)
    before = study.snapshot()
    for again in (lines.splitlines()[1].replace("42", "43"), '{"seq":43,"event":"corrected","decision":99,"outcome":"lost"}'):
        with pytest.raises(ValueError, match="^event 43: "):
            study.replay(lines + again)
        assert study.snapshot() == before and study.last_event == 40
    study.replay(lines + '{"seq":43,"event":"corrected","decision":21,"outcome":"void"}\n\n')
    longer.correct(21, "void")
    assert study.snapshot() == longer.snapshot() and study.events == longer.events


def test_a_replay_of_one_event_takes_time_independent_of_the_log():
    def seconds(pairs):
        study = new_study(budget=10 * pairs, policy="ucb")
        for _ in range(pairs):
            study.observe(study.decide()[0], 0.5)
        study.observe(1, 0.5)  # from now on outcomes are known by decision
        times = []
        for _ in range(15):
            line = f'{{"seq":{study.last_event + 1},"event":"observed","arm":"north","reward":0.5}}\n'
            begin = time.perf_counter()
            study.replay(line)
            times.append(time.perf_counter() - begin)
        return min(times)

    assert seconds(50_000) < 5 * seconds(500)


def test_an_incomplete_last_line_can_be_cut_and_blank_lines_at_the_end_are_accepted():
    study = new_study()
    play(study, 3)
    text = study.to_json_lines()
    for size in range(len(text) - 2, text.rindex("\n", 0, -1) + 1, -1):
        with pytest.raises(ValueError, match="^line 7: the last line is incomplete; cut the text after its last line break$"):
            longrun.Study.from_json_lines(text[:size])
        cut = text[:size]
        assert longrun.Study.from_json_lines(cut[: cut.rindex("\n") + 1]).last_event == 5
    assert longrun.Study.from_json_lines(text + "\n \r\n").snapshot() == study.snapshot()
    begun = longrun.Study.from_json_lines(study.to_json_lines(0, 3))
    begun.replay(study.to_json_lines(3) + "\n\n")
    assert begun.snapshot() == study.snapshot()


def test_lines_break_only_where_events_end():
    names = [f"a{character}b" for character in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"]
    study = longrun.Study(names, 50)
    for name in names:
        study.record(name, 0.5)
    study.add_arm("c\u2028")
    assert len(study.to_json_lines().splitlines()) == len(names) + 2
    assert [event["arm"] for event in study.events[1:]] == [*names, "c\u2028"]
    assert longrun.Study.from_json_lines(study.to_json_lines()).arms == [*names, "c\u2028"]
    assert pickle.loads(pickle.dumps(study)).events == study.events


def test_events_are_a_sequence_that_reads_what_is_asked_for():
    study = new_study(budget=9_000)
    assert repr(study.events) == "<events 0 to 0 of a study>"
    play(study, 3_000)
    events = study.events
    listed = [json.loads(line) for line in study.to_json_lines().splitlines()]
    assert isinstance(events, collections.abc.Sequence) and repr(events) == "<events 0 to 6000 of a study>"
    assert len(events) == 6001 and events == listed and listed == events and events != listed[1:]
    assert list(events) == listed and list(reversed(events)) == listed[::-1]
    chance = random.Random(1)
    for _ in range(100):
        start, stop = (chance.choice([None, chance.randint(-7000, 7000)]) for _ in range(2))
        step = chance.choice([None, 1, -1, 3, -7, 500, -2000])
        assert events[start:stop:step] == listed[start:stop:step]
        number = chance.randint(-6001, 6000)
        assert events[number] == listed[number]
    for number in (6001, -6002):
        with pytest.raises(IndexError):
            events[number]
    study.decide()
    assert len(events) == 6001 and len(study.events) == 6002 and study.events[-1]["seq"] == 6001
    assert study.to_json_lines(5, 7) == "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in listed[5:7])
    assert study.to_json_lines(7, 5) == "" and study.to_json_lines(0, 0) == "" and study.to_json_lines(0, 1).count("\n") == 1
    assert study.to_json_lines(6001, 2**62) == study.to_json_lines(6001)
    restored = longrun.Study.from_snapshot(study.snapshot())
    assert list(restored.events) == restored.events[:] == [] and repr(restored.events) == "<no events of a study>"
    few = new_study(keep_events=3)
    play(few, 2)
    kept = few.events
    play(few, 20)
    with pytest.raises(ValueError, match="are not kept"):
        kept[0]


def test_the_last_event_is_read_in_time_independent_of_the_log():
    study = new_study(budget=100_000, policy="ucb")
    times = []
    for steps in (500, 50_000):
        play(study, steps)
        each = []
        for _ in range(20):
            begin = time.perf_counter()
            assert study.events[-1]["event"] == "settled"
            each.append(time.perf_counter() - begin)
        times.append(min(each))
    assert times[1] < 10 * times[0]


def test_a_data_frame_has_a_row_per_pull():
    study = new_study()
    study.decide(3)
    study.observe(3, 0.5)
    study.lose(1)
    study.record("south", 0.25)
    study.correct(3, 0.75)
    frame = study.to_pandas()
    assert frame.columns.tolist() == ["decision", "arm", "pull", "cause", "outcome", "reward"]
    assert frame["arm"].tolist() == ["north", "south", "east", "south"]
    assert frame["outcome"].tolist() == ["lost", "pending", "observed", "observed"]
    assert frame["cause"].tolist() == ["choice", "choice", "choice", "recorded"]
    assert frame["reward"].dropna().tolist() == [0.75, 0.25]
    assert frame["decision"].isna().tolist() == [False, False, False, True]
    assert len(new_study().to_pandas()) == 0
    longrun.recommend(frame.dropna(subset="reward"), arms=study.arms, horizon=study.budget)
