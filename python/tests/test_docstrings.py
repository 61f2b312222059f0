"""Docstrings have numpydoc form, name the parameters of the signature, run, and agree with the C++ headers."""

import collections.abc
import doctest
import inspect
import linecache
import re
import typing

import pytest
from conftest import ROOT
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate

import longrun

OPTIONAL_SECTIONS = {"ES01", "SA01", "EX01"}  # codes of a missing extended summary, See Also and Examples
CREATED_OTHERWISE = {longrun.Policy, longrun.World, longrun.Records, longrun.Trajectories, longrun.AskTell, longrun.ServedStudy}  # users do not call these classes
MODULES = {"longrun": longrun, "longrun.plot": longrun.plot, "longrun.env": longrun.env}


def from_signature(method):
    """Return a Python function with the signature and docstring of a compiled method, which inspect cannot read."""
    signature, docstring, *_ = max(method.__nb_signature__, key=lambda each: len(each[1] or ""))  # the overload with a docstring
    names = {"typing": typing, "collections": collections}
    source, file = f"{signature}: ...", f"<signature of {method.__qualname__}>"
    linecache.cache[file] = (len(source), None, [source], file)  # numpydoc reads the source of functions
    exec(compile(source, file, "exec"), names)
    function = names[method.__name__]
    function.__doc__ = docstring
    function.__qualname__ = method.__qualname__
    return function


def public_objects():
    """Yield the name, the object and its kind: module, class, function or property."""
    yield from ((name, module, "module") for name, module in MODULES.items())
    functions = [longrun.plot.style, longrun.plot.styles, longrun.plot.regret, longrun.plot.trajectory]
    for thing in [*(getattr(longrun, name) for name in longrun.__all__), *functions, longrun.env.RestedBandit]:
        if inspect.isclass(thing):
            yield f"longrun.{thing.__name__}", thing, "class"
            for name, member in vars(thing).items():
                if name.startswith("_"):
                    continue
                if isinstance(member, property):
                    yield f"longrun.{thing.__name__}.{name}", member, "property"
                elif hasattr(member, "__nb_signature__"):
                    yield f"longrun.{thing.__name__}.{name}", from_signature(member), "function"
                elif isinstance(member, classmethod):
                    yield f"longrun.{thing.__name__}.{name}", getattr(thing, name), "function"
                elif inspect.isfunction(member):
                    yield f"longrun.{thing.__name__}.{name}", member, "function"
        elif callable(thing):
            yield f"longrun.{thing.__name__}", thing, "function"


PUBLIC = {name: (thing, kind) for name, thing, kind in public_objects()}


def test_the_list_of_public_objects_is_complete():
    assert {f"longrun.{name}" for name in longrun.__all__} - {"longrun.__version__"} <= set(PUBLIC)
    assert {"longrun.Policy.tell", "longrun.World.pulls", "longrun.Bandit.rewards", "longrun.RestedBandit.step", "longrun.Study.from_snapshot"} <= set(PUBLIC)


def lists_parameters(thing, kind):
    """Whether numpydoc can compare the Parameters section with the signature."""
    return kind == "function" or (kind == "class" and thing not in CREATED_OTHERWISE)


@pytest.mark.parametrize("name", PUBLIC)
def test_docstrings_have_numpydoc_form(name):
    thing, kind = PUBLIC[name]
    assert inspect.getdoc(thing), f"{name} has no docstring"
    errors = [error for error in validate(get_doc_object(thing))["errors"] if error[0] not in OPTIONAL_SECTIONS]
    if not lists_parameters(thing, kind):
        errors = [error for error in errors if not error[0].startswith("PR")]
    assert not errors


@pytest.mark.parametrize("name", [name for name, (thing, kind) in PUBLIC.items() if lists_parameters(thing, kind)])
def test_the_parameters_section_names_exactly_the_parameters_of_the_signature(name):
    thing, _ = PUBLIC[name]
    documented = [parameter.lstrip("*") for entry in get_doc_object(thing)["Parameters"] for parameter in entry.name.split(", ")]
    signature = [parameter for parameter in inspect.signature(thing).parameters if parameter != "self"]
    assert documented == signature


