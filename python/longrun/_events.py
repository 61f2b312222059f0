from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Union, overload

if TYPE_CHECKING:
    import pandas

LINES_PER_CHUNK = 1000  # that an iteration reads at once
SPARSE_STEP = 8  # of a slice whose lines are read one by one

Event = dict[str, Any]
Pull = dict[str, Any]


class Events(Sequence[Event]):
    """The lines of a study from line `first` to line `last`, each read when it is asked for.

    A log only grows at its end, so the lines do not change. A line that the log has dropped raises a ValueError.
    """

    def __init__(self, read: Callable[[int, int], str], first: int, last: int) -> None:
        """`read` returns the JSON Lines from its first argument up to, but without, its second one."""
        self._text = read
        self._lines = range(first, last + 1)

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> Event: ...

    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Event, list[Event]]:
        if not isinstance(index, slice):
            line = self._lines[index]
            return self._read(line, line + 1)[0]
        lines = self._lines[index]
        if not lines:
            return []
        if abs(lines.step) > SPARSE_STEP:
            return [self._read(line, line + 1)[0] for line in lines]
        return self._read(min(lines), max(lines) + 1)[:: lines.step]

    def __iter__(self) -> Iterator[Event]:
        for start in self._lines[::LINES_PER_CHUNK]:
            yield from self._read(start, min(start + LINES_PER_CHUNK, self._lines.stop))

    def __reversed__(self) -> Iterator[Event]:
        for start in reversed(self._lines[::LINES_PER_CHUNK]):
            yield from reversed(self._read(start, min(start + LINES_PER_CHUNK, self._lines.stop)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Events, list)):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if not self._lines:
            return "<no events of a study>"
        return f"<events {self._lines[0]} to {self._lines[-1]} of a study>"

    def _read(self, start: int, end: int) -> list[Event]:
        return [json.loads(line) for line in self._text(start, end).split("\n") if line]  # a text may have other line breaks


def pulls_in(events: Iterable[Event]) -> list[Pull]:
    """Return the pulls of a study in order, with their outcomes. The events begin with line 0."""
    pulls: list[Pull] = []
    decisions: dict[int, Pull] = {}
    recorded: dict[int, Pull] = {}  # by the numbers of their events
    for event in events:
        for made in event.get("decisions", []):
            decisions[made["id"]] = {**made, "outcome": "pending", "reward": math.nan}
            pulls.append(decisions[made["id"]])
        if event["event"] in ("settled", "corrected"):
            pull = recorded[event["observation"]] if "observation" in event else decisions[event["decision"]]
            pull.update(outcome=event["outcome"], reward=event.get("reward", math.nan))
        elif event["event"] == "pulled_instead":
            pull = {"id": event["decision"], "arm": event["arm"], "cause": "instead", "outcome": "pending", "reward": math.nan}
            decisions[event["decision"]] = pull
            pulls.append(pull)
        elif event["event"] == "observed":
            pull = {"arm": event["arm"], "cause": "recorded", "outcome": "observed", "reward": event["reward"]}
            recorded[event["seq"]] = pull
            pulls.append(pull)
    return pulls


def history_of(pulls: Iterable[Pull]) -> list[tuple[str, float | None]]:
    """Return the pulls that were made: the arm and its reward, None if it is pending or lost."""
    made = (pull for pull in pulls if pull["outcome"] != "void")
    return [(pull["arm"], None if math.isnan(pull["reward"]) else pull["reward"]) for pull in made]


def frame_of(pulls: list[Pull]) -> pandas.DataFrame:
    """Return the pulls as a data frame."""
    import pandas

    frame = pandas.DataFrame(pulls, columns=["id", "arm", "pull", "cause", "outcome", "reward"])
    frame = frame.rename(columns={"id": "decision"})
    return frame.astype({"decision": "Int64", "pull": "Int64", "reward": float})
