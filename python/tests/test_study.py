"""Studies: decisions, outcomes in any order, corrections, events, copies and snapshots."""

import copy
import collections.abc
import json
import pickle
import random
import sys
import threading
import time
import warnings

import numpy as np
import pandas
import pytest

import longrun

ARMS = ["north", "south", "east"]


def new_study(**options):
    return longrun.Study(ARMS, **{"budget": 300, "noise": 0.1, **options})


def play(study, steps, seed=1):
    """Decide one by one, each with a reward at once. Return the arms."""
    chance = random.Random(seed)
    arms = []
    for _ in range(steps):
        (decision,) = study.decide()
        arms.append(decision.arm)
        study.observe(decision, 0.2 + 0.2 * decision.index + chance.gauss(0, 0.1))
    return arms


def test_outcomes_arrive_in_any_order_and_settle_their_decisions():
    study = new_study()
    first, second, third = study.decide(3)
    assert first == longrun.Decision(id=1, arm="north", index=0, pull=1, cause="choice")
    assert repr(first) == "Decision(id=1, arm='north', index=0, pull=1, cause='choice')"
    assert study.pending == {1: "north", 2: "south", 3: "east"}
    assert repr(study) == "<longrun.Study foresight, 3 arms, 3 of 300 units spent, 3 decisions pending>"
    study.observe(third, 0.61)
    study.lose(1)
    study.void(second)
    assert study.pending == {} and study.spent == 2
    assert study.pulls == {"north": 1, "south": 0, "east": 1}
    study.observe(3, 0.61)  # the same outcome again
    study.lose(first)
    study.record("south", 0.4)
    study.correct(3, 0.16)
    assert study.spent == 3 and study.last_event == 6
    assert [event["event"] for event in study.events] == ["created", "decided", "settled", "settled", "settled", "observed", "corrected"]
    study.correct(third, "void")
    study.correct(third, "lost")
    assert study.pulls["east"] == 1


def test_a_correction_is_as_if_it_had_always_been_known():
    wrong, right = new_study(), new_study()
    for study, reward in ((wrong, 0.9), (right, 0.1)):
        study.observe(study.decide()[0], reward)
        study.decide(2)
    wrong.correct(1, 0.1)
    assert wrong._log.state() == right._log.state()


def test_a_choice_can_be_restricted_to_some_arms():
    study = new_study()
    assert {decision.arm for decision in study.decide(20, arms=["south", "north"])} == {"north", "south"}
    assert {decision.arm for decision in study.decide(5, arms="east")} == {"east"}
    assert {decision.arm for decision in study.decide(5, arms=np.array([2]))} == {"east"}
    study.set_unavailable(["north", 1])
    assert study.unavailable == ["north", study.arms[1]]
    assert {decision.arm for decision in study.decide(5)} == {"east"}
    study.set_unavailable([])
    assert {decision.arm for decision in study.decide(50)} == set(ARMS)


def test_arms_and_units_can_be_added():
    study = new_study(budget=3)
    assert len(study.decide(10)) == 3 and study.done
    study.extend_budget(30)
    study.add_arm("west")
    assert study.budget == 33 and study.arms == [*ARMS, "west"] and not study.done
    assert "west" in {decision.arm for decision in study.decide(30)}
    study.extend_budget(1)
    study.record("west", 0.5)
    assert study.done


def test_under_constraints_decisions_are_rounds():
    study = longrun.Study(3, 20, constraints=longrun.Constraints(units_per_round=4, minimum_share={2: 0.25}), policy="ucb", noise=0.1)
    assert study.arms == ["arm 0", "arm 1", "arm 2"]
    rounds = []
    while not study.done:
        rounds.append(study.decide())
    assert [len(each) for each in rounds] == [4] * 5
    assert {decision.cause for each in rounds for decision in each} == {"share", "choice"}


