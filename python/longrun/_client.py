from __future__ import annotations

from types import TracebackType
from typing import Any, Sequence
from urllib.parse import quote

from . import _core
from ._checks import did_you_mean, listed, text_of, whole
from ._constraints import Constraints, constraints_by_name
from ._noise import Noise
from ._served_study import ServedStudy, units_of
from ._service_http import Connection, RefusedError
from ._study_checks import UNIT_SCALE, arm_names_of, lines_of, noise_text_on, scale_of


class Client:
    """A connection to a decision service, which ``longrun serve`` starts.

    A request that gets no answer (the connection is lost, the server restarts, or it answers 503) is sent again with the
    same key, after ever longer pauses. The service answers a repeated key as the first time, so every request has one
    effect. Requests that the service refuses are not repeated. Threads may share a client.

    Parameters
    ----------
    url : str
        The URL that ``longrun serve`` prints, such as "http://127.0.0.1:8042".
    token : str, optional
        The token to send, for a service that asks for one.
    timeout : float
        Seconds to wait for an answer before the request is sent again. Plans and other long computations have 300.
    retry_seconds : float
        Seconds after which a request is not sent again. If the server has never answered this client, a refused
        connection is tried again for 5 seconds only.

    Raises
    ------
    ValueError
        If an argument is invalid.

    Examples
    --------
    >>> client = longrun.Client("http://127.0.0.1:8042")
    >>> client
    <longrun.Client of http://127.0.0.1:8042>
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 10.0, retry_seconds: float = 60.0) -> None:
        self._connection = Connection(url, token, timeout, retry_seconds)

    def studies(self) -> list[str]:
        """Return the names of all studies.

        Returns
        -------
        list of str
            The names.
        """
        return [each["name"] for each in self._connection.get("/v1/studies").json()["studies"]]

    def create(
        self,
        name: str,
        arms: int | Sequence[str],
        budget: int | float,
        *,
        noise: Noise | str | float | None = None,
        policy: str = _core.default_policy,
        scale: tuple[float, float] = UNIT_SCALE,
        constraints: Constraints | None = None,
        seed: int = 0,
        mode: str = "live",
        title: str = "",
        unit_decimals: int | None = None,
    ) -> ServedStudy:
        """Create a study, or return the one that was created with the same arguments.

        Parameters
        ----------
        name : str
            Name of the study: letters, digits, ".", "_" and "-".
        arms : int or sequence of str
            Names of the arms, or their number; then the names are "arm 0", "arm 1" and so on.
        budget : int or float
            Total number of pulls; under constraints, units. It may have as many decimals as units.
        noise : Noise or str or float, optional
            As in `Study`. By default, it is estimated from the rewards.
        policy : str
            The policy that decides, with its parameters.
        scale : tuple of float
            The range of mean rewards, (minimum, maximum).
        constraints : Constraints, optional
            Constraints of all pulls, with arms by name or number.
        seed : int
            Seed of randomized policies.
        mode : {"live", "shadow"}
            Whether the study makes decisions, or watches present practice.
        title : str
            Any text, for people.
        unit_decimals : int, optional
            Number of decimals of units, from 0 to 6. By default, as many as the constraints need.

        Returns
        -------
        ServedStudy
            The study.

        Raises
        ------
        ValueError
            If an argument is invalid, or there is another study of this name.
        """
        bounds = scale_of(scale)
        names = arm_names_of(arms)
        body: dict[str, Any] = {
            "name": text_of("name", name),
            "arms": names,
            "budget": units_of("budget", budget),
            "noise": noise_text_on(bounds, noise),
            "policy": text_of("policy", policy),
            "scale": list(bounds),
            "seed": whole("seed", seed, 63),
            "mode": text_of("mode", mode),
        }
        if title:
            body["title"] = text_of("title", title)
        if unit_decimals is not None:
            body["unit_decimals"] = whole("unit_decimals", unit_decimals, 31)
        if constraints is not None:
            body["constraints"] = constraints_by_name(constraints, names)
        self._connection.post("/v1/studies", body)
        return ServedStudy(self._connection, body["name"])

    def study(self, name: str) -> ServedStudy:
        """Return a study that exists.

        Parameters
        ----------
        name : str
            Name of the study.

        Returns
        -------
        ServedStudy
            The study.

        Raises
        ------
        ValueError
            If there is no study of this name.
        """
        text = text_of("name", name)
        if not text or quote(text, safe="") != text:
            raise ValueError(f"name {text!r}: must be the name of a study: letters, digits, '.', '_' and '-'")
        try:
            return ServedStudy(self._connection, text)
        except RefusedError as error:
            if error.status != 404:
                raise
            names = self.studies()
            meant = did_you_mean(text, names) or f"; studies are {listed(names) or 'none'}"
            raise RefusedError(f"there is no study {text!r}{meant}", status=404, detail=error.detail) from None

    def import_study(self, text: str, *, name: str | None = None) -> ServedStudy:
        """Add a study that `ServedStudy.export` has written, or return it if it is here already.

        Parameters
        ----------
        text : str
            The lines of the export.
        name : str, optional
            Name of the study. By default, that of the exported one.

        Returns
        -------
        ServedStudy
            The study.

        Raises
        ------
        ValueError
            If a line is damaged or does not follow from those before it, or there is another study of this name.
        """
        return ServedStudy(self._connection, self._import(text, name)["name"])

    def check_import(self, text: str, *, name: str | None = None) -> None:
        """Check that `import_study` would add the study, and add nothing.

        Parameters
        ----------
        text : str
            The lines of the export.
        name : str, optional
            Name of the study. By default, that of the exported one.

        Raises
        ------
        ValueError
            If a line is damaged or does not follow from those before it, or there is a study of this name.
        """
        self._import(text, name, dry_run=True)

    def close(self) -> None:
        """Close the client: further requests raise a ValueError. The service and its studies go on."""
        self._connection.is_closed = True

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:  # without the token
        return f"<longrun.Client of {self._connection.url}>"

    def _import(self, text: str, name: str | None, dry_run: bool = False) -> Any:
        parameters = [] if name is None else ["name=" + quote(text_of("name", name), safe="")]
        if dry_run:
            parameters.append("dry_run=true")
        path = "/v1/studies/import" + ("?" + "&".join(parameters) if parameters else "")
        return self._connection.send("POST", path, lines_of(text).encode(), "application/jsonl", computes=True).json()
