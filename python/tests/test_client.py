"""A served study is a Study: same methods, same decisions."""

import collections
import datetime
import random

import numpy as np
import pandas
import pytest
from served import ARMS, client, name, server  # noqa: F401

import longrun


def play_for_months(study, correct):
    """Use all that studies have. Return what was seen."""
    chance = random.Random(5)
    seen = []
    for step in range(30):
        decisions = study.decide(2, arms=["north", "east"]) if step % 7 == 3 else study.decide()
        seen += decisions
        for decision in decisions:
            if step == 11:
                study.lose(decision)
            elif step == 12:
                study.void(decision.id)
            else:
                study.observe(decision, 0.2 + 0.2 * decision.index + chance.gauss(0, 0.05))
        if step == 15:
            study.add_arm("west")
            study.extend_budget(20)
        if step == 20:
            study.set_unavailable(["south", 3])
            correct(study)
            study.record("west", 0.9)
        if step == 22:
            study.change_noise(longrun.Gaussian(0.2))
            study.change_constraints(minimum_share={"west": 0.2}, minimum_pulls=2)
        if step == 26:
            study.change_constraints(minimum_share=0)
            study.change_noise(0.05)
    seen.append(study.decide()[0])
    return seen, study.arms, study.budget, study.spent, study.done, study.pulls, study.pending, study.unavailable


@pytest.mark.parametrize("policy", ["foresight", "ucb", "exp3"])
def test_a_served_study_decides_as_a_study_in_memory(client, name, policy):
    options = {"noise": 0.05, "policy": policy, "scale": (0, 1), "seed": 7}
    here = play_for_months(longrun.Study(ARMS, 300, **options), lambda study: study.correct(5, 0.25))
    there = play_for_months(client.create(name, ARMS, 300, **options), lambda study: study.correct(5, 0.25, reason="typo"))
    assert there == here
    assert client.study(name).state.last_event == client.study(name).audit().events
    assert client.study(name).audit() == longrun.Audit(client.study(name).state.last_event, True, [])


CONSTRAINTS = {
    "by name": dict(units_per_round=4, minimum_share={"tea, black": 0.2, 'the "best": 1': 0.1}),
    "by number": dict(units_per_round=4, minimum_pulls={0: 3, 2: 5}, unavailable={1: [(2, 5), (8, 9)]}, unspent="lapse"),
    "one per arm": dict(units_per_round=6, costs=[1, 2, 3]),
    "one for all": dict(minimum_share=0.1),
    "none": dict(),
}


@pytest.mark.parametrize("constraints", CONSTRAINTS.values(), ids=CONSTRAINTS)
def test_constraints_of_a_served_study_are_those_of_a_study(client, name, constraints):
    arms = ["tea, black", "coffee", 'the "best": 1']
    options = {"noise": 0.1, "constraints": longrun.Constraints(**constraints)}
    studies = [longrun.Study(arms, 60, **options), client.create(name, arms, 60, **options)]
    rounds = []
    for study in studies:
        rounds.append([])
        while not study.done:
            decisions = study.decide()
            for decision in decisions:
                study.observe(decision, 0.1 * decision.index + 0.001 * decision.id)
            rounds[-1].append([(each.arm, each.cause) for each in decisions])
    assert rounds[1] == rounds[0]
    assert client.create(name, arms, 60, **options).name == name  # the same study, not a conflict


