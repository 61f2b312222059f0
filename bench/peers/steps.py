"""Compares longrun with other libraries: steps of UCB and EXP3, and the bound (*) as a linear program.

usage: steps.py [--quick] [--json FILE]    bench/peers/steps installs what it needs

Answers come first: UCB must make the same pulls in every library, EXP3 must earn the same within the error of the
simulation, and the bound must be the optimum that CBC finds. Then times: CPU time of one step, the smallest of several
rounds in which the libraries take turns. Exit code 1: an answer differs.
"""
import argparse
import contextlib
import io
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import longrun

SEED = 2021
EXPLORATION = 2  # of UCB: mean + sqrt(2 ln t / n), as in SMPyBandits, and in MABWiser with alpha = 1
GAMMA = 0.1  # of EXP3


def rewards_of(arms, horizon, seed):
    """Returns rewards[arm][pull]: constant means with noise, inside [0, 1]. All libraries get the same."""
    random = np.random.default_rng([SEED, seed])
    means = np.linspace(0.3, 0.7, arms)
    return np.clip(means[:, None] + random.normal(0, 0.1, (arms, horizon)), 0, 1).tolist()


# ---- the libraries: each returns functions choose() -> arm and learn(arm, reward)


def longrun_policy(text):
    def make(arms, horizon, seed):
        policy = longrun.policy(text, arms=arms, horizon=horizon, seed=seed)
        return policy.ask, policy.tell

    return make


def smpybandits_policy(make_policy):
    def make(arms, _horizon, seed):
        np.random.seed(seed)
        policy = make_policy(arms)
        policy.startGame()
        return policy.choice, policy.getReward

    return make


def mabwiser_ucb(MAB, LearningPolicy):
    def make(arms, _horizon, seed):
        policy = MAB(arms=list(range(arms)), learning_policy=LearningPolicy.UCB1(alpha=1), seed=seed)
        begun = []  # it chooses only after a first fit, for which each arm is pulled once

        def choose():
            return policy.predict() if len(begun) == arms else len(begun)

        def learn(arm, reward):
            if len(begun) == arms:
                policy.partial_fit([arm], [reward])
            else:
                begun.append(reward)
                if len(begun) == arms:
                    policy.fit(list(range(arms)), begun)

        return choose, learn

    return make


def libraries():
    """Returns the libraries that are installed: {policy: {library: make}}."""
    found = {
        "UCB": {"longrun": longrun_policy(f"ucb:exploration={EXPLORATION}")},
        "EXP3": {"longrun": longrun_policy(f"exp3:gamma={GAMMA}")},
    }
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # it prints about packages that it can do without
            from SMPyBandits.Policies import UCB, Exp3
        found["UCB"]["SMPyBandits"] = smpybandits_policy(UCB)
        found["EXP3"]["SMPyBandits"] = smpybandits_policy(lambda arms: Exp3(arms, gamma=GAMMA))
    except ImportError as error:
        print(f"skipped: SMPyBandits cannot be imported: {error}")
    try:
        from mabwiser.mab import MAB, LearningPolicy

        found["UCB"]["MABWiser"] = mabwiser_ucb(MAB, LearningPolicy)  # it has no EXP3
    except ImportError as error:
        print(f"skipped: MABWiser cannot be imported: {error}")
    return found


def ratio_text(ratio):
    """Returns a ratio with two significant digits: 0.52, 1.5, 77, 350."""
    digits = float(f"{ratio:.2g}")
    return f"{digits:,.0f}" if digits >= 10 else f"{digits:g}"


def play(make, rewards, horizon, seed):
    """Returns the pulls of each arm, the mean reward and the CPU seconds of one step."""
    arms = len(rewards)
    choose, learn = make(arms, horizon, seed)
    pulls = [0] * arms
    earned = 0.0
    began = time.process_time()
    for _ in range(horizon):
        arm = choose()
        reward = rewards[arm][pulls[arm]]
        pulls[arm] += 1
        earned += reward
        learn(arm, reward)
    seconds = (time.process_time() - began) / horizon
    return pulls, earned / horizon, seconds


