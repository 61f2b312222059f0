"""Studies: decisions, outcomes in any order, changes while they run, threads."""

import json
import random
import sys
import threading

import numpy as np
import pandas
import pytest

import longrun
from studies import ARMS, new_study


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


def test_noise_and_constraints_can_change():
    study = new_study(budget=100)
    for decision in study.decide(20):
        study.observe(decision, 0.5)
    study.change_noise(longrun.Gaussian(0.3))
    assert study.noise == longrun.Gaussian(0.3) and study.spent == 20
    study.change_constraints(minimum_share={"east": 0.5})
    study.change_constraints(minimum_pulls={"south": 30})
    before = study.pulls["east"]
    study.decide(80)
    assert study.pulls["east"] >= before + 40 and study.pulls["south"] >= 30
    assert [event["event"] for event in study.events[-3:]] == ["constraints_changed", "constraints_changed", "decided"]
    assert study.events[-2]["constraints"] == {"minimum_pulls": "south:30", "minimum_share": "east:0.5"}
    again = longrun.Study.from_json_lines(study.to_json_lines())
    assert again.snapshot() == study.snapshot() and not again.differences
    study.change_noise(None)
    assert study.noise is None and longrun.Study.from_snapshot(study.snapshot()).noise is None


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
    by_label = longrun.Constraints(costs={1: 2}, minimum_pulls={2: 3}, minimum_share={0: 0.2}, unavailable={2: [(1, 5)]})
    numbered = [(ARMS.index(arm), reward) for arm, reward in history]
    answers = [
        longrun.recommend(history, arms=ARMS, horizon=60, constraints=by_name),
        longrun.recommend(numbered, arms=[0, 1, 2], horizon=60, constraints=by_label),
    ]
    assert [pull.position for pull in answers[0].next] == [pull.position for pull in answers[1].next]
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
    world = bandit.world(500, seed=0, root_seed=7)
    study = longrun.Study(bandit.arm_names, 500, noise=bandit.noise, policy=policy, seed=7)
    while not study.done:
        (decision,) = study.decide()
        study.observe(decision, world.pull(decision.index))
    assert list(study.pulls.values()) == longrun.simulate(bandit, policy, 500, seeds=[0], root_seed=7)["pulls"][0].tolist()


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


def test_a_recorded_pull_is_corrected_by_the_number_of_its_event():
    study = longrun.Study(["a", "b"], 20, noise=0.1)
    study.record("a", 0.9)
    event = study.events[-1]["seq"]
    study.record("b", 0.5)
    study.correct_record(event, 0.09)
    study.correct_record(event + 1, "void")
    assert (study.spent, study.pulls) == (1, {"a": 1, "b": 0})
    assert longrun.Study.from_json_lines(study.to_json_lines()).spent == 1
    with pytest.raises(ValueError, match="event 3 is not an observation"):
        study.correct_record(3, 0.5)
    with pytest.raises(ValueError, match="must be a reward, or 'void'"):
        study.correct_record(event, "lost")
    frame = study.to_pandas()
    assert list(frame.outcome) == ["observed", "void"] and frame.reward[0] == 0.09


def test_names_of_arms_that_look_the_same_are_a_warning():
    with pytest.warns(UserWarning, match="^arms: 'tea' and 'Tea' differ only in upper and lower case or in blanks; they are two arms$"):
        longrun.Study(["coffee", "tea", "Tea"], 10)
    longrun.Study(["tea 1", "tea 2"], 10)
