import copy
import os
import pickle
import random
import signal
import threading

import numpy as np
import pandas
import pytest

import longrun

NAMES = [info.name for info in longrun.policies()]
FOLLOW_A_PLAN = {info.name for info in longrun.policies() if info.needs_plan}


def played(name, rounds, seed=1):
    """Return a policy after some decisions, with late rewards and rewards that were not asked for."""
    plan = [100, 200, 100] if name in FOLLOW_A_PLAN else ()
    policy = longrun.policy(name, arms=3, horizon=400, noise=longrun.Gaussian(0.1), seed=seed, plan=plan)
    chance = random.Random(seed)
    late = []
    for _ in range(rounds):
        late.append(policy.ask())
        if chance.random() < 0.8:
            policy.tell(late.pop(chance.randrange(len(late))), chance.random())
        if chance.random() < 0.1:
            policy.tell(chance.randrange(3), chance.random())
    return policy


def future(policy):
    chance = random.Random(9)
    arms = []
    for _ in range(100):
        arms.append(policy.select_arm())
        policy.update(arms[-1], chance.random())
    return arms


@pytest.mark.parametrize("name", NAMES)
def test_copies_and_pickles_continue_as_the_original(name):
    original = played(name, 150)
    others = [
        copy.copy(original),
        copy.deepcopy(original),
        pickle.loads(pickle.dumps(original)),
        pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(original)))),
    ]
    expected = future(original)
    for other in others:
        assert future(other) == expected
        assert future(other) != [] and other.name == name


def test_a_copy_does_not_change_the_original():
    original = played("spo", 50)
    twin = copy.copy(original)
    future(twin)
    assert future(original) == future(played("spo", 50))


@pytest.mark.parametrize("damage", [lambda b: b"?" + b[1:], lambda b: b[:-1], lambda b: b + b"x", lambda b: b[:40] + b"?" + b[41:], lambda b: b""])
def test_an_invalid_pickle_is_rejected(damage):
    state = list(played("spo", 5).__getstate__())
    state[-1] = damage(state[-1])
    with pytest.raises(ValueError, match="the pickled policy is damaged, or longrun .*, which pickled it"):
        longrun.Policy.__new__(longrun.Policy).__setstate__(tuple(state))


def test_a_pickle_does_not_grow_with_the_number_of_calls():
    sizes = []
    for rounds in (1_000, 20_000):
        policy = longrun.policy(arms=3, horizon=100_000, noise=longrun.Gaussian(0.1))
        for _ in range(rounds):
            policy.tell(policy.ask(), 0.5)
        sizes.append(len(pickle.dumps(policy)))
    assert sizes[1] < 1.5 * sizes[0] < 15_000


def test_lost_and_cancelled_pulls_are_no_longer_pending():
    policy = longrun.policy("ucb", arms=2, horizon=100)
    first, second = policy.ask(), policy.ask()
    assert (first, second) == (0, 1) and policy.pending(0) == policy.pending(1) == 1
    policy.lose(first)
    policy.cancel(second)
    assert policy.pending(0) == policy.pending(1) == 0
    with pytest.raises(ValueError, match="no pull of arm 1 is pending"):
        policy.cancel(1)