def test_the_state_is_that_of_the_study(client, name):
    study = client.create(name, ARMS, 50, noise=longrun.Bernoulli(), policy="ucb", seed=3, title="Loans, \u00fc")
    first, second = study.decide(2)
    study.observe(first, True)
    state = study.state
    assert (state.name, state.title, state.mode, state.closed) == (name, "Loans, \u00fc", "live", False)
    assert (state.budget, state.spent, state.left, state.decisions, state.pending) == (50, 2, 48, 2, 1)
    assert (state.scale, state.seed, state.noise, state.agreement) == ((0, 1), 3, longrun.Bernoulli(), None)
    assert state.policy.startswith("ucb") and state.constraints == {} and state.last_event == 2
    assert state.oldest_pending.decision == 2
    assert state.created_at <= state.oldest_pending.at <= state.changed_at <= datetime.datetime.now(datetime.timezone.utc)
    assert state.arms[second.index] == longrun.ArmState(second.arm, 1, 1, True)
    assert study.pending == {2: second.arm} and study.scale == (0, 1) and study.noise == longrun.Bernoulli()
    assert study.policy == state.policy and study.seed == 3
    assert name in client.studies()
    assert repr(study) == f"<longrun.ServedStudy {name!r} at {client._connection.url}>"


def test_a_recommendation_is_the_next_decision_and_a_plan_compares(client, name):
    study = client.create(name, ARMS, 100, noise=0.05)
    for step in range(12):
        (decision,) = study.decide()
        study.observe(decision, 0.2 + 0.02 * step)
    advice = study.explain()
    assert isinstance(advice, longrun.Recommendation) and advice.remaining == 88 and len(advice.arms) == 3
    assert f"'{advice.arm}'" in advice.what_to_do and advice.next[0].arm == advice.arm and str(advice)
    assert sum(each.pulls for each in advice.arms) == 12 and advice.noise_sd == 0.05
    assert study.decide()[0].arm == advice.arm
    plan = study.plan("minimum_share 0.3", futures=100)
    assert plan.futures == 100 and plan.courses[-1].kind == "constrained"


def test_the_first_arm_of_a_round_is_that_of_its_first_decision(client, name):
    study = client.create(name, ARMS, 60, noise=0.1, constraints=longrun.Constraints(units_per_round=5, minimum_share=0.1))
    for _ in range(4):
        advice = study.explain()
        decisions = study.decide()
        assert advice.arm == decisions[0].arm
        assert {each.arm: each.pulls for each in advice.next} == collections.Counter(each.arm for each in decisions)
        study.observe(decisions, [0.2 + 0.2 * each.index for each in decisions])


def test_a_shadow_study_counts_agreement(client, name):
    study = client.create(name, ARMS, 30, mode="shadow")
    for place in range(6):
        study.record("north", 0.5, id=f"contract {place}")
    study.record("north", 0.5, id="contract 0")  # again
    assert study.state.agreement.observations == 6 and study.state.agreement.agreed < 6
    with pytest.raises(longrun.RefusedError, match="^this study is a shadow: it makes no decisions"):
        study.decide()


def test_events_and_pending_decisions_are_read_in_pages(client, name):
    study = client.create(name, 2, 5000, policy="ucb")
    decisions = study.decide(2500)
    assert study.pending == {each.id: each.arm for each in decisions}
    study.observe(decisions[:2200], [0.5] * 2200)
    numbers = [event.get("seq", 0) for event in study.events]
    assert numbers == list(range(2202))
    assert [event["seq"] for event in study.events[2200:]] == [2200, 2201]
    assert study.events[2202:] == [] and study.events[-1]["seq"] == study.last_event == 2201
    assert study.to_json_lines() == study.export() and study.to_json_lines(2202) == study.to_json_lines(5, 3) == ""
    assert study.to_json_lines(1000, 2001) == "".join(study.export().splitlines(keepends=True)[1000:2001])
    assert len(study.export().splitlines()) == 2202


