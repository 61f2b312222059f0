"""A served study has the vocabulary of Study: the same names, signatures and effects."""

import inspect
import random
import re

import numpy as np
import pandas
import pytest
from served import ARMS, client, name, proxy, server  # noqa: F401

import longrun

# What a service does otherwise, and why.
OF_STUDIES_IN_MEMORY = {"from_json_lines", "from_snapshot", "restore", "replay", "snapshot"}  # the service keeps the state
OF_SERVED_STUDIES = {
    "name",  # there are many studies
    "state",  # all of one moment
    "report",  # with a dry run
    "pending_instead",  # of what void() records
    "record_all",  # with a dry run
    "go_live",  # of a shadow
    "close_study",
    "export",  # what Client.import_study reads
    "audit",  # replay on the server
}
MORE_PARAMETERS = {
    "decide": {"key"},
    "ask": {"key"},
    "tell": {"key"},
    "observe": {"observed_at"},
    "record": {"id"},
    "void": {"instead", "reward"},  # what a service records together
    "cancel": {"instead", "reward"},
    "correct": {"reason", "instead", "reward"},  # the log must say why; what was pulled instead
    "correct_record": {"reason"},
}
FEWER_PARAMETERS = {"plan": {"seed", "threads", "progress"}}  # the server decides
OTHER_RETURNS = {
    "void": "int | None",  # the number of the pull in place of a decision
    "cancel": "int | None",
    "correct": "Correction",
    "correct_record": "Correction",
}
OTHER_TYPES = {
    ("correct_record", "event"): "int | str",  # a pull is known by its id, too
    ("extend_budget", "units"): "int | float",  # units of a service may have decimals
    ("create", "budget"): "int | float",
    ("plan", "compare"): "str | Sequence[str]",  # a request names one constraint at a time
}


def public(kind):
    return {name for name in dir(kind) if not name.startswith("_")}


COMMON = sorted(public(longrun.Study) & public(longrun.ServedStudy))


def test_a_served_study_has_the_names_of_a_study():
    assert public(longrun.Study) - public(longrun.ServedStudy) == OF_STUDIES_IN_MEMORY
    assert public(longrun.ServedStudy) - public(longrun.Study) == OF_SERVED_STUDIES


def written(annotation):
    """Return an annotation as text, with the names of types that are the same."""
    return re.sub(r"OutcomeChoice", "SupportsFloat | str", str(annotation))


@pytest.mark.parametrize("method", COMMON)
def test_a_method_of_a_served_study_has_the_signature_of_a_study(method):
    here, there = (inspect.getattr_static(kind, method) for kind in (longrun.Study, longrun.ServedStudy))
    assert type(here) is type(there)
    if isinstance(here, property):
        expected, found = (written(each.fget.__annotations__["return"]) for each in (here, there))
        assert found.replace("int | float", "int") == expected, "units of a service may have decimals"
        return
    ours, theirs = (dict(inspect.signature(each).parameters) for each in (here, there))
    assert set(theirs) - set(ours) == MORE_PARAMETERS.get(method, set())
    assert set(ours) - set(theirs) == FEWER_PARAMETERS.get(method, set())
    common = [each for each in theirs if each in ours]
    assert common == [each for each in ours if each in theirs], "in the same order"
    for each in common:
        assert (theirs[each].kind, theirs[each].default) == (ours[each].kind, ours[each].default), each
        expected = OTHER_TYPES.get((method, each), written(ours[each].annotation))
        assert written(theirs[each].annotation) == expected, each
    for each in MORE_PARAMETERS.get(method, ()):
        assert theirs[each].kind is inspect.Parameter.KEYWORD_ONLY
    returned = OTHER_RETURNS.get(method, inspect.signature(here).return_annotation)
    assert inspect.signature(there).return_annotation == returned


