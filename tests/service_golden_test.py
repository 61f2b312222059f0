"""Logs of studies that an earlier version wrote: this version imports them, has their state, and exports the same bytes.

usage: service_golden_test.py PROGRAM
"""

import json
import pathlib
import sys
import tempfile

from service_process import Client, Server

GOLDEN = pathlib.Path(__file__).parent / "golden"
STUDIES = ("counts", "rounds", "shadow", "changes", "instead", "observed_instead")
EVENTS = {"created", "decided", "settled", "corrected", "observed", "pulled_instead", "arm_added", "budget_extended",
          "availability_changed", "noise_changed", "constraints_changed", "mode_changed", "closed"}
IN_PARTS = ("rounds",)  # states that were written when budgets with decimals were shown in parts of 10^-unit_decimals
# Requests that made entries of the logs, with their keys. A client may repeat them after an upgrade.
REPEATED = (
    ("counts/decisions", {"count": 4}, "first week"),
    ("counts/changes", {"add_arms": ["schools", "homes"], "extend_budget": 30, "unavailable": ["farms"]}, "June"),
    ("rounds/corrections", {"decision": 1, "kind": "void", "reason": "not made"}, "correction"),
    ("instead/corrections", {"decision": 2, "reward": 0.4, "reason": "it was followed"}, "followed"),
    ("shadow/observations", {"arm": "b", "reward": 0, "id": "5"}, ""),
    ("changes/corrections", {"observation": "contract 2", "kind": "void", "reason": "not made"}, "correction 2"),
    ("changes/changes", {"mode": "live"}, "live"),
)


def check(client: Client, logs: dict, states: dict) -> None:
    for study in STUDIES:
        path = f"/v1/studies/{study}"
        for name, query in (("state", ""), ("series", "/series?points=20")):
            answer = json.loads(client.request("GET", path + query)[1])
            for field, value in states[study][name].items():  # a later version may have further fields
                if study in IN_PARTS and field in ("budget", "spent", "left"):
                    value /= 10 ** states[study]["state"]["unit_decimals"]
                assert answer.get(field) == value, f"{name} of {study}: {field} is {answer.get(field)}, was {value}"
        assert client.request("GET", path + "/export")[1] == logs[study], f"the export of {study} is another"
        assert json.loads(client.request("GET", path + "/audit")[1])["state_agrees"], f"the audit of {study} disagrees"


def check_repeated(client: Client, logs: dict) -> None:
    for path, body, key in REPEATED:
        recorded_key = key or f"observation {body['id']}"
        lines = logs[path.split("/")[0]].splitlines()
        first = next(entry for entry in map(json.loads, lines) if entry.get("key") == recorded_key)
        last = first["seq"] + first.get("details", {}).get("entries", 1) - 1
        status, answer = client.request("POST", f"/v1/studies/{path}", body, key)
        assert status == 201 and json.loads(answer)["seq"] == last, f"{path} is not recognized: {answer}"


def main(program: str) -> None:
    logs = {study: (GOLDEN / f"service_{study}.jsonl").read_text("utf-8") for study in STUDIES}
    states = {study: json.loads((GOLDEN / f"service_{study}.json").read_text("utf-8")) for study in STUDIES}
    assert {json.loads(line)["event"] for log in logs.values() for line in log.splitlines()} == EVENTS
    with tempfile.TemporaryDirectory(prefix="longrun-golden-") as folder:
        server = Server(program, "--data", folder)
        client = Client(lambda: [server.port])
        for study in STUDIES:
            status, answer = client.request("POST", "/v1/studies/import", logs[study])
            assert status == 201, f"{study} is not imported: {answer}"
        check(client, logs, states)
        check_repeated(client, logs)
        server.kill()
        server.start()
        check(client, logs, states)  # nothing was recorded, and the store has everything
        server.stop()
    print(f"{sum(len(log.splitlines()) for log in logs.values())} entries of {len(STUDIES)} studies: as they were written")


if __name__ == "__main__":
    main(sys.argv[1])