def test_constraints_name_arms_by_name_or_number():
    by_name = longrun.Constraints(costs={"south": 2}, minimum_pulls={"east": 3}, minimum_share={"north": 0.2}, unavailable={"east": [(1, 5)]})
    by_number = longrun.Constraints(costs={1: 2}, minimum_pulls={2: 3}, minimum_share={0: 0.2}, unavailable={2: [(1, 5)]})
    mixed = longrun.Constraints(costs={np.int64(1): 2}, minimum_pulls={2.0: 3}, minimum_share={"north": 0.2}, unavailable={2: [(1, 5)]})
    first = new_study(constraints=by_number).to_json_lines()
    assert first == new_study(constraints=by_name).to_json_lines() == new_study(constraints=mixed).to_json_lines()
    assert json.loads(first)["constraints"]["costs"] == "1:2"
    history = [("north", 0.5), ("south", 0.4)]
    answers = [longrun.recommend(history, arms=ARMS, horizon=60, constraints=each) for each in (by_name, by_number)]
    assert answers[0] == answers[1]
    bandit = longrun.Bandit(np.linspace(0.2, 0.8, 300).reshape(3, 100), longrun.Gaussian(0.1), arm_names=ARMS)
    optima = [longrun.optimum(bandit, 60, constraints=each) for each in (by_name, by_number)]
    assert optima[0].value == optima[1].value
    records = [longrun.simulate(bandit, "ucb", 60, seeds=3, constraints=each) for each in (by_name, by_number)]
    assert (records[0]["pulls"] == records[1]["pulls"]).all()


def test_the_study_learns_on_its_scale_and_from_binary_rewards():
    study = longrun.Study(["worse", "better"], 400, scale=(-10, 30))
    for _ in range(400):
        (decision,) = study.decide()
        study.observe(decision, 20 if decision.arm == "better" else -5)
    assert study.pulls["better"] > 300
    clicks = longrun.Study(["worse", "better"], 400, noise="bernoulli")
    chance = np.random.default_rng(1)
    for _ in range(400):
        (decision,) = clicks.decide()
        clicks.observe(decision, chance.random() < (0.9 if decision.arm == "better" else 0.1))
    assert clicks.pulls["better"] > 300 and clicks.noise == longrun.Bernoulli()


def test_properties_are_the_arguments():
    study = longrun.Study(["a"], 1e2, noise=longrun.SymmetricBeta(0.2, 0.05), policy="d-ucb:discount=0.9", scale=(-1, 3), seed=2**64 - 1)
    assert (study.arms, study.budget, study.policy, study.scale, study.seed) == (["a"], 100, "d-ucb:discount=0.9", (-1, 3), 2**64 - 1)
    assert study.noise == longrun.SymmetricBeta(0.2, 0.05)
    assert longrun.Study(["a"], 5).noise is None
    for noise in (longrun.NoNoise(), longrun.Gaussian(0.1), longrun.Uniform(0.2), longrun.StudentT(0.1)):
        assert longrun.Study(["a"], 5, noise=noise).noise == noise
    assert longrun.Study(["a"], 5, noise=0.1).noise == longrun.Study(["a"], 5, noise="gaussian:0.1").noise


def test_numbers_of_numpy_and_pandas_are_accepted():
    study = new_study(budget=np.int64(300))
    frame = pandas.DataFrame({"decision": [d.id for d in study.decide(np.int32(5))], "reward": [0.5, 1, 0.25, 0.5, 0]})
    for row in frame.itertuples():
        study.observe(row.decision, row.reward)
    study.decide(4)
    study.observe(np.uint8(6), np.float32(0.5))
    study.observe(7.0, np.array(0.5))  # pandas stores whole numbers as floats if some are missing
    study.observe(8, 1)
    study.observe(9, np.bool_(True))
    study.record(np.str_("north"), True)
    assert study.decide(arms=np.array(1))[0].index == 1
    study.void(10)
    assert longrun.Study((name for name in ("a", "b")), 5).arms == longrun.Study(pandas.Index(["a", "b"]), 5).arms == ["a", "b"]
    assert study.pending == {}


