"""Ask for a decision and tell its outcome: longrun's service beside Optuna, each with SQLite and PostgreSQL.

usage: ask_tell.py PROGRAM [--quick]

Answers are checked before times are printed. README.md says what the numbers mean.
"""

import argparse
import contextlib
import http.client
import json
import math
import multiprocessing
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
import uuid

import optuna
import sqlalchemy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
from postgres_cluster import PostgresCluster  # noqa: E402
from service_process import Server, check_log  # noqa: E402

ARMS = ["farms", "shops", "homes", "schools"]
MEANS = {"farms": 0.3, "shops": 0.5, "homes": 0.6, "schools": 0.4}
STUDY = "peers"
LEVELS = (100, 1000, 3000)  # trials before the measured ones
CLIENTS = 8
OPTUNA_SPACE = {"arm": optuna.distributions.CategoricalDistribution(ARMS)}


def outcome(arm, chance):
    return min(1.0, max(0.0, chance.gauss(MEANS[arm], 0.1)))


class LongrunClient:
    """A client of the service, with one connection that stays open."""

    def __init__(self, place, worker):
        self._connection = http.client.HTTPConnection("127.0.0.1", place)

    def request(self, method, path, body=None):
        headers = {"content-type": "application/json", "idempotency-key": str(uuid.uuid4())}
        self._connection.request(method, f"/v1/studies{path}", None if body is None else json.dumps(body), headers)
        response = self._connection.getresponse()
        answer = response.read()
        if response.status not in (200, 201):
            raise RuntimeError(answer.decode())
        return answer

    def begin(self):
        self._connection.close()  # the server closes connections that were idle for a minute

    def ask(self):
        decision = json.loads(self.request("POST", f"/{STUDY}/decisions", {}))["decisions"][0]
        return decision["id"], decision["arm"]

    def tell(self, number, reward):
        self.request("PUT", f"/{STUDY}/decisions/{number}/outcome", {"reward": reward})


class OptunaClient:
    """A process that uses Optuna's storage."""

    def __init__(self, place, worker):
        url, sampler = place
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        wait = {"connect_args": {"timeout": 60}} if url.startswith("sqlite") else {}  # as Optuna advises for several processes
        storage = optuna.storages.RDBStorage(url, engine_kwargs=wait)
        self.study = optuna.create_study(
            storage=storage,
            sampler=getattr(optuna.samplers, sampler)(seed=worker),
            study_name=sampler,
            direction="maximize",
            load_if_exists=True,
        )
        self._trials = {}

    def begin(self):
        self.study.get_trials(deepcopy=False)  # so that it knows the trials that other processes added

    def ask(self):
        trial = self.study.ask(OPTUNA_SPACE)
        self._trials[trial.number] = trial
        return trial.number, trial.params["arm"]

    def tell(self, number, reward):
        self.study.tell(self._trials.pop(number), reward)


class Longrun:
    """`longrun serve` with a study."""

    client_type = LongrunClient

    def __init__(self, program, *arguments):
        self._server = Server(program, *arguments)
        self.place = self._server.port
        study = {"name": STUDY, "arms": ARMS, "budget": 1_000_000, "noise": "gaussian:0.1"}
        LongrunClient(self.place, 0).request("POST", "", study)

    def fill(self, count, chance):
        client = LongrunClient(self.place, 0)
        decided = json.loads(client.request("POST", f"/{STUDY}/decisions", {"count": count}))["decisions"]
        outcomes = [{"decision": each["id"], "reward": outcome(each["arm"], chance)} for each in decided]
        client.request("POST", f"/{STUDY}/outcomes", {"outcomes": outcomes})

    def recorded(self):
        """Return the arm and the outcome of each decision, after a check that nothing is missing or a duplicate."""
        log = LongrunClient(self.place, 0).request("GET", f"/{STUDY}/export").decode()
        check_log(log, [])
        entries = [json.loads(line) for line in log.splitlines()]
        arms = {each["id"]: each["arm"] for entry in entries for each in entry.get("decisions", [])}
        return {entry["decision"]: (arms[entry["decision"]], entry["reward"]) for entry in entries if entry["event"] == "settled"}

    def close(self):
        self._server.stop()


