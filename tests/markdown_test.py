"""Checks that lines of Markdown have at most 100 columns, outside tables, code and lines that are one link, and that
every document but the start page says below its title which kind of documentation it is.

usage: markdown_test.py SOURCE_FOLDER
"""
import re
import subprocess
import sys
from pathlib import Path

MOST_COLUMNS = 100
START_PAGE = "README.md"
KIND = re.compile(r"\*(Tutorial|How-to|Reference|Explanation)\b|A reference page, written by longrun ")
ONE_LINK = re.compile(r"([-*]|\d+\.)? *(\[[^\]]*\]: *\S+|<?https?://\S+|!?\[[^\]]*\]\(\S+\)[.,;]?)")


def long_lines(text):
    """Yields the number and width of every line that is too long."""
    fence = None  # of the code block that the line is in
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        marker = re.match(r"(```+|~~~+)", stripped)
        if marker and fence is None:
            fence = marker[1]
        elif fence is not None:
            if stripped.startswith(fence):
                fence = None
        elif len(line) > MOST_COLUMNS and not stripped.startswith("|") and not ONE_LINK.fullmatch(stripped):
            yield number, len(line)


def has_kind(text):
    """Returns whether the line below the title says the kind of the document."""
    lines = text.splitlines()
    return len(lines) > 2 and lines[0].startswith("# ") and not lines[1] and bool(KIND.match(lines[2]))


def main(source):
    # The check itself: it finds what it should, and no more.
    long = "word " * 21
    assert list(long_lines(long)) == [(1, 105)]
    assert list(long_lines(f"| {long} |\n```\n{long}\n```\n- [name](https://x.org/{'x' * 100})\n{'é' * 100}")) == []
    assert list(long_lines(f"```\n```\n{long}")) == [(3, 105)]
    assert has_kind("# Title\n\n*How-to and reference: x.*") and not has_kind("# Title\n\nHow-to: x.")

    listed = ["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    files = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    files = [name for name in files if name and (Path(source) / name).exists()]
    assert files, "no Markdown files found"
    failures = 0
    for name in files:
        text = (Path(source) / name).read_text(encoding="utf-8")
        if name != START_PAGE and not has_kind(text):
            print(f"{name}:3: the kind is missing; write '*Tutorial: ...*', How-to, Reference or Explanation")
            failures += 1
        for number, width in long_lines(text):
            print(f"{name}:{number}: {width} columns; at most {MOST_COLUMNS} outside tables, code and links")
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