def test_create_has_the_parameters_of_a_study():
    ours, theirs = (inspect.signature(each).parameters for each in (longrun.Study, longrun.Client.create))
    assert set(ours) - set(theirs) == {"keep_events"}
    assert set(theirs) - set(ours) == {"self", "name", "mode", "title", "unit_decimals"}
    for each in set(ours) & set(theirs):
        expected = OTHER_TYPES.get(("create", each), ours[each].annotation)
        assert (theirs[each].default, theirs[each].annotation) == (ours[each].default, expected), each


def one_of(chance, arms):
    return chance.choice(arms) if chance.random() < 0.7 else arms.index(chance.choice(arms))


def step_of(chance, pending, arms):
    """Return a random call of a study: a function of the study."""
    kind = chance.randrange(13)
    count, reward, other = chance.randrange(1, 5), round(chance.random(), 2), round(chance.random(), 2)
    arm, second = one_of(chance, arms), chance.choice(arms)
    decision = chance.choice(pending) if pending else 1
    several = chance.sample(pending, min(len(pending), 3))
    return [
        lambda study: study.ask(count),
        lambda study: study.ask(count, unavailable=arm),
        lambda study: study.ask(unavailable=[]),
        lambda study: study.ask(among=[arm, second], unavailable=[]),
        lambda study: study.ask(n=count, among=[0, 1, 2], unavailable=[arm]),
        lambda study: study.tell(decision, reward),
        lambda study: study.tell([second, decision, second], [reward, other, reward]),
        lambda study: study.tell(np.array(several), pandas.Series([reward] * len(several), index=several)),
        lambda study: study.tell(second, reward),
        lambda study: study.observe(several, [other] * len(several)),
        lambda study: study.lose(several[:2]),
        lambda study: study.cancel(several[1:]),
        lambda study: study.void(decision),
    ][kind]


def outcome_of(call, study):
    """Return what a call returns, or its error without what the service adds."""
    try:
        return call(study)
    except ValueError as error:
        text = re.sub(r"has two outcomes in this report|has another outcome already: .*", "has another outcome", str(error))
        return re.sub(r"^row \d: | \(and .* more: rows? .*\)|; nothing is recorded$", "", text)


def without_service(event):
    """Return an event as a study in memory has it."""
    return {name: value for name, value in event.items() if name not in ("at", "key", "request", "details")}


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_have_the_same_effects(client, name, seed):
    chance = random.Random(seed)
    options = {"noise": 0.1, "policy": ["foresight", "ucb", "exp3"][seed % 3], "seed": seed}
    if seed >= 3:
        options["constraints"] = longrun.Constraints(minimum_share={"north": 0.1})
    here, there = longrun.Study(ARMS, 60, **options), client.create(name, ARMS, 60, **options)
    for _ in range(60):
        call = step_of(chance, list(here.pending), here.arms)
        assert outcome_of(call, there) == outcome_of(call, here)
    assert there.pending == here.pending and there.pulls == here.pulls and there.remaining == here.remaining
    assert [without_service(event) for event in there.events] == list(here.events)
    assert there.last_event == here.last_event > 20
    assert there.history == here.history
    pandas.testing.assert_frame_equal(there.to_pandas(), here.to_pandas())
    assert there.explain() == here.explain()
    if not here.done:
        assert there.plan(["minimum-share south:0.3"], futures=100) == here.plan(["minimum-share south:0.3"], futures=100)
    home = longrun.Study.from_json_lines(there.to_json_lines())
    assert home.snapshot() == here.snapshot()
    assert there.differences == here.differences == []


def test_the_noise_of_both_is_changed_with_the_same_words(client, name):
    here, there = longrun.Study(ARMS, 60, noise="estimate"), client.create(name, ARMS, 60, noise="estimate")
    for study in (here, there):
        study.tell(ARMS * 4, [0.3 + 0.02 * place for place in range(4 * len(ARMS))])
    for noise in ("gaussian:0.3", "estimate", longrun.Gaussian(0.2), None, 0.1, "estimate"):
        here.change_noise(noise)
        there.change_noise(noise)
        assert there.noise == here.noise
        assert (here.noise is None) == (noise in ("estimate", None))
    assert [without_service(event) for event in there.events] == list(here.events)
    assert there.explain() == here.explain()
    for study in (here, there):
        with pytest.raises(ValueError, match="unknown noise .estimated."):
            study.change_noise("estimated")