@pytest.mark.parametrize(
    "mistake, message",
    [
        (lambda: longrun.policy("spoo", arms=2, horizon=10), "^unknown policy 'spoo'; did you mean 'spo'"),
        (lambda: longrun.policy("d-ucb:discount=2", arms=2, horizon=10), "discount=NUMBER"),
        (lambda: longrun.policy("spo", arms=0, horizon=10), "arms"),
        (lambda: longrun.policy("spo", arms=2, horizon=0), "horizon"),
        (lambda: longrun.policy("spo", arms=2, horizon=9, half_width="wide"), "^half_width: 'wide' is not a number; use a number >= 0"),
        (lambda: longrun.policy("optimal", arms=2, horizon=9), "needs a plan with the pulls of each of the 2 arms"),
        (lambda: longrun.policy("spo", arms=2, horizon=9).tell(2, 0.5), "arm 2 is not one of 0..1"),
        (lambda: longrun.policy("spo", arms=2, horizon=9).tell(0, float("nan")), "not a finite number"),
        (lambda: longrun.policy("spo", arms=2, horizon=9).tell(2**40, 0.5), "arm 1099511627776 is not one of 0..1"),
        (lambda: longrun.policy("spo", arms=2**40, horizon=9), "arms 1099511627776: must be a whole number"),
        (lambda: longrun.policy("spo", arms=2, horizon=2.5), "horizon 2.5: must be a whole number"),
        (lambda: longrun.policy("spo", arms=2, horizon=9, seed=-1), "seed -1: must be a whole number"),
        (lambda: longrun.Constraints(minimum_share=2), "^minimum_share 2: must be a number from 0 to 1$"),
        (lambda: longrun.Constraints(costs={0: 0}), "^costs 0: must be a number above 0, at most 1000000000000$"),
        (lambda: longrun.Constraints(unavailable={0: [(5, 2)]}), "unavailable: "),
        (lambda: longrun.Constraints(unspent="burn"), "^unspent 'burn': must be 'keep' or 'lapse'$"),
        (lambda: longrun.Gaussian(-1), "^Gaussian: sd -1.0: must be a number from 0 to 1e\\+100$"),
        (lambda: longrun.SymmetricBeta(0.1, 0.2), r"^SymmetricBeta\(bound=0.1, sd=0.2\): "),
    ],
)
def test_invalid_arguments_raise_value_errors_that_name_the_argument(mistake, message):
    with pytest.raises(ValueError, match=message):
        mistake()


def test_rewards_off_the_scale_are_refused_and_a_scale_converts_them():
    off = longrun.policy(arms=2, horizon=2_000, noise=longrun.Gaussian(0.1))
    with pytest.raises(ValueError, match="^reward 5 of arm 0 is further outside the scale 0 to 1 than noise explains"):
        off.tell(off.ask(), 5)
    unit = longrun.policy(arms=2, horizon=2_000, noise=longrun.Gaussian(0.1))
    money = longrun.policy(arms=2, horizon=2_000, noise=longrun.Gaussian(0.1), scale=(-10, 40))
    for _ in range(500):
        arm = unit.ask()
        assert money.ask() == arm
        unit.tell(arm, 0.3 + 0.5 * arm)
        money.tell(arm, 5.0 + 25.0 * arm)
        money = pickle.loads(pickle.dumps(money))
    assert arm == 1
    with pytest.raises(ValueError, match="the rewards of arm 1 average|outside the scale -10 to 40"):
        money.tell(1, 9_999)
    with pytest.raises(ValueError, match="^scale .1, 0.: must be two finite numbers, the smaller one first$"):
        longrun.policy(arms=2, horizon=9, scale=(1, 0))


def test_a_rejected_reward_changes_nothing():
    policy = played("spo", 20)
    with pytest.raises(ValueError):
        policy.tell(7, 0.5)
    assert future(pickle.loads(pickle.dumps(policy))) == future(played("spo", 20))


def test_the_catalog_lists_policies_and_parameters():
    assert {"spo", "foresight", "greedy"} <= set(NAMES)
    assert "discount" in next(info.parameters for info in longrun.policies() if info.name == "d-ucb")
    assert longrun.policy(arms=2, horizon=5).name == "foresight"


def test_noise_is_a_value():
    assert longrun.Gaussian(0.05) == pickle.loads(pickle.dumps(longrun.Gaussian(sd=0.05)))
    assert str(longrun.SymmetricBeta(0.2, 0.05)) == "beta:0.2:0.05"
    assert str(longrun.NoNoise()) == "none" and repr(longrun.Uniform(0.1)) == "Uniform(bound=0.1)"


