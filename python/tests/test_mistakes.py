"""Every invalid argument raises a ValueError with a message of one line."""

import concurrent.futures
import pathlib

import numpy as np
import pandas
import pytest

import longrun

BANDIT = longrun.Bandit("inc_dec_3", longrun.Gaussian(0.05))
NAMED = [longrun.Bandit([[0.5], [0.5]], arm_names=names) for names in (["a", "b"], ["b", "a"])]


class Own:
    def __init__(self, setting):
        pass

    def ask(self):
        return 0

    def tell(self, arm, reward):
        pass


def under(**constraints):
    return simulate(constraints=longrun.Constraints(**constraints))


def own_that_asks(arm):
    return type("Asks", (Own,), {"ask": lambda self: arm})


def told(*arguments):
    return longrun.policy("spo", arms=2, horizon=9).tell(*arguments)


def simulate(policies=("spo",), horizons=(10,), **options):
    return longrun.simulate(BANDIT, policies, horizons, **options)


MISTAKES = [
    (lambda: told(1.0, 0.5), r"^arm 1.0: must be a whole number from 0 to 1, such as int\(1.0\)$"),
    (lambda: simulate([own_that_asks(True)]), r"policy Asks: arm True: must be a whole number from 0 to 1, such as int\(True\)"),
    (lambda: BANDIT.world(5).pull(np.float64(1.5)), r"^arm 1.5: must be a whole number from 0 to 1"),
    (lambda: told(None, 0.5), "arm None is not one of 0..1"),
    (lambda: told(2**70, 0.5), "is not one of 0..1"),
    (lambda: told(0, "much"), "^reward 'much': must be a number$"),
    (lambda: BANDIT.world(5).pull("a"), "arm 'a' is not one of 0..1"),
    (lambda: BANDIT.world(2**62), "is too large; at most"),
    (lambda: simulate(horizons=2**62), "is too large; at most"),
    (lambda: longrun.Bandit("recommender_B").rewards(10**12), "too many for an array; at most"),
    (lambda: simulate([own_that_asks(None)]), "policy Asks: arm None is not one of 0..1"),
    (lambda: simulate([own_that_asks(np.array([1, 0]))]), "policy Asks: arm array"),
    (lambda: simulate([Own(None)]), "must be a name of the catalog, or a class with ask"),
    (lambda: simulate([3]), "policy 3: must be a name of the catalog"),
    (lambda: simulate(None), "nothing to simulate; give at least one policy"),
    (lambda: simulate([lambda setting: 3]), "3 lacks the methods ask.. and tell"),
    (lambda: simulate(seeds=[1, 1]), "seeds .1, 1.: contain a duplicate; give each seed once"),
    (lambda: simulate(constraints={"costs": 2}), "must be longrun.Constraints"),
    (lambda: longrun.Bandit(None), "curves None: must be a name, an array"),
    (lambda: longrun.Bandit(lambda m: 0.5, horizon=10), "must be a name, an array"),
    (lambda: longrun.Bandit(pathlib.Path("curves.csv")), "must be a name, an array"),
    (lambda: longrun.Bandit([0.5, 0.6]), "curves: arm 0 is 0.5; it must be a row"),
    (lambda: longrun.Bandit([lambda m: None], horizon=2), "curves: arm 0, pull 1: the function returned None; it must return a number"),
    (lambda: longrun.Bandit([lambda m: 0.5, lambda m: "0.5" if m > 2 else 0.1], horizon=5), "curves: arm 1, pull 3: the function returned '0.5'; it must"),
    (lambda: longrun.Bandit([lambda m: 1 / (m - 2)], horizon=5), "curves: arm 0, pull 2: the function raised ZeroDivisionError"),
    (lambda: longrun.Bandit([["0.1", "0.2"]]), "curves: arm 0: rewards must be numbers .they are text"),
    (lambda: longrun.Bandit(np.array([["0.1", "0.2"]])), "rewards must be numbers .they are text"),
    (lambda: longrun.Bandit({(0.1,), (0.2,)}), "curves: a set has no order"),
    (lambda: longrun.Bandit("inc_1", noise=None), "noise None: must be a noise such as longrun.Gaussian"),
    (lambda: longrun.Bandit("inc_1", noise=longrun.Gaussian), "noise Gaussian: is a class; create a noise"),
    (lambda: longrun.policy(arms=2**31 - 1, horizon=9), "^arms 2147483647: must be a whole number from 1 to 100000000$"),
    (lambda: longrun.policy(arms=2**31, horizon=9), "^arms 2147483648: must be a whole number from 1 to 100000000$"),
    (lambda: longrun.Study(2**31 - 1, 9), "^arms 2147483647: must be a whole number from 1 to 100000000$"),
    (lambda: longrun.recommend([], arms=2**31 - 1, horizon=9), "^arms 2147483647: must be a whole number from 1 to 100000000$"),
    (lambda: longrun.policy(arms=["a", "b"], horizon=9, half_width=0.1), "half_width, root_seed and plan: are for a number of arms"),
    (lambda: longrun.policy(arms=2, horizon=9).ask(0), "^n 0: must be a whole number from 1 to 1000000000$"),
    (lambda: longrun.policy(arms=2, horizon=9).ask(among=[2]), "^arm 2 is not one of 0..1$"),
    (lambda: longrun.policy(arms=2, horizon=9).ask(unavailable=[0, 1]), "^among and unavailable: leave no arm to choose from$"),
    (lambda: told([0, 1], [0.5]), "^reward: 1 reward for 2 arms$"),
    (lambda: told([0, 1], 0.5), "^reward: 1 reward for 2 arms$"),
    (lambda: longrun.Bandit("nothing at all"), r"^unknown bandit 'nothing at all' \(longrun.bandits\(\) lists all\)$"),
    (lambda: simulate("zzz"), r"^unknown policy 'zzz' \(longrun.policies\(\) lists all\)$"),
    (lambda: longrun.Gaussian(-1), "^Gaussian: sd -1.0: must be a number from 0 to 1e.100$"),
    (lambda: longrun.SymmetricBeta(0.1, 0.5), r"^SymmetricBeta\(bound=0.1, sd=0.5\): "),
    (lambda: longrun.Constraints(costs=0), "^costs 0: must be a number above 0, at most 1000000000000$"),
    (lambda: longrun.Constraints(costs={1: "two"}), "^costs 'two': must be a number above 0, at most 1000000000000$"),
    (lambda: longrun.Constraints(minimum_pulls=2.5), "^minimum_pulls 2.5: must be a whole number from 0 to 1000000000000$"),
    (lambda: longrun.Constraints(minimum_share={0: 1.5}), "^minimum_share 1.5: must be a number from 0 to 1$"),
    (lambda: longrun.Constraints(units_per_round=0), "^units_per_round 0: must be a number above 0, at most 1000000000000$"),
    (lambda: longrun.Constraints(unavailable={1: [(20, 10)]}), r"^unavailable: arm 1: rounds \(20, 10\): the last one is before"),
    (lambda: longrun.Constraints(unavailable={1: [(0, 10)]}), "^unavailable: arm 1: round 0: must be a whole number from 1$"),
    (lambda: longrun.Constraints(unspent="kept"), "^unspent 'kept': must be 'keep' or 'lapse'$"),
    (lambda: longrun.simulate(["inc_1", "inc_1"], "spo", 9), "bandit: two are called 'inc_1'; give labels"),
    (lambda: longrun.simulate(["inc_1", [0.5]], "spo", 9), "bandit: the list has bandits and single curves"),
    (lambda: longrun.simulate([], "spo", 9), "nothing to simulate; give at least one bandit"),
    (lambda: longrun.simulate({}, "spo", 9), "give at least one bandit"),
    (lambda: simulate({"a": 3}), "policy 3: must be a name of the catalog"),
    (lambda: simulate({"": "spo"}), "policies: a label is empty"),
    (lambda: simulate(every=0), "every 0: must be a whole number from 1"),
    (lambda: simulate(trajectories=[]), "trajectories: no step is given"),
    (lambda: simulate(trajectories=[1.5]), "trajectories 1.5: must be a whole number"),
    (lambda: simulate(trajectories=[1], every=2), "trajectories and every: exclude each other"),
    (lambda: simulate(horizons=10**9, seeds=10**4, every=1), "trajectories: 10,000,000,000,000 kept steps of 10,000 runs take 240000.0 GB of memory, and the machine has"),
    (lambda: simulate(executor=concurrent.futures.ThreadPoolExecutor(1), threads=1), "threads and executor: exclude each other"),
    (lambda: simulate(trajectories=[1, 2000]), "^trajectories 2000: is after the last step; the largest horizon is 10$"),
    (lambda: simulate(seeds=10**8), "^seeds: at least 100,000,000 runs are too many for one call; at most 10,000,000 are accepted$"),
    (lambda: simulate(seeds=range(10**8)), "^seeds: at least 100,000,000 runs are too many for one call"),
    (lambda: simulate(["spo", "greedy"], [5, 6, 7], seeds=2 * 10**6), "^seeds: at least 12,000,000 runs are too many for one call"),
    (lambda: simulate(executor=3), "executor 3: must have a method submit"),
    (lambda: simulate(horizons=np.ones((2, 2))), "horizons: has 2 dimensions"),
    (lambda: longrun.Records.concat([]), "records: the list is empty"),
    (lambda: longrun.Records.concat([simulate(), simulate()]), "policy spo, horizon 10, seed 1: is given twice"),
    (lambda: longrun.Records.concat(simulate()), "records: is one result; give a list"),
    (lambda: longrun.plot.trajectory(simulate()), "have no trajectories; simulate"),
    (lambda: longrun.plot.regret(longrun.simulate(["inc_1", "inc_2"], "spo", [9, 10]), ax=3), "records: have 2 bandits; select one"),
    (lambda: longrun.env.RestedBandit("inc_1", horizon=5).reset(options={"seed": 3}), "options: 'seed' is not an option; accepted is 'replicate'"),
    (lambda: longrun.env.RestedBandit("inc_1", horizon=5).reset(seed=2**32), "seed 4294967296: must be a whole number from 0 and below 2.32"),
    (lambda: longrun.Bandit([["a", "b"]]), "curves: arm 0: rewards must be numbers"),
    (lambda: longrun.Bandit(np.array([[0.5j, 0.1]])), "rewards must be numbers .masked or complex"),
    (lambda: longrun.Bandit(np.ma.array([[0.5, 0.1]], mask=[[True, False]])), "masked"),
    (lambda: longrun.Bandit("inc_1", horizon=0), "^horizon 0: must be a whole number from 1$"),
    (lambda: longrun.Bandit([[0.5]], arm_names="a"), "arm_names 'a': must be a list of names"),
    (lambda: longrun.Bandit([[0.5]], name=3), "name 3: must be a string"),
    (lambda: longrun.policy(None, arms=2, horizon=9), "policy None: must be a string"),
    (lambda: longrun.policy("spo", arms=2, horizon=9, half_width=[0.1]), "half_width .0.1.: must be a number"),
    (lambda: longrun.Noise(), "^Noise..: is the class of every noise; use NoNoise, Gaussian"),
    (lambda: longrun.Gaussian(None), "^Gaussian: sd None: must be a number$"),
    (lambda: longrun.Constraints(unavailable={1: (10, 20)}), "unavailable {1: .10, 20.}: must be"),
    (lambda: longrun.Constraints(unavailable=[3]), "unavailable .3.: must be"),
    (lambda: longrun.Constraints(unspent=None), "unspent"),
    (lambda: longrun.Constraints(costs={1.5: 2}), "^costs: arm 1.5: must be a whole number from 0$"),
    (lambda: longrun.Constraints(costs={"tea": 0}), "^costs 0: must be a number above 0, at most 1000000000000$"),
    (lambda: under(costs={"inc": 2}), "^costs: arm 'inc': is not an arm; "),
    (lambda: under(costs={0: 2, BANDIT.arm_names[0]: 2}), "^costs .*: has an arm both by name and by number; give it once$"),
    (lambda: longrun.Bandit([[0.5]] * 2, arm_names=["a", "a"]), "^arm_names: 'a' is given twice$"),
    (lambda: longrun.simulate(lambda seed: NAMED[seed - 1], "spo", 1, seeds=2, constraints=longrun.Constraints(costs={"a": 2})), "^constraints: a name is that of another arm in another bandit; give numbers$"),
    (lambda: longrun.recommend([], arms=2, horizon=5, constraints=longrun.Constraints(costs={"tea": 2})), "^costs: arm 'tea': is not an arm; arms are '0', '1'$"),
    (lambda: longrun.recommend([], arms=["tea", "milk"], horizon=5, constraints=longrun.Constraints(costs={0: 2})), "^costs: arm '0': is not an arm; arms are 'tea', 'milk'$"),
    (lambda: longrun.recommend([(0, 0.1)], arms=["tea", "milk"], horizon=5), "^history: row 0: arm '0': is not an arm; arms are 'tea', 'milk'$"),
    (lambda: longrun.recommend([(0, 0.1)], arms=[1, 2], horizon=5), "^history: row 0: arm '0': is not an arm; arms are '1', '2'$"),
    (lambda: longrun.recommend([(1.5, 0.1)], arms=[1, 2], horizon=5), "^history: row 0: arm 1.5: must be a label, a string or a whole number$"),
    (lambda: longrun.recommend([(True, 0.1)], arms=[1, 2], horizon=5), "^history: row 0: arm True: must be a label, a string or a whole number$"),
    (lambda: longrun.recommend([], arms=[1, "1"], horizon=5), "^arms: '1' is given twice$"),
    (lambda: longrun.recommend([], arms={1, 2}, horizon=5), "^arms: a set has no order; give a list of labels$"),
    (lambda: longrun.recommend([(0, 0.5)], arms=[], horizon=9), "^arms: the list is empty; give the labels of all arms, or leave `arms` out$"),
    (lambda: longrun.recommend([], arms=2, horizon="600"), "^horizon '600': must be a number$"),
    (lambda: longrun.recommend([], arms=2, horizon=1e15), "^horizon 1000000000000000.0: must be a number above 0, at most 1000000000000$"),
    (lambda: longrun.recommend([], arms=2, horizon=5.5), "^horizon 5.5: must be a whole number, unless costs or units per round have decimals$"),
    (lambda: longrun.Constraints(costs=0.1234567), "^costs 0.1234567: units have at most 6 decimals$"),
    (lambda: longrun.optimum("inc_1", 50, constraints=longrun.Constraints(costs=2.5)), "^costs 2.5: must be a whole number here; recommend"),
    (lambda: longrun.recommend([], arms=["tea", "milk"], horizon=5, constraints=longrun.Constraints(unavailable={"mlik": [(1, 2)]})), "^unavailable: arm 'mlik': is not an arm; did you mean 'milk'.$"),
    (lambda: longrun.Constraints(costs=[]), "costs"),
    (lambda: longrun.Constraints(minimum_share=[[0.1], [0.2]]), "minimum_share"),
    (lambda: longrun.optimistic_future([[0.1]], [[0.2]], 5), "lower and upper: must be rows of numbers"),
    (lambda: longrun.optimistic_future([0.1], [0.2], -1), "remaining -1"),
    (lambda: longrun.recommend([], arms="tea", horizon=5), "arms 'tea': must be a list of labels, or their number"),
    (lambda: longrun.recommend([], arms=2, horizon=5, scale=(1, 2, 3)), "^scale .1, 2, 3.: must be two numbers, .minimum, maximum.$"),
    (lambda: longrun.recommend([], arms=2, horizon=5, scale=(2, 1)), "^scale .2, 1.: must be two finite numbers, the smaller one first$"),
    (lambda: longrun.recommend([(0, 0.1, 3)], arms=2, horizon=5), "history: .0, 0.1, 3. must be two values, an arm and its reward"),
    (lambda: longrun.recommend([("mate", 0.1)], arms=["tea", "coffee"], horizon=5), "^history: row 0: arm 'mate': is not an arm; arms are 'tea', 'coffee'$"),
    (lambda: longrun.recommend([], arms=["tea", "coffee"], horizon=5, unavailable_now="mate"), "^arm 'mate': is not an arm; arms are 'tea', 'coffee'$"),
    (lambda: longrun.recommend([("mate", 0.1)], arms=[f"a{i}" for i in range(30)], horizon=5), "'a18', 'a19', ... .30 in all.$"),
    (lambda: longrun.recommend([("mate", 0.1)], arms=2, horizon=5), "^history: row 0: arm 'mate': is not an arm; arms are '0', '1'$"),
    (lambda: longrun.recommend(pandas.DataFrame({"arm": [0], "pay": [0.1]}), arms=2, horizon=5), "^history: has no column 'reward'; its columns are 'arm', 'pay'$"),
    (lambda: longrun.recommend(pandas.DataFrame({"reward": [0.1]}), arms=2, horizon=5), "^history: has no column 'arm'; its columns are 'reward'$"),
    (lambda: longrun.recommend(pandas.DataFrame(), arms=2, horizon=5), "^history: has no column 'arm'; its columns are none$"),
    (lambda: longrun.recommend([(0, 0.1)] * 6, arms=2, horizon=5), "horizon 5: the history already takes 6 pulls; the horizon includes them"),
    (lambda: longrun.recommend([], arms=2, horizon=5, noise=True), "^noise True: must be a noise, a standard deviation, or None"),
    (lambda: longrun.recommend([], arms=2, horizon=5, noise=0.1, scale=(0, 10)), "^noise 0.1: a number is accepted on the scale 0 to 1 only"),
    (lambda: longrun.recommend([], arms=2, horizon=5, policy=3), "policy 3: must be a string"),
    (lambda: longrun.env.RestedBandit(5), "curves 5: must be"),
]


