"""A decision service for tests: the real program, and proxies before it that lose answers.

Tests import the fixtures `server`, `client`, `proxy` and `name`.
"""

import atexit
import http.server
import os
import re
import socket
import subprocess
import threading

import pytest
from conftest import ROOT

import longrun

ARMS = ["north", "south", "east"]
PROBLEM, JSON = "application/problem+json", "application/json"
BINARY = os.environ.get("LONGRUN_BINARY", str(ROOT / "build" / "release" / "longrun"))


class Server:
    """`longrun serve` on a folder. It can be killed and started again on the same port."""

    def __init__(self, folder):
        self.folder = folder
        self.port = 0
        self.start()

    def start(self):
        assert os.access(BINARY, os.X_OK), f"{BINARY} is missing; run ./dev build"
        command = [BINARY, "serve", "--data", str(self.folder), "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)  # if a test fails before it stops the server
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                self.port = int(found[1])
                return
        raise AssertionError("the service does not start")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def kill(self):
        self.process.kill()
        self._wait()

    def stop(self):
        self.process.terminate()
        self._wait()

    def _wait(self):
        self.process.wait(timeout=60)
        self.process.stdout.close()


class Proxy:
    """Passes requests on to a server, one per connection, and loses some of the answers.

    `fates` has one entry for each of the next requests: "answer", "drop" (the request arrives, its answer does not),
    "half" (half of the answer arrives), "hang" (nothing arrives, and the connection stays open) or "refuse" (the request
    does not arrive). Further requests are answered.
    """

    def __init__(self, port):
        self.server_port = port
        self.fates = []
        self.requests = []  # the first line and the key of each
        self._kept = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            fate = self.fates.pop(0) if self.fates else "answer"
            threading.Thread(target=self._pass_on, args=(client, fate), daemon=True).start()

    def _pass_on(self, client, fate):
        request = whole_message(client)
        key = re.search(rb"Idempotency-Key: (\S+)", request, re.I)
        self.requests.append((request.split(b"\r\n")[0].decode(), key and key[1].decode()))
        answer = b""
        if fate != "refuse":
            with socket.create_connection(("127.0.0.1", self.server_port)) as server:
                server.sendall(request)
                answer = whole_message(server)
        if fate == "hang":
            self._kept.append(client)
            return
        with client:
            if fate in ("answer", "half"):
                client.sendall(answer if fate == "answer" else answer[: len(answer) - 10])

    def close(self):
        self._listening.close()
        for each in self._kept:
            each.close()


def whole_message(connection):
    """Return the headers and the body of a request or answer."""
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := connection.recv(65536)):
            return data
        data += more
    head, _, _ = data.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.I)
    end = len(head) + 4 + (int(length[1]) if length else 0)
    while len(data) < end and (more := connection.recv(65536)):
        data += more
    return data


class ScriptedServer:
    """Answers each request with the next of its answers, (status, headers, body), and the last one for ever."""

    def __init__(self, *answers):
        self.headers = []  # of each request
        script = list(answers)

        class Handler(http.server.BaseHTTPRequestHandler):
            def respond(handler):
                handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
                self.headers.append(dict(handler.headers))
                status, headers, body = script.pop(0) if len(script) > 1 else script[0]
                handler.send_response(status)
                for name, value in headers.items():
                    handler.send_header(name, value)
                handler.send_header("Content-Length", str(len(body)))
                handler.end_headers()
                handler.wfile.write(body)

            do_GET = do_POST = do_PUT = respond

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def scripted(*answers):
    """Return a server that gives these answers: (status, content type, further headers, body)."""
    return ScriptedServer(*[(status, {"Content-Type": kind, **more}, body) for status, kind, more, body in answers])


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("service") / "data")
    yield server
    server.stop()


@pytest.fixture
def client(server):
    with longrun.Client(server.url) as client:
        yield client


@pytest.fixture
def name(request):
    """Return a name of a study that no other test has."""
    name = "".join(c if c.isalnum() else "-" for c in request.node.name)[-60:].strip("-")
    return name


@pytest.fixture
def proxy(server):
    proxy = Proxy(server.port)
    yield proxy
    proxy.close()
