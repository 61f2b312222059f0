import functools
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import longrun

BANDIT = longrun.Bandit("inc_dec_3", longrun.Gaussian(0.05))


class Spo:
    """A policy of the catalog, used like one written in Python."""

    def __init__(self, setting):
        self.policy = longrun.policy(
            "spo", arms=setting.arms, horizon=setting.horizon, noise=setting.noise, half_width=setting.half_width,
            seed=setting.seed, root_seed=setting.root_seed,
        )  # fmt: skip
        self.ask, self.tell = self.policy.ask, self.policy.tell


class Coin:
    name = "coin"

    def __init__(self, setting, tail=0):
        self.chance = setting.rng()
        self.arms = setting.arms

    def ask(self):
        return int(self.chance.integers(self.arms))

    def tell(self, arm, reward):
        pass


def test_a_policy_in_python_observes_the_same_rewards_as_the_catalog():
    records = longrun.simulate(BANDIT, [Spo, "greedy", "spo", Coin], [60, 200], seeds=3)
    assert list(dict.fromkeys(records["policy"])) == ["Spo", "greedy", "spo", "coin"], "in the order given"
    mine, theirs = records["policy"] == "Spo", records["policy"] == "spo"
    for column in ("horizon", "seed", "pulls", "earned", "optimum", "regret"):
        assert np.array_equal(records[column][mine], records[column][theirs]), column
    assert np.array_equal(records["pulls"].sum(axis=1), records["horizon"])


def test_numpy_numbers_are_accepted():
    class Numpy(Coin):
        name = "numpy"

        def ask(self):
            return np.int64(super().ask())

        def tell(self, arm, reward):
            assert isinstance(reward, float)

    plain = longrun.simulate(BANDIT, [Coin], [100, 1000], seeds=[2])
    other = longrun.simulate(BANDIT, [Numpy], np.array([1e2, 1e3]), seeds=np.array([2]), root_seed=np.uint64(0), threads=np.int32(1))
    assert np.array_equal(plain["pulls"], other["pulls"])
    assert np.array_equal(longrun.simulate("inc_dec_3", ["spo"], 100)["horizon"], [100])


@pytest.mark.parametrize("noise", [longrun.NoNoise(), longrun.StudentT(0.1)])
def test_results_do_not_depend_on_the_number_of_threads(noise):
    bandit = longrun.Bandit("recommender_A", noise)
    one, four = (longrun.simulate(bandit, ["spo", "exp3", "ucb"], [40, 150], seeds=7, threads=t) for t in (1, 4))
    assert all(np.array_equal(one[name], four[name]) for name in one)


def test_records_are_tidy():
    records = longrun.simulate(BANDIT, ["spo", "greedy"], [20, 10], seeds=[5, 2])
    assert list(records) == ["bandit", "noise", "policy", "horizon", "seed", "earned", "optimum", "regret", "pulls_0", "pulls_1"]
    assert records["policy"].tolist() == ["spo"] * 4 + ["greedy"] * 4
    assert records["horizon"].tolist() == [10, 10, 20, 20] * 2
    assert records["seed"].tolist() == [5, 2] * 4
    frame = records.to_pandas()
    assert len(frame) == 8
    assert list(frame.columns[-2:]) == ["pulls_0", "pulls_1"]


@pytest.mark.parametrize(
    "mistake, message",
    [
        (lambda: longrun.simulate(BANDIT, ["spoo"], [10]), "unknown policy 'spoo'"),
        (lambda: longrun.simulate(BANDIT, ["spo", "spo"], [10]), "^policies: two are called .spo.; give labels, "),
        (lambda: longrun.simulate(BANDIT, ["spo"], [10], seeds=[-1]), "seeds -1: must be a whole number"),
        (lambda: longrun.simulate(BANDIT, ["spo"], [10], root_seed=2**64), "below 2.64"),
        (lambda: longrun.simulate(BANDIT, [], [10]), "nothing to simulate; give"),
        (lambda: longrun.simulate(BANDIT, ["spo"], [10], seeds=0), "nothing to simulate; give"),
        (lambda: longrun.simulate(longrun.Bandit([[0.5, 0.6]]), ["spo"], [3]), "too few for horizon 3"),
        (lambda: longrun.simulate(BANDIT, ["spo"], [10], half_width="x"), "x"),
        (lambda: longrun.simulate(BANDIT, ["spo"], [0]), "^horizons 0: must be a whole number from 1$"),
        (lambda: longrun.simulate(BANDIT, ["spo"], [10.5]), "horizons 10.5: must be a whole number"),
        (lambda: longrun.simulate(BANDIT, ["spo"], ["ten"]), "horizons 'ten': must be a whole number"),
        (lambda: longrun.simulate(BANDIT, ["spo"], [10], seeds=1.5), "seeds 1.5: must be a whole number"),
        (lambda: longrun.simulate(BANDIT, ["spo"], [10], threads=-1), "threads -1"),
        (lambda: longrun.simulate(3, ["spo"], [10]), "bandit 3: must be a Bandit, curves that Bandit"),
        (lambda: longrun.simulate(lambda seed: "inc_1", ["spo"], [10]), "the function returned 'inc_1'; it must return a Bandit"),
        (lambda: longrun.simulate(BANDIT, [Coin], [10], constraints=longrun.Constraints(minimum_pulls=2)), "coin: under constraints, ask.. must have an argument"),
        (lambda: longrun.simulate(BANDIT, [lambda setting: Wrong()], [10]), "arm 9 is not one of 0..1"),
    ],
)
def test_invalid_arguments_raise_value_errors(mistake, message):
    with pytest.raises(ValueError, match=message):
        mistake()


