#!/usr/bin/env python3
"""Measures what foresight's constants contribute, on the arena's development seeds and families.

usage: bench/tuning/foresight_search.py sensitivity|random N|frontier [--longrun PROGRAM] [--seed S] [--quick]
                                        [--out FOLDER] [--list]

sensitivity  every constant halved and doubled, as far as it may be, and switched off where that has a meaning
random       N draws of all constants together, each times 1/2, 2/3, 1, 3/2 or 2
frontier     a grid over belief in growth, hidden growth and the length of trials: the trade-off of G and M

Prints G and M over all families and by family, the best M first. One policy takes about a quarter of a minute on one
core, so use a machine with many cores for `random`. With --out, a search that was stopped continues there. --list
prints the policies and runs none. The constants are the parameters that `longrun policies` lists.
"""

import argparse
import itertools
import json
import random
import subprocess
import tempfile
from pathlib import Path

SWITCHES = {"estimate_sd", "bound_only"}
OFF = {
    "hidden_growth": 0,
    "straight_line": 0,
    "from_zero": 0,
    "no_growth": 0,
    "prior_arms": 1e9,  # arms do not learn from each other
    "telling_pulls": 0,  # every arm with two rewards tells them as much as any other
    "outlier": 1e9,
}
POLICIES_PER_RUN = 8  # a search that is stopped loses at most these


def constants(program):
    """Returns default, minimum and maximum of every constant, by name."""
    policies = json.loads(subprocess.run([program, "policies", "--json"], check=True, capture_output=True).stdout)
    foresight = next(policy for policy in policies if policy["name"] == "foresight")
    return {
        parameter["name"]: tuple(float(parameter[key]) for key in ("default", "minimum", "maximum"))
        for parameter in foresight["parameters"]
        if parameter["name"] not in SWITCHES
    }


def scaled(constant, factor):
    default, minimum, maximum = constant
    return min(max(default * factor, minimum), maximum)


def text(values):
    return "foresight" + "".join(f"{',' if i else ':'}{name}={value:g}" for i, (name, value) in enumerate(values.items()))


def sensitivity(known):
    yield text({})
    for name, constant in known.items():
        for factor in (0.5, 2):
            if scaled(constant, factor) != constant[0]:
                yield text({name: scaled(constant, factor)})
    for name, value in OFF.items():
        yield text({name: value})


def draws(known, count, seed):
    source = random.Random(seed)
    yield text({})
    for _ in range(count):
        factors = {name: source.choice([1 / 2, 2 / 3, 1, 3 / 2, 2]) for name in known}
        yield text({name: scaled(known[name], factor) for name, factor in factors.items()})


def frontier():
    for no_growth, hidden, cost in itertools.product([0.05, 0.15, 0.3, 0.45], [0, 0.25, 0.5], [6, 12, 20]):
        yield text({"no_growth": no_growth, "hidden_growth": hidden, "trial_cost": cost})


def scores(program, policies, quick, folder):
    """Returns the families and the arena's scores of the policies over all cells, and keeps the records in `folder`."""
    command = [program, "arena", *policies, "--only", "--development", "--json", "--out", folder]
    answer = subprocess.run([*command, "--quick"] if quick else command, check=True, stdout=subprocess.PIPE).stdout
    arena = json.loads(answer)
    view = arena["views"][0]
    return view["families"], [each for each in view["policies"] if each["policy"] != arena["yardstick"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["sensitivity", "random", "frontier"])
    parser.add_argument("count", nargs="?", type=int, default=100, help="number of draws (random)")
    parser.add_argument("--longrun", default="build/release/longrun", help="the program")
    parser.add_argument("--seed", type=int, default=1, help="of the draws")
    parser.add_argument("--quick", action="store_true", help="5 seeds instead of 30")
    parser.add_argument("--out", help="folder for the records (default: a temporary one)")
    parser.add_argument("--list", action="store_true", help="print the policies, and run none")
    options = parser.parse_args()
    known = constants(options.longrun)
    modes = {
        "sensitivity": lambda: sensitivity(known),
        "random": lambda: draws(known, options.count, options.seed),
        "frontier": frontier,
    }
    policies = list(dict.fromkeys(modes[options.mode]()))
    if options.list:
        print("\n".join(policies))
        return
    families, rows = [], []
    with tempfile.TemporaryDirectory() as temporary:
        for begin in range(0, len(policies), POLICIES_PER_RUN):
            some = policies[begin : begin + POLICIES_PER_RUN]
            folder = str(Path(options.out or temporary) / str(begin))
            families, scored = scores(options.longrun, some, options.quick, folder)
            rows += scored
    print("G      M      " + " ".join(f"{name[:9]:>9}" for name in families) + "  policy")
    for row in sorted(rows, key=lambda row: row["overall"]["m"]["mean"]):
        by_family = [row["families"][name] for name in families]
        cells = " ".join(f"{each['g']['mean']:.2f}/{each['m']['mean']:.2f}" for each in by_family)
        print(f"{row['overall']['g']['mean']:.3f}  {row['overall']['m']['mean']:.3f}  {cells}  {row['policy']}")


if __name__ == "__main__":
    main()
