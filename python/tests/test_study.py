"""Studies: decisions, outcomes in any order, corrections, events, copies and snapshots."""

import copy
import json
import pickle
import random

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
    assert wrong.snapshot() == right.snapshot()


def test_a_choice_can_be_restricted_to_some_arms():
    study = new_study()
    assert {decision.arm for decision in study.decide(20, arms=["south", "north"])} == {"north", "south"}
    assert {decision.arm for decision in study.decide(5, arms="east")} == {"east"}
    assert {decision.arm for decision in study.decide(5, arms=np.array([2]))} == {"east"}
    study.set_unavailable(["north", 1])
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
    others.append(longrun.Study.from_snapshot(study.snapshot(), last_event=study.last_event))
    if keeps_all:
        others.append(longrun.Study.from_json_lines(study.to_json_lines()))
        half = study.last_event // 2
        lines = study.to_json_lines().splitlines(keepends=True)
        if not any('"corrected"' in line for line in lines):
            begun = longrun.Study.from_json_lines("".join(lines[: half + 1]))
            later = longrun.Study.from_snapshot(begun.snapshot(), last_event=half)
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
    with pytest.warns(UserWarning, match="would decide otherwise in 1 recorded event, first in event 39; the recorded decisions stand"):
        other = longrun.Study.from_json_lines("\n".join([*lines[:-2], json.dumps(changed)]))
    assert other.differences == [longrun.Difference(39, [recorded], [recomputed])]
    assert other.pending == {20: recorded}
    assert pickle.loads(pickle.dumps(other)).differences == other.differences


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


# ---- mistakes


def started():
    """Return a study with the decisions 1 (observed), 2 (lost) and 3 (pending), and these."""
    study = new_study()
    decisions = study.decide(3)
    study.observe(1, 0.5)
    study.lose(2)
    return study, decisions


def made_by_another():
    return new_study().decide(3)[2]


def damaged_pickle(damage):
    state = damage(started()[0]._log.__getstate__())
    longrun._core.StudyLog.__new__(longrun._core.StudyLog).__setstate__(state)


NOT_SETTLED = "lose.. reports a reward that never arrives$"
SNAPSHOT = started()[0].snapshot()
LINES = started()[0].to_json_lines()
OTHER_ARM = longrun.Study(["a", "b", "c"], 9).decide(3)[0]
ON_ANOTHER_SCALE = longrun.Study(["a", "b"], 9, scale=(0, 40))

