#!/usr/bin/env python3
"""Prints the line coverage of longrun/ and apps/ by folder, and writes every line of it to BUILD_FOLDER/index.html.

usage: coverage_table.py BUILD_FOLDER, built with the preset `coverage` and with the profiles of its tests in profiles/
"""
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent


def main(build):
    profile = build / "tests.profdata"
    profiles = sorted(build.glob("profiles/*.profraw"))
    subprocess.run(["llvm-profdata-14", "merge", "-sparse", "-o", profile, *profiles], check=True)
    programs = [build / "longrun", *sorted(build.glob("library/*_test")), *sorted(build.glob("tests/*_test"))]
    options = [programs[0], *(f"-object={program}" for program in programs[1:]), f"-instr-profile={profile}",
               r"-ignore-filename-regex=_test\.(cpp|h)$|/tests/|^/usr/|/build/"]
    subprocess.run(["llvm-cov-14", "show", "-format=html", f"-output-dir={build}", *options], check=True,
                   stdout=subprocess.DEVNULL)
    exported = subprocess.run(["llvm-cov-14", "export", "-summary-only", *options], check=True, capture_output=True)
    lines = defaultdict(lambda: [0, 0])  # by folder: covered, all
    for file in json.loads(exported.stdout)["data"][0]["files"]:
        path = Path(file["filename"]).relative_to(SOURCE)
        for name in ("/".join(path.parts[:2]), "total"):
            lines[name][0] += file["summary"]["lines"]["covered"]
            lines[name][1] += file["summary"]["lines"]["count"]
    for name in sorted(lines, key=lambda name: (name == "total", name)):
        covered, count = lines[name]
        print(f"{name:<20}{covered:>7} of{count:>7} lines {100 * covered / count:>6.1f} %")
    print(f"every line: {build}/index.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
