from __future__ import annotations

from ._decision import Decisions


class Settling:
    """Lost outcomes: the same words for a study in memory and one that a service keeps."""

    def lose(self, decision: Decisions) -> None:
        """Settle a pending decision, or several: the pulls were made, and their rewards stay unknown.

        Parameters
        ----------
        decision : Decision or int, or iterable of these
            The decision or its number. Several are all recorded or none.

        Raises
        ------
        ValueError
            If a decision does not exist or has another outcome.
        """
        self._settle(decision, "lost")

    def _settle(self, decision: Decisions, kind: str) -> None:
        """Record this outcome of a decision, or of several."""
        raise NotImplementedError
