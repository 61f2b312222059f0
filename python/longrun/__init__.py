"""Rested bandits: arms whose reward changes with every pull, and policies measured by policy regret.

Examples
--------
>>> import longrun
>>> bandit = longrun.Bandit("inc_dec_3", noise=longrun.Gaussian(0.05))
>>> records = longrun.simulate(bandit, ["foresight", "spo", "greedy"], horizons=[500, 1000, 2000], seeds=20)
>>> ax = longrun.plot.regret(records)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import plot
from ._backtest import (
    Backtest,
    BacktestRow,
    FittedCurve,
    LogEstimate,
    LoggedArm,
    PolicyReplays,
    RandomChoiceTest,
    RejectionReplay,
    Replay,
    backtest,
)
from ._bandit import Bandit, BanditInfo, Optimum, bandits, optimistic_future, optimum
from ._client import Client
from ._constraints import Constraints
from ._core import Policy, World
from ._core import version as __version__
from ._decision import Decision, Difference
from ._errors import FieldError
from ._executor import LostWorkerError
from ._noise import Bernoulli, Gaussian, Noise, NoNoise, StudentT, SymmetricBeta, Uniform
from ._own_policy import AskTell, PolicyError
from ._plan import Course, FutureRange, Plan, PlannedArm, plan
from ._policy import PolicyInfo, Setting, policies, policy
from ._recommend import (
    ArmReport,
    Consequence,
    CurveTrend,
    DoubtfulReward,
    ExpectedReward,
    Misfit,
    NextPulls,
    Outlier,
    Recommendation,
    RewardNow,
    ToLearn,
    WhatIf,
    recommend,
)
from ._records import Records
from ._served_state import Agreement, ArmState, Audit, Correction, Health, OldestPending, Reported, RowProblem, StudyState
from ._served_study import ServedStudy
from ._service_http import RefusedError, ServiceError
from ._simulate import simulate
from ._study import Study
from ._trajectories import Trajectories

if TYPE_CHECKING:
    from . import env as env

__all__ = [
    "Agreement",
    "ArmReport",
    "ArmState",
    "AskTell",
    "Audit",
    "Backtest",
    "BacktestRow",
    "Bandit",
    "BanditInfo",
    "Bernoulli",
    "Client",
    "Consequence",
    "Constraints",
    "Correction",
    "Course",
    "CurveTrend",
    "Decision",
    "Difference",
    "DoubtfulReward",
    "ExpectedReward",
    "FieldError",
    "FittedCurve",
    "FutureRange",
    "Gaussian",
    "Health",
    "LogEstimate",
    "LoggedArm",
    "LostWorkerError",
    "Misfit",
    "NextPulls",
    "NoNoise",
    "Noise",
    "OldestPending",
    "Optimum",
    "Outlier",
    "Plan",
    "PlannedArm",
    "Policy",
    "PolicyError",
    "PolicyInfo",
    "PolicyReplays",
    "RandomChoiceTest",
    "Recommendation",
    "Records",
    "RefusedError",
    "RejectionReplay",
    "Replay",
    "Reported",
    "RewardNow",
    "RowProblem",
    "ServedStudy",
    "ServiceError",
    "Setting",
    "StudentT",
    "Study",
    "StudyState",
    "SymmetricBeta",
    "ToLearn",
    "Trajectories",
    "Uniform",
    "WhatIf",
    "World",
    "__version__",
    "backtest",
    "bandits",
    "optimistic_future",
    "optimum",
    "plan",
    "plot",
    "policies",
    "policy",
    "recommend",
    "simulate",
]


def __dir__() -> list[str]:
    return sorted([*__all__, "env"])


if not TYPE_CHECKING:  # to a type checker, __getattr__ would mean that every attribute exists

    def __getattr__(name: str) -> Any:
        if name == "env":  # imported on first use, because it needs gymnasium
            import importlib

            return importlib.import_module(".env", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
