from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Iterable, SupportsFloat, Union

import numpy as np

from ._checks import checked_label, elements, number_of, text_of, truth_of
from ._constraints import Constraints, PerArm, Rounds, constraints_by_name, given_constraints
from ._decision import ArmChoice, Arms, Decision, DecisionChoice, Decisions, Rewards, Told
from ._noise import Noise
from ._served_state import Correction, Reported, correction_of, reported_of
from ._service_http import RefusedError
from ._settling import Settling
from ._study_reader import StudyReader
from ._study_checks import (
    arm_number_of,
    count_of,
    decision_of,
    has_labels,
    is_list,
    is_several,
    list_of,
    noise_text_on,
    record_outcome,
    reward_of,
    shown,
    told_of,
)

if TYPE_CHECKING:
    import pandas

LONGEST_KEY = 200  # bytes, as the service accepts
OUTCOME_OF_NO_REWARD = '"lost" is the outcome of a reward that never arrives'  # the end of error messages

OutcomeChoice = Union[SupportsFloat, str]
Pull = Union[tuple[str, SupportsFloat], tuple[str, SupportsFloat, str]]
Outcomes = Union[Mapping[DecisionChoice, OutcomeChoice], Iterable[tuple[DecisionChoice, OutcomeChoice]], "pandas.Series[Any]"]


