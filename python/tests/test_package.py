"""Properties of the package: its dependencies, its types and its constraints."""

import dataclasses
import pathlib
import re
import subprocess
import sys

from conftest import ROOT

import longrun


def test_the_compiled_module_needs_only_the_cpp_runtime():
    needed = set(re.findall(r"^\s*(\S+?)\.so", subprocess.check_output(["ldd", longrun._core.__file__], text=True), re.M))
    loader = {"ld-linux-x86-64", "ld-linux-aarch64"}
    assert {name.split("/")[-1] for name in needed} <= {"linux-vdso", "libstdc++", "libm", "libgcc_s", "libc", "libpthread"} | loader


def test_the_command_line_is_installed_with_the_module():
    program = pathlib.Path(sys.executable).parent / "longrun"
    assert longrun.__version__ in subprocess.check_output([program, "--version"], text=True)


def test_without_a_built_library_pip_builds_only_the_folders_that_the_module_needs(tmp_path):
    settings = ["-D", "LONGRUN_PYTHON=ON", "-D", f"Python_EXECUTABLE={sys.executable}", "-D", "CMAKE_BUILD_TYPE=Release"]
    subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", *settings], check=True, capture_output=True)
    targets = subprocess.check_output(["ninja", "-C", tmp_path, "-t", "targets", "all"], text=True)
    built = set(re.findall(r"^library/liblongrun_(\w+)\.a:", targets, re.M))
    assert built == {"base", "model", "solve", "policy", "decide", "simulate", "data"}
    assert re.search(r"^python/_core\.", targets, re.M)
    assert "longrun_app" not in targets


def test_the_stub_has_the_types_and_docstrings_of_the_compiled_part(request, tmp_path):
    made, stored = tmp_path / "_core.pyi", ROOT / "python" / "longrun" / "_core.pyi"
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "longrun._core", "-o", made], check=True)
    if request.config.getoption("--write-stub"):
        stored.write_text(made.read_text())
    assert made.read_text() == stored.read_text(), "./dev python --write-stub stores the current stub"


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
study = longrun.Study(["a", "b"], 10, noise="bernoulli", constraints=longrun.Constraints(costs={0: 2}), keep_events=100)
for decision in study.decide(arms=["a", np.int64(1)]):
    study.observe(decision, np.float64(0.5))
    study.observe(decision.id, True)
    study.correct(np.int64(1), "lost")
study.correct(1, 0.5)
ids: list[int] = [id for id, arm in study.pending.items() if arm == "a"]
study = longrun.Study.from_json_lines(study.to_json_lines())
study = longrun.Study.from_snapshot(study.snapshot())
class Env(longrun.env.RestedBandit):
    pass
several = longrun.simulate({"a": bandit, "b": "inc_1"}, {"mine": Own, "spo": "spo"}, range(10, 30, 10), seeds={1, 2}, threads=None, every=5)
steps = several.trajectories.to_pandas() if several.trajectories is not None else None
named: longrun.Study = longrun.policy(arms=["a", "b"], horizon=10, noise=0.1)
named.tell(named.ask(2, among=["a"], unavailable="b"), [0.5, 1])
own: longrun.AskTell = Own(longrun.Setting(2, 10, longrun.NoNoise(), 0.0, 0, 0))
"""


def test_user_code_passes_strict_mypy(tmp_path):
    (tmp_path / "user.py").write_text(USER)
    cache = ROOT / "build" / "mypy-of-users"  # to check NumPy and pandas again takes 10 s
    check = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(cache), "user.py"]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    (tmp_path / "user.py").write_text(USER + "longrun.nothing_at_all(3)\n")
    assert "has no attribute" in subprocess.run(check, cwd=tmp_path, capture_output=True, text=True).stdout


def test_every_constraint_of_the_library_is_a_field():
    text = (ROOT / "longrun" / "model" / "constraints.h").read_text()
    assert re.findall(r'ConstraintField\{"(\w+)"', text) == [field.name for field in dataclasses.fields(longrun.Constraints)]