def test_ask_and_tell_take_many_at_once():
    one, other = (longrun.policy("ucb", arms=3, horizon=100, noise=longrun.Gaussian(0.1)) for _ in range(2))
    arms = one.ask(5)
    assert arms == [other.ask() for _ in range(5)] and isinstance(other.ask(), int)
    other.cancel(other.ask(among=2))
    for arm, reward in zip(arms, [0.1, 0.2, 0.3, 0.4, 0.5]):
        one.tell(arm, reward)
    many = copy.copy(other)
    many.cancel(next(arm for arm in range(3) if many.pending(arm) > arms.count(arm)))
    many.tell(np.array(arms), [0.1, 0.2, 0.3, 0.4, 0.5])
    assert [one.ask() for _ in range(20)] == [many.ask() for _ in range(20)]
    assert set(one.ask(6, among=[0, 2])) <= {0, 2} and set(one.ask(n=6, unavailable=(0,))) <= {1, 2}
    assert one.ask(among=[1, 2], unavailable=np.array([2])) == 1


def test_if_one_of_many_rewards_is_refused_none_is_recorded():
    policy = longrun.policy("ucb", arms=2, horizon=100)
    policy.ask(2)
    with pytest.raises(ValueError, match="not a finite number"):
        policy.tell([0, 1], [0.5, float("nan")])
    assert [policy.pending(arm) for arm in range(2)] == [1, 1]


def test_arms_may_be_any_iterable():
    for arms in ([1, 2], (1, 2), {1, 2}, range(1, 3), (arm for arm in (1, 2)), np.array([1, 2]), {1: "a", 2: "b"}.keys()):
        assert set(longrun.policy("ucb", arms=4, horizon=50).ask(8, among=arms)) == {1, 2}
    for arms in ({0, 3}, range(0, 4, 3), iter([0, 3])):
        assert set(longrun.policy("ucb", arms=4, horizon=50).ask(8, unavailable=arms)) == {1, 2}
    assert longrun.policy("ucb", arms=4, horizon=50).ask(among=np.array(2)) == 2
    for text in ("1", b"\x01"):
        with pytest.raises(ValueError, match="is not one of 0..3"):
            longrun.policy("ucb", arms=4, horizon=50).ask(among=text)


@pytest.mark.parametrize("name", NAMES)
def test_no_policy_goes_on_after_its_horizon(name):
    plan = [2, 3] if name in FOLLOW_A_PLAN else ()
    policy = longrun.policy(name, arms=2, horizon=5, noise=longrun.Gaussian(0.1), plan=plan)
    arms = policy.ask(3) + policy.ask(9)
    assert len(arms) == 5, "as many as the horizon has left"
    over = "^all 5 pulls of the horizon are made or pending$"
    for _ in range(2):
        for more in (policy.ask, policy.select_arm, lambda: policy.ask(1), lambda: policy.ask(among=[0])):
            with pytest.raises(ValueError, match=over):
                more()
        policy = pickle.loads(pickle.dumps(policy))
    policy.tell(arms[0], 0.5)
    policy.lose(arms[1])
    with pytest.raises(ValueError, match=over):
        policy.ask()
    policy.cancel(arms[2])
    assert len(policy.ask(9)) == 1, "a pull that was not made can be made again"


def test_pulls_that_were_not_asked_for_count_in_the_horizon():
    policy = longrun.policy("ucb", arms=2, horizon=3)
    policy.tell([0, 1], [0.5, 0.5])
    assert policy.ask(9) in ([0], [1])
    with pytest.raises(ValueError, match="^all 3 pulls of the horizon are made or pending$"):
        policy.tell(0 if policy.pending(1) else 1, 0.5)


@pytest.mark.parametrize(
    "name, plan, message",
    [
        ("optimal", [5, 5], "^plan: its pulls must add up to the horizon, 100$"),
        ("optimal", [2**62, 2**62], "^plan: its pulls must add up to the horizon, 100$"),
        ("optimal", [50, 25, 25], "^policy 'optimal' needs a plan with the pulls of each of the 2 arms$"),
        ("spo", [50, 50], "^plan: policy 'spo' follows none; leave it out$"),
    ],
)
def test_a_plan_that_the_policy_cannot_follow_is_an_error(name, plan, message):
    with pytest.raises(ValueError, match=message):
        longrun.policy(name, arms=2, horizon=100, plan=plan)


