"""The errors about arguments that the C++ library and the service raise, with what they are about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Sequence


class FieldError(ValueError):
    """An error about arguments, which the message names first.

    Parameters
    ----------
    fields : sequence of str
        Names of the arguments; none if the problem is the whole message.
    problem : str
        What is wrong, without these names.
    """

    def __init__(self, fields: Sequence[str], problem: str) -> None:
        self.fields = tuple(fields)
        self.problem = problem
        super().__init__(field_message(self.fields, problem))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.fields, self.problem)

    def _renamed(self, names: Mapping[str, str]) -> FieldError:
        """Return the same error with other names of arguments."""
        return type(self)([names.get(field, field) for field in self.fields], self.problem)


@contextmanager
def arguments_called(names: Mapping[str, str]) -> Iterator[None]:
    """Give arguments in errors of the block the names that the caller knows."""
    try:
        yield
    except FieldError as error:
        raise error._renamed(names) from None


def field_message(fields: Sequence[str], problem: str) -> str:
    return f"{', '.join(fields)}: {problem}" if fields else problem
