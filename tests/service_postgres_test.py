"""Two servers that share a PostgreSQL database: one of them is killed, and the database crashes, under load.

usage: service_postgres_test.py PROGRAM SERVICE_TEST KILLS CRASHES
"""

import json
import os
import random
import subprocess
import sys
import time

from postgres_cluster import PostgresCluster
from service_process import Client, Load, Server, check_log

CLIENTS = 6
LIFE = (0.05, 0.3)  # seconds between two kills


def main(program: str, service_test: str, kills: int, crashes: int) -> None:
    with PostgresCluster() as cluster:
        subprocess.run([service_test, "--gtest_filter=Postgres.*", "--gtest_brief=1"], check=True,
                       env={**os.environ, "LONGRUN_TEST_DATABASE": cluster.url})
        servers = [Server(program, "--database", cluster.url) for _ in range(2)]

        def ports():
            return [server.port for server in servers]

        client = Client(ports)
        study = {"name": "s", "arms": ["a", "b", "c"], "budget": 10**9, "policy": "ucb", "noise": "gaussian:0.1"}
        assert client.request("POST", "/v1/studies", study)[0] == 201
        load = [Load(f"client {i}", "s", ports) for i in range(CLIENTS)]
        for each in load:
            each.start()
        chance = random.Random(int(os.environ.get("LONGRUN_FIRST_SEED", "1")))
        for event in [servers[0]] * (kills // 2) + [servers[1]] * (kills - kills // 2):
            time.sleep(chance.uniform(*LIFE))
            event.kill()
            event.start()
        for _ in range(crashes):
            time.sleep(chance.uniform(*LIFE))
            cluster.crash()
            cluster.start()
        time.sleep(0.3)
        for each in load:
            each.stopped.set()
        for each in load:
            each.join()
            assert each.problem is None, each.problem
        audit = json.loads(client.request("GET", "/v1/studies/s/audit")[1])
        assert audit["state_agrees"] and audit["decisions_differ"] == 0, audit
        lines = client.request("GET", "/v1/studies/s/export")[1]
        entries = check_log(lines, [answer for each in load for answer in each.answers])
        for server in servers:
            server.stop()
        print(f"{kills} kills, {crashes} crashes of the database, {entries} entries: nothing is lost or doubled")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
