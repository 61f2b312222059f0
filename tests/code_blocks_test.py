"""Every code block of the documents runs: here those of the shell, TOML and CMake. Fails for a block that no test runs.

usage: code_blocks_test.py LONGRUN_BINARY SCRATCH_FOLDER
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from code_blocks import NOT_CODE, ROOT, RUN_BY, blocks_of, documents, runnable

BINARY, SCRATCH = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])

# Stands in for Slurm: an array runs task after task; a job that depends on it runs at once, as all tasks have succeeded.
SBATCH = """#!/bin/bash
set -eu
case "$*" in
  "--parsable shards.sbatch")
    last=$(sed -n 's/^#SBATCH --array=1-//p' shards.sbatch)
    for task in $(seq "$last"); do
      SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=$last SLURM_CPUS_PER_TASK=1 bash -eu shards.sbatch
    done
    echo 17 ;;
  "--dependency=afterok:17 --wrap "*) bash -eu -c "$3" ;;
  *) echo "sbatch: unexpected arguments $*" >&2; exit 2 ;;
esac
"""
SMALL_EXPERIMENT = "bandits = ['inc_dec_3']\nnoise = ['gaussian:0.05']\npolicies = ['spo']\nhorizons = [50]\nseeds = 8\n"
OWN = {("docs/clusters.md", "bash"), ("experiments/README.md", "toml"), ("docs/cpp.md", "cmake")}  # run by tests below
CODE = re.compile(r"^(?:\$ |\./dev |longrun \w|import \w|from \w+ import|#include)", re.M)  # in a block without a language


def folder_for(name):
    folder = SCRATCH / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def run(code, folder, *programs):
    """Runs lines of the shell in a folder. The program, and files in the folders `programs`, are found by their names."""
    path = ":".join([str(BINARY.parent), *map(str, programs), os.environ["PATH"]])
    mpi = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    return subprocess.run(["bash", "-eux", "-o", "pipefail", "-c", code], cwd=folder, env={**os.environ, **mpi, "PATH": path},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)


class CodeBlocks(unittest.TestCase):
    def expect_run(self, code, folder, *programs):
        done = run(code, folder, *programs)
        self.assertEqual(done.returncode, 0, f"{code}\n{done.stderr}")
        return done.stdout

    def test_every_block_is_run_by_a_test_or_says_why_not(self):
        seen = set()
        for document in documents():
            for block in blocks_of((ROOT / document).read_text(encoding="utf-8")):
                where = f"{document}:{block.line}"
                if block.language in NOT_CODE:
                    self.assertFalse(block.not_run, f"{where}: output and diagrams are not run anyway")
                    self.assertIsNone(CODE.search(block.code), f"{where}: this is code; name its language after ```")
                elif not block.not_run:
                    self.assertTrue((document, block.language) in RUN_BY,
                                    f"{where}: no test runs this {block.language} block; add one, or a comment "
                                    "<!-- not run: REASON --> in the line above")
                    seen.add((document, block.language))
                elif RUN_BY.get((document, block.language)) == "tests/CMakeLists.txt":
                    self.fail(f"{where}: the build compiles all C++ blocks of this document")
        self.assertEqual(seen, set(RUN_BY), "these are in RUN_BY and have no block")

    def test_the_tests_that_run_blocks_name_the_documents(self):
        for (document, language), test in RUN_BY.items():
            stem = pathlib.Path(document).stem
            if test == "tests/code_blocks_test.py":  # which finds all blocks of the shell, and names those of other languages
                self.assertTrue(language == "sh" or (document, language) in OWN, f"{test} does not run {language} of {document}")
                continue
            text = (ROOT / test).read_text(encoding="utf-8")
            self.assertTrue(document in text or f" {stem}" in text or f'"{stem}' in text, f"{test} does not name {document}")

    def test_blocks_are_found_with_their_output_and_their_reason(self):
        text = "```sh\na\n```\n\n```text\n1\n```\n\n<!-- not run: slow -->\n~~~python\n```\nb\n~~~\n```\nc\n```\n"
        found = [(block.line, block.language, block.code, block.output, block.not_run) for block in blocks_of(text)]
        self.assertEqual(found, [(1, "sh", "a\n", "1\n", ""), (5, "text", "1\n", "", ""), (10, "python", "```\nb\n", "", "slow"),
                                 (14, "", "c\n", "", "")])

    def test_shell_blocks_run_one_after_the_other(self):
        for document, language in RUN_BY:
            if language != "sh" or RUN_BY[document, language] != "tests/code_blocks_test.py":
                continue
            with self.subTest(document):
                folder = folder_for(document.replace("/", "_"))
                for data in ("datasets", "experiments"):
                    (folder / data).symlink_to(ROOT / data)
                blocks = runnable(document, language)
                self.assertTrue(blocks)
                self.expect_run("".join(block.code for block in blocks), folder)

    def test_the_lines_for_clusters_compute_the_same_records(self):
        script, *others = runnable("docs/clusters.md", "bash")
        self.assertTrue(script.code.startswith("#!/bin/bash\n#SBATCH"))
        programs = folder_for("programs")
        (programs / "sbatch").write_text(SBATCH)
        (programs / "sbatch").chmod(0o755)
        plain = folder_for("plain")
        (plain / "figure_0.toml").write_text(SMALL_EXPERIMENT)
        wanted = self.expect_run("longrun run figure_0.toml --quiet --out results && longrun export results --csv", plain)
        self.assertEqual(wanted.count("\n"), 1 + 8)  # a header, then a row per run
        for number, block in enumerate(others):
            with self.subTest(block.code):
                folder = folder_for(f"cluster_{number}")
                (folder / "experiments").mkdir()
                shutil.copy(plain / "figure_0.toml", folder / "experiments")
                (folder / "shards.sbatch").write_text(script.code)
                self.expect_run(block.code, folder, programs)
                self.assertEqual(self.expect_run("longrun export results --csv", folder), wanted)
        self.assertEqual(len(others), 3)  # Slurm, GNU parallel, mpirun

    def test_experiment_files_are_accepted(self):
        whole, lists, constraints = runnable("experiments/README.md", "toml")
        folder = folder_for("experiments")
        (folder / "data").mkdir()
        (folder / "data/mine.csv").write_text("a,b\n" + "0.25,0.5\n" * 2000)

        def checked(text):
            (folder / "example.toml").write_text(text)
            return json.loads(self.expect_run("longrun check example.toml --json", folder))["experiments"][0]

        self.assertEqual(len(checked(whole.code)["policies"]), 6)
        small = "bandits = ['recommender_C']\nhorizons = [500]\n"
        self.assertEqual(len(checked(f"{small}policies = ['spo']\n{constraints.code}")["constraints"]), 5)
        short, same, long = lists.code.partition("# the same as\n")
        self.assertTrue(same)
        self.assertEqual(sorted(checked(small + short)["policies"]), sorted(self.sorted_parameters(checked(small + long)["policies"])))

    @staticmethod
    def sorted_parameters(policies):
        split = (policy.partition(":") for policy in policies)
        return [f"{name}:{','.join(sorted(parameters.split(',')))}" for name, _, parameters in split]

    def test_the_cmake_lines_are_those_of_the_project_that_a_test_builds(self):
        (block,) = runnable("docs/cpp.md", "cmake")
        self.assertIn(block.code.replace("mine", "consumer"), (ROOT / "tests/consumer/CMakeLists.txt").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
