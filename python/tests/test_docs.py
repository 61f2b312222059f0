"""Notebooks and examples of the documentation run, and notebooks show their current output."""

import nbformat
import pytest
from code_blocks import runnable
from conftest import ROOT
from nbclient import NotebookClient

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.filterwarnings("ignore")  # of nbclient
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_show_their_current_output(path, tmp_path, request, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)  # figures are shown in the notebook
    notebook = nbformat.read(path, as_version=4)
    shown = texts_in(notebook)
    NotebookClient(notebook, timeout=300, record_timing=False, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in notebook.cells:
        if "outputs" in cell:  # without the progress bars
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    if request.config.getoption("--write-notebooks"):
        notebook.metadata.pop("language_info", None)
        nbformat.write(notebook, path)
    else:
        assert shown == texts_in(notebook), "./dev python --write-notebooks stores the current output"


def texts_in(notebook):
    """Return what each cell shows as text, without figures, which differ between versions of matplotlib.

    The texts of a cell are joined: what it prints may arrive in parts, which a busy machine divides at other places.
    """
    shown = [cell.get("outputs", []) for cell in notebook.cells]
    return ["".join(each["data"]["text/plain"] if "data" in each else each["text"] for each in outputs) for outputs in shown]


@pytest.mark.parametrize("document, outputs", [("README.md", 0), ("docs/python.md", 0), ("docs/studies.md", 3)])
def test_examples_run_one_after_the_other_and_print_the_text_below(document, outputs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    examples = runnable(document, "python")
    assert examples and sum(1 for example in examples if example.output) == outputs
    names = {}
    for example in examples:
        exec(compile(example.code, document, "exec"), names)
        printed = capsys.readouterr().out
        assert not example.output or printed == example.output
