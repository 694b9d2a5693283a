"""Our server over HTTP in a child process."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

from tests.mcp.raw import PATIENCE, RawHttp

TOOLKIT = str(Path(sys.executable).with_name("toolkit"))


class Listening:
    """A server over HTTP in a child process."""

    def __init__(self, folder, *options, token=None):
        environment = {key: value for key, value in os.environ.items() if key != "TOOLKIT_SERVE_TOKEN"}
        self.process = subprocess.Popen(
            [TOOLKIT, "serve", "tools.py", "--http", "0", *options],
            cwd=folder,
            env=environment | ({"TOOLKIT_SERVE_TOKEN": token} if token else {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.told = self.process.stderr.readline()
        found = re.search(rb"http://127\.0\.0\.1:(\d+)/mcp", self.told)
        assert found, self.told
        self.port = int(found[1])
        self.token = token
        self._pump = threading.Thread(target=self._listen)
        self._pump.start()

    def _listen(self):
        for line in self.process.stderr:
            self.told += line

    def client(self, **headers):
        """Return a client that has the token, if there is one."""
        allowed = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return RawHttp("127.0.0.1", self.port, headers=allowed | headers)

    def close(self):
        """End the server, and return what it has written to stdout."""
        self.process.terminate()
        written = self.process.stdout.read()
        self._pump.join()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        return written