def test_an_export_is_imported_under_another_name_and_goes_on_the_same_way(client, name, tmp_path):
    study = client.create(name, ARMS, 50, noise=0.1)
    study.observe(study.decide(3), [0.1, 0.2, 0.3])
    text = study.export()
    client.check_import(text, name=name + "-2")
    assert name + "-2" not in client.studies()
    copy = client.import_study(text, name=name + "-2")
    assert copy.name == name + "-2" and copy.spent == 3
    assert client.import_study(text).name == name  # it is here already
    assert [each.arm for each in copy.decide(5)] == [each.arm for each in study.decide(5)]
    with pytest.raises(longrun.RefusedError, match="^there is another study"):
        client.check_import(text)
    with pytest.raises(longrun.RefusedError, match="^there is another study"):
        client.import_study(text.replace("0.1", "0.4"), name=name)
    with pytest.raises(longrun.RefusedError, match="^line 1: the line is not valid JSON"):
        client.import_study("nonsense\n")
    with pytest.raises(ValueError, match="^text 'study.jsonl': has no lines of JSON; give the text of the file, not its path$"):
        client.import_study("study.jsonl")


def test_several_outcomes_are_all_recorded_or_none(client, name):
    study = client.create(name, ARMS, 50, noise=0.1)
    first, second, third, fourth = study.decide(4)
    dry = study.report({first: 0.5, second: 70, 9: "lost"}, dry_run=True)
    assert [each.row for each in dry.problems] == [1, 2] and "further outside the scale" in dry.problems[0].detail
    with pytest.raises(longrun.RefusedError, match="^row 1: .*nothing is recorded$"):
        study.report([(first, 0.5), (second, 70)])
    assert len(study.pending) == 4
    assert study.report([(first, 0.5), (second, "lost")]) == longrun.Reported(2, 0, [])
    assert study.report([(first, 0.5), (third, "void")]) == longrun.Reported(1, 1, [])
    study.lose([fourth, 2])
    study.void([third])
    study.observe([], [])
    assert study.pending == {} and study.spent == 3


def test_rows_of_a_report_have_an_order_and_names(client, name):
    study = client.create(name, ["north", "south"], budget=9)
    study.ask(3)
    assert study.report(pandas.Series([0.5, 0.25], index=[2, 1])).recorded == 2
    assert study.report({3: np.float32(0.5)}).recorded == 1
    assert [event.get("reward") for event in study.events][2:] == [0.5, 0.25, 0.5]
    used = iter([(3, 0.5)])
    list(used)
    frame = pandas.DataFrame({"arm": ["north"], "reward": [0.5]})
    for report, rows, message in (
        (study.report, used, "^outcomes: is an iterator without elements, which may have been used already; give a list$"),
        (study.record_all, used, "^pulls: is an iterator without elements, which may have been used already; give a list$"),
        (study.report, frame, "^outcomes: is a data frame; give .*, such as its rows: itertuples"),
        (study.record_all, frame, "^pulls: is a data frame; give .*, such as its rows: itertuples"),
        (study.record_all, None, "^pulls None: must be a list of arms and their rewards$"),
        (study.record_all, {"north": 0.5}, "^pulls {'north': 0.5}: must be a list of arms and their rewards$"),
        (study.report, 0.5, "^outcomes 0.5: must be a dictionary or pairs of decisions and outcomes$"),
    ):
        with pytest.raises(ValueError, match=message):
            report(rows)
    assert study.spent == 3
    assert study.record_all(frame.itertuples(index=False)).recorded == 1
    (decision,) = study.ask(among="north")
    with pytest.raises(ValueError, match="^instead: has 2 arms; one was pulled in place of the decision$"):
        study.void(decision, instead=["south", "north"])


def test_many_pulls_are_recorded_once(client, name):
    study = client.create(name, ["north", "south"], budget=9)
    pulls = [("north", 0.5, "a"), ("south", 0.25, "b")]
    assert study.record_all(pulls, dry_run=True) == longrun.Reported(0, 0, [], 0, new=2)
    assert study.record_all(pulls) == longrun.Reported(2, 0, [])
    assert study.record_all([*pulls, ("south", 0.75, "c")]) == longrun.Reported(1, 2, [])
    assert study.record_all([("south", 0.5), ("south", 0.5)]).recorded == 2
    assert study.record_all([]).recorded == 0
    dry = study.record_all([("south", 0.5, "d"), ("south", 70, "e"), ("south", 0.5, "a")], dry_run=True)
    assert (dry.new, dry.already_known, dry.problem_count) == (1, 0, 2)
    assert [problem.row for problem in dry.problems] == [1, 2]
    assert study.spent == 5
    for wrong, message in (
        ([("north",)], "^row 0: .* must be an arm, its reward and perhaps an id$"),
        (["ab"], "^row 0: 'ab' must be an arm"),
        ([("north", 0.5), ("west", 0.5)], "^row 1: arm 'west': is not an arm"),
        ([("north", 0.5, "x"), ("north", 0.5)], "^row 1: id: missing; give every pull an id, or none$"),
    ):
        with pytest.raises(ValueError, match=message):
            study.record_all(wrong)
    assert study.spent == 5


