#!/usr/bin/env python3
"""Prints the data of docs/pictures/costs.svg from runs of the benchmarks.

usage: bench/cost_table.py TIMES.json > docs/pictures/costs.tsv

TIMES.json is the file that ./dev bench keeps, build/bench/times.json. The table has one row per measurement: the panel,
the policy, the number on the x-axis and the value: nanoseconds of one step, bytes per arm, or for threads, how many times
as fast as one thread the whole paper is. A time is the smallest of all repetitions.
"""
import json
import sys

sys.dont_write_bytecode = True  # no folder __pycache__ beside the sources

from compare import WrongInput, read_times  # noqa: E402


def read_bytes(path):
    """Returns the bytes per arm of each benchmark of memory, by name."""
    with open(path, encoding="utf-8") as file:
        runs = json.load(file)["benchmarks"]
    return {run.get("run_name", run["name"]): run["bytes_per_arm"] for run in runs if "bytes_per_arm" in run}


def arguments_of(name):
    """Returns the parts of the name of a benchmark: the benchmark, the policy and the arguments."""
    return [part for part in name.split("/") if ":" not in part]  # without options, such as iterations:1


# By benchmark: the panel, and which argument is on the x-axis.
PANELS = {
    "by_arms": ("time_by_arms", 0),
    "by_horizon": ("time_by_horizon", 1),
    "memory": ("memory_by_arms", 0),
    "memory_by_horizon": ("memory_by_horizon", 0),
}


MOST_ARMS = 10_000  # the largest number in the figure; the memory of foresight is measured with more


def rows_of(times, sizes):
    """Yields panel, policy, x and y: panel by panel, policy by policy."""
    values = {name: 1e9 * seconds for name, seconds in times.items()} | sizes
    rows = []
    for name, value in values.items():
        benchmark, *arguments = arguments_of(name)
        if benchmark in PANELS:
            panel, number = PANELS[benchmark]
            policy, *numbers = arguments
            rows.append((panel, policy, int(numbers[number]), value))
    shown = {policy for panel, policy, _, _ in rows if panel == "memory_by_horizon"}  # memory has all policies
    yield from sorted(row for row in rows if row[1] in shown and (row[0] != "memory_by_arms" or row[2] <= MOST_ARMS))
    threads = {int(name.split("/")[1]): seconds for name, seconds in times.items() if name.startswith("paper_engine/")}
    for count, seconds in sorted(threads.items()):
        if 1 in threads:
            yield "threads", "all", count, threads[1] / seconds


def main(arguments):
    if len(arguments) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        times, failed = read_times(arguments[0])
        rows = list(rows_of(times, read_bytes(arguments[0])))
        if failed:
            raise WrongInput(f"{arguments[0]}: benchmarks failed: {', '.join(sorted(failed))}")
        missing = [panel for panel, _ in PANELS.values() if panel not in {row[0] for row in rows}]
        if missing:
            raise WrongInput(f"{arguments[0]}: has no measurements for {', '.join(missing)}; run ./dev bench without a filter")
    except WrongInput as error:
        print(f"bench/cost_table.py: {error}", file=sys.stderr)
        return 2
    print("# panel\tpolicy\tx\ty")
    for panel, policy, x, y in rows:
        print(f"{panel}\t{policy}\t{x}\t{y:.4g}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