def simulated_step(text, arms, horizon):
    """Returns the CPU seconds of one step if longrun plays the whole run, with Gaussian noise drawn."""
    bandit = longrun.Bandit([[mean] * horizon for mean in np.linspace(0.3, 0.7, arms)], longrun.Gaussian(0.1))
    seeds = 20
    began = time.process_time()
    longrun.simulate(bandit, [text], horizons=[horizon], seeds=seeds, threads=1)
    return (time.process_time() - began) / (seeds * horizon)


def same_pulls(found, arms, horizon):
    """Returns a sentence: UCB makes the same pulls in all libraries. Exits if it does not."""
    rewards = rewards_of(arms, horizon, seed=0)
    pulls = {name: [int(n) for n in play(make, rewards, horizon, 1)[0]] for name, make in found.items()}
    for name, counts in pulls.items():
        if counts != pulls["longrun"]:
            sys.exit(f"answers differ: UCB with {arms} arms pulls {pulls['longrun']} in longrun, {counts} in {name}")
    return f"UCB, {arms} arms, {horizon} steps: the same pulls in {', '.join(pulls)}"


def same_rewards(found, arms, horizon, runs):
    """Returns a sentence: EXP3 earns the same in all libraries, within four standard errors. Exits if it does not."""
    earned = {name: [] for name in found}
    for run in range(runs):
        rewards = rewards_of(arms, horizon, run)
        for name, make in found.items():
            earned[name].append(play(make, rewards, horizon, run + 1)[1])
    parts = []
    for name, values in earned.items():
        mean = statistics.fmean(values)
        error = statistics.stdev(values) / runs**0.5
        parts.append(f"{name} {mean:.4f} ± {error:.4f}")
        base = earned["longrun"]
        limit = 4 * (statistics.variance(values) / runs + statistics.variance(base) / runs) ** 0.5
        if abs(mean - statistics.fmean(base)) > limit:
            sys.exit(f"answers differ: EXP3 with {arms} arms earns {', '.join(parts)} per step")
    return f"EXP3, {arms} arms, {horizon} steps, {runs} runs: mean reward {', '.join(parts)}"


def times_of(found, arms, horizon, rounds):
    """Returns the smallest time of one step by library; the libraries take turns."""
    rewards = rewards_of(arms, horizon, seed=0)
    times = {name: float("inf") for name in found}
    for _ in range(rounds):
        for name, make in found.items():
            # A fast library makes as many steps as fit into the table of rewards; a slow one makes a tenth.
            steps = horizon if name == "longrun" else horizon // 10
            times[name] = min(times[name], play(make, rewards, steps, 1)[2])
    return times


# ---- the linear program


def cbc_path():
    """Returns the path of CBC, or None."""
    try:
        import pulp
    except ImportError as error:
        print(f"skipped: CBC: {error}")
        return None
    solver = pulp.PULP_CBC_CMD(msg=False)
    if not solver.available():
        print("skipped: CBC: PuLP has no binary of it for this machine")
        return None
    return solver.path


def bands_of(observed, horizon):
    """Returns bounds of the mean rewards of past pulls: a line with bounded noise, so that the future is open."""
    random = np.random.default_rng(SEED)
    seen = 0.1 + 0.5 * np.arange(1, observed + 1) / horizon + random.uniform(-0.05, 0.05, observed)
    return np.clip(seen - 0.05, 0, 1), np.clip(seen + 0.05, 0, 1)


def write_lp(path, lower, upper, horizon):
    """Writes the linear program of the released code: one variable per pull, rising ever more slowly."""
    observed = len(lower)
    with open(path, "w", encoding="ascii") as file:
        file.write("Maximize\n total: " + "\n + ".join(f"v{j}" for j in range(observed, horizon)) + "\nSubject To\n")
        file.writelines(f" m{j}: v{j + 1} - v{j} >= 0\n" for j in range(horizon - 1))
        file.writelines(f" c{j}: v{j} - 2 v{j - 1} + v{j - 2} <= 0\n" for j in range(2, horizon))
        file.write("Bounds\n")
        for j in range(horizon):
            low, high = (lower[j], upper[j]) if j < observed else (0, 1)
            file.write(f" {low:.17g} <= v{j} <= {high:.17g}\n")
        file.write("End\n")