def test_a_correction_can_overspend_the_budget(client, name):
    study = client.create(name, ["north", "south"], budget=2)
    study.void(study.decide())
    study.observe(study.decide(2), [0.5, 0.5])
    assert study.state.overspent == 0
    study.correct(1, 0.5, reason="made after all")
    assert (study.state.spent, study.state.left, study.state.overspent) == (3, 0, 1)
    assert study.explain().why == ["The budget of 2 units is overspent by 1, because pulls were recorded that cost more than was left."]
    with pytest.raises(ValueError, match="^the budget of 2 units is overspent by 1; extend it by more than 1 to go on$"):
        study.decide()


def test_the_time_of_an_observation_is_kept(client, name):
    study = client.create(name, ARMS, 50)
    zone = datetime.timezone(datetime.timedelta(hours=2))
    study.observe(study.decide()[0], 0.5, observed_at=datetime.datetime(2026, 11, 16, 9, 30, tzinfo=zone))
    assert study.events[-1]["details"] == {"observed_at": "2026-11-16T07:30:00.000Z"}
    with pytest.raises(ValueError, match="^observed_at .*: must be a datetime with a time zone$"):
        study.observe(1, 0.5, observed_at=datetime.datetime(2026, 11, 16))


def test_rewards_and_numbers_of_numpy_are_numbers(client, name):
    study = client.create(name, np.int64(3), np.float64(50))
    decisions = study.decide(np.int32(8))
    study.observe(decisions[0], np.float32(0.5))
    study.observe(np.int64(2), np.bool_(True))
    study.observe(decisions[2], True)
    study.observe(decisions[3], np.array(0.25))
    study.observe(np.array([5, 6]), np.array([0.1, 0.2]))
    assert [event["reward"] for event in study.events if event["event"] == "settled"] == [0.5, 1, 1, 0.25, 0.1, 0.2]


def test_an_arm_that_another_client_has_added_is_known(server, client, name):
    study = client.create(name, ARMS, 50)
    longrun.Client(server.url).study(name).add_arm("west")
    assert study.decide(arms="west")[0] == longrun.Decision(1, "west", 3, 1, "choice")


def test_a_recorded_pull_is_corrected_by_its_id_or_its_number(client, name):
    study = client.create(name, ARMS, 20)
    study.record("north", 0.9, id="course 17")
    study.record("south", 0.5)
    study.correct_record("course 17", 0.09, reason="typing error")
    study.correct_record(2, "void", reason="not made")
    assert (study.spent, study.pulls) == (1, {"north": 1, "south": 0, "east": 0})
    assert [event["observation"] for event in study.events[3:]] == [1, 2]
    for mistake, message in (
        (lambda: study.correct_record("course 18", 0.5, reason="x"), "no observation with the id 'course 18'"),
        (lambda: study.correct_record(1, 0.09, reason="x"), "it changes nothing"),
        (lambda: study.correct_record(1, "lost", reason="x"), "must be a reward, or 'void'"),
        (lambda: study.correct_record(3, 0.5, reason="x"), "event 3 is not an observation"),
    ):
        with pytest.raises(ValueError, match=message):
            mistake()


