"""What the package promises whatever it computes."""

import dataclasses
import inspect
import re
import subprocess
import sys

import pytest
from conftest import ROOT

import longrun


def test_it_needs_nothing_of_the_system_but_the_cpp_runtime():
    needed = set(re.findall(r"^\s*(\S+?)\.so", subprocess.check_output(["ldd", longrun._core.__file__], text=True), re.M))
    loader = {"ld-linux-x86-64", "ld-linux-aarch64"}
    assert {name.split("/")[-1] for name in needed} <= {"linux-vdso", "libstdc++", "libm", "libgcc_s", "libc", "libpthread"} | loader


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


USER = """
import functools
import longrun
import numpy as np
import numpy.typing as npt

def slow(pull: int) -> float:
    return 1 - 1 / pull

class Own:
    def __init__(self, setting: longrun.Setting, first: int = 0) -> None:
        self.arm = first
    def ask(self) -> int:
        return self.arm
    def tell(self, arm: int, reward: float) -> None:
        self.arm = arm

steady: npt.NDArray[np.float64] = np.full(100, 0.5)
bandit = longrun.Bandit([slow, slow, steady], longrun.Gaussian(0.05), horizon=100)
records = longrun.simulate(bandit, Own, np.linspace(10, 100, 4).astype(int), seeds=np.arange(3))
records = longrun.simulate(bandit, ["spo", functools.partial(Own, first=1)], 100, threads=1)
longrun.plot.regret(records)
policy = longrun.policy("optimal", arms=3, horizon=100, plan=longrun.optimum(bandit).pulls)
policy.tell(np.int64(policy.ask()), np.float64(0.5))
constraints = longrun.Constraints(costs=np.array([1, 2, 3]), minimum_share={0: 0.1})
print(longrun.recommend([(0, 0.1)], arms=2, horizon=10, constraints=longrun.Constraints(minimum_pulls=1)).arm)
class Env(longrun.env.RestedBandit):
    pass
own: longrun.AskTell = Own(longrun.Setting(2, 10, longrun.NoNoise(), 0.0, 0, 0))
"""


def test_a_strict_user_is_content_with_the_types(tmp_path):
    (tmp_path / "user.py").write_text(USER)
    check = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache"), "user.py"]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    (tmp_path / "user.py").write_text(USER + "longrun.nothing_at_all(3)\n")
    assert "has no attribute" in subprocess.run(check, cwd=tmp_path, capture_output=True, text=True).stdout


def test_every_constraint_is_there():
    text = (ROOT / "longrun" / "model" / "constraints.h").read_text()
    assert re.findall(r'ConstraintField\{"(\w+)"', text) == [field.name for field in dataclasses.fields(longrun.Constraints)]


def test_everything_public_is_documented():
    for name in longrun.__all__:
        thing = getattr(longrun, name)
        assert name == "__version__" or inspect.getdoc(thing), name