class ServedStudy(Settling, StudyReader):
    """A study that a decision service keeps.

    Its methods are those of `Study`. A method returns once the service has the change on its disk. Requests whose answer
    is lost are repeated with the same key, so each has one effect. Every method and property that asks the service
    raises `RefusedError` if it refuses, and `ServiceError` if there is no answer; both change nothing, unless
    ``error.maybe_recorded``.

    `Client.create` and `Client.study` return studies. Threads may share one.
    """

    # ---- decisions and their outcomes

    def decide(self, count: int = 1, *, arms: Arms | None = None, key: str | None = None) -> list[Decision]:
        """Decide on the next pulls.

        Without constraints these are `count` pulls, or as many as the budget has left. Under constraints they are the
        next round, which may be empty.

        Parameters
        ----------
        count : int
            Number of pulls. Leave it out under constraints.
        arms : str or int or iterable of these, optional
            The arms that the choice is restricted to, by name or number. By default, all arms.
        key : str, optional
            A text that names this request, such as "2026-11-16 morning". The same key again returns the same decisions,
            even after a restart of your program. By default, a new random key.

        Returns
        -------
        list of Decision
            The decisions, which are now pending.

        Raises
        ------
        ValueError
            If an argument is invalid, the budget is spent, no arm can be pulled, or the study is a shadow.
        """
        body: dict[str, Any] = {"count": count_of("count", count)}
        if arms is not None:
            body["among"] = self._arm_names("arms", arms)
            if not body["among"]:
                raise ValueError("arms: none is given; leave `arms` out for a choice between all arms")
        return self._decide(body, key)

    def ask(
        self,
        n: int = 1,
        among: Arms | None = None,
        unavailable: Arms | None = None,
        *,
        key: str | None = None,
    ) -> list[Decision]:
        """Decide on the next pulls: `decide` with arms that are left out.

        Parameters
        ----------
        n : int
            Number of pulls. Leave it out under constraints: the pulls are those of the next round.
        among : str or int or iterable of these, optional
            The arms that the choice is restricted to, by name or number. By default, all arms.
        unavailable : str or int or iterable of these, optional
            Arms that cannot be pulled this time, in addition to those of `set_unavailable`.
        key : str, optional
            A text that names this request, as for `decide`.

        Returns
        -------
        list of Decision
            The decisions, which are now pending. `tell` takes the list.

        Raises
        ------
        ValueError
            If an argument is invalid, the budget is spent, no arm can be pulled, or the study is a shadow.
        """
        body: dict[str, Any] = {"count": count_of("n", n)}
        excluded = [] if unavailable is None else self._arm_names("unavailable", unavailable)
        if among is not None:
            body["among"] = self._arm_names("among", among)
            if not body["among"]:
                raise ValueError("among: none is given; leave `among` out for a choice between all arms")
        if excluded:
            body["unavailable"] = excluded
            if among is not None and not set(body["among"]) - set(excluded):
                raise ValueError("unavailable: no arm is left to choose from")
        try:
            return self._decide(body, key)
        except RefusedError as error:
            raise error._renamed({"count": "n"}) from None

    def _decide(self, body: dict[str, Any], key: str | None) -> list[Decision]:
        made = self._connection.post(f"{self._path}/decisions", body, key_of(key))["decisions"]
        return [self._decision(**each) for each in made]

    def tell(self, decision: Told, reward: Rewards, *, key: str | None = None) -> None:
        """Record rewards: of a decision, of an arm, or of several of these.

        The reward of an arm is that of its oldest pending decision or, without one, of a pull that was not decided here;
        the service finds out which. If one of several rewards is refused, none is recorded.

        Parameters
        ----------
        decision : Decision or int or str, or iterable of these
            A decision or its number, or the name of an arm. Whole numbers are decisions.
        reward : float or iterable of float
            The observed reward, on the scale of the study; or one for each decision, in their order. The index of a
            pandas.Series must be that of the decisions, their numbers or arms, or 0, 1, ...
        key : str, optional
            A text that names this request. The same key again records nothing more, even after a restart of your
            program: rewards of arms need it for that, those of decisions do not. By default, a new random key.

        Raises
        ------
        ValueError
            If a decision or an arm does not exist, a decision has another outcome, a reward is not a number on the scale,
            or the numbers of decisions and rewards differ; or if several are given without an order, as in a dictionary.
        """
        told, rewards = told_of(decision, reward)
        rows = []
        for each, number in zip(told, rewards):
            value = reward_of(number, self._scale)
            if isinstance(each, str):
                (arm,) = self._arm_names("arm", each)
                rows.append({"arm": arm, "reward": value})
            else:
                rows.append(self._row(each, value))
        if len(rows) == 1 and key is None and "decision" in rows[0]:
            self._put_outcome(rows[0])
        else:
            self._report(rows, key=key, is_single=not is_several(decision))

    def observe(self, decision: Decisions, reward: Rewards, *, observed_at: datetime | None = None) -> None:
        """Settle a pending decision, or several: the pulls were made, and their rewards are known.

        Parameters
        ----------
        decision : Decision or int, or iterable of these
            The decision or its number. Several are all recorded or none.
        reward : float, or iterable of float
            The observed reward, on the scale of the study; for several decisions, as many. True and False count as 1
            and 0 on the scale from 0 to 1.
        observed_at : datetime.datetime, optional
            When the reward was observed, with a time zone; for the log.

        Raises
        ------
        ValueError
            If a decision does not exist or has another outcome, or a reward is not a number on the scale.
        """
        more = {} if observed_at is None else {"observed_at": time_text(observed_at)}
        if is_several(decision):
            self._report([{**row, **more} for row in self._rows(zip(*told_of(decision, reward)))])
        else:
            self._put_outcome(self._row(decision, reward), more)

    def void(
        self, decision: Decisions, *, instead: ArmChoice | None = None, reward: SupportsFloat | None = None
    ) -> int | None:
        """Settle a pending decision, or several: the pulls were not made, and their units are given back.

        `cancel` is the same.

        Parameters
        ----------
        decision : Decision or int, or iterable of these
            The decision or its number. Several are all recorded or none.
        instead : str or int, optional
            The arm that was pulled in place of one decision, by name or number. Both are recorded or none.
        reward : float, optional
            The reward of that pull. By default, it is not known yet: `tell` takes it later.

        Returns
        -------
        int or None
            The number of the pull in place of the decision, by which its outcome is reported and corrected; None without
            `instead`.

        Raises
        ------
        ValueError
            If a decision does not exist or has another outcome, or the arm or the reward is invalid.
        """
        if instead is None and reward is None:
            self._settle(decision, "void")
            return None
        if is_several(decision):
            raise ValueError("instead: is possible for one decision at a time")
        row = self._row(decision, "void", OUTCOME_OF_NO_REWARD)
        return int(self._put_outcome(row, {"instead": self._instead(instead, reward)})["decision"])

    cancel = void

    def report(self, outcomes: Outcomes, *, dry_run: bool = False) -> Reported:
        """Settle several decisions at once: all are recorded or none.

        Parameters
        ----------
        outcomes : mapping, pandas.Series or iterable of tuple
            The outcome of each decision: its reward, "lost" or "void". The index of a pandas.Series has the decisions.
        dry_run : bool
            Whether to list the outcomes that would be refused, and record nothing.

        Returns
        -------
        Reported
            The numbers of outcomes that were recorded, and that were known already; in a dry run, the problems.

        Raises
        ------
        ValueError
            If an outcome is invalid, except in a dry run those that the service finds.
        """
        of_decisions: Any = outcomes
        if isinstance(of_decisions, Mapping) or has_labels(of_decisions):
            of_decisions = list(of_decisions.items())
        pairs = rows_in("outcomes", of_decisions, "a dictionary or pairs of decisions and outcomes")
        return self._report(self._rows(pairs, OUTCOME_OF_NO_REWARD), dry_run=truth_of("dry_run", dry_run))

    def correct(
        self,
        decision: DecisionChoice,
        outcome: OutcomeChoice,
        *,
        reason: str,
        instead: ArmChoice | None = None,
        reward: SupportsFloat | None = None,
    ) -> Correction:
        """Replace the outcome of a settled decision.

        The state becomes that of a study that had always known. The log keeps both outcomes.

        Parameters
        ----------
        decision : Decision or int
            The decision or its number. With `instead`, it may also be a pull in place of a decision: the arm of that pull
            was another one.
        outcome : float or {"lost", "void"}
            The reward, or the other outcome.
        reason : str
            Why the first outcome was wrong; for the log.
        instead : str or int, optional
            The arm that was pulled in place of the decision, whose right outcome is "void".
        reward : float, optional
            The reward of that pull. By default, it is not known yet: `tell` takes it later.

        Returns
        -------
        Correction
            What was changed: also the number of the pull in place of the decision, and of one that is void now.

        Raises
        ------
        ValueError
            If the decision does not exist, is pending or has this outcome already; or if an argument is invalid.
        """
        body = {**self._row(decision, outcome, OUTCOME_OF_NO_REWARD), "reason": reason_of(reason)}
        if instead is not None or reward is not None:
            body["instead"] = self._instead(instead, reward)
        return correction_of(self._connection.post(f"{self._path}/corrections", body, new_key()))

    def correct_record(self, event: int | str, outcome: OutcomeChoice, *, reason: str) -> Correction:
        """Replace the reward of a pull that was recorded, or say that it was not made.

        The state becomes that of a study that had always known. The log keeps both. If the arm is wrong, correct the
        pull to "void" and record the right one.

        Parameters
        ----------
        event : int or str
            The number of its event, or the `id` of the pull.
        outcome : float or {"void"}
            The right reward, or "void": the pull was not made.
        reason : str
            Why it was wrong; for the log.

        Returns
        -------
        Correction
            The number of the event, and its time.

        Raises
        ------
        ValueError
            If there is no such pull, or it is recorded like this already; or if an argument is invalid.
        """
        which = key_of(event, "event") if isinstance(event, str) else count_of("event", event)
        body: dict[str, Any] = {"observation": which, "reason": reason_of(reason)}
        body.update(record_outcome(outcome, self._scale))
        return correction_of(self._connection.post(f"{self._path}/corrections", body, new_key()))

    def record(self, arm: str, reward: SupportsFloat, *, id: str | None = None) -> None:
        """Record a pull that was not decided here.

        Parameters
        ----------
        arm : str
            Name of the arm. A number is refused, because it could be that of a decision.
        reward : float
            The observed reward, on the scale of the study.
        id : str, optional
            A text that names this pull, such as the number of a contract. The same pull with the same `id` is recorded
            once, even after a restart of your program.

        Raises
        ------
        ValueError
            If the arm does not exist, the reward is not on the scale, the budget has too few units left, or `id` names
            another pull already.
        """
        body = self._pull(arm, reward, id)
        self._connection.post(f"{self._path}/observations", body, new_key() if id is None else None)

    def record_all(self, pulls: Iterable[Pull], *, dry_run: bool = False) -> Reported:
        """Record several pulls that were not decided here: all are recorded or none.

        Parameters
        ----------
        pulls : iterable of tuple
            The arm and the reward of each pull, as in `record`; or arm, reward and `id`, then of every pull. Pulls that
            are known by their `id` are not recorded again.
        dry_run : bool
            Whether to list the pulls that would be refused, and record nothing.

        Returns
        -------
        Reported
            The numbers of pulls that were recorded, and that were known already; in a dry run, the problems.

        Raises
        ------
        ValueError
            If a pull is invalid, except in a dry run those that the service finds.
        """
        rows = []
        for place, pull in enumerate(rows_in("pulls", pulls, "a list of arms and their rewards")):
            if isinstance(pull, (str, bytes)) or not is_list(pull) or len(tuple(pull)) not in (2, 3):
                raise ValueError(f"row {place}: {shown(pull)} must be an arm, its reward and perhaps an id")
            try:
                rows.append(self._pull(*pull))
            except ValueError as error:
                raise ValueError(f"row {place}: {error}") from None
        if not rows:
            return Reported(0, 0, [])
        has_ids = any("id" in row for row in rows)
        for place, row in enumerate(rows):
            if has_ids and "id" not in row:
                raise ValueError(f"row {place}: id: missing; give every pull an id, or none")
        return self._post_rows("observations", rows, truth_of("dry_run", dry_run), None if has_ids else new_key())

    # ---- changes while it runs

    def set_unavailable(self, arms: Arms) -> None:
        """Set the arms that cannot be pulled from now on, in place of those set before.

        Parameters
        ----------
        arms : str or int or iterable of these
            The arms, by name or number; an empty list if all are available again.

        Raises
        ------
        ValueError
            If an arm does not exist.
        """
        self._change(unavailable=self._arm_names("arms", arms))

    def add_arm(self, name: str) -> None:
        """Add an arm without pulls, the last one.

        Parameters
        ----------
        name : str
            Name of the arm.

        Raises
        ------
        ValueError
            If the name is empty or taken, or the constraints do not allow another arm.
        """
        self._change(add_arms=[checked_label("name", text_of("name", name))])

    def extend_budget(self, units: int | float) -> None:
        """Add units to the budget.

        Parameters
        ----------
        units : int or float
            The units to add; without constraints, pulls. They may have as many decimals as the units of the study.

        Raises
        ------
        ValueError
            If the number is not above 0, or has more decimals.
        """
        self._change(extend_budget=units_of("units", units))

    def change_noise(self, noise: Noise | str | float | None) -> None:
        """Replace what is known about the noise.

        The state becomes that of a study that was created with this noise and has the same decisions and outcomes.

        Parameters
        ----------
        noise : Noise or str or float or None
            As in `Client.create`; None or "estimate": it is estimated from the rewards.

        Raises
        ------
        ValueError
            If the noise is invalid, is the one already or contradicts rewards that were reported, or the policy needs
            another one.
        """
        self._change(noise=noise_text_on(self._scale, noise))

    def change_constraints(
        self,
        *,
        minimum_pulls: PerArm | None = None,
        minimum_share: PerArm | None = None,
        unavailable: Mapping[int, Rounds] | Mapping[str, Rounds] | None = None,
    ) -> None:
        """Replace constraints from now on; the others stay as they are.

        Minimum pulls count all pulls so far. A share that is new or another than before is one of the units that are
        spent from now on. Rounds, costs and unspent units cannot change.

        Parameters
        ----------
        minimum_pulls : float, mapping or sequence, optional
            As in `Constraints`; 0 removes it. By default, as before.
        minimum_share : float, mapping or sequence, optional
            As in `Constraints`; 0 removes it. By default, as before.
        unavailable : mapping, optional
            As in `Constraints`; an empty one removes it. By default, as before.

        Raises
        ------
        ValueError
            If a value is invalid, nothing changes, or the units that are left do not suffice.
        """
        given = given_constraints(minimum_pulls, minimum_share, unavailable)
        texts = constraints_by_name(Constraints(**given), self._refreshed().names)
        self._change(constraints={field: texts.get(field) for field in given})

    def go_live(self) -> None:
        """Let a shadow decide from now on, with what it has seen so far. It cannot become a shadow again.

        Raises
        ------
        ValueError
            If the study is live already, or closed.
        """
        self._change(mode="live")

    def close_study(self) -> None:
        """End the study: no further decisions and changes. Outcomes of pending decisions are still accepted.

        It cannot be opened again.

        Raises
        ------
        ValueError
            If it has ended already.
        """
        self._connection.send("POST", f"{self._path}/close", b"", key=new_key())

    # ---- what they share

    def _decision(self, id: int, arm: str, pull: int, cause: str, **_: Any) -> Decision:
        known = self._known if arm in self._known.numbers else self._refreshed()
        decision = Decision(id, arm, arm_number_of(arm, known), pull, cause)
        object.__setattr__(decision, "_study", self._key)
        return decision

    def _pull(self, arm: Any, reward: Any, id: Any = None) -> dict[str, Any]:
        """Return a pull that was not decided here as the service reads it."""
        if isinstance(arm, Decision):
            raise ValueError(f"arm: decision {arm.id} was made by a study; observe() takes its reward")
        if not isinstance(arm, str):
            raise ValueError(
                f"arm {shown(arm)}: must be the name of an arm, such as {self._known.names[0]!r}; observe() takes decisions"
            )
        (name,) = self._arm_names("arm", arm)
        value = reward_of(reward, self._scale, "a pull without a reward cannot be recorded")
        body: dict[str, Any] = {"arm": name, "reward": value}
        if id is not None:
            body["id"] = key_of(id, "id")
        return body

    def _row(self, decision: Any, outcome: Any, instead: str | None = None) -> dict[str, Any]:
        """Return an outcome of a decision as the service reads it."""
        number, _ = decision_of(decision, self._key, self._known)
        row: dict[str, Any] = {"decision": number}
        if isinstance(decision, Decision):
            # After an older backup was restored, the number may be that of another decision.
            row["arm"] = decision.arm
        if isinstance(outcome, str) and instead is not None:
            if outcome not in ("lost", "void"):
                raise ValueError(f"outcome {str(outcome)!r}: must be a reward, 'lost' or 'void'")
            return {**row, "kind": str(outcome)}
        reward = reward_of(outcome, self._scale) if instead is None else reward_of(outcome, self._scale, instead)
        return {**row, "kind": "observed", "reward": reward}

    def _instead(self, arm: Any, reward: Any) -> dict[str, Any]:
        """Return the pull in place of a void decision as the service reads it."""
        if arm is None:
            raise ValueError("reward: a void decision has none; name the arm that was pulled with `instead`")
        names = self._arm_names("instead", arm)
        if len(names) != 1:
            raise ValueError(f"instead: has {len(names)} arms; one was pulled in place of the decision")
        (name,) = names
        return {"arm": name} if reward is None else {"arm": name, "reward": reward_of(reward, self._scale)}

    def _rows(self, pairs: Iterable[Any], instead: str | None = None) -> list[dict[str, Any]]:
        rows = []
        for place, pair in enumerate(pairs):
            try:
                decision, outcome = pair
            except (TypeError, ValueError):
                raise ValueError(f"row {place}: {shown(pair)} must be a decision and its outcome") from None
            try:
                rows.append(self._row(decision, outcome, instead))
            except ValueError as error:
                raise ValueError(f"row {place}: {error}") from None
        return rows

    def _put_outcome(self, row: dict[str, Any], more: Mapping[str, Any] = {}) -> Any:
        number = row.pop("decision")
        return self._connection.put(f"{self._path}/decisions/{number}/outcome", {**row, **more})

    def _settle(self, decision: Any, kind: str) -> None:
        if is_several(decision):
            decisions = list_of("decision", decision, "decisions")
            self._report(self._rows(((each, kind) for each in decisions), OUTCOME_OF_NO_REWARD))
        else:
            self._put_outcome(self._row(decision, kind, OUTCOME_OF_NO_REWARD))

    def _report(
        self, rows: list[dict[str, Any]], dry_run: bool = False, key: str | None = None, is_single: bool = False
    ) -> Reported:
        if not rows:
            return Reported(0, 0, [])
        return self._post_rows("outcomes", rows, dry_run, key_of(key), is_single)

    def _post_rows(
        self, what: str, rows: list[dict[str, Any]], dry_run: bool, key: str | None, is_single: bool = False
    ) -> Reported:
        path = f"{self._path}/{what}{'?dry_run=true' * dry_run}"
        try:
            return reported_of(self._connection.post(path, {what: rows}, key))
        except RefusedError as error:
            raise counted_from_zero(error, is_single) from None

    def _change(self, **changes: Any) -> None:
        self._connection.post(f"{self._path}/changes", changes, new_key())


