"""The examples of docs/service.md run one after the other against a real service, and print what is shown below them."""

import json
import re
import subprocess

import pytest
from code_blocks import runnable
from conftest import ROOT
from served import BINARY, Server

PAGE = ROOT / "docs" / "service.md"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")  # of the server


def examples():
    """Return the language, the code and the output of each example, in the order of the page."""
    found = sorted([*runnable("docs/service.md", "sh"), *runnable("docs/service.md", "python")], key=lambda block: block.line)
    return [(block.language, block.code, block.output) for block in found]


def output_of(language, code, url, folder, names):
    code = code.replace("http://127.0.0.1:8042", url)
    if language == "sh":
        program = f'longrun() {{ "{BINARY}" "$@" --url {url}; }}\n'
        run = subprocess.run(["bash", "-c", program + code], cwd=folder, capture_output=True, text=True, timeout=120)
        assert not run.stderr
        return run.stdout.rstrip("\n") + "\n"  # most answers have no line break at their end
    names["printed"] = printed = []
    exec(compile(code, "docs/service.md", "exec"), {**names, "print": lambda *texts: printed.append(" ".join(map(str, texts)))})
    return "".join(line + "\n" for line in printed)


def test_examples_print_what_is_shown(tmp_path):
    server = Server(tmp_path / "data")
    for language, code, shown in examples():
        printed = output_of(language, code, server.url, tmp_path, {})
        assert TIME.sub("TIME", printed) == TIME.sub("TIME", shown), code
    server.stop()


@pytest.mark.parametrize("path", json.loads((ROOT / "longrun" / "service" / "page" / "openapi.json").read_text())["paths"])
def test_every_request_has_an_example_and_a_row_in_the_reference(path):
    commands = "\n".join(code for language, code, _ in examples() if language == "sh")
    pattern = re.escape(path).replace(r"\{study\}", r"[a-z]+").replace(r"\{decision\}", r"\d+")
    assert re.search(rf"http://127\.0\.0\.1:8042{pattern}(['? \n]|$)", commands, re.M), path
    assert re.search(rf"\n\| `[^\n]*{re.escape(path)}[`, ]", PAGE.read_text()), path
