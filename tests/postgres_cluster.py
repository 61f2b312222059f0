"""A PostgreSQL server of its own in a temporary folder, on loopback only."""

import contextlib
import glob
import os
import pwd
import shutil
import socket
import subprocess
import tempfile


def _programs() -> str:
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    if not folders:
        raise SystemExit("PostgreSQL is not installed; Debian package: postgresql")
    return folders[-1]


def _free_port() -> int:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class PostgresCluster:
    """Starts with the object, and ends with the `with` block. PostgreSQL refuses to run as root, so root runs it as the
    user `postgres` of the Debian package."""

    def __init__(self, fsync: bool = True):
        self._folder = tempfile.mkdtemp(prefix="longrun-postgres-")
        self._programs = _programs()
        self._user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        if os.geteuid() == 0:
            shutil.chown(self._folder, "postgres")
        self._data = self._folder + "/data"
        self.port = _free_port()
        self.url = f"postgresql://{self._user}@127.0.0.1:{self.port}/postgres"
        self._run("initdb", "-D", self._data, "-A", "trust", "-N", "--no-locale", "-E", "UTF8")
        with open(self._data + "/postgresql.conf", "a") as config:
            config.write(f"port = {self.port}\nlisten_addresses = '127.0.0.1'\n")
            config.write(f"unix_socket_directories = '{self._folder}'\nfsync = {'on' if fsync else 'off'}\n")
            if int(self._programs.split("/")[4]) >= 14:
                config.write("recovery_init_sync_method = syncfs\n")  # one call instead of one per file: seconds
        self.start()

    def _run(self, program: str, *arguments: str) -> None:
        command = [f"{self._programs}/{program}", *arguments]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
        done = subprocess.run(command, cwd=self._folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{program} failed: {done.stdout}")

    def start(self) -> None:
        self._run("pg_ctl", "-D", self._data, "-w", "-t", "60", "-l", self._folder + "/log", "start")

    def crash(self) -> None:
        """Ends all processes of the server at once, without a checkpoint: the next start recovers from its log."""
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")

    def __enter__(self) -> "PostgresCluster":
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(SystemExit):
            self.crash()
        shutil.rmtree(self._folder, ignore_errors=True)
