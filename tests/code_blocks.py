"""The code blocks of the documents, and which test runs each.

A block that no test runs has a comment in the line above it, which readers do not see, with the reason:
`<!-- not run: needs systemd -->`.
"""

import dataclasses
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MARK = re.compile(r"<!-- not run: (.+) -->")
# Languages of blocks that are not code: no language (output, diagrams) and `text`.
NOT_CODE = {"", "text"}

# The test that runs all blocks of this language of this document, except those with the comment.
RUN_BY = {
    ("README.md", "sh"): "tests/code_blocks_test.py",
    ("README.md", "python"): "python/tests/test_docs.py",
    ("docs/backtest.md", "cpp"): "tests/CMakeLists.txt",
    ("docs/backtest.md", "sh"): "tests/code_blocks_test.py",
    ("docs/clusters.md", "bash"): "tests/code_blocks_test.py",
    ("docs/clusters.md", "python"): "python/tests/test_executors.py",
    ("docs/command-line.md", "sh"): "tests/code_blocks_test.py",
    ("docs/constraints.md", "sh"): "tests/code_blocks_test.py",
    ("docs/cpp.md", "cmake"): "tests/code_blocks_test.py",
    ("docs/cpp.md", "cpp"): "tests/CMakeLists.txt",
    ("docs/plan.md", "sh"): "tests/code_blocks_test.py",
    ("docs/policies.md", "sh"): "tests/code_blocks_test.py",
    ("docs/python.md", "python"): "python/tests/test_docs.py",
    ("docs/recommend.md", "cpp"): "tests/CMakeLists.txt",
    ("docs/recommend.md", "sh"): "tests/code_blocks_test.py",
    ("docs/service.md", "python"): "python/tests/test_service_docs.py",
    ("docs/service.md", "sh"): "python/tests/test_service_docs.py",
    ("docs/studies.md", "cpp"): "tests/CMakeLists.txt",
    ("docs/studies.md", "python"): "python/tests/test_docs.py",
    ("experiments/README.md", "toml"): "tests/code_blocks_test.py",
}


@dataclasses.dataclass
class Block:
    """A code block: the number of its first line, its language, its text, what it prints, and why no test runs it."""

    line: int
    language: str
    code: str
    output: str
    not_run: str


def blocks_of(text):
    """Return all code blocks of a document. The output of a block is the block `text` below it, if there is one."""
    result, lines, number = [], text.split("\n"), 0
    while number < len(lines):
        fence = re.match(r" *(`{3,}|~{3,})(.*)", lines[number])
        if fence is None:
            number += 1
            continue
        end = next((i for i in range(number + 1, len(lines)) if lines[i].strip() == fence[1]), len(lines))
        mark = MARK.fullmatch(lines[number - 1]) if number else None
        code = "".join(f"{line}\n" for line in lines[number + 1:end])
        if fence[2] == "text" and result and result[-1].line + result[-1].code.count("\n") + 2 == number:
            result[-1].output = code
        result.append(Block(number + 1, fence[2].strip(), code, "", mark[1] if mark else ""))
        number = end + 1
    return result


def runnable(document, language):
    """Return the blocks of a document that its test runs."""
    blocks = blocks_of((ROOT / document).read_text(encoding="utf-8"))
    return [block for block in blocks if block.language == language and not block.not_run]


def documents():
    """Return all documents of the repository."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted(name for name in names if name and (ROOT / name).exists())
