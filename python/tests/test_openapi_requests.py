"""Requests made from the document of the HTTP interface: valid ones, and those that break a rule of the document.

The service answers each of them as the document declares. The requests are the same in every run.
"""

import json
import urllib.request

import pytest
from conftest import ROOT
from served import Server

schemathesis = pytest.importorskip("schemathesis")
from hypothesis import HealthCheck, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from schemathesis.config import SchemathesisConfig  # noqa: E402
from schemathesis.specs.openapi.checks import (  # noqa: E402
    ignored_auth,
    negative_data_rejection,
    positive_data_acceptance,
    unsupported_method,
)

REQUESTS = 40  # of each operation, in addition to those at the limits of every field
ARMS = ["farms", "shops", "homes"]
STUDIES = [
    {"name": "live", "arms": ARMS, "budget": 15, "noise": "gaussian:0.1"},
    {"name": "rounds", "arms": ARMS, "budget": 15, "constraints": {"units_per_round": 5, "minimum_share": "0.1"}},
    {"name": "shadow", "arms": ARMS, "budget": 15, "mode": "shadow"},
]


def document_with_names():
    """Return the document with names and numbers of the prepared studies, which chance would not find."""
    document = json.loads((ROOT / "longrun" / "service" / "page" / "openapi.json").read_text("utf-8"))
    study, schemas = document["components"]["parameters"]["study"], document["components"]["schemas"]
    study["schema"], study["example"] = {"enum": [*(each["name"] for each in STUDIES), "nothing"]}, "live"
    for name, known in (("ArmName", ARMS), ("DecisionNumber", list(range(1, 10)))):
        schemas[name] = {"anyOf": [{"enum": known}, schemas[name]]}
    return document


def exports():
    """Return a strategy for exports: the first lines of a log that an earlier version wrote, and perhaps a line that does not fit."""
    logs = [path.read_text("utf-8").splitlines() for path in sorted((ROOT / "tests" / "golden").glob("service_*.jsonl"))]
    lines = st.lists(st.sampled_from([line for log in logs for line in log]), max_size=1)
    return st.builds(lambda log, end, more: "\n".join(log[:end] + more).encode(), st.sampled_from(logs), st.integers(0, 40), lines)


schemathesis.openapi.media_type("application/jsonl", exports())
# A valid request is accepted, or refused for the state of the study (404, 409, 422), but it is never malformed (400).
CONFIG = {"checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", "404", "409", "422"]}}}
SCHEMA = schemathesis.openapi.from_dict(document_with_names(), config=SchemathesisConfig.from_dict(CONFIG))


def checks_that_do_not_apply(case):
    operation, query = case.operation.definition.raw["operationId"], case.query or {}
    yield unsupported_method  # it needs the header Allow
    yield ignored_auth  # this server has no tokens
    if operation == "observe":  # the key is needed without an id, and not read with one
        yield from (positive_data_acceptance, negative_data_rejection)
    if operation == "settleMany" and "Idempotency-Key" not in (case.headers or {}) and names_an_arm(case.body):
        yield positive_data_acceptance  # it needs a key then, which the document says in words only
    if case.media_type in ("text/csv", "application/jsonl"):  # the document does not describe their lines
        yield positive_data_acceptance
    if "dry_run" in query:  # it accepts invalid outcomes, and lists them
        yield negative_data_rejection


def names_an_arm(body):
    rows = body.get("outcomes") if isinstance(body, dict) else None
    return isinstance(rows, list) and any(isinstance(row, dict) and "arm" in row for row in rows)


@pytest.fixture
def url(tmp_path):
    server = Server(tmp_path / "data")

    def post(path, body):
        headers = {"Content-Type": "application/json", "Idempotency-Key": path}
        urllib.request.urlopen(urllib.request.Request(server.url + path, json.dumps(body).encode(), headers), timeout=60).close()

    for study in STUDIES:
        post("/v1/studies", study)
    post("/v1/studies/live/decisions", {"count": 9})
    post("/v1/studies/rounds/decisions", {})
    post("/v1/studies/live/outcomes", {"outcomes": [{"decision": each, "reward": each / 10} for each in range(1, 6)]})
    yield server.url
    server.stop()


@SCHEMA.parametrize()
@settings(max_examples=REQUESTS, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_declared(case, url):
    case.call_and_validate(base_url=url, timeout=60, excluded_checks=list(checks_that_do_not_apply(case)))
