#!/usr/bin/env python3
"""Measures what it costs foresight to be told a wrong standard deviation of the noise.

usage: bench/tuning/wrong_sd.py [--longrun PROGRAM] [--instances N] [--horizon T]

Plays random bandits of the arena's kinds with recorded Gaussian noise of sd 0.1, and prints the mean regret per step by
what foresight is told of the noise. All runs meet the same noise.
"""

import argparse
import json
import random
import subprocess
import tempfile
from pathlib import Path

KINDS = ["peaked", "rising", "falling", "constant"]
SD = 0.1
FACTORS = [0.25, 0.5, 0.67, 1, 1.5, 2, 4]


def play(program, bandit, horizon, *options):
    command = [program, "play", "--bandit", bandit, "--horizon", str(horizon), "--json", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def write_noise(path, arms, horizon, source):
    rows = [",".join(f"{source.gauss(0, SD):.6f}" for _ in range(arms)) for _ in range(horizon)]
    path.write_text(",".join(f"a{arm}" for arm in range(arms)) + "\n" + "\n".join(rows) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--longrun", default="build/release/longrun", help="the program")
    parser.add_argument("--instances", type=int, default=20, help="bandits of each kind (default: 20)")
    parser.add_argument("--horizon", type=int, default=3000)
    options = parser.parse_args()
    told = {f"sd times {factor}": ("--noise", f"gaussian:{factor * SD:g}", "--policy", "foresight") for factor in FACTORS}
    told["estimated"] = ("--policy", "foresight:estimate_sd=1")
    regrets = {kind: dict.fromkeys(told, 0.0) for kind in KINDS}
    source = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        noise = Path(folder) / "noise.csv"
        for kind in KINDS:
            for instance in range(5001, 5001 + options.instances):
                bandit = f"random_{kind}_{instance}"
                arms = len(play(options.longrun, bandit, 1, "--policy", "greedy")["arm_names"])
                write_noise(noise, arms, options.horizon, source)
                for name, arguments in told.items():
                    run = play(options.longrun, bandit, options.horizon, "--noise-file", str(noise), *arguments)
                    regrets[kind][name] += run["per_step_regret"] / options.instances
    print(f"{'told':<14}" + "".join(f"{kind:>10}" for kind in KINDS))
    for name in told:
        print(f"{name:<14}" + "".join(f"{regrets[kind][name]:>10.4f}" for kind in KINDS))


if __name__ == "__main__":
    main()
