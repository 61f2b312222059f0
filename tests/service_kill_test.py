"""Kills real servers, again and again, while clients decide and report: what is answered is stored once.

usage: service_kill_test.py PROGRAM KILLS
"""

import os
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from service_process import Client, Server, begin_load, check_log, end_load

SERVERS = 4  # each with a folder of its own; while one of them starts, another one is killed
CLIENTS = 5  # of each server
LONGEST_LIFE = 0.06  # seconds; most kills come in the middle of a transaction


def kill_repeatedly(program: str, kills: int, seed: str) -> int:
    """Kills one server under load, checks what is stored, and returns the number of entries."""
    with tempfile.TemporaryDirectory(prefix="longrun-kill-") as folder:
        server = Server(program, "--data", folder)
        client = Client(lambda: [server.port])
        load = begin_load(client, lambda: [server.port], CLIENTS)
        chance = random.Random(seed)
        for _ in range(kills):
            time.sleep(chance.uniform(0, LONGEST_LIFE))
            server.kill()
            server.start()
        time.sleep(0.1)
        answers = end_load(client, load)
        assert "Stopped" in server.stop()  # an orderly end, with everything committed
        server.start()
        lines = Client(lambda: [server.port]).request("GET", "/v1/studies/s/export")[1]
        entries = check_log(lines, answers)
        server.stop()
        return entries


def main(program: str, kills: int) -> None:
    seed = os.environ.get("LONGRUN_FIRST_SEED", "1")
    with ThreadPoolExecutor(SERVERS) as pool:
        runs = [pool.submit(kill_repeatedly, program, -(-kills // SERVERS), f"{seed} {i}") for i in range(SERVERS)]
        entries = sum(run.result() for run in runs)
    print(f"{kills} kills, {entries} entries: nothing is lost or doubled")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