def test_a_plan_of_a_study_is_that_of_the_command_line(client, name, tmp_path, command_line):
    import json

    study = longrun.Study(ARMS, 200, noise=0.1, constraints=longrun.Constraints(units_per_round=10))
    for step in range(6):
        decisions = study.ask()
        study.tell(decisions[:-1], [0.3 + 0.2 * each.index + 0.01 * step for each in decisions[:-1]])
    path = tmp_path / "study.jsonl"
    path.write_text(study.to_json_lines())
    theirs = json.loads(command_line("plan", "--study", path, "--compare", "minimum-pulls 30", "--futures", 200, "--seed", 5, "--json"))
    ours = study.plan("minimum-pulls 30", futures=200, seed=5)
    assert ours == longrun._served_state.plan_of(theirs) and ours.pending == 6
    assert str(ours).startswith(theirs["what_is_earned"][0])
    before = study.to_json_lines()
    with pytest.raises(ValueError, match="^compare: luck 1: unknown constraint 'luck'"):
        study.plan("luck 1")
    with pytest.raises(ValueError, match="^futures 0: must be a whole number from 1$"):
        study.plan(futures=0)
    with pytest.raises(ValueError, match="not all events of the study are kept; advice about it needs them"):
        longrun.Study.restore(study.snapshot()).plan()
    assert study.to_json_lines() == before


def test_rewards_and_decisions_whose_answer_is_lost_have_one_effect(server, proxy, name, monkeypatch):
    monkeypatch.setattr(longrun._service_http, "FIRST_WAIT", 0.01)
    study = longrun.Client(proxy.url).create(name, ARMS, 50, noise=0.1)
    for call in (
        lambda: study.ask(4, unavailable="north"),
        lambda: study.tell("south", 0.4),
        lambda: study.tell("north", 0.3),
        lambda: study.tell(["east", "north", 1], [0.5, 0.6, 0.4]),
        lambda: study.cancel(list(study.pending)[:1]),
    ):
        before = study.last_event
        proxy.fates = ["drop", "half", "drop"] if before % 2 else ["half"]
        call()
        call_events = study.last_event - before
        assert 1 <= call_events <= 3
    assert study.pulls["north"] == 2 and sum(study.pulls.values()) == 5 and study.audit().state_agrees


def test_the_same_key_again_is_the_same_request_also_after_a_restart_of_the_program(server, client, name):
    study = client.create(name, ARMS, 50, noise=0.1)
    decisions = study.ask(2, unavailable=["north"], key="monday")
    study.tell("south", 0.4, key="order 17")
    study.add_arm("west")  # the arms that are left are others now
    again = longrun.Client(server.url).study(name)
    assert again.ask(2, unavailable=["north"], key="monday") == decisions
    before = again.last_event
    again.tell("south", 0.4, key="order 17")
    again.tell(["south"], [0.4], key="order 17")
    assert again.last_event == before
    with pytest.raises(longrun.RefusedError, match="^key 'order 17' was used for another request"):
        again.tell("south", 0.5, key="order 17")
    with pytest.raises(longrun.RefusedError, match="^key 'monday' was used for another request"):
        again.ask(2, unavailable=["south"], key="monday")
    with pytest.raises(ValueError, match="^key '': must have 1 to 200 printable ASCII characters, without blanks around them$"):
        again.tell("south", 0.5, key="")


