from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from typing import Iterator, Protocol

from ._checks import truth_of


class Show(Protocol):
    """Shows the number of steps made so far, and of all steps if that was not known before."""

    def __call__(self, done: int, total: int | None = None, /) -> None: ...


@contextmanager
def progress_bar(steps: int | None, wanted: bool | None, unit: str = " steps") -> Iterator[Show]:
    """Yield a function that shows the progress. Unless it is wanted, it is shown in a terminal or a notebook only."""
    if wanted is not None:
        wanted = truth_of("progress", wanted)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a notebook without widgets gets a bar of characters
            from tqdm.auto import tqdm
    except ImportError:
        if wanted:
            raise
        wanted = False
    if wanted is False:
        yield lambda done, total=None: None
        return
    scaled = steps is None  # steps of a simulation are millions
    hidden = not wanted and not is_watched()
    with tqdm(total=steps, unit=unit, unit_scale=scaled, delay=0 if wanted else 1, leave=bool(wanted), disable=hidden) as bar:

        def show(done: int, total: int | None = None, /) -> None:
            if total is not None:
                bar.total = total
            bar.update(done - bar.n)

        yield show


def is_watched() -> bool:
    """Return whether standard error is a terminal or the output of a notebook. Logs would fill with bars."""
    stream = sys.stderr
    return stream is not None and (stream.isatty() or type(stream).__module__.startswith("ipykernel"))
