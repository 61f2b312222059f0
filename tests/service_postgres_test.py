"""Two servers that share a PostgreSQL database: one of them is killed, and the database crashes, under load. The study
then moves to a server on SQLite, and others move back.

usage: service_postgres_test.py PROGRAM SERVICE_TEST KILLS CRASHES
"""

import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from postgres_cluster import PostgresCluster
from service_process import Client, Server, begin_load, check_log, end_load

CLIENTS = 6
LIFE = (0.05, 0.3)  # seconds between two kills


GOLDEN = pathlib.Path(__file__).parent / "golden"


def check_moves(program: str, database: Client, lines: str) -> None:
    """Checks that studies move between both stores without a change: their exports have the same hash."""
    def hash_after_import(client: Client, log: str, name: str) -> str:
        status, answer = client.request("POST", "/v1/studies/import", log)
        assert status == 201, answer
        return hashlib.sha256(client.request("GET", f"/v1/studies/{name}/export")[1].encode()).hexdigest()

    with tempfile.TemporaryDirectory(prefix="longrun-moved-") as folder:
        server = Server(program, "--data", folder)
        client = Client(lambda: [server.port])
        assert hash_after_import(client, lines, "s") == hashlib.sha256(lines.encode()).hexdigest()
        assert json.loads(client.request("GET", "/v1/studies/s/audit")[1])["state_agrees"]
        for path in sorted(GOLDEN.glob("service_*.jsonl")):
            log, name = path.read_text("utf-8"), path.stem.removeprefix("service_")
            there = hash_after_import(client, log, name)
            back = hash_after_import(database, client.request("GET", f"/v1/studies/{name}/export")[1], name)
            assert there == back == hashlib.sha256(log.encode()).hexdigest(), name
        server.stop()


def main(program: str, service_test: str, kills: int, crashes: int) -> None:
    with PostgresCluster() as cluster:
        # Beside the servers that are killed, but not beside the crashes: the tests need their connections.
        tests = subprocess.Popen([service_test, "--gtest_filter=Postgres.*", "--gtest_brief=1"],
                                 env={**os.environ, "LONGRUN_TEST_DATABASE": cluster.url})
        servers = [Server(program, "--database", cluster.url) for _ in range(2)]

        def ports():
            return [server.port for server in servers]

        client = Client(ports)
        load = begin_load(client, ports, CLIENTS)
        chance = random.Random(int(os.environ.get("LONGRUN_FIRST_SEED", "1")))
        for event in [servers[0]] * (kills // 2) + [servers[1]] * (kills - kills // 2):
            time.sleep(chance.uniform(*LIFE))
            event.kill()
            event.start()
        assert tests.wait(timeout=300) == 0
        for _ in range(crashes):
            time.sleep(chance.uniform(*LIFE))
            cluster.crash()
            cluster.start()
        time.sleep(0.3)
        answers = end_load(client, load)
        lines = client.request("GET", "/v1/studies/s/export")[1]
        entries = check_log(lines, answers)
        check_moves(program, client, lines)
        for server in servers:
            server.stop()
        print(f"{kills} kills, {crashes} crashes of the database, {entries} entries: nothing is lost or doubled")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
