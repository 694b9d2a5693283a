"""TK651: a manifest that does not match its published schema."""

from collections.abc import Iterator

from toolkit.codes import INVALID_MANIFEST
from toolkit.lint.definitions.manifests import Manifest
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.tools.shapes.schema_shapes import likely_misfits, path_in_words, reason_of


class InvalidManifest(Rule):
    """A manifest does not match its published schema.

    ## Why

    The MCP registry refuses a `server.json` that its schema does not allow, after the version of the package is used
    up. Clients refuse to install a bundle (`manifest.json`, MCPB) or to load a plugin (`.claude-plugin/plugin.json`).
    A manifest is validated by the version of the schema that it names; without one, by the newest.

    ## Example

    ```json title="server.json"
    {
      "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
      "name": "weather",
      "description": "Says how the weather will be.",
      "version": "1.0.0"
    }
    ```

    ## Instead

    ```json title="server.json"
    {
      "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
      "name": "io.github.harbour/weather",
      "description": "Says how the weather will be.",
      "version": "1.0.0"
    }
    ```

    ## Source

    - MCP registry, [server.schema.json](https://github.com/modelcontextprotocol/static/tree/main/schemas), versions
      2025-07-09 to 2025-12-11 (checked 2026-11-26)
    - MCPB, [schemas](https://github.com/modelcontextprotocol/mcpb/tree/main/schemas), versions 0.1 to 0.4 (checked
      2026-11-26)
    - SchemaStore, [claude-code-plugin-manifest.json](https://www.schemastore.org/claude-code-plugin-manifest.json) of
      2026-04-23 (checked 2026-11-26)
    """

    code = INVALID_MANIFEST
    severity = "error"

    def check_manifest(self, manifest: Manifest) -> Iterator[Problem]:
        validator = manifest.validator
        if validator is None:
            return
        problems: dict[Problem, None] = {}
        for one in likely_misfits(validator, manifest.data):
            is_unknown = one.keyword in _OF_OTHER_KEYS
            is_minor = is_unknown or manifest.kind == "plugin"
            what = repr(path_in_words(one.path)) if one.path else "the manifest"
            reason = "is missing" if one.keyword == "required" else reason_of(one)
            message = f"the published schema has no key {what}" if is_unknown else f"{what} {reason}"
            place = manifest.place(*one.path, is_key=is_unknown)
            problems[self.problem(message, place, severity="warning" if is_minor else "error")] = None
        yield from problems


_OF_OTHER_KEYS = ("additionalProperties", "unevaluatedProperties")
