"""Time of the package compared with the command line on the same work.

Run build/venv/bin/python python/bench/costs.py after ./dev python.
"""

import json
import pathlib
import resource
import subprocess
import tempfile
import time

import longrun

BINARY = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "longrun"
WORK = {"policies": ["spo", "greedy", "d-ucb", "sw-ucb", "ucb", "exp3"], "horizons": [1000, 5000, 20000], "seeds": 200}
REPEATS = 7


def user_time(who, act):
    begin = resource.getrusage(who).ru_utime
    act()
    return resource.getrusage(who).ru_utime - begin


def command_line(exported=False):
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "work.toml"
        lines = {"bandits": ["recommender_B"], "noise": ["gaussian:0.05"], **WORK}
        config.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items()))
        subprocess.run([BINARY, "run", config, "--threads", "1", "--out", folder + "/out"], check=True, capture_output=True)
        if exported:
            rows = subprocess.check_output([BINARY, "export", folder + "/out", "--jsonl"], text=True).splitlines()
            return [json.loads(row) for row in rows]


def simulate():
    return longrun.simulate(longrun.Bandit("recommender_B", longrun.Gaussian(0.05)), **WORK, threads=1, progress=False)


def check_equal_results():
    columns = ("policy", "horizon", "seed", "regret")
    theirs = sorted(tuple(row[column] for column in columns) for row in command_line(exported=True))
    records = simulate()
    assert theirs == sorted(zip(*(records[column].tolist() for column in columns)))


def ask_and_tell(name, steps=200_000):
    policy = longrun.policy(name, arms=4, horizon=steps, noise=longrun.Gaussian(0.05))
    world = longrun.Bandit("recommender_B", longrun.Gaussian(0.05)).world(steps)
    ask, tell, pull = policy.ask, policy.tell, world.pull
    begin = time.perf_counter()
    for _ in range(steps):
        arm = ask()
        tell(arm, pull(arm))
    return (time.perf_counter() - begin) / steps


def decide_and_observe(steps=200_000):
    """Return the seconds and bytes of memory of a decision with its outcome, and the bytes that the first repeated
    report adds for each of them."""
    study = longrun.Study(4, steps, noise=0.05)
    world = longrun.Bandit("recommender_B", longrun.Gaussian(0.05)).world(steps)
    resident, begin = resident_bytes(), time.process_time()
    for _ in range(steps):
        (decision,) = study.decide()
        reward = world.pull(decision.index)
        study.observe(decision, reward)
    seconds, decided = time.process_time() - begin, resident_bytes()
    study.observe(decision, reward)
    return seconds / steps, (decided - resident) / steps, (resident_bytes() - decided) / steps


def resident_bytes():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


check_equal_results()
both = [
    (user_time(resource.RUSAGE_CHILDREN, command_line), user_time(resource.RUSAGE_SELF, simulate)) for _ in range(REPEATS)
]
engine, package = (min(times) for times in zip(*both))
print(f"longrun run {engine:.3f} s, simulate() {package:.3f} s of user time, minimum of {REPEATS}: ratio {package / engine:.3f}")
for info in longrun.policies():
    if not info.needs_plan:
        print(f"ask + tell, loop and world included, {info.name}: {1e6 * ask_and_tell(info.name):.2f} microseconds")
seconds, memory, repeated = decide_and_observe()
print(f"Study: decide + observe, loop and world included: {1e6 * seconds:.2f} microseconds, {memory:.0f} bytes of memory")
print(f"Study: the first repeated report adds {repeated:.0f} bytes of memory for each outcome")