def test_rewards_with_labels_belong_to_the_arms_of_these_labels():
    def told(arms, rewards):
        policy = longrun.policy("greedy", arms=2, horizon=10)
        policy.ask(2)
        policy.tell(arms, rewards)
        return policy.ask()

    assert told([0, 1], [0.1, 0.9]) == told([0, 1], pandas.Series([0.1, 0.9])) == 1
    assert told([1, 0], pandas.Series([0.9, 0.1], index=[1, 0])) == 1, "the index has the arms"
    frame = pandas.DataFrame({"arm": [1, 0], "reward": [0.9, 0.1]}, index=[7, 5])
    assert told(frame["arm"], frame["reward"]) == 1, "both have the same index"
    for arms, rewards in (([0, 1], pandas.Series([0.1, 0.9], index=[1, 0])), ([0, 1], pandas.Series([0.1, 0.9], index=["b", "a"]))):
        with pytest.raises(ValueError, match="^reward: the index is not that of the arms; give reward.tolist"):
            told(arms, rewards)
    assert told(range(2), (reward for reward in (0.1, 0.9))) == 1
    assert told((arm for arm in (0, 1)), np.array([0.1, 0.9])) == 1
    for arms in ({0, 1}, {0: 0.1, 1: 0.9}):
        with pytest.raises(ValueError, match="^arm: is a (set|dict); give a list with arms$"):
            told(arms, [0.1, 0.9])
    with pytest.raises(ValueError, match="^reward: is a set; give a list with a reward for each arm$"):
        told([0, 1], {0.1, 0.9})


TRUE = [True, np.True_]


@pytest.mark.parametrize("true", TRUE)
@pytest.mark.parametrize(
    "call",
    [
        lambda true: longrun.policy("greedy", arms=3, horizon=50).ask(3, among=[true, False, true]),
        lambda true: longrun.policy("greedy", arms=3, horizon=50).ask(unavailable=true),
        lambda true: longrun.policy("greedy", arms=3, horizon=50).ask(true),
        lambda true: longrun.policy("greedy", arms=3, horizon=50).tell(true, 0.5),
        lambda true: longrun.policy("greedy", arms=3, horizon=50).tell([0, true], [0.5, 0.5]),
        lambda true: longrun.policy("greedy", arms=3, horizon=50).pending(true),
        lambda true: longrun.policy(arms=true, horizon=9),
        lambda true: longrun.policy(arms=2, horizon=true),
        lambda true: longrun.policy(arms=2, horizon=9, half_width=true),
        lambda true: longrun.policy(arms=2, horizon=9, scale=(False, true)),
        lambda true: longrun.Bandit("inc_1").world(5).pull(true),
        lambda true: longrun.Bandit("inc_1", horizon=true),
        lambda true: longrun.simulate("inc_1", "spo", 10, seeds=true),
        lambda true: longrun.simulate("inc_1", "spo", true),
        lambda true: longrun.simulate("inc_1", lambda setting: Asks(true), 10),
        lambda true: longrun.simulate("inc_1", lambda setting: Asks(true), 10, constraints=longrun.Constraints(units_per_round=2)),
        lambda true: longrun.recommend([], arms=2, horizon=true),
        lambda true: longrun.Constraints(costs={true: 2}),
        lambda true: longrun.Constraints(costs=true),
    ],
)
def test_a_truth_value_is_not_a_number_or_an_arm(call, true):
    with pytest.raises(ValueError, match="True|False"):
        call(true)


class Asks:
    def __init__(self, arm):
        self.arm = arm

    def ask(self, among=None):
        return self.arm

    def tell(self, arm, reward):
        pass


