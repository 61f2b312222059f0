#!/usr/bin/env python3
"""Scores policies on the arena's families that tuning never saw, with more noise than they have in the arena.

usage: bench/tuning/held_out_noise.py POLICY... [--noise KIND,...] [--longrun PROGRAM] [--threads N] [--seeds N]

The bandits, horizons and seeds are those of experiments/arena.toml; the noise is Gaussian with sd 0.3, and Bernoulli
rewards, unless another is given. Prints for each noise G and M of each policy, as the arena defines them, over all families and by family, and
how many times the regret of the best policy foresight has where that is most.
"""

import argparse
import json
import math
import tomllib
from pathlib import Path

from own_bandits import mean_regrets, scores

ARENA = Path(__file__).parents[2] / "experiments" / "arena.toml"
SMALLEST = 0.005  # regret per step; ratios of smaller ones are not compared


def experiment(policies, noises, seeds):
    """Returns the experiment file, and the names of its families."""
    arena = tomllib.loads(ARENA.read_text(encoding="utf-8"))
    families = [family for family in arena["family"] if family.get("held_out")]
    head = {"title": "More noise", "noise": noises, "policies": ["spo", *policies], "seeds": seeds or arena["seeds"]}
    head |= {key: arena[key] for key in ("first_seed", "seed")}
    lines = [f"{key} = {json.dumps(value)}" for key, value in head.items()]
    for family in families:
        lines += ["[[family]]", *(f"{key} = {json.dumps(family[key])}" for key in ("name", "bandits", "horizons"))]
    return "\n".join(lines) + "\n", [family["name"] for family in families]


def mean_of_families(regrets, cells):
    """Returns the mean over families of the mean regret over the cells of each."""
    return sum(sum(regrets[cell] for cell in family) / len(family) for family in cells.values()) / len(cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policies", nargs="+", metavar="POLICY")
    parser.add_argument("--noise", metavar="KIND,...", default="gaussian:0.3,bernoulli", help="(default: %(default)s)")
    parser.add_argument("--longrun", default="build/release/longrun", help="the program")
    parser.add_argument("--threads", type=int, help="number of threads; all cores by default")
    parser.add_argument("--seeds", type=int, help="number of seeds; those of the arena by default")
    options = parser.parse_args()
    noises = options.noise.split(",")
    text, families = experiment(options.policies, noises, options.seeds)
    means = mean_regrets(options.longrun, "noise", text, options.threads)
    for noise in noises:
        cells = {name: [cell for cell in means["spo"] if cell[0] == f"noise.{name}" and cell[2] == noise] for name in families}
        rows = []
        for policy in means:
            by_family = [scores(means, policy, cells[name]) for name in families]
            g = math.exp(sum(math.log(g) for g, _ in by_family) / len(families))  # all families have the same weight
            rows.append((g, mean_of_families(means[policy], cells) / mean_of_families(means["spo"], cells), by_family, policy))
        print(f"{noise}\nG     M     " + " ".join(f"{name[:9]:>9}" for name in families) + "  policy")
        for g, m, by_family, policy in sorted(rows):
            print(f"{g:.2f}  {m:.2f}  " + " ".join(f"{one:.2f}/{two:.2f}" for one, two in by_family) + f"  {policy}")
        if "foresight" not in means:
            continue
        for name in families:
            ratios = []
            for cell in cells[name]:
                best = min(means, key=lambda policy: means[policy][cell])
                if means[best][cell] >= SMALLEST:
                    ratios.append((means["foresight"][cell] / means[best][cell], best, *cell[1:]))
            if ratios:
                ratio, best, bandit, _, horizon = max(ratios)
                print(f"{name}: {ratio:.1f} times the regret of {best} on {bandit}, T = {horizon}")


if __name__ == "__main__":
    main()
