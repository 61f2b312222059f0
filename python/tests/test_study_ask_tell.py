"""Study.ask and tell, and what a study says of itself."""

import copy

import pytest

import longrun


def study(**options):
    return longrun.Study(["tea", "coffee", "mate"], 30, **{"noise": "bernoulli", **options})


def test_ask_is_decide_with_arms_left_out():
    one = study()
    assert [decision.arm for decision in one.ask(3)] == [decision.arm for decision in study().decide(3)]
    assert {decision.arm for decision in one.ask(4, among=["tea", 1])} == {"tea", "coffee"}
    assert {decision.arm for decision in one.ask(4, unavailable="tea")} == {"coffee", "mate"}
    assert {decision.arm for decision in one.ask(n=2, among=["tea", "mate"], unavailable=[2])} == {"tea"}
    with pytest.raises(ValueError, match="unavailable: no arm is left to choose from"):
        one.ask(among="tea", unavailable="tea")
    assert one.spent == 13 and one.remaining == 17


def test_tell_takes_decisions_numbers_arms_and_many_at_once():
    one, other = study(), study()
    decisions = one.ask(5)
    one.tell(decisions[0], 1)
    one.tell(decisions[1:3], [0, 1])
    one.tell([4, decisions[4].id], (reward for reward in (1, 0)))
    for decision, reward in zip(other.decide(5), [1, 0, 1, 1, 0]):
        other.observe(decision, reward)
    assert one.to_json_lines() == other.to_json_lines()
    one.tell(one.ask(), 1)
    assert one.pending == {} and one.history[-1][1] == 1


def test_the_reward_of_an_arm_is_that_of_its_oldest_pending_decision():
    one = study()
    first, *_ = one.ask(6, among=["tea", "coffee"])
    pending = [id for id, arm in one.pending.items() if arm == first.arm]
    one.tell([first.arm, first.arm], [1, 0])
    assert [event["decision"] for event in one.events[-2:]] == pending[:2]
    one.tell("mate", 1)
    assert one.events[-1]["event"] == "observed" and one.pulls["mate"] == 1


@pytest.mark.parametrize(
    "told, rewards, message",
    [
        ([1, 2], [1, 5], "5"),
        ([1, 9], [1, 1], "9"),
        (["tea", "mlik"], [1, 1], "arm 'mlik': is not an arm"),
        ([1, 1], [1, 0], "1"),
        ([1, 2], [1], "reward: 1 reward for 2 decisions"),
        ([1, 2], 1, "reward: 1 reward for 2 decisions"),
        ([1, 2], [1, None], "reward None: is not a finite number"),
    ],
)
def test_if_one_reward_is_refused_none_is_recorded(told, rewards, message):
    one = study()
    one.ask(3)
    before = one.to_json_lines()
    with pytest.raises(ValueError, match=message):
        one.tell(told, rewards)
    assert one.to_json_lines() == before


def test_history_has_the_form_that_recommend_accepts():
    one = study()
    first, second, third, fourth = one.ask(4)
    one.tell(first, 1)
    one.lose(second)
    one.cancel(third)
    assert one.history == [(first.arm, 1.0), (second.arm, None), (fourth.arm, None)]
    assert longrun.recommend(one.history, arms=one.arms, horizon=30, noise=longrun.Bernoulli()).pending == 2


def test_explain_names_the_next_decision_and_decides_nothing():
    one = study()
    for step in range(12):
        one.tell(one.ask(), step % 3 == 0)
    before = one.to_json_lines()
    answer = one.explain()
    assert isinstance(answer, longrun.Recommendation) and one.to_json_lines() == before
    assert [report.arm for report in answer.arms] == one.arms and answer.remaining == one.remaining
    one.set_unavailable("mate")
    answer = one.explain()
    assert answer.arm == copy.copy(one).decide()[0].arm and answer.arm in str(answer)
    short = longrun.Study.from_snapshot(one.snapshot())
    with pytest.raises(ValueError, match="not all events of the study are kept; advice about it needs them"):
        short.explain()


def test_restore_is_from_snapshot():
    one = study()
    one.tell(one.ask(3), [1, 0, 1])
    assert longrun.Study.restore(one.snapshot()).snapshot() == one.snapshot()


def test_a_policy_of_named_arms_is_a_study():
    named = longrun.policy("spo", arms=["tea", "coffee"], horizon=30, noise="gaussian:0.1", scale=(0, 10), seed=3)
    assert isinstance(named, longrun.Study) and (named.arms, named.budget, named.policy, named.scale, named.seed) == (["tea", "coffee"], 30, "spo", (0, 10), 3)
    assert isinstance(longrun.policy("spo", arms=2, horizon=30), longrun.Policy)


def test_whole_numbers_in_a_data_frame_are_labels():
    import pandas

    frame = pandas.DataFrame({"arm": [1] * 5 + [2] * 5, "reward": [0.9] * 5 + [0.1] * 5})
    answer = longrun.recommend(frame, arms=[1, 2, 3], horizon=100)
    assert {report.arm: report.pulls for report in answer.arms} == {1: 5, 2: 5, 3: 0}
    assert next(report for report in answer.arms if report.arm == 1).reward_now.mean == pytest.approx(0.9)


def test_a_noise_may_be_a_text_or_a_standard_deviation_everywhere():
    history = [(0, 0.2), (1, 0.5), (0, 0.3)]
    answers = [longrun.recommend(history, arms=2, horizon=50, noise=noise) for noise in (longrun.Gaussian(0.1), "gaussian:0.1", 0.1)]
    assert answers[0] == answers[1] == answers[2]
    assert {longrun.Bandit("inc_1", noise).noise for noise in (longrun.Gaussian(0.1), "gaussian:0.1", 0.1)} == {longrun.Gaussian(0.1)}
    assert longrun.Study(2, 9, noise="gaussian:0.1").noise == longrun.Study(2, 9, noise=0.1).noise == longrun.Gaussian(0.1)


def test_many_rewards_are_recorded_as_one_by_one():
    for keep in (True, 1):
        many, single = study(keep_events=keep), study(keep_events=keep)
        for rewards in ([1, 0, 1, 1], [0, 0, 1], [1, 1, 0, 1, 0]):
            decisions = many.ask(len(rewards))
            many.tell(decisions[::-1], rewards)
            many.tell(["mate", "tea"], [1, 0])
            for decision, reward in zip(single.ask(len(rewards))[::-1], rewards):
                single.tell(decision, reward)
            single.tell("mate", 1)
            single.tell("tea", 0)
        assert many.snapshot() == single.snapshot()
        assert list(many.events) == list(single.events)


def test_an_outcome_that_is_told_again_among_many_changes_nothing():
    one, other = study(keep_events=1), study(keep_events=1)
    for each in (one, other):
        each.ask(5)
    one.tell([1, 2, 3, 4, 1], [1, 0, 1, 0, 1])  # the first outcome is known, although its event is no longer kept
    other.tell([1, 2, 3, 4], [1, 0, 1, 0])
    assert one.snapshot() == other.snapshot()
    both = study()
    both.ask(3)
    both.tell([1, 2], [1, 0])
    before = both.to_json_lines()
    with pytest.raises(ValueError, match="decision 2 has another outcome already: observed 0; correct it"):
        both.tell([3, 1, 2], [1, 1, 1])
    with pytest.raises(ValueError, match="decision 3 has another outcome already: observed 1; correct it"):
        both.tell([3, 1, 3], [1, 1, 0])
    assert both.to_json_lines() == before
    both.tell([1, 3, 2], [1, 1, 0])
    assert both.to_json_lines().splitlines()[:-1] == before.splitlines() and both.pending == {}
