"""The document of the HTTP interface is complete and true: the service answers every operation as it declares."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request

import jsonschema
import pytest
from conftest import ROOT
from served import Server

DOCUMENT = json.loads((ROOT / "longrun" / "service" / "page" / "openapi.json").read_text())
METHODS = ("get", "put", "post")
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if method in METHODS
}


def resolved(thing):
    """Return what a reference refers to."""
    while "$ref" in thing:
        found = DOCUMENT
        for part in thing["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        thing = found
    return thing


def parameters_of(path, operation):
    return [resolved(each) for each in [*DOCUMENT["paths"][path].get("parameters", []), *operation.get("parameters", [])]]


def checker(schema):
    return jsonschema.Draft202012Validator({**schema, "components": DOCUMENT["components"]})


class Caller:
    """Calls operations with the examples of the document, and checks every answer against it."""

    def __init__(self, url):
        self.url = url
        self.keys = 0
        self.statuses = {}  # that were seen, by operation

    def __call__(self, name, *, body=None, content_type=None, key="new", expect=None, accept=None, **values):
        method, path, operation = OPERATIONS[name]
        query, headers = [], {}
        contents = operation.get("requestBody", {}).get("content", {})
        if contents and body is None:
            content_type = content_type or next(iter(contents))
            body = contents[content_type]["example"]
            if content_type == "application/json":
                checker(contents[content_type]["schema"]).validate(body)
        if isinstance(body, dict) and "id" in body:  # it stands for a key
            key = None
        for parameter in parameters_of(path, operation):
            value = values.pop(parameter["name"], parameter.get("example"))
            if parameter["in"] == "path":
                path = path.replace("{" + parameter["name"] + "}", str(value))
            elif parameter["in"] == "query" and value is not None:
                query += [(parameter["name"], each) for each in (value if isinstance(value, list) else [value])]
            elif parameter["name"] == "Idempotency-Key" and key is not None:
                self.keys += 1
                headers["Idempotency-Key"] = f"key {self.keys}" if key == "new" else key
        assert not values, values
        if isinstance(body, dict):
            content_type, body = content_type or "application/json", json.dumps(body)
        if body is not None:
            headers["Content-Type"] = content_type or next(iter(contents))
        if accept:
            headers["Accept"] = accept
        url = self.url + path + ("?" + urllib.parse.urlencode(query) if query else "")
        data = body.encode() if body is not None else b"" if method == "post" else None
        request = urllib.request.Request(url, data=data, method=method.upper(), headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                status, answered, text = response.status, response.headers, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                status, answered, text = error.code, error.headers, error.read().decode()
        assert status == (expect or min(map(int, set(operation["responses"]) - {"default"}))), text
        self.statuses.setdefault(name, set()).add(status)
        return self.check(operation, status, answered, text)

    @staticmethod
    def check(operation, status, headers, text):
        assert str(status) in operation["responses"], f"{status} is not declared: {text}"
        declared = resolved(operation["responses"][str(status)])
        content = declared["content"][headers.get_content_type()]
        assert {name.lower() for name in headers} & {"idempotent-replayed", "retry-after"} <= set(declared.get("headers", {}))
        if headers.get_content_type() == "application/jsonl":
            values = [json.loads(line) for line in text.splitlines()]
            for value in values:
                checker(content["schema"]).validate(value)
            return values
        value = json.loads(text) if headers.get_content_type().endswith("json") else text
        checker(content["schema"]).validate(value)
        return value


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("openapi") / "data")
    yield server.url
    server.stop()


def test_the_document_is_valid_openapi():
    assert DOCUMENT["openapi"].startswith("3.1.")
    for name, (method, path, operation) in OPERATIONS.items():
        assert operation["summary"] and operation["tags"][0] in {tag["name"] for tag in DOCUMENT["tags"]}
        in_path = {each["name"] for each in parameters_of(path, operation) if each["in"] == "path"}
        assert in_path == set(re.findall(r"{(\w+)}", path)), name
        for status, response in operation["responses"].items():
            assert re.fullmatch(r"[2-5]\d\d|default", status) and resolved(response)["description"]
    for name, schema in DOCUMENT["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
    references = re.findall(r'"\$ref": "(#[^"]*)"', json.dumps(DOCUMENT))
    for reference in references:
        resolved({"$ref": reference})
    references += [f"#/components/securitySchemes/{name}" for each in DOCUMENT["security"] for name in each]
    for kind, things in DOCUMENT["components"].items():
        assert {f"#/components/{kind}/{name}" for name in things} <= set(references), "one is not used"


def test_every_operation_answers_as_declared(url):
    call = Caller(url)
    # Each with its example; in an order in which a study is used.
    for name in ("health", "ready", "metrics", "listStudies"):
        call(name)
    assert call("openapi") == DOCUMENT
    call("createStudy", expect=201)
    call("createStudy", expect=201)  # again
    call("getStudy")
    call("decide")
    call("decide", key="twice")
    call("decide", key="twice")
    call("listPending")
    call("settle")
    call("settle")
    call("settle", decision=2, body={"kind": "lost"})
    call("settle", decision=3, body={"kind": "void"})
    made = call("decide", body={"among": ["farms"], "count": 1})["decisions"][0]["id"]
    call("settle", decision=made, body={"kind": "void", "instead": {"arm": "shops", "reward": 0.5}})
    made = call("decide", body={"among": ["farms"], "count": 1})["decisions"][0]["id"]
    pulled = call("settle", decision=made, body={"kind": "void", "instead": {"arm": "shops"}})["decision"]
    call("correct", body={"decision": made, "reward": 0.5, "reason": "it was made"})
    assert pulled == made + 1
    call("correct", body={"decision": made, "kind": "void", "reason": "it was not made"})
    call("correct", body={"decision": made, "reward": 0.5, "reason": "it was made"})
    call("correct", body={"decision": made, "kind": "void", "instead": {"arm": "homes"}, "reason": "mixed up"})
    call("settleMany", body={"outcomes": [{"decision": 1, "reward": 0.5}, {"decision": 4, "reward": 0.2}]}, expect=201)
    made = call("decide", body={"among": ["farms"], "count": 1})["decisions"][0]["id"]
    call("settleMany", body={"outcomes": [{"decision": made, "kind": "void", "instead": {"arm": "shops"}}]}, expect=201)
    call("settleMany", dry_run="true")
    call("settleMany", dry_run="true", body={"outcomes": [{"decision": 1, "reward": 50}]})
    call("settleMany", expect=201)
    call("settleMany", content_type="text/csv", key=None, expect=201)
    call("settleMany", body={"outcomes": [{"arm": "homes", "reward": 0.2}, {"arm": "homes", "kind": "observed", "reward": 0.3}]}, expect=201)
    call("decide", body={"unavailable": ["farms"]})
    call("correct")
    call("observe", key=None, expect=201)
    call("observe", body={"observations": [{"arm": "homes", "reward": 0.1}, {"arm": "shops", "reward": 0.2}]}, expect=201)
    call("observe", body={"observations": [{"arm": "homes", "reward": 0.1, "id": "a"}]}, key=None, expect=201)
    call("observe", content_type="text/csv", body="arm,reward,id\nhomes,0.1,b\n", dry_run="true", key=None)
    call("change")
    call("getStudy")
    for name in ("recommend", "plan", "series", "listEvents", "audit"):
        call(name)
    lines = "\n".join(map(json.dumps, call("exportStudy")))
    call("importStudy", body=lines, dry_run="true")
    call("importStudy", body=lines, expect=201)
    call("importStudy", body=lines, expect=201)
    call("importStudy", body=lines, dry_run="")
    call("importStudy", body=lines[:lines.rindex("\n")], dry_run="", expect=409)  # the same study, but shorter
    call("closeStudy")
    # A shadow, constraints and decimals.
    call("createStudy", body={"name": "shadow", "arms": ["a", "b"], "budget": 9, "mode": "shadow"}, expect=201)
    call("observe", study="shadow", body={"arm": "a", "reward": 1, "id": "1"}, expect=201)
    call("getStudy", study="shadow")
    call("decide", study="shadow", body={}, expect=409)
    constraints = {"units_per_round": 5, "minimum_share": "a:0.1", "costs": "a:1.25", "unspent": "keep"}
    body = {"name": "rounds", "arms": ["a", "b"], "budget": 900, "constraints": constraints, "unit_decimals": 2}
    call("createStudy", body=body, expect=201)
    call("decide", study="rounds", body={})
    call("getStudy", study="rounds")
    call("recommend", study="rounds")
    call("plan", study="rounds")
    assert set(call.statuses) == set(OPERATIONS)
    missing = {name: {200, 201} & {int(s) for s in each[2]["responses"] if s != "default"} - call.statuses[name] for name, each in OPERATIONS.items()}
    assert not any(missing.values()), missing


def test_the_stream_sends_entries_as_declared_and_resumes(url):
    call = Caller(url)
    call("createStudy", body={"name": "stream", "arms": ["farms", "shops"], "budget": 100}, expect=201)
    for _ in range(3):
        call("decide", study="stream", body={})

    def entries(count, **headers):
        request = urllib.request.Request(f"{url}/v1/studies/stream/events", headers={"Accept": "text/event-stream", **headers})
        with urllib.request.urlopen(request, timeout=60) as response:
            content = OPERATIONS["listEvents"][2]["responses"]["200"]["content"]
            assert response.status == 200 and response.headers.get_content_type() in content
            found, entry = [], {}
            for line in response:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "":
                    continue
                entry[name] = value
                if name == "data":
                    assert entry["event"] == "entry"
                    checker(content["application/jsonl"]["schema"]).validate(json.loads(value))
                    found.append((int(entry["id"]), json.loads(value)["event"]))
                    if len(found) == count:
                        return found

    assert entries(4) == [(0, "created"), (1, "decided"), (2, "decided"), (3, "decided")]
    assert entries(2, **{"Last-Event-ID": "1"}) == [(2, "decided"), (3, "decided")]


def test_mistakes_are_answered_as_declared(url):
    call = Caller(url)
    call("createStudy", body={"name": "mistakes", "arms": ["farms", "shops", "homes"], "budget": 100}, expect=201)
    call("decide", study="mistakes", body={"count": 3})
    call("settle", study="mistakes", body={"reward": 0.5})
    for name, (method, path, operation) in OPERATIONS.items():
        if "{study}" not in path:
            continue
        call(name, study="nothing", expect=404)
        if method == "get":
            if parameters_of(path, operation)[1:]:
                wrong = next(each["name"] for each in parameters_of(path, operation) if each["in"] == "query" and each["schema"]["type"] == "integer")
                call(name, study="mistakes", **{wrong: "x"}, expect=422)
            continue
        if "requestBody" in operation:
            call(name, study="mistakes", body="{", content_type="application/json", expect=400)
            call(name, study="mistakes", body="x", content_type="text/plain", expect=415)
        if any(each.get("required") and each["in"] == "header" for each in parameters_of(path, operation)):
            call(name, study="mistakes", key=None, expect=400)
    call("createStudy", body="{", content_type="application/json", expect=400)
    call("createStudy", body="a", content_type="text/plain", expect=415)
    call("createStudy", body={"name": "mistakes", "arms": ["a"], "budget": 1}, expect=409)
    call("createStudy", body={"name": "x", "arms": ["a"], "budget": 1, "polcy": "ucb"}, expect=422)
    call("createStudy", body={"name": "x", "arms": [str(i) for i in range(100_001)], "budget": 1}, expect=413)
    call("createStudy", body={"name": "x", "arms": ["a" * 2_000_000], "budget": 1}, expect=413)
    call("importStudy", body="nonsense", expect=422)
    call("settle", study="mistakes", body={"reward": 0.6}, expect=409)
    call("settle", study="mistakes", decision=9, expect=404)
    call("settle", study="mistakes", decision=2, body={"reward": 60}, expect=422)
    call("settle", study="mistakes", decision=2, body={"kind": "lost", "reward": 1}, expect=422)
    call("settleMany", study="mistakes", body={"outcomes": [{"decision": 1, "reward": 0.6}]}, expect=409)
    call("settleMany", study="mistakes", body={"outcomes": [{"decision": 2, "reward": 60}]}, expect=422)
    call("settleMany", study="mistakes", body={"outcomes": [{"arm": "farms", "reward": 0.6}]}, key=None, expect=400)
    call("settleMany", study="mistakes", body={"outcomes": [{"arm": "farms", "kind": "lost"}]}, expect=422)
    call("settleMany", study="mistakes", body="decision;reward\n1;x\n", content_type="text/csv", expect=400)
    call("correct", study="mistakes", body={"decision": 2, "reward": 0.1, "reason": "x"}, expect=409)
    call("correct", study="mistakes", body={"decision": 1, "reward": 60, "reason": "x"}, expect=422)
    call("observe", study="mistakes", body={"arm": "farm", "reward": 0.1}, expect=422)
    call("observe", study="mistakes", body={"arm": "farms", "reward": 0.1}, key=None, expect=400)
    call("change", study="mistakes", body={}, expect=422)
    call("decide", study="mistakes", body={"count": 0}, expect=422)
    call("decide", study="mistakes", body={"count": 1}, key="again")
    call("decide", study="mistakes", body={"count": 2}, key="again", expect=422)
    call("plan", study="mistakes", compare="luck 1", expect=422)
    call("closeStudy", study="mistakes")
    call("closeStudy", study="mistakes", expect=422)


def test_other_methods_are_refused_with_a_problem(url):
    for path, item in DOCUMENT["paths"].items():
        for method in {"get", "put", "post", "delete", "patch"} - set(item):
            if path == "/v1/studies/import" and method == "get":
                continue  # a study can have this name
            target = re.sub("{decision}", "1", re.sub("{study}", "lending", path))
            request = urllib.request.Request(url + target, data=None if method == "get" else b"{}", method=method.upper(), headers={"Content-Type": "application/json"})
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=60)
            with refused.value as error:
                assert error.code == 405, (method, path)
                checker(DOCUMENT["components"]["schemas"]["Problem"]).validate(json.load(error))
