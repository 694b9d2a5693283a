"""The `process` tool, which runs one configured command and passes it the input as JSON."""

import json
import shlex
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from toolkit.builtin.options import (
    COUNT,
    DURATION,
    FOLDER,
    SWITCH,
    TEXT,
    TEXTS,
    Option,
    not_above_zero,
    outside_project,
    own_command,
    raise_faults,
)
from toolkit.errors import ConfigurationError
from toolkit.json_texts import json_text, text_of
from toolkit.processes.process_trees import Ended, StartError, run_command
from toolkit.processes.watching import missing_support
from toolkit.telemetry.propagation import trace_variables
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.kinds.class_tools import TextTool

DEFAULT_TIMEOUT: Final = 30.0
DEFAULT_MAX_BYTES: Final = 1024 * 1024

OPTIONS: Final = (
    Option("command", TEXTS, "the program and its arguments as a list", required=True, widens=own_command),
    Option("description", TEXT, "the description for models", default="Runs <program> with the input and returns …"),
    Option("directory", FOLDER, "the working directory of the command", default=".", widens=outside_project),
    Option("timeout", DURATION, "time limit for each run of the command", default="30s"),
    Option("max_bytes", COUNT, "maximum number of bytes to keep of each of its outputs", default=DEFAULT_MAX_BYTES),
    Option("requires_approval", SWITCH, "whether a reviewer must approve every call", default=False),
)


class Process(TextTool):
    """Runs one command with the input and returns its output.

    You set the command, which runs without a shell; a model chooses only the input. The command reads one line of JSON,
    `{"input": "…"}`, from its standard input. It answers with text, or with a JSON object in which `output` is the
    result, `structured` is data for programs, and `success` and `error` report a failure. When the command ends or is
    killed, everything that it started is killed too.

    Example:
        Process(["python", "count_words.py"], name="count_words", description="Counts words. Input: the text.")
    """

    name = "process"
    read_only = False
    destructive = True
    idempotent = False
    open_world = True
    source = "builtin"

    def __init__(
        self,
        command: Sequence[str],
        *,
        name: str = "process",
        description: str | None = None,
        directory: str | Path | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        max_bytes: int = DEFAULT_MAX_BYTES,
        requires_approval: bool = False,
    ) -> None:
        """Create the tool.

        Args:
            command: The program and its arguments. It inherits the current environment.
            name: The name under which a model calls the tool.
            description: The description that a model receives.
            directory: The working directory of the command; by default, the current directory at each call.
            timeout: Time limit in seconds, after which the command is killed with everything that it started.
            max_bytes: Maximum number of bytes to keep of its standard output and of its standard error each. A note
                marks output that was cut off.
            requires_approval: Whether a reviewer must approve every call. A call without a reviewer then fails.

        Raises:
            ConfigurationError: If any setting is invalid (the error lists all of them), or if this system cannot kill
                a command with everything that it started.
        """
        if reason := missing_support():
            raise ConfigurationError(reason)
        raise_faults(_problems(command, timeout, max_bytes))
        self.name = name
        self.description = description or (
            f"Runs {Path(command[0]).name} with the input and returns what it writes. "
            "Input: the text that the program expects."
        )
        self.requires_approval = requires_approval
        self._command = tuple(command)
        self._directory = None if directory is None else Path(directory)
        self._timeout = timeout
        self._max_bytes = max_bytes

    @property
    def uses(self) -> Mapping[str, str]:
        """The command as you would type it in a shell, its working directory and its time limit."""
        folder = str(self._directory or "the current folder")
        return {"command": shlex.join(self._command), "folder": folder, "timeout": f"{self._timeout:g} s"}

    def preview(self, parsed: str, context: ToolContext) -> str:
        """Return the command as you would type it in a shell, and its working directory."""
        where = "" if self._directory is None else f"\nin {self._directory}"
        return f"Execute command: {shlex.join(self._command)}{where}"

    async def execute(self, text: str) -> ToolResult:
        """Run the command with the input and return its output."""
        feed = json.dumps({"input": text}).encode() + b"\n"
        try:
            ended = await run_command(
                self._command,
                feed,
                directory=self._directory,
                variables=trace_variables(),
                timeout=self._timeout,
                max_bytes=self._max_bytes,
            )
        except StartError as error:
            return ToolResult.failure(f"Failed to start process: {error}")
        except TimeoutError:
            message = f"Process timed out after {self._timeout:g} seconds: {self._command[0]}"
            return ToolResult.failure(message, "timeout")
        return _result_of(ended)


def _problems(command: Sequence[str], timeout: float, max_bytes: int) -> list[tuple[str, str | None]]:
    problems: list[tuple[str, str | None]] = []
    if isinstance(command, str):
        hint = f"there is no shell to split it: write command = {json.dumps(command.split())}"
        problems.append(("'command' must be a list of strings", hint))
    elif not command or not all(isinstance(part, str) for part in command) or not command[0].strip():
        problems.append(("'command' must be a list of strings that begins with a program", None))
    elif any("\0" in part for part in command):
        problems.append(("'command' must not contain NUL", None))
    return problems + not_above_zero(timeout=timeout, max_bytes=max_bytes)


def _result_of(ended: Ended) -> ToolResult:
    if ended.status != 0:
        errors = ended.errors.decode("utf-8", "replace").strip()
        return ToolResult.failure(errors or _describe_exit(ended.status))
    text = ended.output.decode("utf-8", "replace").strip()
    if ended.output_is_cut:
        return ToolResult.success(f"{text}\n[output truncated at {len(ended.output)} bytes]")
    answer = _object_in(text)
    return ToolResult.success(text) if answer is None else _answered(answer, text)


def _describe_exit(status: int) -> str:
    if status > 0:
        return f"Process exited with code {status}"
    try:
        return f"Process was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"Process was ended by signal {-status}"


def _object_in(text: str) -> dict[str, Any] | None:
    """Return the output as a JSON object, or `None` if the whole output is not one."""
    if not text.startswith("{"):
        return None
    try:
        answer: dict[str, Any] = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return answer


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _answered(answer: Mapping[str, Any], text: str) -> ToolResult:
    """Convert a JSON answer to a result; any value of `success` except `true` and `null` is a failure."""
    success = answer.get("success")
    if success is not None and success is not True:
        error = answer.get("error")
        message = None if error is None else text_of(error)
        return ToolResult.failure(message or f"Process returned success={json_text(success, separators=(',', ':'))}")
    if "output" not in answer:
        return ToolResult.success(text, structured=answer.get("structured"))
    output = answer["output"]
    shown = "" if output is None else text_of(output)
    shown = shown.encode("utf-8", "replace").decode()  # JSON escapes can be lone surrogates, which UTF-8 cannot encode
    return ToolResult.success(shown, structured=answer.get("structured"))
