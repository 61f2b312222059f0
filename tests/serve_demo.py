"""Serves a folder or a PostgreSQL database that is removed at the end.

usage: serve_demo.py PROGRAM [--postgres] [arguments of longrun serve]
"""

import signal
import subprocess
import sys
import tempfile

from postgres_cluster import PostgresCluster


def serve(*arguments: str) -> int:
    try:
        return subprocess.run(arguments).returncode
    except KeyboardInterrupt:  # the server has it too, and ends
        return 0


def main(program: str, *arguments: str) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does: the database and the folder go, too
    if "--postgres" in arguments:
        with PostgresCluster() as cluster:
            rest = [each for each in arguments if each != "--postgres"]
            return serve(program, "serve", "--database", cluster.url, *rest)
    with tempfile.TemporaryDirectory(prefix="longrun-demo-") as folder:
        return serve(program, "serve", "--data", folder, *arguments)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
