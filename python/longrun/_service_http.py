"""Requests to a decision service: sent again with the same key until they are answered, and errors in terms of Python."""

from __future__ import annotations

import http.client
import json
import random
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import warnings
from typing import Any, Mapping, NamedTuple, Sequence

from ._checks import number_of, text_of
from ._errors import field_message
from ._study_checks import shown

JSON = "application/json"
MOST_ATTEMPTS = 30  # of one request
FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0  # seconds between two attempts
FIRST_CONTACT_SECONDS = 5.0  # that a refused connection is tried again if this server has never answered: the URL may be wrong
COMPUTING_SECONDS = 300.0  # that the answer to a query may take that the server computes for long
PATH = "path"  # the field of a refusal because the path does not exist
TEMPORARY = (502, 503, 504)  # the service, or a proxy in front of it, says that the same request may succeed later


class ServiceError(RuntimeError):
    """A request that a decision service did not answer as asked.

    If it is a `RefusedError`, the service refused the request, and nothing was recorded. If not, there was no usable
    answer; `maybe_recorded` says whether the request can have been recorded all the same.

    Parameters
    ----------
    message : str
        What went wrong.
    status : int or None
        The status code of HTTP; None without an answer.
    detail : str
        What the service said.
    field : str or None
        The part of the request that is wrong, as a JSON pointer such as "/reward"; "path" if the path does not exist.
    key : str or None
        The Idempotency-Key of the request. The same request with this key has one effect, however often it is sent.
    maybe_recorded : bool
        Whether the request can have been recorded although there was no answer.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        detail: str = "",
        field: str | None = None,
        key: str | None = None,
        maybe_recorded: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail
        self.field = field
        self.key = key
        self.maybe_recorded = maybe_recorded

    def __reduce__(self) -> Any:  # pickle would call the class with the message alone
        return _restored, (type(self), str(self), vars(self))


class RefusedError(ServiceError, ValueError):
    """A request that a decision service refused: nothing was recorded.

    It is a ValueError too, because `Study` raises one for the same mistakes.

    Parameters
    ----------
    message : str
        What is wrong.
    status : int or None
        The status code of HTTP: 400, 404, 409, 422 and others.
    detail : str
        What the service said.
    field : str or None
        The part of the request that is wrong, as a JSON pointer such as "/reward"; "path" if the path does not exist.
    key : str or None
        The Idempotency-Key of the request.
    maybe_recorded : bool
        False.

    Attributes
    ----------
    fields : tuple of str
        The arguments that the message names first; empty if the problem is the whole message.
    problem : str
        What is wrong, without these names; empty if there are none.
    rows : sequence of tuple of int and str
        Of a report of several rows, the first ones that are wrong: the place of each, from 1, and what is wrong.
    row_count : int
        Number of all rows that are wrong.
    """

    fields: tuple[str, ...] = ()
    problem: str = ""
    rows: Sequence[tuple[int, str]] = ()
    row_count: int = 0

    def _renamed(self, names: Mapping[str, str]) -> RefusedError:
        """Return the same refusal with other names of arguments."""
        if not any(field in names for field in self.fields):
            return self
        fields = tuple(names.get(field, field) for field in self.fields)
        again = RefusedError(field_message(fields, self.problem))
        vars(again).update(vars(self), fields=fields)
        return again


def _restored(kind: type[ServiceError], message: str, attributes: dict[str, Any]) -> ServiceError:
    error = kind(message)
    vars(error).update(attributes)
    return error


class Answer(NamedTuple):
    status: int
    content_type: str
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise ServiceError("the answer is not valid JSON", status=self.status) from None


class Failure(NamedTuple):
    """An attempt without a usable answer."""

    reason: str
    was_sent: bool = True  # perhaps
    is_final: bool = False  # further attempts would fail in the same way
    wait: float = 0  # seconds that the server asks to wait
    status: int | None = None


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: urllib would repeat a POST as a GET, which changes nothing."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Connection:
    """Sends requests to one service. Threads may share it."""

    def __init__(self, url: Any, token: Any, timeout: Any, retry_seconds: Any) -> None:
        self.url, is_local = service_url(url)
        self.timeout = seconds_of("timeout", timeout)
        self.retry_seconds = seconds_of("retry_seconds", retry_seconds, least=0)
        self.is_closed = False
        self._has_answered = False
        self._headers = {"Accept": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token_of(token)}"
            if self.url.startswith("http:") and not is_local:
                warnings.warn(f"the token is sent to {self.url} unencrypted; use https", stacklevel=3)
        # A proxy of the environment (http_proxy) cannot reach the services of this machine.
        proxies = urllib.request.ProxyHandler({}) if is_local else urllib.request.ProxyHandler()
        self._opener = urllib.request.build_opener(proxies, NoRedirect())

    def get(self, path: str, parameters: Any = (), *, computes: bool = False) -> Answer:
        query = urllib.parse.urlencode(parameters)
        return self.send("GET", path + ("?" + query if query else ""), computes=computes)

    def post(self, path: str, body: Mapping[str, Any], key: str | None = None) -> Any:
        return self.send("POST", path, json_bytes(body), JSON, key).json()

    def put(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.send("PUT", path, json_bytes(body), JSON).json()

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        content_type: str = "",
        key: str | None = None,
        computes: bool = False,
    ) -> Answer:
        """Send a request until it is answered, and return the answer. Raises ServiceError."""
        if self.is_closed:
            raise ValueError("the client is closed")
        request = urllib.request.Request(self.url + path, data=body, method=method, headers=self._headers)
        if body is not None:
            request.add_header("Content-Type", content_type)
        if key is not None:
            request.add_header("Idempotency-Key", key)
        begin = time.monotonic()
        timeout = max(self.timeout, COMPUTING_SECONDS) if computes else self.timeout
        was_sent = False
        for attempt in range(1, MOST_ATTEMPTS + 1):
            result = self._try(request, timeout)
            if isinstance(result, Answer):
                return self._checked(result, key)
            was_sent |= result.was_sent
            patience = self.retry_seconds
            if not was_sent and not self._has_answered:
                patience = min(patience, FIRST_CONTACT_SECONDS)
            passed = time.monotonic() - begin
            wait = max(result.wait, min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT) * random.uniform(0.5, 1))
            if result.is_final or attempt == MOST_ATTEMPTS or passed + wait > patience:
                raise self._no_answer(result, attempt, passed, key, was_sent and method != "GET")
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _try(self, request: urllib.request.Request, timeout: float) -> Answer | Failure:
        try:
            with self._opener.open(request, timeout=timeout) as response:
                answer = Answer(response.status, response.headers.get_content_type(), response.read())
        except urllib.error.HTTPError as error:
            with error:
                return self._refusal(error)
        except urllib.error.URLError as error:
            return connection_failure(error.reason, self.url)
        except (http.client.HTTPException, OSError) as error:
            return connection_failure(error, self.url)
        self._has_answered = True
        return answer

    def _refusal(self, error: urllib.error.HTTPError) -> Answer | Failure:
        if error.code in TEMPORARY:
            self._has_answered = True
            after = error.headers.get("Retry-After") or ""
            return Failure(detail_in(error), wait=float(after) if after.isdigit() else 0, status=error.code)
        if 300 <= error.code < 400:
            there = error.headers.get("Location", "another address")
            return Failure(f"it redirects to {there}; give the URL of the service itself", False, True, status=error.code)
        try:
            return Answer(error.code, error.headers.get_content_type(), error.read())
        except (http.client.HTTPException, OSError) as failure:  # the answer is incomplete
            return connection_failure(failure, self.url)

    def _checked(self, answer: Answer, key: str | None) -> Answer:
        """Return the answer if the request succeeded. Raises ServiceError."""
        if answer.status < 300 and answer.content_type in (JSON, "application/jsonl"):
            return answer
        if answer.content_type != "application/problem+json":
            what = "is not a longrun service: it answered" if answer.status in (200, 404, 405) else "a server before it answered"
            raise ServiceError(
                f"{self.url}: {what} with status {answer.status} and {answer.content_type}; "
                "give the URL that `longrun serve` prints",
                status=answer.status,
                key=key,
            )
        problem = answer.json()
        detail = problem.get("detail") or problem.get("title") or f"status {answer.status}"
        message = detail
        names = tuple(pointer.rpartition("/")[2] for pointer in problem.get("fields", ()))
        if any(names):  # those of arguments; the pointer to a whole body has none
            message = field_message(names, problem["problem"])
        if problem.get("field") == PATH and urllib.parse.urlsplit(self.url).path:
            message = f"{self.url}: {detail}; give the URL that `longrun serve` prints"
        if answer.status in (401, 403):
            message = f"{self.url}: {detail}; longrun.Client(url, token=...) takes one"
        kind = RefusedError if answer.status < 500 else ServiceError
        error = kind(message, status=answer.status, detail=detail, field=problem.get("field"), key=key)
        if isinstance(error, RefusedError):
            if any(names):
                error.fields, error.problem = names, problem["problem"]
            error.rows = [(row["row"], row["detail"]) for row in problem.get("problems", ()) if "row" in row]
            error.row_count = problem.get("problem_count", 0)
        raise error

    def _no_answer(
        self, failure: Failure, attempts: int, seconds: float, key: str | None, maybe_recorded: bool
    ) -> ServiceError:
        message = f"{self.url}: {failure.reason}"
        if attempts > 1:
            message += f" ({attempts} attempts in {seconds:.0f} s)"
        if maybe_recorded:
            message += "; it is not known whether the request was recorded"
            if key is not None:
                message += f": repeat it with key={key!r}"
        return ServiceError(
            message, status=failure.status, detail=failure.reason, key=key, maybe_recorded=maybe_recorded
        )


def connection_failure(error: Any, url: str) -> Failure:
    """Return what an error of a socket means for the request."""
    if isinstance(error, ConnectionRefusedError):
        return Failure("no server answers there (connection refused); start it with `longrun serve`", was_sent=False)
    if isinstance(error, socket.gaierror):
        host = urllib.parse.urlsplit(url).hostname
        return Failure(f"there is no machine {host!r} ({error.strerror})", False, error.errno != socket.EAI_AGAIN)
    if isinstance(error, ssl.SSLCertVerificationError):
        return Failure(f"its certificate is not accepted: {error.verify_message}", False, True)
    if isinstance(error, ssl.SSLError):
        return Failure("it does not serve HTTPS; give a URL that begins with http://", False, True)
    if isinstance(error, (TimeoutError, socket.timeout)):  # two classes before Python 3.10
        return Failure("the answer did not arrive in time")
    if isinstance(error, http.client.IncompleteRead):
        return Failure("the answer is incomplete")
    return Failure(f"the connection was lost ({shown_error(error)})")


def shown_error(error: Any) -> str:
    text = " ".join(str(error).split()) if isinstance(error, BaseException) else str(error)
    return text or type(error).__name__


def detail_in(error: urllib.error.HTTPError) -> str:
    """Return what the service says in an answer that is an error, or the status."""
    try:
        problem = json.loads(error.read())
        return str(problem["detail"])
    except (ValueError, TypeError, KeyError, http.client.HTTPException, OSError):
        return f"status {error.code}"


def json_bytes(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, allow_nan=False).encode()


def service_url(url: Any) -> tuple[str, bool]:
    """Return the URL of a service without a slash at its end, and whether it is on this machine."""
    text = text_of("url", url).strip()
    example = "give one such as 'http://127.0.0.1:8042'"
    try:
        parts = urllib.parse.urlsplit(text)
    except ValueError as error:
        raise ValueError(f"url {shown(url)}: is not valid ({error}); {example}") from None
    if parts.scheme not in ("http", "https"):
        guess = f"; did you mean 'http://{text}'?" if ":" in text and "//" not in text else f"; {example}"
        raise ValueError(f"url {shown(url)}: does not begin with http:// or https://{guess}")
    try:
        port = parts.port
    except ValueError as error:
        raise ValueError(f"url {shown(url)}: is not valid ({error}); {example}") from None
    if not parts.hostname or parts.query or parts.fragment or "@" in parts.netloc or any(c.isspace() for c in text):
        raise ValueError(f"url {shown(url)}: must have a host and no user, parameters or blanks; {example}")
    path = parts.path.rstrip("/")
    if path.endswith("/v1") or "/v1/" in path:
        raise ValueError(f"url {shown(url)}: leave out the path from /v1 on; {example}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    is_local = host in ("localhost", "[::1]") or host.startswith("127.")
    return f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{path}", is_local


def seconds_of(name: str, seconds: Any, least: float = 1e-3) -> float:
    value = number_of(name, seconds)
    if isinstance(seconds, (bool, str)) or not least <= value < 1e9:
        raise ValueError(f"{name} {shown(seconds)}: must be a number of seconds from {least:g}")
    return value


def token_of(token: Any) -> str:
    if not isinstance(token, str) or not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError("token: must be a string of printable ASCII characters without blanks")  # itself it is a secret
    return token
