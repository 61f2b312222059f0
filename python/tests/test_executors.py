"""Any executor computes the same records to the last bit, and lost workers lose nothing."""

import concurrent.futures
import multiprocessing
import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

import longrun

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))  # workers import this file without conftest.py
from code_blocks import runnable  # noqa: E402

BANDITS = {"two": longrun.Bandit("inc_dec_3", 0.05), "four": longrun.Bandit("recommender_B", longrun.Bernoulli())}


class Alternates:
    """A policy of the user, at the top level of a module, where workers find it."""

    def __init__(self, setting):
        self.chance = setting.rng()
        self.arms = setting.arms

    def ask(self, among=None):
        return int(self.chance.integers(self.arms)) if among is None else int(self.chance.choice(among))

    def tell(self, arm, reward):
        pass


class Fails(Alternates):
    def __init__(self, setting):
        super().__init__(setting)
        self.setting, self.step = setting, 0

    def tell(self, arm, reward):
        self.step += 1
        if (self.setting.seed, self.setting.horizon, self.step) == (3, 40, 7):
            raise KeyError("late")


class Dies(Alternates):
    """Kills its worker in seed 2, as often as the file has bytes."""

    def __init__(self, setting):
        super().__init__(setting)
        path = pathlib.Path(os.environ["LONGRUN_TEST_DEATHS"])
        left = path.read_bytes()
        if setting.seed == 2 and left and multiprocessing.parent_process() is not None:
            path.write_bytes(left[1:])
            os._exit(1)


WORK = {"policies": {"spo": "spo", "exp3": "exp3", "own": Alternates}, "horizons": [40, 90], "seeds": [4, 1, 3, 2], "root_seed": 5}


def work(executor=None, **changes):
    return longrun.simulate(BANDITS, executor=executor, **{**WORK, **changes})


def same(one, other):
    assert list(one) == list(other)
    assert all(np.array_equal(one[name], other[name]) for name in one)
    if one.trajectories is not None:
        assert all(np.array_equal(one.trajectories[name], other.trajectories[name], equal_nan=name == "regret") for name in one.trajectories)


def processes(count=2):
    return concurrent.futures.ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("forkserver"))


@pytest.mark.parametrize("changes", [{}, {"every": 7}, {"constraints": longrun.Constraints(units_per_round=5, minimum_share=0.05)}], ids=["plain", "steps", "constraints"])
def test_processes_and_threads_compute_the_same_records(changes):
    expected = work(**changes)
    with processes() as executor:
        same(work(executor, **changes), expected)
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        same(work(executor, **changes), expected)


def test_a_pool_computes_the_same_records():
    with multiprocessing.get_context("forkserver").Pool(2) as pool:
        same(work(pool, every=10), work(every=10))
        with pytest.raises(longrun.PolicyError, match="policy Fails: KeyError: 'late' .*horizon 40, seed 3, step 7"):
            work(pool, policies=[Fails], seeds=4)


def test_dask_computes_the_same_records():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        with client.get_executor() as executor:
            same(work(executor, every=10), work(every=10))


def test_loky_computes_the_same_records_with_a_policy_of_a_notebook():
    loky = pytest.importorskip("loky")

    class Local(Alternates):  # pickle cannot send it, loky can
        pass

    local = {"policies": ["spo", Local]}
    same(work(loky.get_reusable_executor(2), **local), work(**local))


def test_submitit_computes_the_same_records(tmp_path):
    submitit = pytest.importorskip("submitit")
    executor = submitit.AutoExecutor(folder=tmp_path, cluster="local")
    executor.update_parameters(timeout_min=5)
    few = {"policies": ["spo"], "seeds": 1}
    same(work(executor, **few), work(**few))


MPI = """
import os, pickle
from mpi4py.futures import MPIPoolExecutor
from test_executors import work
if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        records = work(executor, every=10)
        workers = executor.num_workers
    with open(os.environ["LONGRUN_TEST_OUTPUT"], "wb") as file:
        pickle.dump((workers, records), file)
"""