@pytest.mark.parametrize("name", [name for name, (thing, _) in PUBLIC.items() if ">>>" in (inspect.getdoc(thing) or "")])
def test_examples_run_and_print_what_they_show(name):
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(PUBLIC[name][0]), {"longrun": longrun}, name, None, 0)
    output = []
    assert doctest.DocTestRunner().run(example, out=output.append).failed == 0, "".join(output)


# One source of truth: a docstring contains the first sentence that the header says of the same thing.
SOURCES = {
    "longrun.NoNoise": ("model/noise_kinds.h", "struct NoNoise {"),
    "longrun.Gaussian": ("model/noise_kinds.h", "struct Gaussian {"),
    "longrun.Uniform": ("model/noise_kinds.h", "struct Uniform {"),
    "longrun.SymmetricBeta": ("model/noise_kinds.h", "struct SymmetricBeta {"),
    "longrun.StudentT": ("model/noise_kinds.h", "struct StudentT {"),
    "longrun.Bernoulli": ("model/noise_kinds.h", "struct Bernoulli {"),
    "longrun.Noise": ("model/noise.h", "using Noise ="),
    "longrun.Bandit": ("model/bandit.h", "struct Bandit {"),
    "longrun.BanditInfo": ("data/named_bandits.h", "struct NamedBandit {"),
    "longrun.bandits": ("data/named_bandits.h", "std::vector<NamedBandit> named_bandits("),
    "longrun.Setting": ("policy/setting.h", "struct Setting {"),
    "longrun.Policy": ("decide/live_policy.h", "class LivePolicy {"),
    "longrun.Policy.ask": ("decide/live_policy.h", "virtual Arm choose() ="),
    "longrun.Policy.tell": ("decide/live_policy.h", "virtual void observe("),
    "longrun.Policy.lose": ("decide/live_policy.h", "virtual void lose("),
    "longrun.Policy.cancel": ("decide/live_policy.h", "virtual void cancel("),
    "longrun.Policy.pending": ("decide/live_policy.h", "virtual Pulls pending("),
    "longrun.PolicyInfo": ("policy/catalog.h", "struct PolicyEntry {"),
    "longrun.policies": ("policy/catalog.h", "std::span<const PolicyEntry> policy_catalog("),
    "longrun.policy": ("policy/catalog.h", "class PolicyChoice {"),
    "longrun.World": ("simulate/world.h", "class World {"),
    "longrun.World.pull": ("simulate/world.h", "double pull(Arm arm)"),
    "longrun.Constraints": ("model/constraints.h", "struct Constraints {"),
    "longrun.Optimum": ("solve/best_allocation.h", "struct Allocation {"),
    "longrun.optimum": ("simulate/optimum.h", "Allocation optimal_allocation(const Bandit& bandit, Pulls horizon);"),
    "longrun.optimistic_future": ("solve/optimistic_future.h", "std::optional<double> optimistic_future("),
    "longrun.recommend": ("decide/advice/recommendation.h", "Recommendation recommend(const"),
    "longrun.RewardNow": ("decide/advice/reward_summary.h", "struct RewardNow {"),
    "longrun.CurveTrend": ("decide/advice/curve_trend.h", "struct CurveTrend {"),
    "longrun.ExpectedReward": ("decide/advice/arm_report.h", "std::optional<FutureRange> expected{};"),
    "longrun.ArmReport": ("decide/advice/arm_report.h", "struct ArmReport {"),
    "longrun.NextPulls": ("decide/next_round.h", "struct NextPulls {"),
    "longrun.Misfit": ("decide/advice/misfit.h", "enum class MisfitKind {"),
    "longrun.Outlier": ("decide/advice/outliers.h", "struct Outlier {"),
    "longrun.ToLearn": ("decide/advice/recommendation.h", "struct ToLearn {"),
    "longrun.plan": ("simulate/plan/plan.h", "Plan plan(const"),
    "longrun.FutureRange": ("decide/future_range.h", "struct FutureRange {"),
    "longrun.PlannedArm": ("simulate/plan/plan.h", "struct PlannedArm {"),
    "longrun.Course": ("simulate/plan/plan.h", "struct Course {"),
    "longrun.Backtest": ("simulate/backtest/backtest.h", "struct Backtest {"),
    "longrun.BacktestRow": ("simulate/backtest/backtest.h", "struct BacktestRow {"),
    "longrun.LoggedArm": ("simulate/backtest/log_fit.h", "struct LoggedArm {"),
    "longrun.LogEstimate": ("simulate/backtest/log_estimates.h", "struct LogEstimate {"),
    "longrun.Replay": ("simulate/backtest/replay.h", "struct Replay {"),
    "longrun.RejectionReplay": ("simulate/backtest/replay.h", "struct RejectionReplay {"),
    "longrun.PolicyReplays": ("simulate/backtest/backtest.h", "struct PolicyReplays {"),
    "longrun.RandomChoiceTest": ("simulate/backtest/replay.h", "struct RandomChoiceTest {"),
    "longrun.Decision": ("decide/study/study_events.h", "struct Decision {"),
    "longrun.Difference": ("decide/study/study.h", "struct Difference {"),
    "longrun.Study": ("decide/study/study.h", "class Study {"),
    "longrun.Study.decide": ("decide/study/study.h", "Decided decide("),
    "longrun.Study.observe": ("decide/study/study.h", "Settled settle("),
    "longrun.Study.record": ("decide/study/study.h", "Observed observe("),
    "longrun.Study.add_arm": ("decide/study/study.h", "ArmAdded add_arm("),
    "longrun.Study.extend_budget": ("decide/study/study.h", "BudgetExtended extend_budget("),
    "longrun.Study.replay": ("decide/study/study_log.h", "std::vector<EventDifference> replay("),
    "longrun.Study.snapshot": ("decide/study/study_snapshot.h", "std::string snapshot("),
    "longrun.Study.from_snapshot": ("decide/study/study_snapshot.h", "Study restored("),
    "longrun.style": ("policy/line_style.h", "LineStyle line_style("),
}