def test_a_reward_of_an_arm_that_the_service_refuses_is_an_error_without_rows(client, name):
    study = client.create(name, ARMS, 50, noise=0.1)
    with pytest.raises(longrun.RefusedError, match="^reward 70 of arm 'north' is further outside the scale 0 to 1 than noise explains.*[^d]$"):
        study.tell("north", 70)
    with pytest.raises(longrun.RefusedError, match=r"^row 1: reward 70 .* \(and 2 more: rows 2, 3\); nothing is recorded$"):
        study.tell(["north"] * 5, [0.5, 70, 71, 72, 0.5])
    with pytest.raises(ValueError, match="^arm 'nort': is not an arm; did you mean 'north'[?]$"):
        study.tell(["south", "nort"], [0.5, 0.5])
    assert study.last_event == 0 and study.history == []
    study.tell([], [])
    assert study.last_event == 0


def test_units_with_decimals_remain_exactly(client, name):
    study = client.create(name, ["north", "south"], 30, noise=0.1, constraints=longrun.Constraints(costs={"north": 2.5, "south": 0.75}))
    study.tell("north", 0.5)
    assert study.remaining == 27.5 and study.state.unit_decimals == 2
    study.tell(["south"] * 3, [0.5] * 3)
    assert study.remaining == 25.25
    study.extend_budget(0.25)
    assert study.remaining == 25.5
    whole = client.create(name + "-whole", ["north", "south"], 30, noise=0.1, constraints=longrun.Constraints(costs={"north": 3, "south": 2}))
    whole.tell("north", 0.5)
    assert whole.remaining == 27 and isinstance(whole.remaining, int)


def test_a_budget_has_the_decimals_that_its_study_was_created_with(client, name):
    study = client.create(name, ARMS, 10.5, unit_decimals=1)
    assert study.budget == 10.5 and study.state.unit_decimals == 1
    study.extend_budget(np.float64(0.5))
    study.extend_budget(1)
    assert study.budget == 12
    before = study.last_event
    for wrong, message in ((0.25, "0.25"), (0, "^units 0: must be a number above 0$"), ("1", "^units '1': must be a number above 0$"),
                           (float("inf"), "^units inf: must be a number above 0$"), (True, "^units True: must be a number above 0$")):
        with pytest.raises(ValueError, match=message):
            study.extend_budget(wrong)
    with pytest.raises(ValueError, match="0.5"):
        client.create(name + "-whole", ARMS, 10.5)
    with pytest.raises(ValueError, match="^unit_decimals: 7 is not in 0..6$"):
        client.create(name + "-exact", ARMS, 10, unit_decimals=7)
    assert study.last_event == before


def test_several_outcomes_of_a_study_in_memory_are_all_recorded_or_none():
    study = longrun.Study(ARMS, 50, noise=0.1)
    made = study.ask(6)
    before = study.to_json_lines()
    for wrong, message in (
        (lambda: study.observe(made, [0.5] * 5), "^reward: 5 rewards for 6 decisions$"),
        (lambda: study.observe(made, [0.5] * 5 + [70]), "^reward 70 of arm"),
        (lambda: study.observe(made, 0.5), "^reward: 1 reward for 6 decisions$"),
        (lambda: study.lose([1, 2, 99]), "99"),
        (lambda: study.lose({1: "a"}), "^decision: is a dict; give a list with decisions$"),
        (lambda: study.void([1, "north"]), "^decision 'north': is an arm"),
        (lambda: study.cancel({1, 2}), "^decision: is a set; give a list with decisions$"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()
        assert study.to_json_lines() == before
    study.observe(made[:2], [0.5, 0.6])
    study.lose(made[2:4])
    study.cancel([made[4].id, made[5].id])
    study.lose(made[2:4])  # again
    assert study.pending == {} and study.spent == 4
    assert [event.get("outcome") for event in study.events[2:]] == ["observed", "observed", "lost", "lost", "void", "void"]
    with pytest.raises(ValueError, match="decision 1 has another outcome already: observed 0.5; correct it"):
        study.lose([1])