class Wrong:
    def ask(self):
        return 9

    def tell(self, arm, reward):
        pass


def test_other_python_threads_run_during_a_simulation():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(time.perf_counter())

    ticking = threading.Thread(target=tick)
    ticking.start()
    begin = time.perf_counter()
    longrun.simulate(BANDIT, ["spo"], [20_000], seeds=60, threads=1)
    end = time.perf_counter()
    done.set()
    ticking.join()
    assert sum(begin < t < end for t in ticks) >= 3


def test_progress_is_reported():
    told = []
    units = [(0, seed) for seed in range(200)]
    longrun._core.simulate([BANDIT._core], units, ["foresight"], [20_000], longrun._constraints.UNCONSTRAINED, "", 0, 1, 0, [], told.append)
    assert told == sorted(told) and len(told) > 0 and told[-1] <= 20_000 * 200


def test_a_progress_bar_is_shown_if_asked_for(capsys):
    longrun.simulate(BANDIT, ["spo", Coin], [100], seeds=2, progress=True)
    assert "100%" in capsys.readouterr().err
    longrun.simulate(BANDIT, ["spo", Coin], [100], seeds=2)
    assert capsys.readouterr().err == "", "not for short work"


def test_a_long_run_in_python_shows_its_progress(capsys):
    longrun.simulate(BANDIT, [Coin], [200_000], progress=True)
    assert len(set(re.findall(r"(\d+)%", capsys.readouterr().err))) > 2


def test_records_name_policies_by_attribute_or_class():
    class Named(Coin):
        name = property(lambda self: "not for classes")

    ten = functools.partial(Named, tail=10)
    ten.name = "ten"
    records = longrun.simulate(BANDIT, [functools.partial(Named, tail=5), ten], [10])
    assert records["policy"].tolist() == ["Named", "ten"]


def test_it_works_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert longrun.simulate(BANDIT, [Coin], [10])["horizon"].tolist() == [10]
    with pytest.raises(ImportError):
        longrun.simulate(BANDIT, ["spo"], [10], progress=True)


INTERRUPTED = """
import longrun, numpy
bandit = longrun.Bandit("inc_dec_3", longrun.Gaussian(0.05))
class Python:
    def __init__(self, setting): pass
    def ask(self): return 0
    def tell(self, arm, reward): pass
zigzag = numpy.random.default_rng(1).random((5, 100_000))
print("go", flush=True)
try:
    {}
    print("not interrupted", flush=True)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize(
    "work",
    [
        "longrun.simulate(bandit, ['spo', 'foresight'], [5000], seeds=1_000_000)",
        "longrun.simulate(bandit, ['fewa'], [10_000_000])",
        "longrun.simulate(bandit, [Python], [10_000_000])",
        "longrun.simulate(longrun.Bandit(zigzag), ['spo'])",
        "longrun.optimum(zigzag)",
        "longrun.optimum('inc_1_alpha_1', 3 * 10**9)",
        "longrun.optimum('random_falling', 10**9)",
        "bandit.world(10**8)",
        "longrun.Bandit('random_peaked_1').rewards(5 * 10**7)",
        "longrun.recommend([], arms=3 * 10**6, horizon=10)",
        "longrun.plan([], arms=3, horizon=20_000, futures=100_000)",
        "longrun.backtest([(arm, 0.1 * arm + 0.03 * (step % 7)) for step in range(500) for arm in range(3)], arms=3, replicates=10**5)",
    ],
    ids=["many runs", "a long run", "a policy in Python", "the optimum of a simulation", "an optimum", "rising", "falling", "a world", "rewards", "a recommendation", "a plan", "a backtest"],
)
def test_ctrl_c_stops_the_computation(work):
    script = INTERRUPTED.format(work)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out == "stopped\n" and process.returncode == 0, err


LEFT = """
import longrun, sys, threading, time
bandit = longrun.Bandit("inc_dec_3", longrun.Gaussian(0.05))
threading.Thread(target=longrun.simulate, args=(bandit, ["spo"], [5000], 1_000_000), daemon=True).start()
time.sleep(0.3)
sys.exit(0)
"""


def test_a_program_may_end_while_a_daemon_simulates():
    done = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