@pytest.mark.parametrize("policy", [info.name for info in longrun.policies() if not info.needs_plan])
def test_a_study_with_rewards_at_once_pulls_what_a_simulation_pulls(policy):
    bandit = longrun.Bandit("recommender_B", longrun.Gaussian(0.05))
    world = bandit.world(500, seed=7, replicate=0)
    study = longrun.Study(bandit.arm_names, 500, noise=bandit.noise, policy=policy, seed=7)
    while not study.done:
        (decision,) = study.decide()
        study.observe(decision, world.pull(decision.index))
    assert list(study.pulls.values()) == longrun.simulate(bandit, policy, 500, seeds=[0], seed=7)["pulls"][0].tolist()


def test_threads_can_share_a_study():
    study = new_study(budget=10_000)
    made = []

    def work():
        for _ in range(500):
            (decision,) = study.decide()
            made.append(decision.id)
            study.observe(decision, 0.5)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == list(range(1, 2001)) and study.pending == {} and study.spent == 2000


def test_an_arm_that_another_thread_has_just_added_has_a_name():
    study = new_study()
    study.decide(3)
    study._log.add_arm("west")  # what another thread sees during add_arm()
    assert "west" in {decision.arm for decision in study.decide(9)}
    study._log.add_arm("new")
    study._log.set_unavailable([4])
    assert study.unavailable == ["new"] and study.arms == [*ARMS, "west", "new"]
    study._log.add_arm("old")
    study._log.record(5, 0.5)
    assert study.pulls["old"] == 1
    study._log.add_arm("last")
    study._log.decide(1, [6])
    assert "last" in study.pending.values() and "7 arms" in repr(study)


def test_threads_can_add_arms_while_others_decide():
    study = new_study(budget=100_000, policy="ucb")
    errors = []

    def guarded(act, times):
        try:
            for number in range(times):
                act(number)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    def decide(_):
        (decision,) = study.decide()
        assert study.arms[decision.index] == decision.arm
        study.observe(decision, 0.5)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=guarded, args=(decide, 500)) for _ in range(3)]
        threads.append(threading.Thread(target=guarded, args=(lambda number: study.add_arm(f"new {number}"), 200)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert errors == [] and len(study.arms) == 203 and study.pending == {}


# ---- copies, pickles, snapshots and events


def random_program(seed):
    """Return a study after random commands, of which some fail."""
    chance = random.Random(seed)
    names = [info.name for info in longrun.policies() if not info.needs_plan]
    constraints = longrun.Constraints(units_per_round=chance.choice([1, 1, 3]), minimum_share=chance.choice([0, {0: 0.2}]))
    keep = chance.choice([True, True, True, 6, False])
    scale = chance.choice([(0, 1), (-3, 5)])
    study = longrun.Study(
        ARMS[: chance.randint(1, 3)], chance.randint(1, 60), noise=longrun.Gaussian(0.1), policy=chance.choice(names), scale=scale,
        constraints=constraints, seed=seed, keep_events=keep,
    )  # fmt: skip
    decisions = []

    def reward():
        return scale[0] + chance.random() * (scale[1] - scale[0]) if chance.random() < 0.95 else 1e6

    def some_decision():
        pending = list(study.pending)
        return chance.choice(pending if pending and chance.random() < 0.8 else [0, 1, *decisions])

    commands = [
        lambda: decisions.extend(study.decide()),
        lambda: decisions.extend(study.decide(chance.randint(1, 3), arms=chance.sample(study.arms, 1))),
        lambda: study.observe(some_decision(), reward()),
        lambda: study.observe(some_decision(), reward()),
        lambda: study.lose(some_decision()),
        lambda: study.void(some_decision()),
        lambda: study.correct(some_decision(), chance.choice(["lost", "void", reward()])),
        lambda: study.record(chance.choice(study.arms), reward()),
        lambda: study.set_unavailable(chance.sample(study.arms, chance.randint(0, len(study.arms)))),
        lambda: study.add_arm(chance.choice(["west", "north", "new"])),
        lambda: study.extend_budget(chance.randint(0, 9)),
    ]
    for _ in range(chance.randint(0, 60)):
        before = study.snapshot()
        try:
            chance.choice(commands)()
        except ValueError as error:
            assert "\n" not in str(error) and study.snapshot() == before
    return study, keep is True


def continued(study):
    """Return the decisions of some more commands, and the state after them."""
    study.extend_budget(10)
    study.set_unavailable([])
    decisions = []
    while not study.done:
        decisions.append(study.decide())
        for decision in decisions[-1]:
            study.observe(decision, study.scale[0])
    return decisions, study.last_event, study.snapshot()


@pytest.mark.parametrize("seed", range(300))
def test_copies_pickles_events_and_snapshots_of_random_programs_continue_as_the_original(seed):
    study, keeps_all = random_program(seed)
    others = [
        copy.copy(study),
        copy.deepcopy(study),
        pickle.loads(pickle.dumps(study)),
        pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(study)))),
    ]
    for other in others:
        assert other.events == study.events
    others.append(longrun.Study.from_snapshot(study.snapshot()))
    if keeps_all:
        others.append(longrun.Study.from_json_lines(study.to_json_lines()))
        half = study.last_event // 2
        lines = study.to_json_lines().splitlines(keepends=True)
        if not any('"corrected"' in line for line in lines):
            begun = longrun.Study.from_json_lines("".join(lines[: half + 1]))
            later = longrun.Study.from_snapshot(begun.snapshot())
            later.replay(study.to_json_lines(half + 1))
            others.append(later)
        assert study.to_pandas()["outcome"].eq("pending").sum() == len(study.pending)
    expected = continued(study)
    for other in others:
        assert other.differences == [] and continued(other) == expected