def rows_in(name: str, rows: Any, accepted: str) -> list[Any]:
    """Return the rows of a report. An iterator that was used already has none, and nothing would be recorded."""
    if hasattr(rows, "columns"):
        raise ValueError(f"{name}: is a data frame; give {accepted}, such as its rows: itertuples(index=False)")
    if not is_list(rows) or isinstance(rows, (str, bytes, Mapping)):
        raise ValueError(f"{name} {shown(rows)}: must be {accepted}")
    return elements(name, rows)


def counted_from_zero(error: RefusedError, is_single: bool) -> RefusedError:
    """Return a refusal of rows, which the service counts from 1, with their places in the lists that were given."""
    if not error.rows:
        return error
    (first, detail), *others = error.rows
    text = detail if is_single else f"row {first - 1}: {detail}"
    if others:
        more = error.row_count - 1
        places = [str(place - 1) for place, _ in others] + ["..."] * (more > len(others))
        text += f" (and {more} more: row{'s' * (more > 1)} {', '.join(places)})"
    again = RefusedError(text if is_single else f"{text}; nothing is recorded")
    rows = [(place - 1, what) for place, what in error.rows]
    vars(again).update(vars(error), detail=str(again), rows=rows)
    return again


def new_key() -> str:
    return secrets.token_hex(16)