def test_every_noise_has_the_sentence_of_its_header():
    assert {f"longrun.{noise.__name__}" for noise in longrun.Noise.__subclasses__()} <= set(SOURCES)


IN_PYTHON = {"nullopt": "None", "named_bandit()": "Bandit()"}


def first_sentence(header, declaration):
    """Return the first sentence of the comment above a declaration, in the terms of Python."""
    text = (ROOT / "longrun" / header).read_text()
    before = text[: text.index(declaration)].rstrip(" ").splitlines()
    lines = []
    while before and before[-1].strip().startswith("///"):
        lines.insert(0, before.pop().strip()[3:].strip())
    comment = " ".join(lines)
    for cpp, python in IN_PYTHON.items():
        comment = comment.replace(cpp, python)
    assert comment, f"{header} has no comment above {declaration}"
    return re.split(r"(?<=[.])\s(?=[A-Z])", comment)[0].rstrip(".")


@pytest.mark.parametrize("name", SOURCES)
def test_docstrings_contain_the_first_sentence_of_the_header(name):
    thing, kind = PUBLIC[name]
    sentence = first_sentence(*SOURCES[name])
    if kind == "function":  # numpydoc: "Return", not "Returns"
        sentence = re.sub(r"^(\w+)s\b", r"\1", sentence).replace(" and returns ", " and return ")
    docstring = " ".join(inspect.getdoc(thing).split())
    assert sentence in docstring, f"the docstring of {name} lacks the sentence of {SOURCES[name][0]}"
