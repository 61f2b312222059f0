"""Checks bench/compare.py and bench/cost_table.py on runs that are made up.

usage: bench_compare_test.py SOURCE_FOLDER
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def run(name, nanoseconds, **more):  # an entry of "benchmarks"
    return {"name": name, "run_name": name, "run_type": "iteration", "real_time": nanoseconds, "time_unit": "ns", **more}


def main(source):
    with tempfile.TemporaryDirectory() as folder:
        def written(name, text):
            path = Path(folder) / name
            path.write_text(text if isinstance(text, str) else json.dumps({"benchmarks": text}), encoding="utf-8")
            return str(path)

        def compare(*files):
            done = subprocess.run([sys.executable, Path(source) / "bench/compare.py", *files], capture_output=True, text=True)
            return done.returncode, done.stdout, done.stderr

        earlier = written("earlier.json", [
            run("same", 100), run("slower", 100), run("faster", 100), run("gone", 5),
            run("repeated", 90), run("repeated", 100), run("repeated", 500),
            run("repeated", 1, run_type="aggregate"),
            run("stepping", 5e6, step=2e-8), run("slow", 2.0, time_unit="s")])

        # A table with the largest ratio first. Of repetitions the smallest counts, and steps instead of iterations.
        code, out, err = compare(earlier, written("later.json", [
            run("same", 109), run("slower", 111), run("faster", 50), run("new", 1),
            run("repeated", 300), run("repeated", 95), run("stepping", 1e6, step=2.4e-8), run("slow", 2100, time_unit="ms")]))
        assert (code, err) == (1, ""), (code, err)
        lines = out.splitlines()
        rows = [line.split() for line in lines[1:lines.index("")]]
        assert [row[0] for row in rows] == ["stepping", "slower", "same", "repeated", "slow", "faster"], out
        assert rows[0][1:] == ["20.0", "ns", "24.0", "ns", "1.20"], rows[0]
        assert rows[3][1:] == ["90.0", "ns", "95.0", "ns", "1.06"], rows[3]
        assert rows[4][1:] == ["2.00", "s", "2.10", "s", "1.05"], rows[4]
        assert lines[lines.index("") + 1:] == [
            "SLOWER by 20 %: stepping", "SLOWER by 11 %: slower", "only before: gone", "only now: new"], out

        # Nothing slower: exit code 0.
        code, out, err = compare(earlier, earlier)
        assert (code, err) == (0, ""), (code, err)
        assert out.endswith("\nnone of 7 benchmarks is slower by more than 10 %\n"), out

        # A benchmark whose answer is wrong is a failure, however fast it is.
        failed = written("failed.json", [run("same", 1), run("slower", 0, error_occurred=True, error_message="wrong")])
        code, out, err = compare(earlier, failed)
        assert code == 1 and "FAILED: slower" in out, out

        # Files that cannot be used are one line.
        for bad, reason in ((str(Path(folder) / "none.json"), "cannot be read"),
                            (written("text.json", "no JSON"), "is not a run of the benchmarks"),
                            (written("list.json", "[]"), "is not a run of the benchmarks"),
                            (written("empty.json", []), "has no benchmarks"),
                            (written("other.json", [run("other", 1)]), "have no benchmark in common")):
            code, out, err = compare(earlier, bad)
            assert (code, out) == (2, ""), (bad, code, out)
            assert reason in err and err.count("\n") == 1, err
        assert compare(earlier)[0] == 2

        # The data of the figure: nanoseconds and bytes by arms and by horizon, and how many times as fast threads are.
        def table(file):
            done = subprocess.run([sys.executable, Path(source) / "bench/cost_table.py", file], capture_output=True, text=True)
            return done.returncode, done.stdout, done.stderr

        times = written("times.json", [
            run("by_arms/ucb/10/20000/repeats:3", 1, step=5e-8), run("by_arms/ucb/10/20000/repeats:3", 1, step=4e-8),
            run("by_horizon/spo/2/1000/repeats:3", 1, step=7.5e-8), run("other/1", 3), run("optimum/repeats:3", 4), run("alone", 5), run("gaussian/plain/x", 3),
            run("memory/ucb/10000/iterations:1", 1, bytes_per_arm=44.0), run("memory/ucb/2/iterations:1", 1, bytes_per_arm=50.0),
            run("memory/not shown/2/iterations:1", 1, bytes_per_arm=9.0),
            run("memory_by_horizon/ucb/1000/iterations:1", 1, bytes_per_arm=45.0),
            run("memory_by_horizon/spo/1000/iterations:1", 1, bytes_per_arm=333.3),
            run("paper_engine/2/iterations:1/real_time", 5.0, time_unit="s"),
            run("paper_engine/1/iterations:1/real_time", 9.5, time_unit="s")])
        rows = ["# panel\tpolicy\tx\ty", "memory_by_arms\tucb\t2\t50", "memory_by_arms\tucb\t10000\t44",
                "memory_by_horizon\tspo\t1000\t333.3", "memory_by_horizon\tucb\t1000\t45",
                "time_by_arms\tucb\t10\t40", "time_by_horizon\tspo\t1000\t75", "threads\tall\t1\t1",
                "threads\tall\t2\t1.9"]
        assert table(times) == (0, "\n".join(rows) + "\n", ""), table(times)
        for bad, reason in ((earlier, "has no measurements for time_by_arms"), (failed, "benchmarks failed: slower")):
            code, out, err = table(bad)
            assert (code, out) == (2, "") and reason in err and err.count("\n") == 1, (code, out, err)


if __name__ == "__main__":
    main(sys.argv[1])