@pytest.mark.parametrize("mistake, message", MISTAKES, ids=[message for _, message in MISTAKES])
def test_it_raises_a_value_error_of_one_line(mistake, message):
    with pytest.raises(ValueError, match=message) as caught:
        mistake()
    assert "\n" not in str(caught.value)


def test_an_invalid_policy_is_reported_before_the_others_play(monkeypatch):
    monkeypatch.setattr(longrun._core, "simulate", lambda *arguments: pytest.fail("too late"))
    with pytest.raises(longrun.PolicyError, match="ZeroDivisionError: division by zero .bandit inc_dec_3, horizon 10, seed 1, step 0.") as caught:
        simulate(["spo", lambda setting: 1 / 0])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_an_environment_must_be_reset_first():
    env = longrun.env.RestedBandit("inc_1", horizon=5)
    with pytest.raises(Exception, match="call reset.. before the first step"):
        env.step(0)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="action 1.7: must be a whole number"):
        env.step(1.7)


def test_whole_floats_arrays_data_frames_and_names_are_accepted():
    constraints = longrun.Constraints(units_per_round=5.0, costs=np.array([1.0, 2.0]), minimum_pulls={0: 2.0}, minimum_share={})
    assert longrun.optimum(BANDIT, 100.0, constraints=constraints).pulls @ [1, 2] <= 100
    assert simulate([Own, "spo"], constraints=longrun.Constraints())["policy"].tolist() == ["Own", "spo"]

    frame = pandas.DataFrame({"arm": ["tea", "coffee"], "reward": [0.2, 0.5]})
    answer = longrun.recommend(frame, arms=pandas.Index(["tea", "coffee"]), horizon=100, unavailable_now="coffee")
    assert answer == longrun.recommend([("tea", 0.2), ("coffee", 0.5)], arms=["tea", "coffee"], horizon=100, unavailable_now=["coffee"])
    assert answer.arm == "tea" and "What would change the choice: " in str(answer)


def test_a_data_frame_gives_the_same_bandit_as_its_csv_file(play, tmp_path):
    frame = pandas.DataFrame({"slow": np.linspace(0.1, 0.9, 50), "quick": np.linspace(0.6, 0.2, 50)})
    frame.to_csv(tmp_path / "curves.csv", index=False)
    run = play("--curves", tmp_path / "curves.csv", "--policy", "spo")
    bandit = longrun.Bandit(pandas.read_csv(tmp_path / "curves.csv"))
    assert bandit.arm_names == ["slow", "quick"] and bandit.horizon == 50
    records = longrun.simulate(bandit, "spo")
    assert records["pulls"][0].tolist() == run["pulls"] and records["earned"][0] == run["return"]


def test_a_bandit_is_immutable():
    for change in ("noise", "horizon", "name", "arms"):
        with pytest.raises(AttributeError):
            setattr(BANDIT, change, None)