MISTAKES = {
    "unknown decision": (lambda s, d: s.observe(4, 0.5), "^there is no decision 4; the last one is 3$"),
    "decision 0": (lambda s, d: s.lose(0), "^there is no decision 0; the last one is 3$"),
    "negative decision": (lambda s, d: s.lose(-1), "^decision -1: must be a Decision or its number$"),
    "another reward": (lambda s, d: s.observe(1, 0.6), "^decision 1 has another outcome already: observed 0.5; correct it if that is wrong$"),
    "reward of a lost pull": (lambda s, d: s.observe(2, 0.6), "^decision 2 has another outcome already: lost"),
    "lost after observed": (lambda s, d: s.lose(d[0]), "^decision 1 has another outcome already: observed 0.5"),
    "correction of a pending decision": (lambda s, d: s.correct(3, 0.5), "^decision 3 is pending; report its outcome$"),
    "correction of an unknown decision": (lambda s, d: s.correct(9, 0.5), "^there is no decision 9; the last one is 3$"),
    "correction to a word": (lambda s, d: s.correct(1, "voided"), "^outcome 'voided': must be a reward, 'lost' or 'void'$"),
    "correction off the scale": (lambda s, d: s.correct(1, 50), "^reward 50 of arm 0 .north. is further outside the scale"),
    "correction to nan": (lambda s, d: s.correct(1, np.nan), '^reward nan: is not a finite number; "lost" is the outcome'),
    "reward off the scale": (lambda s, d: s.observe(3, 61), "^reward 61 of arm 2 .east. is further outside the scale 0 to 1 than noise explains"),
    "reward nan": (lambda s, d: s.observe(3, float("nan")), f"^reward nan: is not a finite number; {NOT_SETTLED}"),
    "reward nan of NumPy": (lambda s, d: s.observe(3, np.float64("nan")), f"^reward nan: is not a finite number; {NOT_SETTLED}"),
    "reward NA of pandas": (lambda s, d: s.observe(3, pandas.NA), f"^reward <NA>: is not a finite number; {NOT_SETTLED}"),
    "reward None": (lambda s, d: s.observe(3, None), f"^reward None: is not a finite number; {NOT_SETTLED}"),
    "reward infinite": (lambda s, d: s.observe(3, np.inf), "^reward inf: is not a finite number"),
    "reward as text": (lambda s, d: s.observe(3, "0.5"), "^reward '0.5': must be a number$"),
    "reward as array": (lambda s, d: s.observe(3, np.array([0.5])), "^reward array.*: must be a number$"),
    "reward as list": (lambda s, d: s.observe(3, [0.5, [1]]), "^reward .0.5, .1..: must be a number$"),
    "reward as series": (lambda s, d: s.observe(3, pandas.Series([0.5, 1])), "^reward 0 .*: must be a number$"),
    "reward complex": (lambda s, d: s.observe(3, 0.5j), "^reward 0.5j: is not a finite number"),
    "bool on another scale": (
        lambda s, d: ON_ANOTHER_SCALE.record("a", True),
        "^reward True: counts as 1 or 0 on the scale 0 to 1 only; the scale is 0 to 40$",
    ),
    "decision as bool": (lambda s, d: s.observe(True, 0.5), "^decision True: must be a Decision or its number$"),
    "decision as half": (lambda s, d: s.observe(2.5, 0.5), "^decision 2.5: must be a Decision or its number$"),
    "decision as text": (lambda s, d: s.observe("3", 0.5), "^decision '3': must be a Decision or its number$"),
    "decision None": (lambda s, d: s.lose(None), "^decision None: must be a Decision or its number$"),
    "decision huge": (lambda s, d: s.lose(2**70), "^decision 1180591620717411303424: must be a Decision or its number$"),
    "arm as decision": (lambda s, d: s.observe("east", 0.5), "^decision 'east': is an arm; record.. takes pulls that"),
    "list as decision": (lambda s, d: s.observe(s.decide(), 0.5), "^decision: is a list of 1; give one decision, such as its element 0$"),
    "decision of another study": (
        lambda s, d: s.observe(made_by_another(), 0.5),
        "^decision 3: was made by another study; give its number, if this study made it too$",
    ),
    "decision of an earlier copy": (
        lambda s, d: copy.copy(s).observe(longrun.Decision(3, "north", 0, 1, "choice"), 0.5),
        "^decision 3 of this study pulls arm 2 .east., not arm 0; it is another study's decision$",
    ),
    "arm typo": (lambda s, d: s.record("norht", 0.5), "^arm 'norht': is not an arm; did you mean 'north'.$"),
    "arm unknown": (lambda s, d: s.record("moon", 0.5), "^arm 'moon': is not an arm; arms are 'north', 'south', 'east'$"),
    "position or decision": (lambda s, d: s.record(1, 0.5), "^arm 1: must be the name of an arm, such as 'north'; observe.. takes decisions$"),
    "record of a decision": (lambda s, d: s.record(d[2], 0.5), "^arm: decision 3 was made by a study; observe.. takes its reward$"),
    "record without reward": (lambda s, d: s.record("east", None), "^reward None: is not a finite number; a pull without"),
    "arms empty": (lambda s, d: s.decide(arms=[]), "^arms: none is given; leave `arms` out for a choice between all arms$"),
    "arms typo": (lambda s, d: s.decide(arms=["north", "sout"]), "^arm 'sout': is not an arm; did you mean 'south'.$"),
    "arms too high": (lambda s, d: s.decide(arms=[3]), "^arm 3: is not one of 0..2$"),
    "arms negative": (lambda s, d: s.decide(arms=[-1]), "^arm -1: must be a whole number"),
    "arms mask": (lambda s, d: s.decide(arms=[True, False, True]), "^arm True: must be a name, or a number from 0$"),
    "arms of decisions": (lambda s, d: s.decide(arms=d), "^arm: Decision.*is a decision; its arm is 'north'$"),
    "arms None": (lambda s, d: s.set_unavailable(None), "^arms None: must be a list of arms$"),
    "count 0": (lambda s, d: s.decide(0), "^count: 0 is less than 1$"),
    "count negative": (lambda s, d: s.decide(-1), "^count: -1 is less than 1$"),
    "count as arms": (lambda s, d: s.decide(["north"]), "^count .'north'.: must be a whole number"),
    "count huge": (lambda s, d: s.decide(2**70), "^count .*must be a whole number >= 0 and below 2.63$"),
    "all unavailable": (lambda s, d: (s.set_unavailable(ARMS), s.decide()), "^no arm can be pulled now"),
    "budget spent": (lambda s, d: [longrun.Study(["a"], 2).decide() for _ in range(2)] and spend(), "^the budget of 2 units is spent; extend it to go on$"),
    "budget exceeded": (lambda s, d: [spent_study().record("a", 0.5)], "^the budget of 2 units has 0 left, too few for a pull of arm 0 .a."),
    "name taken": (lambda s, d: s.add_arm("north"), "^arms: 'north' is given twice; names must differ$"),
    "name empty": (lambda s, d: s.add_arm(""), "^arms: an arm has an empty name"),
    "name as number": (lambda s, d: s.add_arm(3), "^name 3: must be a string$"),
    "name not Unicode": (lambda s, d: s.add_arm("\ud800"), "^name .*: is not valid Unicode$"),
    "units 0": (lambda s, d: s.extend_budget(0), "^units: 0 is not in 1.."),
    "units negative": (lambda s, d: s.extend_budget(-5), "^units -5: must be a whole number"),
    "start negative": (lambda s, d: s.to_json_lines(-1), "^start -1: must be a whole number"),
    "arms as text": (lambda s, d: longrun.Study("ab", 5), "^arms 'ab': must be a list of names, or their number$"),
    "arms as set": (lambda s, d: longrun.Study({"a", "b"}, 5), "^arms: a set has no order; give a list of names$"),
    "arms as numbers": (lambda s, d: longrun.Study([101, 102], 5), "^arms: 101 must be a string; numbers would be confused with the numbers of arms$"),
    "no arms": (lambda s, d: longrun.Study([], 5), "^arms: none; a study needs at least one arm$"),
    "same arms": (lambda s, d: longrun.Study(["a", "a"], 5), "^arms: 'a' is given twice; names must differ$"),
    "budget 0": (lambda s, d: longrun.Study(["a"], 0), "^budget: 0 is not in 1.."),
    "budget as half": (lambda s, d: longrun.Study(["a"], 2.5), "^budget 2.5: must be a whole number"),
    "noise as bool": (lambda s, d: longrun.Study(["a"], 5, noise=True), "^noise True: must be a noise, a standard deviation, or None"),
    "noise unknown": (lambda s, d: longrun.Study(["a"], 5, noise="normal"), "normal"),
    "noise of the rewards' scale": (lambda s, d: longrun.Study(["a"], 5, noise=12, scale=(0, 40)), "^noise 12: a number is accepted on the scale 0 to 1 only; .* write longrun.Gaussian.0.3.$"),
    "policy typo": (lambda s, d: longrun.Study(["a"], 5, policy="forsight"), "did you mean 'foresight'"),
    "policy that needs noise": (lambda s, d: longrun.Study(["a"], 5, policy="spo"), "^policy: 'spo' needs the noise of the rewards; state it"),
    "policy that needs curves": (lambda s, d: longrun.Study(["a"], 5, policy="optimal"), "needs known reward curves"),
    "scale of three": (lambda s, d: longrun.Study(["a"], 5, scale=(0, 1, 2)), "^scale .0, 1, 2.: must be two numbers, .minimum, maximum.$"),
    "scale of one": (lambda s, d: longrun.Study(["a"], 5, scale=5), "^scale 5: must be two numbers"),
    "scale backwards": (lambda s, d: longrun.Study(["a"], 5, scale=(1, 0)), "^scale 1:0: must be two finite numbers"),
    "constraints as dictionary": (lambda s, d: longrun.Study(["a"], 5, constraints={"costs": 2}), "must be longrun.Constraints"),
    "constraint of a missing arm": (lambda s, d: longrun.Study(["a"], 5, constraints=longrun.Constraints(costs={3: 2})), "arm 3"),
    "count under constraints": (
        lambda s, d: longrun.Study(2, 9, constraints=longrun.Constraints(units_per_round=3)).decide(2),
        "^count: under constraints decisions are made round by round, so it must be 1$",
    ),
    "keep_events negative": (lambda s, d: new_study(keep_events=-1), "^keep_events -1: must be a whole number"),
    "keep_events None": (lambda s, d: new_study(keep_events=None), "^keep_events None: must be a whole number"),
    "no snapshot": (lambda s, d: longrun.Study.from_snapshot(b"PK"), "^the bytes are not a snapshot of a study$"),
    "snapshot as text": (lambda s, d: longrun.Study.from_snapshot("PK"), "^data 'PK': must be the bytes of a snapshot$"),
    "pickle as snapshot": (lambda s, d: longrun.Study.from_snapshot(pickle.dumps(s)), "^the bytes are not a snapshot of a study$"),
    "snapshot cut off": (lambda s, d: longrun.Study.from_snapshot(SNAPSHOT[:-1]), "^the snapshot is damaged or incomplete$"),
    "snapshot damaged": (lambda s, d: longrun.Study.from_snapshot(SNAPSHOT[:50] + b"?" + SNAPSHOT[51:]), "^the snapshot is damaged or incomplete$"),
    "pickle cut off": (lambda s, d: damaged_pickle(lambda b: b[:-1]), "^the pickled study is damaged or incomplete$"),
    "pickle damaged": (lambda s, d: damaged_pickle(lambda b: b.replace(b"0.5", b"0.6")), "^the pickled study is damaged or incomplete$"),
    "pickle empty": (lambda s, d: damaged_pickle(lambda b: b""), "^the pickled study is damaged or incomplete$"),
    "lines empty": (lambda s, d: longrun.Study.from_json_lines(""), "^the text is empty; a study begins with a line 'created'$"),
    "lines as bytes": (lambda s, d: longrun.Study.from_json_lines(LINES.encode()), "^text b.{50,60}[.]{3}: must be a string, such as that of to_json_lines..$"),
    "lines cut off": (lambda s, d: longrun.Study.from_json_lines(LINES[:-5]), "^line 4: the line is not a JSON object$"),
    "line missing": (lambda s, d: longrun.Study.from_json_lines(without_line(LINES, 2)), "^line 3: seq: 3; the next event is number 2$"),
    "event that does not follow": (
        lambda s, d: s.replay('{"seq":4,"event":"settled","decision":9,"outcome":"lost"}'),
        "^event 4: there is no decision 9; the last one is 3$",
    ),
    "replay from the start": (lambda s, d: s.replay(LINES), "^line 1: seq: missing$"),
    "replay of old events": (lambda s, d: s.replay(without_line(LINES, 0)), "^line 1: seq: 1; the next event is number 4$"),
    "snapshot without its past": (lambda s, d: longrun.Study.from_snapshot(SNAPSHOT).to_json_lines(), "^the events before event 1 are not kept"),
}  # fmt: skip


def without_line(text, number):
    lines = text.splitlines(keepends=True)
    return "".join(lines[:number] + lines[number + 1 :])


def spent_study():
    study = longrun.Study(["a"], 2)
    study.decide(2)
    return study


def spend():
    spent_study().decide()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_raises_a_value_error_of_one_line_and_changes_nothing(mistake):
    make, message = MISTAKES[mistake]
    study, decisions = started()
    before = study.snapshot() if mistake not in ("list as decision", "all unavailable") else None
    with pytest.raises(ValueError, match=message) as caught:
        make(study, decisions)
    assert "\n" not in str(caught.value)
    assert before in (None, study.snapshot())


def test_a_pickle_of_damaged_bytes_is_rejected():
    with pytest.raises(ValueError, match="the pickled study is damaged or incomplete"):
        pickle.loads(pickle.dumps(started()[0]).replace(b'"lost"', b'"lo5t"'))
