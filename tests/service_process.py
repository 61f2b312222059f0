"""`longrun serve` as a process, and clients that repeat requests until they are answered."""

import atexit
import http.client
import json
import random
import signal
import subprocess
import tempfile
import threading
import time
import uuid


class Server:
    """A server process. kill() ends it at once; start() starts it again on the same port."""

    def __init__(self, program: str, *arguments: str):
        self._program = program
        self._arguments = arguments
        self.port = 0
        self.start()

    def start(self) -> None:
        # A file, because a pipe that is not read would fill and stop a server that reports many failures.
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            [self._program, "serve", "--port", str(self.port), *self._arguments],
            stdout=subprocess.PIPE, stderr=self._errors, text=True)
        atexit.register(self._process.kill)  # if a test fails before it stops the server
        for line in self._process.stdout:
            if line.startswith("Open "):
                self.port = int(line.rsplit(":", 1)[1].strip().rstrip("/"))
                return
        self._errors.seek(0)
        raise RuntimeError(f"the server did not start: {self._errors.read()}")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def stop(self) -> str:
        """Ends the server in order, and returns what it printed."""
        self._process.send_signal(signal.SIGTERM)
        output, _ = self._process.communicate(timeout=60)
        assert self._process.returncode == 0, self._process.returncode
        return output


class Client:
    """A client that repeats a request, with the same key, until it is answered. `ports` are those of all servers."""

    def __init__(self, ports, seconds: float = 60):
        self._ports = ports
        self._seconds = seconds
        self._connection = None

    def request(self, method: str, path: str, body=None, key: str = "", times: float = 0):
        headers = {"content-type": "application/json"} if body is not None else {}
        if key:
            headers["idempotency-key"] = key
        text = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body)
        end = time.monotonic() + self._seconds
        while True:
            try:
                if self._connection is None:
                    port = random.choice(self._ports())
                    self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
                self._connection.request(method, path, text, headers)
                response = self._connection.getresponse()
                answer = response.read()
                if response.status != 503:
                    return response.status, answer.decode()
            except (OSError, http.client.HTTPException):
                self._connection = None
            if time.monotonic() > end:
                raise TimeoutError(f"{method} {path} is not answered")
            time.sleep(0.01)


class Load(threading.Thread):
    """A client that decides and reports until it is stopped. It remembers every answer."""

    def __init__(self, name: str, study: str, ports):
        super().__init__()
        self._name = name
        self._study = study
        self._client = Client(ports)
        self._random = random.Random(name)
        self.stopped = threading.Event()
        self.answers = []  # (kind, answer) in order
        self.problem = None

    def run(self) -> None:
        try:
            while not self.stopped.is_set():
                self._decide_and_report()
        except Exception as error:  # noqa: BLE001 - shown by the test
            self.problem = repr(error)

    def _decide_and_report(self) -> None:
        status, answer = self._client.request("POST", f"/v1/studies/{self._study}/decisions", {}, str(uuid.uuid4()))
        assert status == 201, answer
        self.answers.append(json.loads(answer))
        for decision in json.loads(answer)["decisions"]:
            reward = self._random.random()
            path = f"/v1/studies/{self._study}/decisions/{decision['id']}/outcome"
            status, answer = self._client.request("PUT", path, {"reward": reward})
            assert status == 200, answer
            assert json.loads(answer)["reward"] == reward, answer
            self.answers.append(json.loads(answer))


def begin_load(client: Client, ports, clients: int) -> list[Load]:
    """Creates the study s, and returns clients that decide and report in it."""
    study = {"name": "s", "arms": ["a", "b", "c"], "budget": 10**9, "policy": "ucb", "noise": "gaussian:0.1"}
    assert client.request("POST", "/v1/studies", study)[0] == 201
    load = [Load(f"client {i}", "s", ports) for i in range(clients)]
    for each in load:
        each.start()
    return load


def end_load(client: Client, load: list[Load]) -> list:
    """Stops the clients, checks the state of their study, and returns the answers that they had."""
    for each in load:
        each.stopped.set()
    for each in load:
        each.join()
        assert each.problem is None, each.problem
    audit = json.loads(client.request("GET", "/v1/studies/s/audit")[1])
    assert audit["state_agrees"] and audit["decisions_differ"] == 0, audit
    return [answer for each in load for answer in each.answers]


def check_log(lines: str, answers) -> int:
    """Checks the log of a study against what clients were told. Returns the number of entries."""
    entries = [json.loads(line) for line in lines.splitlines()]
    keys = [entry["key"] for entry in entries if "key" in entry]
    assert len(keys) == len(set(keys)), "a key twice"
    pulls, decisions, settled = {}, 0, set()
    for seq, entry in enumerate(entries):
        assert seq == 0 or entry["seq"] == seq, f"a gap before {entry}"
        if entry["event"] == "decided":
            for decision in entry["decisions"]:
                decisions += 1
                assert decision["id"] == decisions, entry
                pulls[decision["arm"]] = pulls.get(decision["arm"], 0) + 1
                assert decision["pull"] == pulls[decision["arm"]], entry
        if entry["event"] == "settled":
            assert entry["decision"] not in settled, f"two outcomes: {entry}"
            settled.add(entry["decision"])
    acknowledged = set()
    for answer in answers:
        stored = {name: value for name, value in entries[answer["seq"]].items() if name not in ("key", "request", "details")}
        assert stored == answer, f"acknowledged {answer}, stored {stored}"
        assert answer["seq"] not in acknowledged, f"two answers have entry {answer['seq']}"
        acknowledged.add(answer["seq"])
    return len(entries)