def test_decisions_are_those_of_the_original_in_copies_and_pickles():
    study = new_study()
    (decision,) = study.decide()
    for other in (copy.copy(study), pickle.loads(pickle.dumps(study)), study):
        other.observe(pickle.loads(pickle.dumps(decision)), 0.5)
        assert other.pending == {}


def test_a_pickle_keeps_what_corrections_need_and_a_snapshot_does_not():
    study = new_study()
    play(study, 50)
    pickled, restored = pickle.loads(pickle.dumps(study)), longrun.Study.from_snapshot(study.snapshot())
    pickled.correct(3, "lost")
    study.correct(3, "lost")
    assert pickled.snapshot() == study.snapshot()
    with pytest.raises(ValueError, match="the outcome of decision 3 is no longer kept"):
        restored.correct(3, "lost")
    assert len(restored.snapshot()) < 5_000


def test_old_events_can_be_dropped():
    study = new_study(keep_events=10)
    play(study, 50)
    first = study.events[0]["seq"]
    assert 80 < first <= 91 and study.last_event == 100
    with pytest.raises(ValueError, match=f"the events before event {first} are not kept; start at {first} or later"):
        study.to_json_lines()
    with pytest.raises(ValueError, match="are not kept"):
        study.to_pandas()
    assert len(study.to_json_lines(first).splitlines()) == 101 - first
    study.correct(50, "lost")
    whole = new_study()
    play(whole, 50)
    whole.correct(50, "lost")
    assert whole.snapshot() == study.snapshot()
    few = new_study(keep_events=False)
    play(few, 50)
    assert len(few.events) <= 2


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
    assert repr(study.events) == "<events 0 to 0 of a longrun.Study>"
    play(study, 3_000)
    events = study.events
    listed = [json.loads(line) for line in study.to_json_lines().splitlines()]
    assert isinstance(events, collections.abc.Sequence) and repr(events) == "<events 0 to 6000 of a longrun.Study>"
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
    assert list(restored.events) == restored.events[:] == [] and repr(restored.events) == "<no events of a longrun.Study>"
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
