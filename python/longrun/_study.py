from __future__ import annotations

import secrets
import warnings
from typing import TYPE_CHECKING, Any, Mapping, Sequence, SupportsFloat

from . import _core
from ._checks import checked_label, text_of, whole
from ._constraints import Constraints, PerArm, Rounds, fields_of, given_constraints
from ._decision import ArmNames, Arms, Decision, DecisionChoice, Decisions, Difference, Rewards, Told
from ._errors import arguments_called
from ._events import Events, frame_of, history_of, pulls_in
from ._noise import Noise, noise_from_fields
from ._past import warn
from ._settling import Settling
from ._study_checks import (
    UNIT_SCALE,
    arm_names_of,
    arm_number_of,
    arm_numbers_of,
    count_of,
    decision_count,
    decision_of,
    is_several,
    kept,
    lines_of,
    list_of,
    noise_fields_on,
    record_outcome,
    reward_of,
    scale_of,
    shown,
    similar_names,
    told_of,
)

if TYPE_CHECKING:
    import pandas

    from ._plan import Plan
    from ._recommend import Recommendation


class Study(Settling):
    """A study that is being carried out: the state between decisions and their outcomes.

    A decision is pending from `decide` until its outcome is reported: `observe` (its reward is known), `lose` (the pull
    was made, its reward stays unknown) or `void` (the pull was not made). Outcomes may arrive in any order, late, or
    never. The same outcome again changes nothing; `correct` replaces an outcome. A method that raises an error changes
    nothing.

    A study keeps its events in memory, about 16 bytes for a decision with its outcome: repeated outcomes, corrections
    and `to_json_lines` need them. The first outcome that is repeated or corrected adds about 60 bytes for each outcome
    that is kept. ``copy.deepcopy`` and ``pickle`` keep state and events exactly;
    `snapshot` holds the state alone. Threads may share a study: each call is carried out as a whole.

    Parameters
    ----------
    arms : int or sequence of str
        Names of the arms, or their number; then the names are "arm 0", "arm 1" and so on.
    budget : int
        Total number of pulls; under constraints, units.
    noise : Noise or str or float, optional
        Noise of rewards on the scale from 0 to 1: a noise, the form of the command line such as "bernoulli" or
        "gaussian:0.1", or, if that is the scale of the study, a standard deviation. By default, it is estimated from
        the rewards.
    policy : str
        The policy that decides, with its parameters.
    scale : tuple of float
        The range of mean rewards, (minimum, maximum). Rewards that are further outside than noise explains are
        refused.
    constraints : Constraints, optional
        Constraints of all pulls, with arms by name or number. Decisions are then made round by round.
    seed : int
        Seed of randomized policies.
    keep_events : bool or int
        Whether to keep all events, or how many of the latest events to keep at least.

    Raises
    ------
    ValueError
        If an argument is invalid, or no allocation satisfies the constraints.

    Warns
    -----
    UserWarning
        If the names of two arms differ only in upper and lower case or in blanks.

    Examples
    --------
    >>> study = longrun.Study(["north", "south"], budget=300, noise=0.1)
    >>> first, second = study.decide(2)
    >>> study.observe(second, 0.6)
    >>> study.lose(first)
    >>> study
    <longrun.Study foresight, 2 arms, 2 of 300 units spent, 0 decisions pending>
    """

    def __init__(
        self,
        arms: int | Sequence[str],
        budget: int,
        *,
        noise: Noise | str | float | None = None,
        policy: str = _core.default_policy,
        scale: tuple[float, float] = UNIT_SCALE,
        constraints: Constraints | None = None,
        seed: int = 0,
        keep_events: bool | int = True,
    ) -> None:
        bounds = scale_of(scale)
        names = arm_names_of(arms)
        similar = similar_names(names)
        if similar:
            warn(f"arms: {shown(similar[0])} and {shown(similar[1])} differ only in upper and lower case or in blanks; they are two arms")
        log = _core.study(
            names,
            count_of("budget", budget),
            noise_fields_on(bounds, noise),
            text_of("policy", policy),
            bounds,
            fields_of(constraints, names),
            whole("seed", seed, 64),
            kept(keep_events),
        )
        self._start(log)

    def _start(self, log: _core.StudyLog) -> None:
        self._log = log
        self._key = secrets.token_hex(8)  # of the decisions that this study, its copies and its pickles make
        self._differences: list[Difference] = []
        self._scale = log.scale
        self._known = ArmNames([], {})  # the arms, except some that were added since

    def _arms_now(self) -> ArmNames:
        """Return the arms, those included that another thread has just added.

        Arms are never removed: these are the names of all numbers that the log has returned before this call.
        """
        known = self._known
        if len(known.names) < self._log.arm_count:
            names = self._log.arms
            self._known = known = ArmNames(names, {name: number for number, name in enumerate(names)})
        return known

    # ---- decisions and their outcomes

    def decide(self, count: int = 1, *, arms: Arms | None = None) -> list[Decision]:
        """Decide on the next pulls.

        Without constraints these are `count` pulls, or as many as the budget has left. Under constraints they are the
        next round, which may be empty: units are saved, or no arm is available.

        Parameters
        ----------
        count : int
            Number of pulls, at most 10^6. Leave it out under constraints.
        arms : str or int or iterable of these, optional
            The arms that the choice is restricted to, by name or number. By default, all arms.

        Returns
        -------
        list of Decision
            The decisions, which are now pending.

        Raises
        ------
        ValueError
            If an argument is invalid, the budget is spent, or no arm can be pulled.
        """
        among = [] if arms is None else arm_numbers_of("arms", arms, self._arms_now())
        if arms is not None and not among:
            raise ValueError("arms: none is given; leave `arms` out for a choice between all arms")
        return self._decide(decision_count("count", count), among)

    def _decide(self, count: int, among: list[int]) -> list[Decision]:
        """Decide between the arms with these numbers, ascending; an empty list stands for all arms."""
        made = self._log.decide(count, among)
        names = self._arms_now().names
        decisions = [Decision(id, names[arm], arm, pull, cause) for id, arm, pull, cause in made]
        for decision in decisions:
            object.__setattr__(decision, "_study", self._key)
        return decisions

    def ask(
        self,
        n: int = 1,
        among: Arms | None = None,
        unavailable: Arms | None = None,
    ) -> list[Decision]:
        """Decide on the next pulls: `decide` with arms that are left out.

        Parameters
        ----------
        n : int
            Number of pulls, at most 10^6. Leave it out under constraints: the pulls are those of the next round.
        among : str or int or iterable of these, optional
            The arms that the choice is restricted to, by name or number. By default, all arms.
        unavailable : str or int or iterable of these, optional
            Arms that cannot be pulled this time, in addition to those of `set_unavailable`.

        Returns
        -------
        list of Decision
            The decisions, which are now pending. `tell` takes the list.

        Raises
        ------
        ValueError
            If an argument is invalid, the budget is spent, or no arm can be pulled.
        """
        with arguments_called({"count": "n"}):
            return self._ask(decision_count("n", n), among, unavailable)

    def _ask(self, count: int, among: Arms | None, unavailable: Arms | None) -> list[Decision]:
        arms = self._arms_now()
        excluded = set() if unavailable is None else set(arm_numbers_of("unavailable", unavailable, arms))
        if among is None and not excluded:
            return self._decide(count, [])
        chosen = range(len(arms.names)) if among is None else arm_numbers_of("among", among, arms)
        if not chosen:
            raise ValueError("among: none is given; leave `among` out for a choice between all arms")
        left = [arm for arm in chosen if arm not in excluded]
        if not left:
            raise ValueError("unavailable: no arm is left to choose from")
        return self._decide(count, left)

    def tell(self, decision: Told, reward: Rewards) -> None:
        """Record rewards: of a decision, of an arm, or of several of these.

        The reward of an arm is that of its oldest pending decision or, without one, of a pull that was not decided here.
        If one of several rewards is refused, none is recorded.

        Parameters
        ----------
        decision : Decision or int or str, or iterable of these
            A decision or its number, or the name of an arm. Whole numbers are decisions.
        reward : float or iterable of float
            The observed reward, on the scale of the study; or one for each decision, in their order. The index of a
            pandas.Series must be that of the decisions, their numbers or arms, or 0, 1, ...

        Raises
        ------
        ValueError
            If a decision or an arm does not exist, a decision has another outcome, a reward is not a number on the scale,
            or the numbers of decisions and rewards differ; or if several are given without an order, as in a dictionary.

        Examples
        --------
        >>> study = longrun.Study(["tea", "coffee"], budget=10, noise="bernoulli")
        >>> decisions = study.ask(2)
        >>> study.tell(decisions, [1, 0])
        >>> study.tell("tea", 1)
        >>> study.remaining
        7
        """
        told, rewards = told_of(decision, reward)
        arms = self._arms_now()
        rows: list[tuple[int | None, int, float]] = []
        for each, number in zip(told, rewards):
            value = reward_of(number, self._scale)
            if isinstance(each, str):
                rows.append((None, arm_number_of(each, arms), value))
            else:
                id, arm = decision_of(each, self._key, arms)
                rows.append((id, arm, value))
        self._log.tell(rows, "observed")

    def observe(self, decision: Decisions, reward: Rewards) -> None:
        """Settle a pending decision, or several: the pulls were made, and their rewards are known.

        Parameters
        ----------
        decision : Decision or int, or iterable of these
            The decision or its number. Several are all recorded or none.
        reward : float, or iterable of float
            The observed reward, on the scale of the study; for several decisions, as many. True and False count as 1
            and 0 on the scale from 0 to 1.

        Raises
        ------
        ValueError
            If a decision does not exist or has another outcome, or a reward is not a number on the scale.
        """
        if not is_several(decision):
            self._report(decision, "observed", reward_of(reward, self._scale))
            return
        told, rewards = told_of(decision, reward)
        self._report_all(told, [reward_of(each, self._scale) for each in rewards], "observed")

    def void(self, decision: Decisions) -> None:
        """Settle a pending decision, or several: the pulls were not made, and their units are given back.

        `cancel` is the same.

        Parameters
        ----------
        decision : Decision or int, or iterable of these
            The decision or its number. Several are all recorded or none.

        Raises
        ------
        ValueError
            If a decision does not exist or has another outcome.
        """
        self._settle(decision, "void")

    cancel = void

    def correct(self, decision: DecisionChoice, outcome: SupportsFloat | str) -> None:
        """Replace the outcome of a settled decision.

        The state becomes that of a study that had always known. This repeats all events that are kept.

        Parameters
        ----------
        decision : Decision or int
            The decision or its number.
        outcome : float or {"lost", "void"}
            The reward, or the other outcome.

        Raises
        ------
        ValueError
            If the decision does not exist, is pending, or its report is no longer kept; or if the outcome is invalid.
        """
        number, _ = self._decision_of(decision)
        if isinstance(outcome, str):
            if outcome not in ("lost", "void"):
                raise ValueError(f"outcome {str(outcome)!r}: must be a reward, 'lost' or 'void'")
            self._log.correct(number, outcome, 0.0)
        else:
            instead = '"lost" is the outcome of a reward that never arrives'
            self._log.correct(number, "observed", reward_of(outcome, self._scale, instead))

    def correct_record(self, event: int, outcome: SupportsFloat | str) -> None:
        """Replace the reward of a pull that was recorded, or say that it was not made.

        The state becomes that of a study that had always known. This repeats all events that are kept. If the arm is
        wrong, correct the pull to "void" and record the right one.

        Parameters
        ----------
        event : int
            The number of its event: ``study.events[-1]["seq"]`` after `record`.
        outcome : float or {"void"}
            The right reward, or "void": the pull was not made.

        Raises
        ------
        ValueError
            If the event is not a recorded pull or is no longer kept; or if the outcome is invalid.
        """
        right = record_outcome(outcome, self._scale)
        self._log.correct_record(count_of("event", event), right.get("kind", "observed"), right.get("reward", 0.0))

    def record(self, arm: str, reward: SupportsFloat) -> None:
        """Record a pull that was not decided here.

        Parameters
        ----------
        arm : str
            Name of the arm. A number is refused, because it could be that of a decision.
        reward : float
            The observed reward, on the scale of the study.

        Raises
        ------
        ValueError
            If the arm does not exist, the reward is not on the scale, or the budget has too few units left.
        """
        if isinstance(arm, Decision):
            raise ValueError(f"arm: decision {arm.id} was made by a study; observe() takes its reward")
        if not isinstance(arm, str):
            example = self._arms_now().names[0]
            raise ValueError(f"arm {shown(arm)}: must be the name of an arm, such as {example!r}; observe() takes decisions")
        number = arm_number_of(arm, self._arms_now())
        self._log.record(number, reward_of(reward, self._scale, "a pull without a reward cannot be recorded"))

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
        self._log.set_unavailable(arm_numbers_of("arms", arms, self._arms_now()))

    def add_arm(self, name: str) -> None:
        """Add an arm without pulls, the last one.

        Parameters
        ----------
        name : str
            Name of the arm.

        Raises
        ------
        ValueError
            If the name is empty or taken, the constraints list a value for every arm, or the units that are left do not
            suffice for its minimum and share.
        """
        self._log.add_arm(checked_label("name", text_of("name", name)))

    def extend_budget(self, units: int) -> None:
        """Add units to the budget.

        Parameters
        ----------
        units : int
            The units to add; without constraints, pulls.

        Raises
        ------
        ValueError
            If the number is not at least 1.
        """
        self._log.extend_budget(count_of("units", units))

    def change_noise(self, noise: Noise | str | float | None) -> None:
        """Replace what is known about the noise.

        The state becomes that of a study that was created with this noise and has the same decisions and outcomes. This
        repeats all events.

        Parameters
        ----------
        noise : Noise or str or float or None
            As in `Study`; None or "estimate": it is estimated from the rewards.

        Raises
        ------
        ValueError
            If the noise is invalid or contradicts rewards that were reported, the policy needs another one, or the first
            events are no longer kept.
        """
        self._log.change_noise(noise_fields_on(self._scale, noise))

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
            If a value is invalid, or the units that are left do not suffice.
        """
        given = given_constraints(minimum_pulls, minimum_share, unavailable)
        fields = fields_of(Constraints(**given), self._arms_now().names)
        self._log.change_constraints(list(given), fields)

    # ---- state

    @property
    def arms(self) -> list[str]:
        """Names of the arms, in the order of their numbers."""
        return list(self._arms_now().names)

    @property
    def budget(self) -> int:
        """Units of the budget, extensions included."""
        return self._log.budget

    @property
    def spent(self) -> int:
        """Units of all pulls that were decided and are not void, or were recorded."""
        return self._log.spent

    @property
    def remaining(self) -> int:
        """Units that are not spent: the budget minus `spent`."""
        return self.budget - self.spent

    @property
    def history(self) -> list[tuple[str, float | None]]:
        """The pulls that were made, in order: the arm and its reward, None if it is pending or lost.

        It has the form that `recommend` accepts, where a reward of None is pending.
        """
        return history_of(pulls_in(self._events_from(0)))

    def explain(self) -> Recommendation:
        """Return the next decision with its reasons, and the estimates for every arm. Nothing is decided.

        Returns
        -------
        Recommendation
            The answer of `recommend` for this study: pending and lost pulls count as they do in the study.

        Raises
        ------
        ValueError
            If not all events are kept.
        """
        from ._recommend import answer_of

        fields = self._log.explain()
        return answer_of(self.arms, fields)  # read afterwards: another thread may add an arm meanwhile

    def plan(
        self,
        compare: Constraints | str | Sequence[Constraints | str] = (),
        *,
        futures: int = 1000,
        seed: int = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> Plan:
        """Return what happens if the study is carried on until its budget is spent, as `plan` does. Nothing is decided.

        Parameters
        ----------
        compare : Constraints or str or sequence of these
            Constraints whose price is computed, as for `plan`.
        futures : int
            Number of futures, from 100 to 1,000,000.
        seed : int
            Seed of the futures.
        threads : int, optional
            Number of threads, which does not change the result. By default, one per core.
        progress : bool, optional
            Whether to show a progress bar, which needs tqdm. By default, it is shown after one second if tqdm is
            installed.

        Returns
        -------
        Plan
            The pulls of every arm, and the total of every course.

        Raises
        ------
        ValueError
            If not all events are kept, an argument is invalid, or the futures are too many for so many arms and pulls.
        """
        from ._plan import compared_of, planned

        decimals = self._log.unit_decimals
        others = [
            other if isinstance(other, str) else fields_of(other, self.arms, decimals=decimals)
            for other in compared_of(compare)
        ]
        return planned(lambda: self.arms, self._log.plan, others, futures, seed, threads, progress)

    @property
    def done(self) -> bool:
        """Whether the budget is spent, or what is left pays for no pull in a coming round.

        A closed study is not done for that reason.
        """
        return self._log.done

    @property
    def pulls(self) -> dict[str, int]:
        """Pulls of each arm: decided and not void, or recorded."""
        pulls = self._log.pulls
        return dict(zip(self._arms_now().names, pulls))

    @property
    def pending(self) -> dict[int, str]:
        """The decisions without an outcome: the name of the arm by the number of the decision."""
        pending = self._log.pending
        names = self._arms_now().names
        return {id: names[arm] for id, arm in pending}

    @property
    def unavailable(self) -> list[str]:
        """The arms that `set_unavailable` named last."""
        unavailable = self._log.unavailable
        names = self._arms_now().names
        return [names[arm] for arm in unavailable]

    @property
    def policy(self) -> str:
        """Name of the policy, with its parameters."""
        return self._log.policy

    @property
    def noise(self) -> Noise | None:
        """Noise of rewards on the scale from 0 to 1; None if it is estimated."""
        fields = self._log.noise
        return None if fields is None else noise_from_fields(fields)

    @property
    def scale(self) -> tuple[float, float]:
        """The range of mean rewards, (minimum, maximum)."""
        return self._scale

    @property
    def seed(self) -> int:
        """Seed of randomized policies."""
        return self._log.seed

    def __repr__(self) -> str:
        pending, arms = self._log.pending_count, self._log.arm_count
        return (
            f"<longrun.Study {self.policy}, {arms} arm{'s' * (arms != 1)}, {self.spent} of "
            f"{self.budget} units spent, {pending} decision{'s' * (pending != 1)} pending>"
        )

    # ---- events

    @property
    def last_event(self) -> int:
        """Number of the last event, from 1; 0 before the first."""
        return self._log.last_event

    @property
    def events(self) -> Sequence[dict[str, Any]]:
        """The kept events up to now as dictionaries: the lines of `to_json_lines`.

        It is a sequence whose events are read when they are asked for, so ``study.events[-1]`` takes microseconds
        however long the study has run. A slice is a list.
        """
        return self._events_from(self._log.first_line)

    def _events_from(self, line: int) -> Events:
        return Events(self._log.json_lines, line, self._log.last_event)

    @property
    def differences(self) -> list[Difference]:
        """The recorded decisions that this version of the package would make otherwise; empty without replay."""
        return list(self._differences)

    def to_json_lines(self, start: int = 0, end: int | None = None) -> str:
        """Return the events as JSON Lines, in the form of the C++ library.

        Line 0 is the specification of the study, line n is event n.

        Parameters
        ----------
        start : int
            Number of the first line. ``to_json_lines(study.last_event + 1)`` is empty until the next event.
        end : int, optional
            Number of the line before which to stop. By default, all lines to the last event.

        Returns
        -------
        str
            The lines, each with a line break.

        Raises
        ------
        ValueError
            If the line is not kept.
        """
        return self._log.json_lines(whole("start", start, 63), None if end is None else whole("end", end, 63))

    @classmethod
    def from_json_lines(cls, text: str, *, keep_events: bool | int = True) -> Study:
        """Return the study whose lines these are.

        Every decision is recomputed. The recorded ones stand; if this version of the package would make others, it
        warns and lists them in `differences`.

        Parameters
        ----------
        text : str
            The lines of `to_json_lines` from line 0 on. Blank lines at the end are left out.
        keep_events : bool or int
            As in `Study`.

        Returns
        -------
        Study
            The study after its last event.

        Raises
        ------
        ValueError
            If a line is damaged or incomplete, or an event does not follow from those before it.
        """
        log, differences = _core.study_from_json_lines(lines_of(text), kept(keep_events))
        if differences:
            warn_of(differences)
        study = cls.__new__(cls)
        study._start(log)
        study._differences = [Difference(*each) for each in differences]
        return study

    def replay(self, text: str) -> None:
        """Repeat events.

        Recorded decisions stand, as in `from_json_lines`.

        Parameters
        ----------
        text : str
            The lines of `to_json_lines` that follow `last_event`. Blank lines at the end are left out.

        Raises
        ------
        ValueError
            If a line is damaged or incomplete, or an event does not follow from those before it.
        """
        differences = self._log.replay(lines_of(text), warn_of)
        self._differences += [Difference(*each) for each in differences]

    def to_pandas(self) -> pandas.DataFrame:
        """Return the pulls as a data frame.

        Returns
        -------
        pandas.DataFrame
            A row per pull, in order, with the columns decision (its number, missing for a recorded pull), arm, pull
            (the number of this pull of the arm if all earlier pulls of it are made, missing unless it was decided), cause
            ("choice", "share", "minimum", "recorded", or "instead" of a decision), outcome ("observed", "lost", "void" or "pending") and reward.
            `history` is for `recommend`: a void decision was not made, and its row is an error there.

        Raises
        ------
        ValueError
            If not all events are kept.
        """
        return frame_of(pulls_in(self._events_from(0)))

    # ---- saved states

    def snapshot(self) -> bytes:
        """Return the study as bytes.

        They hold the state and the number of the last event, without the events: for most policies a few kilobytes,
        however long the study has run.

        Returns
        -------
        bytes
            The state.
        """
        return self._log.snapshot()

    @classmethod
    def from_snapshot(cls, data: bytes, *, keep_events: bool | int = True) -> Study:
        """Return the study that the bytes were taken from.

        It goes on to the last bit as the saved one would have. Outcomes that were reported before the snapshot can be
        neither repeated nor corrected.

        Parameters
        ----------
        data : bytes
            The bytes of `snapshot`.
        keep_events : bool or int
            As in `Study`.

        Returns
        -------
        Study
            The study.

        Raises
        ------
        ValueError
            If the bytes are damaged, incomplete, no snapshot, or of a version whose states have another layout.
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise ValueError(f"data {shown(data)}: must be the bytes of a snapshot")
        study = cls.__new__(cls)
        study._start(_core.study_from_snapshot(bytes(data), kept(keep_events)))
        return study

    @classmethod
    def restore(cls, data: bytes, *, keep_events: bool | int = True) -> Study:
        """Return the study of a snapshot. The same as `from_snapshot`.

        Parameters
        ----------
        data : bytes
            The bytes of `snapshot`.
        keep_events : bool or int
            As in `Study`.

        Returns
        -------
        Study
            The study.

        Raises
        ------
        ValueError
            If the bytes are damaged, incomplete, no snapshot, or of a version whose states have another layout.
        """
        return cls.from_snapshot(data, keep_events=keep_events)

    def __copy__(self) -> Study:
        study = type(self).__new__(type(self))
        study.__dict__.update(self.__dict__, _log=self._log.__copy__(), _differences=list(self._differences))
        return study

    def _report(self, decision: Any, kind: str, reward: float) -> None:
        number, arm = self._decision_of(decision)
        self._log.report(number, arm, kind, reward)

    def _settle(self, decision: Decisions, kind: str) -> None:
        if is_several(decision):
            told = list_of("decision", decision, "decisions")
            self._report_all(told, [0.0] * len(told), kind)
        else:
            self._report(decision, kind, 0.0)

    def _report_all(self, decisions: Sequence[Any], rewards: Sequence[float], kind: str) -> None:
        self._log.tell([(*self._decision_of(each), reward) for each, reward in zip(decisions, rewards)], kind)

    def _decision_of(self, decision: DecisionChoice) -> tuple[int, int]:
        return decision_of(decision, self._key, self._arms_now())


def warn_of(differences: Sequence[tuple[int, Sequence[str], Sequence[str]]]) -> None:
    """Warn of decisions that this version would make otherwise, at the caller of the method that calls this."""
    warnings.warn(
        f"longrun {_core.version} would decide otherwise in {len(differences)} recorded event"
        f"{'s' * (len(differences) != 1)}, first in event {differences[0][0]}; the recorded decisions stand "
        "(Study.differences)",
        stacklevel=3,
    )