def do_not_wait_for_the_disk(connection, _):
    """Makes a connection fast, for trials that are added and not measured."""
    is_sqlite = type(connection).__module__.startswith("sqlite3")
    connection.cursor().execute("PRAGMA synchronous = OFF" if is_sqlite else "SET synchronous_commit = off")
    connection.commit()


class Optuna:
    """A study in a storage of Optuna."""

    client_type = OptunaClient

    def __init__(self, url, sampler):
        self.place = (url, sampler)

    def fill(self, count, chance):
        arms = [chance.choice(ARMS) for _ in range(count)]
        trials = [
            optuna.trial.create_trial(params={"arm": arm}, distributions=OPTUNA_SPACE, value=outcome(arm, chance)) for arm in arms
        ]
        sqlalchemy.event.listen(sqlalchemy.Engine, "connect", do_not_wait_for_the_disk)
        OptunaClient(self.place, 0).study.add_trials(trials)
        sqlalchemy.event.remove(sqlalchemy.Engine, "connect", do_not_wait_for_the_disk)

    def recorded(self):
        trials = OptunaClient(self.place, 0).study.get_trials(deepcopy=False)
        assert [trial.number for trial in trials] == list(range(len(trials))), "trial numbers have gaps"
        assert all(trial.state == optuna.trial.TrialState.COMPLETE for trial in trials), "a trial is not complete"
        return {trial.number: (trial.params["arm"], trial.value) for trial in trials}

    def close(self):
        pass


def ask_and_tell(client, count, chance):
    """Return the seconds of each pair of ask and tell, and what was asked and told."""
    seconds, told = [], []
    client.begin()
    for _ in range(count):
        begin = time.perf_counter()
        number, arm = client.ask()
        reward = outcome(arm, chance)
        client.tell(number, reward)
        seconds.append(time.perf_counter() - begin)
        told.append((number, arm, reward))
    return seconds, told


def work(client_type, place, worker, count, barrier, results):
    """Is one of several processes: waits for the others, then asks and tells."""
    told, seconds, problem = [], [], ""
    chance = random.Random(worker)
    client = client_type(place, worker)
    client.begin()
    barrier.wait()
    begin = time.perf_counter()
    try:
        seconds, told = ask_and_tell(client, count, chance)
    except Exception as error:  # noqa: BLE001 - a lock of the storage, for example
        problem = f"{type(error).__name__}: {error}".splitlines()[0]
    results.put((begin, time.perf_counter(), seconds, told, problem))


def together(system, count):
    """Runs several processes on one study. Returns seconds for all, seconds of each pair, what was told, and problems."""
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(CLIENTS), context.Queue()
    workers = [
        context.Process(target=work, args=(system.client_type, system.place, 1 + i, count, barrier, results)) for i in range(CLIENTS)
    ]
    for worker in workers:
        worker.start()
    parts = [results.get(timeout=600) for _ in workers]
    for worker in workers:
        worker.join()
    whole = max(part[1] for part in parts) - min(part[0] for part in parts)
    return whole, sum((part[2] for part in parts), []), sum((part[3] for part in parts), []), [part[4] for part in parts if part[4]]


def check(name, system, told, count):
    """Checks that every decision is recorded once, with the outcome that was told."""
    recorded = system.recorded()
    numbers = [number for number, _, _ in told]
    assert len(set(numbers)) == len(numbers), f"{name}: two clients got the same decision"
    assert all(recorded[number] == (arm, reward) for number, arm, reward in told), f"{name}: another outcome is recorded"
    assert len(recorded) == count, f"{name}: {len(recorded)} decisions are recorded, not {count}"


def numbers(seconds, whole):
    """Returns decisions per second, the median and the 99th percentile in milliseconds."""
    slow = sorted(seconds)[math.ceil(0.99 * len(seconds)) - 1]
    return len(seconds) / whole, 1000 * statistics.median(seconds), 1000 * slow


def shown(rate, median, slow):
    return f"{rate:.0f}/s, {median:.1f} ms, {slow:.1f} ms"