def test_a_shadow_goes_live(client, name):
    study = client.create(name, ARMS, 20, mode="shadow")
    study.record("north", 0.5)
    with pytest.raises(ValueError, match="is a shadow"):
        study.decide()
    study.go_live()
    assert len(study.decide(3)) == 3
    assert (study.state.mode, study.state.agreement.observations) == ("live", 1)
    with pytest.raises(ValueError, match="the study is live already"):
        study.go_live()


def test_what_was_done_in_place_of_a_decision_counts_once(client, name):
    study = client.create(name, ARMS, 60)
    first, second = study.ask(2, among="north")
    assert study.cancel(first) is None
    with pytest.raises(ValueError, match="^reward: a void decision has none"):
        study.void(second, reward=0.5)
    with pytest.raises(ValueError, match="^instead: is possible for one decision at a time"):
        study.void([second], instead="south")
    pulled = study.void(second, instead="south")
    assert pulled == 3 and study.state.pending == 1
    assert study.pending == {3: "south"} and study.pending_instead == {3: 2}
    study.tell(pulled, 0.5)
    assert study.void(second, instead="south", reward=0.5) == pulled
    assert study.history == [("south", 0.5)]
    made = study.correct(second, 0.25, reason="it was followed")
    assert (made.pulled, made.voided, made.still_void) == (None, pulled, None)
    assert made.event == study.state.last_event and made.at == study.state.changed_at
    again = study.correct(second, "void", reason="it was not followed")
    assert (again.pulled, again.voided, again.still_void) == (None, None, pulled)
    study.correct(second, 0.25, reason="it was followed")
    assert study.pulls["north"] == 1 and study.pulls["south"] == 0 and study.spent == 1
    assert study.to_pandas()["cause"].tolist() == ["choice", "choice", "instead"]


def test_a_correction_names_what_was_pulled_in_truth(client, name):
    study = client.create(name, ARMS, 60)
    first, second = study.ask(2, among="north")
    study.tell([first, second], [0.25, 0.3])
    with pytest.raises(ValueError, match="^reward: a void decision has none"):
        study.correct(first, "void", reward=0.5, reason="mixed up")
    assert study.correct(first, "void", instead="south", reward=0.5, reason="mixed up").pulled == 3
    assert study.correct(second, "void", instead=1, reason="mixed up").pulled == 4
    assert study.pending_instead == {4: 2}
    assert study.pulls["south"] == 2 and study.pulls["north"] == 0 and study.spent == 2


@pytest.mark.parametrize("named", [1, 2])
def test_one_correction_replaces_the_arm_of_a_pull_instead(client, name, named):
    study = client.create(name, ARMS, 60)
    (decision,) = study.ask(among="north")
    assert study.void(decision, instead="south", reward=0.5) == 2
    wrong_arm = "^decision 1: arm 'south' was pulled in its place already|^instead: 'south' is the arm of decision 2"
    with pytest.raises(ValueError, match=wrong_arm):
        study.correct(named, "void", instead="south", reward=0.75, reason="mixed up")
    corrected = study.correct(named, "void", instead="east", reward=0.75, reason="mixed up")
    assert (corrected.pulled, corrected.voided) == (3, 2)
    assert study.history == [("east", 0.75)] and study.spent == 1
    assert study.audit().state_agrees
    event = study.correct_record(study_record(study), 0.25, reason="typo")
    assert event.event == study.state.last_event and (event.pulled, event.voided) == (None, None)


def study_record(study):
    """Record a pull that was not decided, and return the number of its event."""
    study.record("north", 0.5)
    return study.state.last_event


def test_the_state_has_health_and_rounds(client, name):
    state = client.create(name, ARMS, 60).state
    assert state.health._asdict() == {"overdue": 0, "overdue_after_days": 30.0, "off_scale": 0, "newest_in_future": False}
    assert state.by_round is False
    rounds = client.create(f"{name}-rounds", ARMS, 60, constraints=longrun.Constraints(units_per_round=3))
    assert rounds.state.by_round is True