def solved_by_cbc(path, lower, upper, horizon):
    """Returns the optimum that CBC finds, and its CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        problem, solution = Path(folder) / "problem.lp", Path(folder) / "solution.txt"
        write_lp(problem, lower, upper, horizon)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        # With CBC's usual tolerance of 1e-7, errors of thousands of constraints add up to 1e-4 of the bound.
        command = [path, str(problem), "primalTolerance", "1e-9", "solve", "solution", str(solution)]
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        first = solution.read_text(encoding="ascii").splitlines()[0]  # "Optimal - objective value 812.3"
        if not first.startswith("Optimal"):
            sys.exit(f"CBC found no optimum: {first}")
        value = abs(float(first.split()[-1]))
    return value, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bound_by_longrun(lower, upper, remaining):
    """Returns the bound and the CPU seconds of one computation from all observations."""
    repeats = 200
    began = time.process_time()
    for _ in range(repeats):
        bound = longrun.optimistic_future(lower, upper, remaining)
    return bound, (time.process_time() - began) / repeats


def compare_bounds(horizons):
    """Prints a row per horizon, and returns the rows."""
    path = cbc_path()
    rows = []
    if path is None:
        return rows
    print("\n| linear program (*), T/10 observations | T | CBC | longrun | ratio |\n|---|---|---|---|---|")
    for horizon in horizons:
        lower, upper = bands_of(horizon // 10, horizon)
        bound, ours = bound_by_longrun(lower, upper, horizon - len(lower))
        value, theirs = solved_by_cbc(path, lower, upper, horizon)
        if abs(bound - value) > 1e-8 * value:
            sys.exit(f"answers differ: the bound at T = {horizon} is {bound} in longrun, {value} in CBC")
        ratio = ratio_text(theirs / ours)
        print(f"| the same bound, {bound:.6g} | {horizon} | {theirs:.2f} s | {1e6 * ours:.1f} us | {ratio} |")
        rows.append({"horizon": horizon, "bound": bound, "cbc": theirs, "longrun": ours})
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="fewer steps: times are rough")
    parser.add_argument("--json", help="file for the times, in seconds")
    options = parser.parse_args()
    found = libraries()
    runs = 10 if options.quick else 40
    checked = [same_pulls(found["UCB"], arms, 3000) for arms in (2, 10)]
    checked += [same_rewards(found["EXP3"], arms, 1000, runs) for arms in (2, 10)]
    print("answers are the same:")
    for line in checked:
        print(f"- {line}")
    print("\n| step | arms | library | CPU time | ratio to longrun |\n|---|---|---|---|---|")
    steps = []
    for policy, text in (("UCB", f"ucb:exploration={EXPLORATION}"), ("EXP3", f"exp3:gamma={GAMMA}")):
        for arms in (2, 10):
            times = times_of(found[policy], arms, 20_000 if options.quick else 100_000, 3 if options.quick else 7)
            loop = min(simulated_step(text, arms, 20_000) for _ in range(3))
            for name, seconds in times.items():
                called = "longrun, ask and tell" if name == "longrun" else name
                ratio = seconds / times["longrun"]
                print(f"| {policy} | {arms} | {called} | {1e6 * seconds:.2f} us | {ratio_text(ratio)} |")
                steps.append({"policy": policy, "arms": arms, "library": name, "seconds": seconds})
            ratio = ratio_text(loop / times["longrun"])
            print(f"| {policy} | {arms} | longrun, `simulate`, noise drawn | {1e6 * loop:.3f} us | {ratio} |")
            steps.append({"policy": policy, "arms": arms, "library": "longrun simulate", "seconds": loop})
    bounds = compare_bounds([200, 1000] if options.quick else [1000, 5000, 20_000])
    peers = [row["seconds"] / own["seconds"] for row in steps for own in steps
             if own["library"] == "longrun" and not row["library"].startswith("longrun")
             and (own["policy"], own["arms"]) == (row["policy"], row["arms"])]
    if peers:
        print(f"\nfastest peer / longrun: {min(peers):.1f} (aim: at least 5)")
    if options.json:
        Path(options.json).write_text(json.dumps({"steps": steps, "bounds": bounds}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
