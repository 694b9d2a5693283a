"""TK619: untrusted text becomes a command, a query, or the path of a destructive tool."""

import re
from collections.abc import Iterator

from toolkit.codes import UNTRUSTED_INTO_SHELL
from toolkit.lint.definitions.pipeline_files import PipelineFile
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.tools.definition.names import words_of
from toolkit.tools.definition.spec import ToolSpec

_COMMANDS = frozenset({"command", "commands", "cmd", "shell", "bash", "sql"})
_SHELLS = frozenset({"shell", "bash", "sh", "powershell", "terminal", "sql", "sqlite", "postgres", "mysql", "psql"})
_RUNNING = frozenset({"run", "exec", "execute", "query"})
_QUERIES = frozenset({"query", "statement"})
_TEXTS = _QUERIES | {"input", "text", "code"}
_SAYS_SQL = re.compile(r"\bSQL\b")
_PATHS = frozenset({"path", "paths", "file", "filename", "folder", "directory", "dir"})


class UntrustedIntoShell(Rule):
    """Untrusted text from a tool becomes a command, a query, or the path of a destructive tool.

    ## Why

    The author of a page that one step fetches can then choose what another step runs, queries or overwrites.
    Quoting does not make this safe. Compare the text with allowed values, in `when` or in an expression, or let a
    tool choose among known values. If a person approves the step in between, it is only a warning, because that
    person has to read every character.

    The output of a tool with `open_world=True` is untrusted, and so is that of a tool of an MCP server unless the
    server declares otherwise. The rule follows it through `prev`, `steps`, `set`, `adapt`, `for_each`, branches and
    expressions, up to the next tool. It does not follow numbers, listed values, and text that was compared or replaced
    on the way.

    ## Example

    ```yaml
    name: keep
    description: Fetch a page and keep it under the name in its first line.
    steps:
      - id: page
        use: web_scrape
      - use: file_write
        approve: Keep the page?
        with: {path: "${{ lines(steps.page.output)[0] }}", content: A page}
    ```

    ## Instead

    ```yaml
    name: keep
    description: Fetch a page and keep it under a fixed name.
    steps:
      - id: page
        use: web_scrape
      - use: file_write
        approve: Keep the page?
        with: {path: page.txt, content: "${{ steps.page.output }}"}
    ```

    ## Source

    - CWE-78, [OS command injection](https://cwe.mitre.org/data/definitions/78.html), CWE-89 and CWE-22 (checked 2026-11-22)
    """

    code = UNTRUSTED_INTO_SHELL
    severity = "error"
    needs_import = True

    def check_pipeline(self, pipeline: PipelineFile) -> Iterator[Problem]:
        steps = {step.path: step for step in pipeline.steps or ()}
        for step in steps.values():
            for taint in step.taints:
                for risk in _risks(step.tool, taint.parameter):
                    asks = step.asks or taint.is_seen or _asks(step.tool)
                    whose = " and ".join(map(repr, taint.origins))
                    yield self.problem(
                        f"untrusted output of {whose} goes unchecked into the {risk}",
                        taint.location,
                        hint="pass a fixed value, or compare it with the allowed values in 'when'",
                        severity="warning" if asks else "error",
                        related=[(steps[origin].location, "brings it in") for origin in taint.origins],
                    )


def _asks(tool: ToolSpec | None) -> bool:
    return tool is not None and (tool.requires_approval or bool(tool.destructive))


def _risks(tool: ToolSpec | None, parameter: str | None) -> Iterator[str]:
    """Yield the given parameters that must not contain untrusted text, such as `path 'folder' of 'clear'`."""
    if tool is None:
        return
    for name, schema in tool.properties.items():
        if parameter in (None, name) and isinstance(schema, dict) and not {"enum", "const", "pattern"} & schema.keys():
            description = str(schema.get("description", ""))
            if what := _risk(tool, set(words_of(name)), description):
                yield f"{what} {name!r} of {tool.name!r}"


def _risk(tool: ToolSpec, words: set[str], description: str) -> str | None:
    if (
        words & _COMMANDS
        or (words & _QUERIES and _SAYS_SQL.search(description))
        or (words & _TEXTS and _is_shell(tool))
    ):
        return "query" if words & _QUERIES or "sql" in words else "command"
    return "path" if tool.destructive and not tool.open_world and words & _PATHS else None


def _is_shell(tool: ToolSpec) -> bool:
    """Whether a tool runs the text that it receives: `shell`, `run_sql`, but not `text_to_sql`."""
    words = set(words_of(tool.name))
    return bool(words & _SHELLS) and (words <= _SHELLS or bool(words & _RUNNING))
