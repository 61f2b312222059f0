#!/usr/bin/env python3
"""Compares two runs of the benchmarks: a table of ratios, then the names of those that got slower.

usage: bench/compare.py EARLIER.json LATER.json

The files are written by --benchmark_out=FILE. A time is the smallest of all repetitions: that of one step, if the
benchmark counts steps, otherwise that of one iteration. Exit code 0: nothing is slower by more than 10 %; 1: something
is, or a benchmark failed; 2: a file cannot be used.
"""
import json
import sys

SLOWER = 1.10  # a ratio above this is reported: repetitions on a quiet machine differ by a few percent
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


class WrongInput(Exception):
    """An error of the user, in one line."""


def read_times(path):
    """Returns the seconds of each benchmark of a file, by name, and the set of those that failed."""
    try:
        with open(path, encoding="utf-8") as file:
            runs = json.load(file)["benchmarks"]
    except OSError as error:
        raise WrongInput(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise WrongInput(f"{path}: is not a run of the benchmarks; make one with --benchmark_out=FILE") from None
    times, failed = {}, set()
    for run in runs:
        if run.get("run_type", "iteration") != "iteration":
            continue
        name = run.get("run_name", run["name"])
        if run.get("error_occurred"):
            failed.add(name)
            continue
        seconds = run["step"] if "step" in run else run["real_time"] * SECONDS[run["time_unit"]]
        times[name] = min(seconds, times.get(name, seconds))
    if not times and not failed:
        raise WrongInput(f"{path}: has no benchmarks")
    return times, failed


def readable(seconds):
    for unit, factor in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * factor:
            return f"{seconds / factor:.1f} {unit}"
    return f"{seconds:.2f} s"


def compared(earlier, later):
    """Returns rows of name, seconds before, seconds after and their ratio; the largest ratio first."""
    rows = [(name, earlier[name], later[name], later[name] / earlier[name]) for name in earlier if name in later]
    return sorted(rows, key=lambda row: (-row[3], row[0]))


def report(earlier, later, failed=frozenset()):
    """Returns the text of a comparison, and whether nothing got slower and nothing failed."""
    rows = compared(earlier, later)
    width = max([len(name) for name, *_ in rows] + [len("benchmark")])
    lines = [f"{'benchmark':<{width}} {'before':>10} {'now':>10} {'now/before':>11}"]
    for name, before, now, ratio in rows:
        lines.append(f"{name:<{width}} {readable(before):>10} {readable(now):>10} {ratio:>11.2f}")
    lines.append("")
    slower = [(name, ratio) for name, _, _, ratio in rows if ratio > SLOWER]
    for name, ratio in slower:
        lines.append(f"SLOWER by {100 * (ratio - 1):.0f} %: {name}")
    if not slower:
        lines.append(f"none of {len(rows)} benchmarks is slower by more than {100 * (SLOWER - 1):.0f} %")
    for name in sorted(failed):
        lines.append(f"FAILED: {name}")
    for text, names in (("only before", earlier.keys() - later.keys() - failed), ("only now", later.keys() - earlier.keys())):
        if names:
            lines.append(f"{text}: {', '.join(sorted(names))}")
    return "\n".join(lines), not slower and not failed


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        earlier, _ = read_times(arguments[0])
        later, failed = read_times(arguments[1])
        if not earlier.keys() & (later.keys() | failed):
            raise WrongInput(f"{arguments[0]} and {arguments[1]} have no benchmark in common")
    except WrongInput as error:
        print(f"bench/compare.py: {error}", file=sys.stderr)
        return 2
    text, good = report(earlier, later, failed)
    print(text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
