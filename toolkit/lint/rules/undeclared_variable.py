"""TK653: an environment variable that only the code or only the manifest has."""

import re
from collections.abc import Iterator, Mapping

from toolkit.codes import UNDECLARED_VARIABLE
from toolkit.lint.definitions.manifests import Manifest
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.schemas.places import Pointer

_OF_SYSTEM = re.compile(
    r"(?:HOME|PATH|USER|USERNAME|USERPROFILE|SHELL|TERM|LANG|PWD|TMP|TEMP|TMPDIR|HOSTNAME|COMPUTERNAME|APPDATA|LOCALAPPDATA|"
    r"PROGRAMDATA|SYSTEMROOT|DISPLAY|CI|PORT|HOST|DEBUG|COLUMNS|NO_COLOR|FORCE_COLOR|EDITOR|SSL_CERT_FILE|NODE_ENV|"
    r"LOG_LEVEL|(?:XDG|LC|GITHUB|PYTEST|PYTHON|UV|PIP|VIRTUAL|CONDA|KUBERNETES|PLAYWRIGHT|AWS|AZURE|GOOGLE|GCP|OTEL|DOCKER|FASTMCP|"
    r"MCP|OPENAI|ANTHROPIC|VERCEL|RAILWAY|RENDER|FLY|HEROKU|MSYSTEM|WSL|SSH)_?\w*|\w*_PROXY|\w*DEBUG\w*)"
)
"""Variables that the system, a platform or a library sets or reads."""


class UndeclaredVariable(Rule):
    """The code reads an environment variable that the manifest does not declare, or the manifest declares one in vain.

    ## Why

    A client asks its user for the variables that a manifest declares, and starts the server with them. A server that
    needs another one fails, or works differently, and nothing says why. A declared variable that nothing reads is a
    misspelt or an old one: the user enters a key that has no effect. Variables with a default in the code, and those
    of the system and of well-known libraries, do not count.

    ## Example

    ```text
    # The code reads os.environ["WEATHER_KEY"], and server.json declares WEATHER_API_KEY.
    ```

    ## Instead

    ```text
    # Both have WEATHER_API_KEY.
    ```

    ## Source

    - MCP registry, [server.schema.json](https://github.com/modelcontextprotocol/static/tree/main/schemas):
      `environmentVariables` (checked 2026-11-26)
    - MCPB, [MANIFEST.md](https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md): `mcp_config.env` (checked
      2026-11-26)
    """

    code = UNDECLARED_VARIABLE

    def check_manifest(self, manifest: Manifest) -> Iterator[Problem]:
        for index, package in manifest.packages:
            key = "environmentVariables" if "registryType" in package else "environment_variables"
            listed = package.get(key)
            entries = enumerate(listed if isinstance(listed, list) else ())
            names = {one["name"]: number for number, one in entries if isinstance(one, dict) and "name" in one}
            paths: dict[str, Pointer] = {
                name: ("packages", index, key, number, "name") for name, number in names.items()
            }
            yield from self._compared(manifest, paths, ("packages", index, *((key,) if listed is not None else ())))
        if manifest.is_python_bundle:
            config = manifest.data["server"].get("mcp_config")
            env = config.get("env") if isinstance(config, dict) else None
            start = ("server", "mcp_config")
            paths = {str(name): (*start, "env", name) for name in (env if isinstance(env, dict) else ())}
            yield from self._compared(manifest, paths, (*start, *(("env",) if env is not None else ())))

    def _compared(self, manifest: Manifest, declared: Mapping[str, Pointer], around: Pointer) -> Iterator[Problem]:
        project = manifest.project
        for variable in project.variables.values():
            name = variable.name
            if name not in declared and not variable.has_default and not _OF_SYSTEM.fullmatch(name):
                verb = "needs" if variable.is_required else "reads"
                yield self.problem(
                    f"the code {verb} the environment variable {name!r}, which the manifest does not declare",
                    manifest.place(*around, is_key=True),
                    hint="declare it, or give it a default in the code",
                    severity="warning" if variable.is_required else "info",
                    related=[(variable.location, "it is read here")],
                )
        for name, path in declared.items():
            if project.sources and not _OF_SYSTEM.fullmatch(name) and not project.mentions(name):
                message = f"no code of the project reads the environment variable {name!r}"
                yield self.problem(message, manifest.place(*path, is_key=manifest.kind == "bundle"))
