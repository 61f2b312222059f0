#!/usr/bin/env python3
"""Prints the data of docs/pictures/costs.svg from a run of the benchmarks.

usage: bench/cost_table.py TIMES.json > docs/pictures/costs.tsv

TIMES.json is the file that ./dev bench keeps, build/bench/times.json. The table has one row per measurement: the panel
(arms, horizon or threads), the policy, the number on the x-axis, and the nanoseconds of one step; for threads, how many
times as fast as one thread the whole paper is. A time is the smallest of all repetitions.
"""
import sys

sys.dont_write_bytecode = True  # no folder __pycache__ beside the sources

from compare import WrongInput, read_times  # noqa: E402


def rows_of(times):
    """Yields panel, policy, x and y, in the order of the file."""
    for name, seconds in times.items():
        parts = name.split("/")
        if parts[0] == "by_arms":
            yield "arms", parts[1], int(parts[2]), 1e9 * seconds
        elif parts[0] == "by_horizon":
            yield "horizon", parts[1], int(parts[3]), 1e9 * seconds
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
        rows = list(rows_of(times))
        if failed:
            raise WrongInput(f"{arguments[0]}: benchmarks failed: {', '.join(sorted(failed))}")
        if not rows:
            raise WrongInput(f"{arguments[0]}: has none of the benchmarks by_arms, by_horizon and paper_engine")
    except WrongInput as error:
        print(f"bench/cost_table.py: {error}", file=sys.stderr)
        return 2
    print("# panel\tpolicy\tx\ty")
    for panel, policy, x, y in rows:
        print(f"{panel}\t{policy}\t{x}\t{y:.4g}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
