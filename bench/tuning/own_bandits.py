#!/usr/bin/env python3
"""Scores policies on learning curves and S-shaped arms that no family of the arena has.

usage: bench/tuning/own_bandits.py POLICY... [--longrun PROGRAM] [--threads N]

Prints G and M of each policy, as the arena defines them, for 12 bandits whose arms rise by power laws (T = 50, 150 and
500) and 8 bandits with logistic and Gompertz curves (T = 1000, 3000 and 10000). The rules of foresight for short
horizons were found with them.
"""

import argparse
import collections
import csv
import json
import math
import random
import subprocess
import tempfile
from pathlib import Path

SMALL = 2e-4  # added to regrets per step before their ratio, as in the arena


def learning_curves(source):
    best = source.uniform(0.6, 0.98)
    chance = source.choice([0.1, 0.2, 0.33, 0.5])
    for _ in range(source.choice([4, 6, 8, 10])):
        top = max(best - abs(source.gauss(0, 0.12)), chance + 0.05)
        start = chance + source.random() ** 1.5 * (top - chance) * 0.95
        if source.random() < 0.7:
            yield {"formula": "saturating_power", "ceiling": top, "drop": top - start, "exponent": source.uniform(0.3, 1.6)}
        else:
            rise = {"peak": source.choice([30, 60, 120, 250, 500]), "rise": source.uniform(0.3, 0.9), "fall": 100}
            yield {"formula": "hill", "start": start, "top": top, "end": top, **rise}


def s_shaped_curves(source):
    for _ in range(source.choice([2, 3, 5, 8])):
        if source.random() < 0.25:
            yield {"formula": "constant", "level": source.uniform(0.1, 0.7)}
            continue
        top = source.uniform(0.2, 0.95)
        middle = int(10 ** source.uniform(1.5, 3.5))
        width = max(2, int(middle * source.uniform(0.1, 0.3)))
        start = top * source.uniform(0, 0.6)
        yield {"formula": source.choice(["logistic", "gompertz"]), "start": start, "top": top, "middle": middle, "width": width}


FAMILIES = {
    "learning": (learning_curves, 12, [50, 150, 500]),
    "s_shaped": (s_shaped_curves, 8, [1000, 3000, 10000]),
}


def experiment(name, policies):
    """Returns the experiment file of a family."""
    curves, bandits, horizons = FAMILIES[name]
    source = random.Random(f"{name} 77")
    lines = [
        f'title = "{name}"',
        'noise = ["gaussian:0.01", "gaussian:0.05", "gaussian:0.1"]',
        f"policies = {json.dumps(['spo', *policies])}",
        f"horizons = {horizons}",
        "seeds = 12",
    ]
    for bandit in range(bandits):
        arms = [", ".join(f"{key} = {json.dumps(value)}" for key, value in arm.items()) for arm in curves(source)]
        lines += ["[[bandit]]", f'name = "{name}_{bandit}"', "arms = [", *(f"  {{{arm}}}," for arm in arms), "]"]
    return "\n".join(lines) + "\n"


def mean_regrets(program, name, text, threads):
    """Runs an experiment; returns its mean regret per step by policy and cell: experiment, bandit, noise and horizon."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.toml"
        file.write_text(text, encoding="utf-8")
        run = [program, "run", str(file), "--out", f"{folder}/out", "--quiet"]
        subprocess.run(run + (["--threads", str(threads)] if threads else []), check=True, stdout=subprocess.DEVNULL)
        table = subprocess.run([program, "export", f"{folder}/out", "--csv"], check=True, capture_output=True, text=True).stdout
    regrets = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in csv.DictReader(table.splitlines()):
        cell = (row["experiment"], row["bandit"], row["noise"], row["horizon"])
        policy = row["policy"] + (":" + row["parameters"] if row["parameters"] else "")
        regrets[policy][cell].append(float(row["regret"]) / int(row["horizon"]))
    return {policy: {cell: sum(all) / len(all) for cell, all in cells.items()} for policy, cells in regrets.items()}


def scores(means, policy, cells):
    """Returns G and M of a policy over some cells, as the arena defines them."""
    spo = means["spo"]
    logs = [math.log((means[policy][cell] + SMALL) / (spo[cell] + SMALL)) for cell in cells]
    return math.exp(sum(logs) / len(logs)), sum(means[policy][cell] for cell in cells) / sum(spo[cell] for cell in cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policies", nargs="+", metavar="POLICY")
    parser.add_argument("--longrun", default="build/release/longrun", help="the program")
    parser.add_argument("--threads", type=int, help="number of threads; all cores by default")
    options = parser.parse_args()
    for name in FAMILIES:
        means = mean_regrets(options.longrun, name, experiment(name, options.policies), options.threads)
        rows = [(*scores(means, policy, list(means["spo"])), policy) for policy in means]
        for g, m, policy in sorted(rows, key=lambda row: row[1]):
            print(f"{name:<9} {g:.3f} {m:.3f}  {policy}")


if __name__ == "__main__":
    main()
