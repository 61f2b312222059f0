import json
import os
import pathlib
import subprocess
import sys

import matplotlib
import pytest

matplotlib.use("Agg")
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))  # code_blocks, which the tests of other languages share


def pytest_addoption(parser):
    parser.addoption("--write-notebooks", action="store_true", help="store the current output in the notebooks of docs/")
    parser.addoption("--write-stub", action="store_true", help="store the current types of the compiled part in python/longrun/_core.pyi")


@pytest.fixture(scope="session")
def command_line():
    """Return a function that runs the program built by ./dev build and returns its output."""
    binary = os.environ.get("LONGRUN_BINARY", str(ROOT / "build" / "release" / "longrun"))
    if not os.access(binary, os.X_OK):
        pytest.fail(f"{binary} is missing; run ./dev build")
    return lambda *arguments: subprocess.run([binary, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="session")
def play(command_line):
    """Return a function that runs `longrun play` and returns its result as a dictionary."""
    return lambda *arguments: json.loads(command_line("play", "--json", *arguments))