def measure_one_client(systems, pairs, rounds, told):
    """Returns the numbers of each system at each level. Systems take turns, so that a busy machine is busy for all of them."""
    chance = random.Random(1)
    counts = dict.fromkeys(systems, 0)
    clients = {name: system.client_type(system.place, 0) for name, system in systems.items()}
    results = {name: [] for name in systems}
    for level in LEVELS:
        seconds = {name: [] for name in systems}
        for name, system in systems.items():
            system.fill(level - counts[name], chance)
            counts[name] = level
        for _ in range(rounds):
            for name, client in clients.items():
                times, told_now = ask_and_tell(client, pairs // rounds, chance)
                seconds[name] += times
                told[name] += told_now
                counts[name] += len(times)
        for name, times in seconds.items():
            check(name, systems[name], told[name], counts[name])
            results[name].append(numbers(times, sum(times)))
    return results, counts


def measure_processes(systems, pairs, told, counts):
    """Returns the numbers of each system with several processes, and the result of the checks."""
    results = {}
    for name, system in systems.items():
        whole, seconds, more, problems = together(system, pairs // 4)
        if not problems:
            check(name, system, told[name] + more, counts[name] + len(more))
        results[name] = (*numbers(seconds, whole), f"{len(problems)} processes failed: {problems[0]}" if problems else "passed")
    return results


def print_tables(one, several):
    levels = [f"after {level:,}" for level in LEVELS]
    print("| one client | " + " | ".join(levels) + " |\n|---|" + "---|" * len(levels))
    for name, cells in one.items():
        print(f"| {name} | " + " | ".join(shown(*cell) for cell in cells) + " |")
    print(f"\n| {CLIENTS} processes | {levels[-1]} | checks |\n|---|---|---|")
    for name, (*cell, checks) in several.items():
        print(f"| {name} | {shown(*cell)} | {checks} |")
    print("\n| decisions per second, longrun : Optuna | " + " | ".join(levels) + f" | {CLIENTS} processes |")
    print("|---|" + "---|" * (len(levels) + 1))
    for name in one:
        if name.startswith("longrun"):
            continue
        ours = "longrun, " + name.split(", ")[1]
        ratios = [own[0] / other[0] for own, other in zip([*one[ours], several[ours]], [*one[name], several[name]])]
        print(f"| {name} | " + " | ".join(f"{ratio:.0f}" for ratio in ratios) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the longrun program")
    parser.add_argument("--quick", action="store_true", help="fewer decisions: times are rough")
    options = parser.parse_args()
    pairs, rounds = (20, 2) if options.quick else (100, 4)
    with tempfile.TemporaryDirectory(prefix="longrun-peers-") as folder, PostgresCluster() as postgres, contextlib.ExitStack() as ending:
        url = postgres.url.replace("postgresql://", "postgresql+psycopg2://")
        systems = {
            "longrun, SQLite": Longrun(options.program, "--data", folder + "/longrun"),
            "Optuna TPE, SQLite": Optuna(f"sqlite:///{folder}/tpe.sqlite", "TPESampler"),
            "Optuna random, SQLite": Optuna(f"sqlite:///{folder}/random.sqlite", "RandomSampler"),
            "longrun, PostgreSQL": Longrun(options.program, "--database", postgres.url, "--tokens", folder + "/tokens"),
            "Optuna TPE, PostgreSQL": Optuna(url, "TPESampler"),
            "Optuna random, PostgreSQL": Optuna(url, "RandomSampler"),
        }
        for system in systems.values():
            ending.callback(system.close)
        version = subprocess.run([options.program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
        before = os.getloadavg()[0]
        told = {name: [] for name in systems}
        one, counts = measure_one_client(systems, pairs, rounds, told)
        several = measure_processes(systems, pairs, told, counts)
        print(f"{version}; Optuna {optuna.__version__}, SQLAlchemy {sqlalchemy.__version__}, Python {platform.python_version()}")
        print(f"{os.cpu_count()} cores; {before:.1f} processes wanted to run before, {os.getloadavg()[0]:.1f} after (load average)")
        print(f"each cell: decisions per second, median and 99th percentile of {pairs} decisions ({CLIENTS * (pairs // 4)} of processes)\n")
        print_tables(one, several)


if __name__ == "__main__":
    main()
