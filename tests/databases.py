"""Databases for tests: a real PostgreSQL on the loopback, in a folder of its own, where its programs are installed."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

PASSWORD = "Tr0ub4dor-and-3"  # noqa: S105 - it is of a server that lives for one test


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, the newest version first; `None` where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: -int(file.parts[-3]))
    named = shutil.which("initdb")
    return found[0].parent if found else Path(named).parent if named else None


class Postgres:
    """A server with one user, `ada`, whose password is asked for."""

    def __init__(self, folder: Path) -> None:
        """Make it, and start it."""
        found = programs()
        assert found is not None, "PostgreSQL is not installed"
        self._folder, self._programs = folder, found
        folder.mkdir()
        if os.geteuid() == 0:  # it refuses to be run by root
            shutil.chown(folder, "postgres")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        secret = folder / "password"
        secret.write_text(PASSWORD, "utf-8")
        if os.geteuid() == 0:
            shutil.chown(secret, "postgres")
        self._run("initdb", "-D", folder / "data", "-A", "scram-sha-256", "-U", "ada", f"--pwfile={secret}", "-N")
        self.start()

    def url(self, database: str) -> str:
        """Return the URL of a database, which is made when it is first used."""
        return f"postgresql://ada:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def shown(self, database: str) -> str:
        """Return the same as it may be shown."""
        return f"postgresql://ada@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-p {self.port} -h 127.0.0.1 -k {self._folder} -c fsync=off"
        self._run("pg_ctl", "-D", self._folder / "data", "-o", options, "-l", self._folder / "log", "-w", "start")

    def kill(self) -> None:
        """Kill it as a power failure would."""
        self._run("pg_ctl", "-D", self._folder / "data", "-m", "immediate", "-w", "stop")

    def _run(self, program: str, *words: object) -> None:
        as_owner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*as_owner, self._programs / program, *words]
        subprocess.run([str(word) for word in command], check=True, stdout=-3, stderr=-3, stdin=-3, cwd="/")
