"""What a decision service answers, as Python objects."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from ._decision import Difference
from ._noise import Noise, noise_of
from ._plan import Course, FutureRange, Plan, PlannedArm
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
)


class ArmState(NamedTuple):
    """The state of one arm of a served study.

    Parameters
    ----------
    arm : str
        Name of the arm.
    pulls : int
        Its pulls: decided and not void, or recorded.
    pending : int
        Those of them whose outcome is not known yet.
    available : bool
        Whether it can be pulled now.
    """

    arm: str
    pulls: int
    pending: int
    available: bool


class OldestPending(NamedTuple):
    """The decision that has waited longest for its outcome.

    Parameters
    ----------
    decision : int
        Its number.
    at : datetime.datetime
        When it was made.
    """

    decision: int
    at: datetime


class Health(NamedTuple):
    """What deserves attention in a study.

    Parameters
    ----------
    overdue : int
        Decisions that are pending for more than `overdue_after_days`.
    overdue_after_days : float
        Twice the time within which 90 % of the rewards arrived, and at least a day; 30 while fewer than 10 rewards have
        arrived.
    off_scale : int
        Rewards outside the scale, by no more than noise explains.
    newest_in_future : bool
        Whether the last event has a time in the future, because a clock was ahead.
    """

    overdue: int
    overdue_after_days: float
    off_scale: int
    newest_in_future: bool


class Agreement(NamedTuple):
    """How often present practice and a shadow study have chosen the same arm.

    Parameters
    ----------
    observations : int
        Recorded pulls for which the study would have made a decision.
    agreed : int
        Those of them whose arm was the one of that decision.
    """

    observations: int
    agreed: int


@dataclass(frozen=True)
class StudyState:
    """The state of a served study at one moment.

    Parameters
    ----------
    name : str
        Name of the study.
    title : str
        Its title, which may be empty.
    mode : {"live", "shadow"}
        Whether it makes decisions or watches present practice.
    closed : bool
        Whether it has ended.
    last_event : int
        Number of its last event.
    created_at : datetime.datetime
        When it was created.
    changed_at : datetime.datetime
        When its last event was recorded.
    policy : str
        The policy that decides, with its parameters.
    noise : Noise or None
        Noise of rewards on the scale from 0 to 1; None if it is estimated.
    scale : tuple of float
        The range of mean rewards, (minimum, maximum).
    seed : int
        Seed of randomized policies.
    budget : int or float
        Units of the budget, extensions included.
    spent : int or float
        Units of all pulls that were decided and are not void, or were recorded.
    left : int or float
        Units of the budget that are neither spent nor lapsed.
    lapsed : int or float
        Units that rounds left unspent and that decisions cannot spend any more. An observation can spend those of the
        last round until the next one is decided.
    overspent : int or float
        Units that were spent beyond the budget: a correction can say that a void pull was made after all, and a pull
        in place of a decision can cost more than it.
    done : bool
        Whether what is left pays for no pull in a coming round. A closed study is not done for that reason.
    unit_decimals : int
        Number of decimals of units. Without decimals, `budget`, `spent` and `left` are whole numbers.
    constraints : dict of str
        The constraints, as texts with arms by name; empty without constraints.
    by_round : bool
        Whether a request decides a whole round.
    decisions : int
        Number of the last decision. Pulls in place of decisions are numbered too.
    pending : int
        Number of decisions without an outcome.
    oldest_pending : OldestPending or None
        The one that has waited longest; None if there is none.
    health : Health
        What deserves attention.
    unavailable : list of str
        The arms of `set_unavailable`. `arms` says which can be pulled in the next round.
    agreement : Agreement or None
        How often practice and the study agreed; None unless the study is or was a shadow.
    arms : list of ArmState
        The state of every arm, in the order of their numbers.
    """

    name: str
    title: str
    mode: str
    closed: bool
    last_event: int
    created_at: datetime
    changed_at: datetime
    policy: str
    noise: Noise | None
    scale: tuple[float, float]
    seed: int
    budget: int | float
    spent: int | float
    left: int | float
    lapsed: int | float
    overspent: int | float
    done: bool
    unit_decimals: int
    constraints: dict[str, str]
    by_round: bool
    decisions: int
    pending: int
    oldest_pending: OldestPending | None
    health: Health
    unavailable: list[str]
    agreement: Agreement | None
    arms: list[ArmState]


class RowProblem(NamedTuple):
    """An outcome or pull that a service would refuse.

    Parameters
    ----------
    row : int
        Its place in the report, from 0.
    detail : str
        What is wrong.
    """

    row: int
    detail: str


class Reported(NamedTuple):
    """What a service did with a report of several outcomes or pulls.

    Parameters
    ----------
    recorded : int
        Rows that were recorded; 0 in a dry run.
    already_known : int
        Rows that were reported before, or are given twice.
    problems : list of RowProblem
        In a dry run, the first 50 of the rows that would be refused; empty otherwise.
    problem_count : int
        In a dry run, the number of rows that would be refused.
    new : int
        In a dry run, the number of rows that are right and not recorded yet.
    """

    recorded: int
    already_known: int
    problems: list[RowProblem]
    problem_count: int = 0
    new: int = 0


class Correction(NamedTuple):
    """What a correction has changed.

    Parameters
    ----------
    event : int
        Number of its event.
    at : datetime.datetime
        When it was recorded.
    pulled : int or None
        With `instead`: the number of the pull in place of the decision, by which its outcome is reported and corrected.
    voided : int or None
        The pull in place of the decision that is void now, because the decision was made after all, or because another
        arm was pulled.
    still_void : int or None
        Of a decision that is void again: the last pull in its place, which stays void until it is corrected, too.
    """

    event: int
    at: datetime
    pulled: int | None = None
    voided: int | None = None
    still_void: int | None = None


class Audit(NamedTuple):
    """The result of a replay: whether today's code comes to the same state and decisions.

    Parameters
    ----------
    events : int
        Number of events that were repeated.
    state_agrees : bool
        Whether the state after them is that of the service.
    differences : list of Difference
        The recorded decisions that this version of the service would make otherwise.
    """

    events: int
    state_agrees: bool
    differences: list[Difference]


def time_of(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def state_of(json: dict[str, Any]) -> StudyState:
    oldest = json.get("oldest_pending")
    shadow = json.get("shadow")
    low, high = json["scale"]
    return StudyState(
        name=json["name"],
        title=json["title"],
        mode=json["mode"],
        closed=json["closed"],
        last_event=json["seq"],
        created_at=time_of(json["created_at"]),
        changed_at=time_of(json["changed_at"]),
        policy=json["policy"],
        noise=None if json["noise"] == "estimate" else noise_of(json["noise"]),
        scale=(float(low), float(high)),
        seed=json["seed"],
        budget=json["budget"],
        spent=json["spent"],
        left=json["left"],
        lapsed=json.get("lapsed", 0),
        overspent=json.get("overspent", 0),
        done=json["done"],
        unit_decimals=json.get("unit_decimals", 0),
        constraints=dict(json["constraints"]),
        by_round=json["by_round"],
        decisions=json["decisions"],
        pending=json["pending"],
        oldest_pending=oldest and OldestPending(oldest["decision"], time_of(oldest["at"])),
        health=Health(**json["health"]),
        unavailable=list(json["unavailable"]),
        agreement=shadow and Agreement(shadow["observations"], shadow["agreed"]),
        arms=[ArmState(each["arm"], each["pulls"], each["pending"], each["available"]) for each in json["arms"]],
    )


def reported_of(json: dict[str, Any]) -> Reported:
    problems = [RowProblem(each["row"] - 1, each["detail"]) for each in json.get("problems", [])]
    counts = {name: json.get(name, 0) for name in ("recorded", "already_known", "problem_count", "new")}
    return Reported(problems=problems, **counts)


def correction_of(json: dict[str, Any]) -> Correction:
    pulled = json["decision"] if json["event"] == "pulled_instead" else None
    return Correction(json["seq"], time_of(json["at"]), pulled, json.get("voided"), json.get("still_void"))


def audit_of(json: dict[str, Any]) -> Audit:
    differences = [Difference(each["seq"], each["recorded"], each["recomputed"]) for each in json["differences"]]
    return Audit(json["events"], json["state_agrees"], differences)


def recommendation_of(json: dict[str, Any]) -> Recommendation:
    """Return the recommendation that `longrun recommend --json` prints."""
    learn, supposed = json["to_learn"], json["what_if"]
    first = json["first"]
    return Recommendation(
        arm=first and first["name"],
        next=[NextPulls(each["name"], each["pulls"], dict(each["causes"]), each["arm"]) for each in json["next"]],
        what_to_do=json["what_to_do"],
        why=json["why"],
        what_would_change=json["what_would_change"],
        cautions=json["cautions"],
        remaining=json["remaining"],
        noise_sd=json["noise_sd"]["value"],
        arms=[arm_report_of(each) for each in json["arms"]],
        pending=json["pending"],
        outliers=[Outlier(each["pull"] - 1, each["reward"], each["counted_as"]) for each in json["outliers"]],
        doubtful=[DoubtfulReward(each["pull"] - 1, each["reward"], each["typical"]) for each in json["doubtful"]],
        to_learn=learn and ToLearn(learn["instead"]["name"], learn["cost"], learn["probability"], learn["gain"]),
        what_if=supposed and what_if_of(supposed),
        policy=json["policy"],
        made=json["made"],
        units_left=float(json["units_left"]),
        round=json["round"],
        rounds_before=json["rounds_before"],
        noise_estimated=json["noise_sd"]["estimated"],
    )


def what_if_of(json: dict[str, Any]) -> WhatIf:
    then = [Consequence(each["from"], each["to"], each["name"]) for each in json["then"]]
    return WhatIf(json["name"], json["pulls"], then)


def plan_of(json: dict[str, Any]) -> Plan:
    """Return the plan that `longrun plan --json` prints."""
    names = [each["name"] for each in json["arms"]]
    same = ("what_is_earned", "what_constraints_cost", "what_is_not_met", "cautions", "policy", "made", "pending")
    return Plan(
        **{name: json[name] for name in (*same, "futures")},
        units_left=float(json["units_left"]),
        seed=int(json["seed"]),
        noise=json["noise"]["text"],
        noise_estimated=json["noise"]["estimated"],
        arms=[
            PlannedArm(
                arm=each["name"],
                made=each["made"],
                pending=each["pending"],
                next_round=range_of(each["next_round"]),
                rest=range_of(each["rest"]),
                noise_sd=each.get("noise_sd"),
            )
            for each in json["arms"]
        ],
        courses=[course_of(each, names) for each in json["courses"]],
    )


def course_of(json: dict[str, Any], names: list[str]) -> Course:
    same = ("kind", "name", "worse_share", "better_share", "unmet", "total_as_shown", "loss_as_shown")
    return Course(
        **{name: json[name] for name in same},
        total=range_of(json["total"]),
        pulls=range_of(json["pulls"]),
        arm_pulls={name: range_of(each) for name, each in zip(names, json["arm_pulls"])},
        loss=range_of(json["loss"]),
    )


def range_of(json: dict[str, Any]) -> FutureRange:
    return FutureRange(json["mean"], json["low"], json["high"])


def arm_report_of(json: dict[str, Any]) -> ArmReport:
    now, trend, expected, misfit = json["reward_now"], json["trend"], json["expected"], json["misfit"]
    return ArmReport(
        arm=json["name"],
        pulls=json["pulls"],
        remaining=json["remaining"],
        reward_now=now and RewardNow(now["mean"], now["standard_error"], now["pulls"], now["low"], now["high"], now["estimate"]),
        noise_sd=json["noise_sd"],
        trend=trend["stated"] if trend else "undecided",
        trend_probabilities=trend and CurveTrend(trend["rising"], trend["falling"], trend["steady"]),
        expected=expected and ExpectedReward(expected["mean"], expected["low"], expected["high"]),
        expected_course=[(each["pull"], each["mean"], each["low"], each["high"]) for each in json["expected_course"]],
        value_of_learning=json["value_of_learning"],
        index=json["index"],
        upper_bound=json["upper_bound"]["total"],
        upper_bound_curve=[(each["pull"], each["reward"]) for each in json["upper_bound"]["curve"]],
        misfit=misfit and Misfit(misfit["kind"], misfit["from"], misfit["to"], misfit["counted"]),
        pending=json["pending"],
        pending_counted_as=json["pending_counted_as"],
    )
