"""TK514: a tool whose definition differs from the pinned one."""

from collections.abc import Iterator, Sequence

from toolkit.codes import DEFINITION_DRIFT
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.pins.drifts import HEADINGS, in_short
from toolkit.pins.lockfile import LOCK_FILE, changes_since, read_lock
from toolkit.problems import Problem, Severity


class DefinitionDrift(Rule):
    """A tool's definition differs from the one that `toolkit.lock` pins.

    ## Why

    When you approve a tool, you approve its definition at that time. If a server changes a description later, it
    changes what every model does that reads it, and a renamed parameter breaks every pipeline and every prompt that
    mentions it. The file `toolkit.lock`, next to the project's settings, pins the definitions of all tools. This rule
    and `toolkit lock --check` report each difference as breaking, compatible or text only: as an error for third-party
    definitions, and as a warning for your own tools. Without the file, nothing is pinned or reported.

    `toolkit lint --against main` does not need the file: it compares definitions with a git revision, and a change that
    breaks callers is an error. `toolkit test` compares definitions with those for which a model's reply was recorded; with
    `--strict`, a difference is an error.

    ## Example

    ```console
    $ toolkit lock --update tools.py
    $ sed -i 's/days: int = 3/days: int/' tools.py
    $ toolkit lint tools.py
    ```

    ## Instead

    Review the difference, and if it is intended, pin the new definition:

    ```console
    $ toolkit lock --check tools.py
    $ toolkit lock --update tools.py
    ```

    ## Source

    - Invariant Labs, [MCP rug pulls](https://invariantlabs.ai/blog/mcp-security-notification-tool-poisoning-attacks): a
      server changes a tool after it was approved (checked 2026-11-22)
    - OWASP, [MCP top 10](https://owasp.org/www-project-mcp-top-10/) (checked 2026-11-22)
    """

    code = DEFINITION_DRIFT
    needs_import = True

    def check_toolset(self, tools: Sequence[ToolDefinition]) -> Iterator[Problem]:
        locked = read_lock(self.settings.directory / LOCK_FILE)
        if isinstance(locked, Problem):
            if locked.location is not None:
                yield locked
            return
        for tool in tools:
            if tool.spec is not None and not tool.is_written and (changes := changes_since(locked, tool.spec)):
                message = (
                    f"tool {tool.name!r} differs from '{LOCK_FILE}' ({HEADINGS[changes[0].kind]}): {in_short(changes)}"
                )
                hint = "`toolkit lock --check` shows all; `toolkit lock --update` pins what it is now"
                severity: Severity = "error" if tool.is_foreign else "warning"
                yield self.problem(message, tool.location, hint=hint, severity=severity)
