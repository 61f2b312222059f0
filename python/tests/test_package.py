"""What the package promises whatever it computes."""

import dataclasses
import inspect
import re
import subprocess

import pytest
from conftest import ROOT

import longrun


def test_it_needs_nothing_of_the_system_but_the_cpp_runtime():
    needed = set(re.findall(r"^\s*(\S+?)\.so", subprocess.check_output(["ldd", longrun._core.__file__], text=True), re.M))
    assert {name.split("/")[-1] for name in needed} <= {"linux-vdso", "libstdc++", "libm", "libgcc_s", "libc", "ld-linux-x86-64", "libpthread"}


# One source of truth: what a docstring here begins with is what the header says of the same thing.
SOURCES = {
    longrun.NoNoise: ("model/noise.h", "struct NoNoise"),
    longrun.Gaussian: ("model/noise.h", "struct Gaussian"),
    longrun.Uniform: ("model/noise.h", "struct Uniform"),
    longrun.SymmetricBeta: ("model/noise.h", "struct SymmetricBeta"),
    longrun.StudentT: ("model/noise.h", "struct StudentT"),
    longrun.Bernoulli: ("model/noise.h", "struct Bernoulli"),
    longrun.Bandit: ("model/bandit.h", "struct Bandit "),
    longrun.BanditInfo: ("data/named_bandits.h", "struct NamedBandit"),
    longrun.bandits: ("data/named_bandits.h", "std::vector<NamedBandit> named_bandits"),
    longrun.Setting: ("policy/setting.h", "struct Setting"),
    longrun.Policy: ("policy/catalog.h", "class AskTell"),
    longrun.Policy.ask: ("policy/catalog.h", "virtual Arm choose() ="),
    longrun.Policy.tell: ("policy/catalog.h", "virtual void observe"),
    longrun.PolicyInfo: ("policy/catalog.h", "struct PolicyEntry"),
    longrun.policies: ("policy/catalog.h", "std::span<const PolicyEntry> policy_catalog"),
    longrun.policy: ("policy/catalog.h", "class PolicyChoice"),
    longrun.World: ("model/world.h", "class World"),
    longrun.World.pull: ("model/world.h", "double pull(Arm arm)"),
    longrun.Constraints: ("model/constraints.h", "struct Constraints"),
    longrun.Optimum: ("solve/best_allocation.h", "struct Allocation"),
    longrun.optimum: ("policy/optimal.h", "Allocation optimal_allocation(const Bandit& bandit, Pulls horizon);"),
    longrun.optimistic_future: ("solve/optimistic_future.h", "std::optional<double> optimistic_future"),
    longrun.recommend: ("policy/recommendation.h", "Recommendation recommend(const"),
    longrun.ArmReport: ("policy/recommendation.h", "struct ArmReport"),
    longrun.plot.style: ("report/palette.h", "LineStyle style_of"),
}
IN_PYTHON = {"Throws InputError": "Raises ValueError", "nullopt": "None", "named_bandit()": "Bandit()"}


def header_says(header, declaration):
    text = (ROOT / "longrun" / header).read_text()
    before = text[: text.index(declaration)].rstrip(" ").splitlines()
    lines = []
    while before and before[-1].strip().startswith("///"):
        lines.insert(0, before.pop().strip()[3:].strip())
    said = " ".join(lines)
    for cpp, python in IN_PYTHON.items():
        said = said.replace(cpp, python)
    assert said, f"{header} says nothing of {declaration}"
    return re.split(r"(?<=[.])\s(?=[A-Z])", said)[0].rstrip(".")


@pytest.mark.parametrize("thing", SOURCES, ids=lambda thing: getattr(thing, "__qualname__", str(thing)))
def test_docstrings_begin_with_what_the_header_says(thing):
    said = header_says(*SOURCES[thing])
    doc = " ".join(inspect.getdoc(thing).split())
    doc = doc.split("-> ")[-1].split(" ", 1)[-1] if doc.startswith(("ask(", "tell(", "pull(")) else doc
    assert doc.startswith(said), f"{doc!r} should begin with {said!r}"


def test_every_constraint_is_there():
    text = (ROOT / "longrun" / "model" / "constraints.h").read_text()
    assert re.findall(r'ConstraintField\{"(\w+)"', text) == [field.name for field in dataclasses.fields(longrun.Constraints)]


def test_everything_public_is_documented():
    for name in longrun.__all__:
        thing = getattr(longrun, name)
        assert name == "__version__" or inspect.getdoc(thing), name
