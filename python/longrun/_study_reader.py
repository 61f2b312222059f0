from __future__ import annotations

import json
from typing import Any, Iterator, Sequence
from urllib.parse import quote

from ._checks import text_of, whole
from ._decision import ArmNames
from ._noise import Noise
from ._recommend import Recommendation
from ._served_state import Audit, StudyState, audit_of, recommendation_of, state_of
from ._service_http import Connection
from ._study_checks import arm_numbers_of, count_of

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
    def done(self) -> bool:
        """Whether no further decision can be made: the budget is spent, or all rounds are over."""
        return self.state.done

    @property
    def pulls(self) -> dict[str, int]:
        """Pulls of each arm: decided and not void, or recorded."""
        return {each.arm: each.pulls for each in self.state.arms}

    @property
    def pending(self) -> dict[int, str]:
        """The decisions without an outcome, oldest first: the name of the arm by the number of the decision."""
        pending: dict[int, str] = {}
        last = 0
        while True:
            parameters = {"after": last, "most": PENDING_PER_PAGE}
            page = self._connection.get(f"{self._path}/decisions", parameters).json()["decisions"]
            pending.update((each["id"], each["arm"]) for each in page)
            if len(page) < PENDING_PER_PAGE:
                return pending
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

    def recommendation(self) -> Recommendation:
        """Return the next decision, and the estimates for every arm, without making the decision.

        Returns
        -------
        Recommendation
            As `recommend` returns it.
        """
        return recommendation_of(self._connection.get(f"{self._path}/recommendation", computes=True).json())

    def plan(self, compare: str | Sequence[str] = (), *, futures: int = 1000) -> dict[str, Any]:
        """Return what the remaining pulls are expected to earn, and what constraints cost.

        Parameters
        ----------
        compare : str or sequence of str
            Constraints to compare with, such as "minimum_share 0.1".
        futures : int
            Number of futures that are played.

        Returns
        -------
        dict
            The object that ``longrun plan --json`` prints.

        Raises
        ------
        ValueError
            If a constraint is unknown or cannot be satisfied, or the number of futures is out of range.
        """
        texts = [compare] if isinstance(compare, str) else list(compare)
        parameters = [("compare", text_of("compare", text)) for text in texts]
        answer = self._connection.get(
            f"{self._path}/plan", [*parameters, ("futures", str(count_of("futures", futures)))], computes=True
        )
        result: dict[str, Any] = answer.json()
        return result

    # ---- events

    def events(self, after: int = -1) -> Iterator[dict[str, Any]]:
        """Return an iterator over the events up to now, which are read in pages.

        Parameters
        ----------
        after : int
            Number of the last event to leave out. By default, the first one is number 0, the creation of the study.

        Returns
        -------
        iterator of dict
            The events, as in `export`.

        Raises
        ------
        ValueError
            If `after` is not a whole number from -1.
        """
        return self._event_pages(whole("after", after, 63, least=-1))

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

    def _event_pages(self, after: int) -> Iterator[dict[str, Any]]:
        while True:
            parameters = {"after": after, "most": EVENTS_PER_PAGE}
            lines = self._connection.get(f"{self._path}/events", parameters).body.splitlines()
            yield from map(json.loads, lines)
            if len(lines) < EVENTS_PER_PAGE:
                return
            after += len(lines)  # numbers have no gaps

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