def key_of(key: Any, name: str = "key") -> str:
    """Return the key, or a new one in place of None."""
    if key is None:
        return new_key()
    text = text_of(name, key)
    if not text or len(text) > LONGEST_KEY or not text.isascii() or not text.isprintable() or text != text.strip():
        raise ValueError(f"{name} {shown(key)}: must have 1 to {LONGEST_KEY} printable ASCII characters, without blanks around them")
    return text


def reason_of(reason: Any) -> str:
    text = text_of("reason", reason)
    if not text.strip():
        raise ValueError("reason: missing; say why the first outcome was wrong")
    return text


def units_of(name: str, number: Any) -> int | float:
    """Return a number of units above 0, as an int if it is whole. The service knows how many decimals units have."""
    if isinstance(number, (bool, np.bool_, str, bytes)) or is_list(number):
        raise ValueError(f"{name} {shown(number)}: must be a number above 0")
    value = number_of(name, number)
    if not math.isfinite(value) or value <= 0:
        raise ValueError(f"{name} {shown(number)}: must be a number above 0")
    return int(number) if value.is_integer() else value


def time_text(time: Any) -> str:
    if not isinstance(time, datetime) or time.tzinfo is None:
        raise ValueError(f"observed_at {shown(time)}: must be a datetime with a time zone")
    return time.isoformat(timespec="milliseconds")
