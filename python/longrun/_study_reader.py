from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Sequence
from urllib.parse import quote

from ._checks import whole
from ._decision import ArmNames, Difference
from ._events import Events, frame_of, history_of, pulls_in
from ._noise import Noise
from ._plan import Plan, compared_of
from ._recommend import Recommendation
from ._served_state import Audit, StudyState, audit_of, plan_of, recommendation_of, state_of
from ._service_http import Connection
from ._study_checks import arm_numbers_of, count_of

if TYPE_CHECKING:
    import pandas

EVENTS_PER_PAGE = 1000
PENDING_PER_PAGE = 1000  # the service sends no more


class StudyReader:
    """What a served study can be asked without changing it."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self._name = name
        self._path = f"/v1/studies/{quote(name, safe='')}"
        self._key = f"{name} at {connection.url}"  # marks the decisions of this study
        state = self.state
        self._scale = state.scale
        self._known = arm_names_in(state)

    # ---- state

    @property
    def name(self) -> str:
        """Name of the study."""
        return self._name

    @property
    def state(self) -> StudyState:
        """The state now: one request, so all of it is of the same moment."""
        return state_of(self._connection.get(self._path).json())

    @property
    def arms(self) -> list[str]:
        """Names of the arms, in the order of their numbers."""
        return self._refreshed().names

    @property
    def budget(self) -> int | float:
        """Units of the budget, extensions included."""
        return self.state.budget

    @property
    def spent(self) -> int | float:
        """Units of all pulls that were decided and are not void, or were recorded."""
        return self.state.spent

    @property
    def remaining(self) -> int | float:
        """Units that are not spent: the budget minus `spent`."""
        state = self.state
        return round(state.budget - state.spent, state.unit_decimals) if state.unit_decimals else state.budget - state.spent

    @property
    def history(self) -> list[tuple[str, float | None]]:
        """The pulls that were made, in order: the arm and its reward, None if it is pending or lost.

        It has the form that `recommend` accepts, where a reward of None is pending. All events are read.
        """
        return history_of(pulls_in(self.events))

    @property
    def done(self) -> bool:
        """Whether the budget is spent, or what is left pays for no pull in a coming round.

        A closed study is not done for that reason.
        """
        return self.state.done

    @property
    def pulls(self) -> dict[str, int]:
        """Pulls of each arm: decided and not void, or recorded."""
        return {each.arm: each.pulls for each in self.state.arms}

    @property
    def pending(self) -> dict[int, str]:
        """The decisions without an outcome, oldest first: the name of the arm by the number of the decision."""
        return {each["id"]: each["arm"] for each in self._pending()}

    @property
    def pending_instead(self) -> dict[int, int]:
        """The pending pulls in place of decisions: the number of the void decision by that of the pull."""
        return {each["id"]: each["instead_of"] for each in self._pending() if "instead_of" in each}

    def _pending(self) -> Iterator[dict[str, Any]]:
        """Yield the pending decisions as the service lists them."""
        last = 0
        while True:
            parameters = {"after": last, "most": PENDING_PER_PAGE}
            page = self._connection.get(f"{self._path}/decisions", parameters).json()["decisions"]
            yield from page
            if len(page) < PENDING_PER_PAGE:
                return
            last = page[-1]["id"]

    @property
    def unavailable(self) -> list[str]:
        """The arms that `set_unavailable` named last."""
        return self.state.unavailable

    @property
    def policy(self) -> str:
        """Name of the policy, with its parameters."""
        return self.state.policy

    @property
    def noise(self) -> Noise | None:
        """Noise of rewards on the scale from 0 to 1; None if it is estimated."""
        return self.state.noise

    @property
    def scale(self) -> tuple[float, float]:
        """The range of mean rewards, (minimum, maximum)."""
        return self._scale

    @property
    def seed(self) -> int:
        """Seed of randomized policies."""
        return self.state.seed

    def __repr__(self) -> str:  # without a request: it must not fail
        return f"<longrun.ServedStudy {self._name!r} at {self._connection.url}>"

    # ---- advice

    def explain(self) -> Recommendation:
        """Return the next decision with its reasons, and the estimates for every arm. Nothing is decided.

        Returns
        -------
        Recommendation
            The answer of `recommend` for this study: pending and lost pulls count as they do in the study.
        """
        return recommendation_of(self._connection.get(f"{self._path}/recommendation", computes=True).json())

    def plan(self, compare: str | Sequence[str] = (), *, futures: int = 1000) -> Plan:
        """Return what happens if the study is carried on until its budget is spent, as `plan` does. Nothing is decided.

        Parameters
        ----------
        compare : str or sequence of str
            Constraints whose price is computed, in the form of the command line, such as "minimum-share 0.1".
        futures : int
            Number of futures, from 100 to 10,000.

        Returns
        -------
        Plan
            The pulls of every arm, and the total of every course.

        Raises
        ------
        ValueError
            If a constraint is unknown or cannot be satisfied, or the number of futures is out of range.
        """
        texts = compared_of(compare)
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("compare: a service takes the texts of single constraints, such as 'minimum-share 0.1'")
        parameters = [*(("compare", str(text)) for text in texts), ("futures", str(count_of("futures", futures)))]
        return plan_of(self._connection.get(f"{self._path}/plan", parameters, computes=True).json())

    # ---- events

    @property
    def last_event(self) -> int:
        """Number of the last event, from 1; 0 before the first."""
        return self.state.last_event

    @property
    def events(self) -> Sequence[dict[str, Any]]:
        """The events up to now as dictionaries: the lines of `to_json_lines`.

        It is a sequence whose events are read when they are asked for, many at a time, so ``study.events[-1]`` takes
        two requests however long the study has run. Event 0 is the creation. A slice is a list.
        """
        return Events(self._lines, 0, self.last_event)

    @property
    def differences(self) -> list[Difference]:
        """The recorded decisions that this version of the service would make otherwise: those of `audit`."""
        return self.audit().differences

    def to_json_lines(self, start: int = 0, end: int | None = None) -> str:
        """Return the events as JSON Lines, in the form of the C++ library, with their times and keys.

        Line 0 is the specification of the study, line n is event n. `Study.from_json_lines` reads all lines.

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
            If a number is not a whole number from 0.
        """
        return self._lines(whole("start", start, 63), None if end is None else whole("end", end, 63))

    def to_pandas(self) -> pandas.DataFrame:
        """Return the pulls as a data frame. All events are read.

        Returns
        -------
        pandas.DataFrame
            A row per pull, in order, with the columns of `Study.to_pandas`.
        """
        return frame_of(pulls_in(self.events))

    def export(self) -> str:
        """Return the whole study as JSON Lines, which `Client.import_study` reads.

        Returns
        -------
        str
            The lines: the creation of the study, then its events, with their times and keys.
        """
        return self._connection.get(f"{self._path}/export", computes=True).body.decode()

    def audit(self) -> Audit:
        """Replay all events, and compare state and decisions with those that are recorded.

        Returns
        -------
        Audit
            Whether they agree, and the decisions that this version of the service would make otherwise.
        """
        return audit_of(self._connection.get(f"{self._path}/audit", computes=True).json())

    # ---- what they share

    def _lines(self, start: int, end: int | None) -> str:
        """Return the lines up to, but without, `end`, or up to the last one."""
        pages = []
        while end is None or start < end:
            count = EVENTS_PER_PAGE if end is None else min(EVENTS_PER_PAGE, end - start)
            body = self._connection.get(f"{self._path}/events", {"after": start - 1, "most": count}).body
            pages.append(body)
            if body.count(b"\n") < count:
                break
            start += count  # numbers have no gaps
        return b"".join(pages).decode()

    def _refreshed(self) -> ArmNames:
        self._known = known = arm_names_in(self.state)
        return known

    def _arm_names(self, name: str, chosen: Any) -> list[str]:
        """Return the names of chosen arms. An arm that is unknown here may be one that another client has added."""
        try:
            numbers = arm_numbers_of(name, chosen, self._known)
            known = self._known
        except ValueError:
            known = self._refreshed()
            numbers = arm_numbers_of(name, chosen, known)
        return [known.names[number] for number in numbers]


def arm_names_in(state: StudyState) -> ArmNames:
    names = [each.arm for each in state.arms]
    return ArmNames(names, {name: number for number, name in enumerate(names)})
