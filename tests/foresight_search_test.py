"""Checks that every mode of bench/tuning/foresight_search.py, and the other scripts there, run to their tables.

usage: foresight_search_test.py PROGRAM SOURCE_FOLDER

Scores of the arena take a quarter of a minute per policy. So the search asks a program that is `longrun` in everything but
`arena`: of that it plays every policy for three pulls, which refuses what the arena refuses, and makes up the scores.
TheArenaPrintsTheScoresOfItsTableAsJson (cli_report_test.cpp) checks the form of the real ones.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

STAND_IN = """#!{python}
import json, os, subprocess, sys
if sys.argv[1] != "arena":
    os.execv({program!r}, [{program!r}, *sys.argv[1:]])
policies = sys.argv[2:sys.argv.index("--only")]
assert "--development" in sys.argv, "the arena's other seeds are for reporting"
def score(number):
    return {{"g": {{"mean": number}}, "m": {{"mean": 2 * number}}}}
for policy in policies:
    play = [{program!r}, "play", "--bandit", "const", "--noise", "gaussian:0.1", "--horizon", "3", "--policy", policy]
    subprocess.run(play, check=True, stdout=subprocess.DEVNULL)
rows = [{{"policy": policy, "overall": score(len(policy)), "families": {{"one": score(1)}}}} for policy in policies]
rows.append({{"policy": "spo", "overall": score(0), "families": {{"one": score(1)}}}})
print(json.dumps({{"yardstick": "spo", "views": [{{"families": ["one"], "policies": rows}}]}}))
"""


def main(program, source):
    with tempfile.TemporaryDirectory() as folder:
        stand_in = Path(folder) / "longrun"
        stand_in.write_text(STAND_IN.format(python=sys.executable, program=program), encoding="utf-8")
        stand_in.chmod(0o755)

        def search(*arguments):
            script = Path(source) / "bench/tuning/foresight_search.py"
            command = [sys.executable, "-B", script, *arguments, "--longrun", stand_in, "--quick"]
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, (arguments, done.stderr)
            return done.stdout.splitlines()

        for mode in (["sensitivity"], ["random", "5"], ["frontier"]):
            listed = search(*mode, "--list")
            assert len(set(listed)) == len(listed) > 5, (mode, listed)
            heading, *rows = search(*mode)
            assert heading.split() == ["G", "M", "one", "policy"], heading
            assert sorted(row.split()[-1] for row in rows) == sorted(listed), mode
            scores = [float(row.split()[1]) for row in rows]
            assert scores == sorted(scores), (mode, "the best M is first")

        def table(name, *arguments):
            command = [sys.executable, "-B", Path(source) / "bench/tuning" / name, *arguments, "--longrun", program]
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, (name, done.stderr)
            return done.stdout.splitlines()

        noisy = table("held_out_noise.py", "foresight", "fewa", "--seeds", "1", "--threads", "1")
        families = ["mixed", "s_shaped", "plateau", "many", "learning"]
        for noise in ("gaussian:0.3", "bernoulli"):
            begin = noisy.index(noise)
            assert noisy[begin + 1].split() == ["G", "M", *families, "policy"], noisy
            rows = [row.split() for row in noisy[begin + 2 : begin + 5]]
            assert sorted(row[-1] for row in rows) == ["fewa", "foresight", "spo"], noisy
            assert next(row for row in rows if row[-1] == "spo")[:-1] == ["1.00", "1.00"] + 5 * ["1.00/1.00"], noisy
        told = table("wrong_sd.py", "--instances", "1", "--horizon", "50")
        assert told[0].split() == ["told", "peaked", "rising", "falling", "constant"], told
        assert [row.rsplit(maxsplit=4)[0] for row in told[1:]][-2:] == ["sd times 4", "estimated"], told

        # Every constant has a row on each side of its default, unless the default is the end of its range.
        listed = search("sensitivity", "--list")
        for row in ("foresight", "foresight:from_zero=0.49", "foresight:hidden_growth=0.25", "foresight:trial_cost=24"):
            assert row in listed, listed
        assert "foresight:hidden_growth=0.5" not in listed, "the default is the largest"


if __name__ == "__main__":
    main(*sys.argv[1:])