def test_rewards_are_read_by_the_rules_of_a_study():
    def told(reward, **options):
        policy = longrun.policy("greedy", arms=2, horizon=10, **options)
        policy.tell(0, reward)

    told(True)
    told(np.True_)
    for true in TRUE:
        with pytest.raises(ValueError, match="^reward True: counts as 1 or 0 on the scale 0 to 1 only; the scale is 0 to 5$"):
            told(true, scale=(0, 5))
    for wrong in ("0.5", b"0.5", 0.5 + 0j, [0.5], np.datetime64("2024-01-01")):
        with pytest.raises(ValueError, match="^reward .*: must be a number$"):
            told(wrong)
    for missing in (None, pandas.NA, float("nan"), np.float64("inf")):
        with pytest.raises(ValueError, match="is not a finite number"):
            told(missing)


def test_the_short_form_of_a_study_estimates_the_noise_as_the_study_does():
    short, study = longrun.policy(arms=["tea", "coffee"], horizon=60), longrun.Study(["tea", "coffee"], 60)
    assert short.noise is None and study.noise is None
    chance = random.Random(4)
    for _ in range(60):
        (one,), (other,) = short.ask(), study.ask()
        assert one.arm == other.arm
        reward = chance.random()
        short.tell(one, reward)
        study.tell(other, reward)
    assert longrun.policy(arms=["tea", "coffee"], horizon=9, noise=0.1).noise == longrun.Gaussian(0.1)


def test_without_noise_a_reward_may_be_outside_the_scale_by_5_percent_of_its_range():
    policy = longrun.policy(arms=2, horizon=9, scale=(0, 10))
    policy.tell([0, 1], [10.49, -0.49])
    for reward in (10.51, -0.51):
        with pytest.raises(ValueError, match="outside the scale 0 to 10"):
            policy.tell(0, reward)


def interrupted(call):
    """Call a function, interrupt it after a moment as Ctrl-C does, and check that it ends with that. Another thread sends the signal."""

    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGALRM))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        timer.join()
        signal.signal(signal.SIGALRM, before)


needs_signal = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs a signal")


@needs_signal
@pytest.mark.parametrize("name, arms, pulls", [("ucb", 3, 10**9), ("foresight", 2000, 200_000)])
def test_a_long_call_ends_with_a_signal_and_changes_nothing(name, arms, pulls):
    policy = longrun.policy(name, arms=arms, horizon=10**9, noise=longrun.Gaussian(0.1))
    policy.tell([0, 1, 2], [0.1, 0.2, 0.3])
    expected = copy.copy(policy).ask(20)
    interrupted(lambda: policy.ask(pulls))
    assert [policy.pending(arm) for arm in range(arms)] == [0] * arms
    assert policy.ask(20) == expected


@needs_signal
def test_many_decisions_of_a_study_end_with_a_signal_and_change_nothing():
    study = longrun.Study([f"arm {number}" for number in range(1000)], 10**6, noise=0.1)
    study.record("arm 3", 0.5)
    events, expected = study.to_json_lines(), copy.copy(study).decide(20)
    interrupted(lambda: study.decide(500_000))
    assert study.pending == {} and study.to_json_lines() == events
    assert [(each.id, each.arm) for each in study.decide(20)] == [(each.id, each.arm) for each in expected]


def test_many_decisions_of_a_study_are_those_of_few():
    many, few = (longrun.Study(["tea", "coffee"], 10_000, noise=0.1, policy="ucb") for _ in range(2))
    decisions = many.decide(5000)
    assert [each.arm for each in decisions] == [few.decide()[0].arm for _ in range(5000)]
    assert len(many.events) == 2 and len(many.pending) == 5000
    many.observe(decisions, [0.5] * 5000)
    assert [each.id for each in many.decide(2000)] == list(range(5001, 7001))


def test_a_long_call_leaves_changes_of_other_threads():
    policy = longrun.policy("ucb", arms=1000, horizon=200_001)
    teller = threading.Timer(0.02, lambda: policy.tell(7, 0.5))
    teller.start()
    policy.ask(200_000)
    teller.join()
    if sum(policy.pending(arm) for arm in range(1000)) == 200_000:  # the reward is that of a pull that was not asked for
        with pytest.raises(ValueError, match="^all 200001 pulls of the horizon are made or pending$"):
            policy.ask()
    else:
        assert sum(policy.pending(arm) for arm in range(1000)) == 199_999