def test_mpi_with_two_ranks_computes_the_same_records(tmp_path):
    if shutil.which("mpirun") is None:
        pytest.fail("mpirun is missing; ./dev install installs openmpi-bin")
    script, output = tmp_path / "work.py", tmp_path / "records.pickle"
    script.write_text(MPI)
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, "-m", "mpi4py.futures"]
    folder = str(pathlib.Path(__file__).parent)
    environment = {**os.environ, "PYTHONPATH": folder, "LONGRUN_TEST_OUTPUT": str(output)}
    done = subprocess.run([*command, str(script)], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    workers, records = pickle.loads(output.read_bytes())
    assert workers == 1, "the other rank hands out the work"
    same(records, work(every=10))


@pytest.mark.parametrize("deaths", [1, 2])
def test_units_of_a_lost_worker_are_computed_again(deaths, tmp_path, monkeypatch):
    path = tmp_path / "deaths"
    path.write_bytes(b"")
    monkeypatch.setenv("LONGRUN_TEST_DEATHS", str(path))
    policies = {"policies": ["spo", Dies]}
    expected = work(**policies)
    path.write_bytes(b"x" * deaths)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        same(work(executor, **policies), expected)
    assert path.read_bytes() == b"", "the workers were lost"


def test_a_unit_that_always_kills_its_worker_is_an_error_with_the_finished_records(tmp_path, monkeypatch):
    path = tmp_path / "deaths"
    path.write_bytes(b"x" * 100)
    monkeypatch.setenv("LONGRUN_TEST_DEATHS", str(path))
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        with pytest.raises(longrun.LostWorkerError, match="executor: the worker of bandit inc_dec_3, seed 2 was lost 3 times") as caught:
            longrun.simulate(BANDITS["two"], ["spo", Dies], 40, seeds=[1, 3, 2], executor=executor)
    assert set(caught.value.records["seed"].tolist()) <= {1, 3}


def test_an_error_of_a_policy_comes_back_with_the_finished_records():
    with processes() as executor, pytest.raises(longrun.PolicyError) as caught:
        work(executor, policies=["spo", Alternates, Fails], seeds=4)
    error = caught.value
    assert str(error) in {f"policy Fails: KeyError: 'late' (bandit {bandit.name}, horizon 40, seed 3, step 7)" for bandit in BANDITS.values()}
    assert "raise KeyError" in error.details
    expected = work(policies=["spo", Alternates], seeds=4)
    theirs = list(zip(*(expected[name].tolist() for name in ("bandit", "policy", "horizon", "seed", "regret"))))
    finished = list(zip(*(error.records[name].tolist() for name in ("bandit", "policy", "horizon", "seed", "regret"))))
    assert finished and [row for row in finished if row[1] != "Fails" and row not in theirs] == []


def test_ctrl_c_cancels_the_tasks_that_have_not_begun():
    cancelled = []

    class Interrupted:
        def submit(self, function, task):
            return self

        def result(self):
            raise KeyboardInterrupt

        def done(self):
            return False

        def cancel(self):
            cancelled.append(1)

    with pytest.raises(KeyboardInterrupt):
        work(Interrupted())
    assert len(cancelled) == 8, "4 seeds of 2 bandits"


def test_an_invalid_argument_is_reported_before_the_executor_is_used():
    class Never:
        def submit(self, *arguments):
            pytest.fail("too late")

    with pytest.raises(ValueError, match="unknown policy 'spoo'"):
        work(Never(), policies=["spoo"])


def test_a_policy_that_cannot_be_sent_is_named_as_the_reason():
    with processes() as executor, pytest.raises(ValueError, match="executor: cannot send the policies .*; define policies at the top level of a module"):
        work(executor, policies=[lambda setting: Alternates(setting)])


FIRST, *OTHERS = [block.code for block in runnable("docs/clusters.md", "python")]
HEAD = FIRST[: FIRST.index("if __name__")]


@pytest.mark.parametrize("end", [FIRST.removeprefix(HEAD), *OTHERS], ids=["processes", "dask", "mpi", "loky", "submitit"])
def test_the_lines_of_the_page_about_clusters_run(end, tmp_path):
    script = HEAD + end
    assert script.count("print(records)") == 1
    (tmp_path / "study.py").write_text(script)
    command = [sys.executable, "study.py"]
    if "mpi4py" in end:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, "-m", "mpi4py.futures", "study.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "<longrun.Records: 96 runs of 2 bandits, 3 policies, 2 horizons, 8 seeds>\n"


SESSION = """
import concurrent.futures, functools, multiprocessing, longrun

class Mine:
    def __init__(self, setting, arm=0): self.arm = arm
    def ask(self): return self.arm
    def tell(self, arm, reward): pass

for method in ("spawn", "forkserver"):
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        for policy in (Mine, functools.partial(Mine, arm=1)):
            try:
                longrun.simulate("inc_1", ["greedy", policy], 20, executor=pool)
            except ValueError as error:
                print(error)
        print(longrun.simulate("inc_1", "greedy", 20, executor=pool).runs)
"""


def test_a_policy_of_an_interactive_session_is_not_sent_to_new_processes():
    done = subprocess.run([sys.executable, "-c", SESSION], capture_output=True, text=True, timeout=300, check=True)
    message = (
        "executor: cannot send the policies ('Mine' is of an interactive session, which new processes cannot import); "
        "define policies at the top level of a module, or use loky"
    )
    assert done.stdout.splitlines() == [message, message, "1"] * 2
