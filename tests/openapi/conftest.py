"""The fixtures of commands, for tests of what commands do with OpenAPI documents."""

from tests.cli.conftest import invoke, program, project

__all__ = ["invoke", "program", "project"]
