"""The command-line options of `toolkit agent`, and how a journal records them."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from toolkit_cli.completion import complete_group, complete_target
from toolkit_cli.other_python import Python
from toolkit_cli.rendering.result_texts import Format
from toolkit_cli.shared_options import (
    BaseUrl,
    Forgotten,
    ModelName,
    OnApproval,
    SessionOptions,
    recorded,
)

if TYPE_CHECKING:
    from toolkit_cli.running.journaled_runs import Resumed

First = Annotated[
    str | None,
    typer.Argument(
        metavar="[FILE.yaml]",
        help="An agent file; without one, `--tools` sets the tools that the model may call.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Task = Annotated[
    str | None,
    typer.Argument(
        metavar="[TASK]", help="The task for the model; - for stdin. Without a task, a chat starts.", show_default=False
    ),
]
Silence = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", help="How long to wait for a reply of the model: 30s, 5m (the default).", show_default=False
    ),
]
Offered = Annotated[
    list[str] | None,
    typer.Option(
        "--tools",
        metavar="TARGET",
        help="Tools that the model may call: a file, a module, the name of a tool or group, or `builtin`; "
        "by default, the configured sources. Repeatable.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        metavar="NAME",
        help="A configured group of tools that the model may call. Repeatable.",
        show_default=False,
        autocompletion=complete_group,
    ),
]
Chained = Annotated[
    list[str] | None,
    typer.Option(
        "--chaining",
        metavar="CLASS",
        help="Objects whose methods the model may call once a tool has returned one: file.py:Class, or `any`. "
        "Repeatable.",
        show_default=False,
    ),
]
Turns = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Maximum number of requests to the model per task, 20 by default; an agent file sets its own.",
    ),
]
Spending = Annotated[
    str | None,
    typer.Option(
        metavar="BUDGET", help="The most it may spend: '$0.50', '20k tokens', '30 calls', or several with commas."
    ),
]
Transcript = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the conversation to this file, as JSON.")]
Continued = Annotated[
    bool,
    typer.Option("--continue", help="Continue the conversation in the transcript."),
    Forgotten("a continued conversation is not recorded, since it depends on its earlier messages"),
]
Journaled = Annotated[
    bool | None,
    typer.Option(
        "--journal/--no-journal",
        help="Record finished requests and calls, so that `toolkit runs resume` can continue.",
        show_default=False,
    ),
    Forgotten("only a recorded run can be resumed"),
]
Shown = Annotated[
    Format,
    typer.Option(
        "--format", help="Print only the answer (text), the result as JSON, or events as they happen (jsonl)."
    ),
]


class AgentOptions(NamedTuple):
    """The command-line options of `toolkit agent`, one per field except for `resumed`.

    Attributes:
        resumed: The run to continue, if any; set only by `toolkit runs resume`.
    """

    first: First = None
    task: Task = None
    model: ModelName = None
    base_url: BaseUrl = None
    model_timeout: Silence = None
    tools: Offered = None
    group: Groups = None
    chaining: Chained = None
    instructions: Annotated[str, typer.Option(metavar="TEXT", help="Instructions for the model.")] = ""
    max_turns: Turns = None
    budget: Spending = None
    transcript: Transcript = None
    go_on: Continued = False
    journal: Journaled = None
    on_approval: OnApproval = "ask"
    format: Shown = "text"
    python: Python = None
    session: SessionOptions = SessionOptions()
    resumed: "Resumed | None" = None

    def as_request(self, file: str | None, task: str | None) -> dict[str, Any]:
        """Return what is needed to run it again, as plain data.

        Args:
            file: The agent file, if any.
            task: The task, which may come from stdin.
        """
        typed = self._replace(first=task, task=None) if file is None else self._replace(first=file, task=task)
        typed = typed._replace(python=self.python and sys.executable)
        return {**recorded(typed), "command": AGENT, "target": file or f"{AGENT}: {task}"}


AGENT: Final = "agent"
"""The command that is recorded for an agent's run."""
