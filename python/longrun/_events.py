from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Iterator, Union, overload

from . import _core

LINES_PER_CHUNK = 1024  # that an iteration reads at once
SPARSE_STEP = 8  # of a slice whose lines are read one by one

Event = dict[str, Any]


class Events(Sequence[Event]):
    """The lines of a study from line `first` to its last event, each read from the log when it is asked for.

    The log only grows at its end, so the lines do not change. A line that the log has dropped raises a ValueError.
    """

    def __init__(self, log: _core.StudyLog, first: int) -> None:
        self._log = log
        self._lines = range(first, log.last_event + 1)

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
            return "<no events of a longrun.Study>"
        return f"<events {self._lines[0]} to {self._lines[-1]} of a longrun.Study>"

    def _read(self, start: int, end: int) -> list[Event]:
        return [json.loads(line) for line in self._log.json_lines(start, end).splitlines()]
