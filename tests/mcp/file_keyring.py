"""A keyring for tests, in the file that `TEST_KEYRING` names."""

import json
import os
from contextlib import contextmanager
from pathlib import Path

import keyring
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError


class FileKeyring(KeyringBackend):
    priority = 1.0

    @property
    def _file(self):
        return Path(os.environ["TEST_KEYRING"])

    def _read(self):
        return json.loads(self._file.read_text("utf-8")) if self._file.exists() else {}

    def _write(self, held):
        self._file.write_text(json.dumps(held), "utf-8")

    def get_password(self, service, username):
        return self._read().get(f"{service}/{username}")

    def set_password(self, service, username, password):
        self._write(self._read() | {f"{service}/{username}": password})

    def delete_password(self, service, username):
        held = self._read()
        if held.pop(f"{service}/{username}", None) is None:
            raise PasswordDeleteError("there is no such password")
        self._write(held)


@contextmanager
def stored_in(file, secrets):
    """Use a keyring in a file that has these secrets for settings, by the names of their entries."""
    file.write_text(json.dumps({f"toolkit-secrets/{name}": secret for name, secret in secrets.items()}), "utf-8")
    before, variable = keyring.get_keyring(), os.environ.get("TEST_KEYRING")
    os.environ["TEST_KEYRING"] = str(file)
    keyring.set_keyring(FileKeyring())
    try:
        yield
    finally:
        keyring.set_keyring(before)
        os.environ.pop("TEST_KEYRING") if variable is None else os.environ.update(TEST_KEYRING=variable)
