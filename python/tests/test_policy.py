import copy
import pickle
import random

import numpy as np
import pytest

import longrun

NAMES = [info.name for info in longrun.policies()]


def played(name, rounds, seed=1):
    """Return a policy after some decisions, with late rewards and rewards that were not asked for."""
    policy = longrun.policy(name, arms=3, horizon=400, noise=longrun.Gaussian(0.1), seed=seed, plan=[100, 200, 100])
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


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b + b"x", lambda b: b[:40] + b"?" + b[41:], lambda b: b""])
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
        (lambda: longrun.policy("spo", arms=2, horizon=9, half_width="wide"), "half-width 'wide'|wide"),
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
    with pytest.raises(ValueError, match="scale 1:0: must be two finite numbers"):
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
