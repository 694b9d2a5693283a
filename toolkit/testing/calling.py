"""The child process that opens the tools under test, and calls them one after another.

It reads one JSON object per line and answers each with one; `worker_pool` is the parent's side.
"""

import faulthandler
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from errno import EBADF
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter
from typing import Any, Final

from toolkit.amounts import tokens_in
from toolkit.approvals.allowances import Allowance, Allowances
from toolkit.approvals.gates import Gate
from toolkit.approvals.reviewers import RefusingReviewer
from toolkit.lint.engine.collecting import Channel, leave_a_trace_on_exit
from toolkit.problems import problem_record
from toolkit.settings.configuration import Configuration
from toolkit.settings.configuration_search import find_configuration
from toolkit.sources.import_permissions import ImportPermission
from toolkit.sources.modules import collected_warnings
from toolkit.sources.opening import SourceOpener
from toolkit.sources.project_policies import configured_policy
from toolkit.testing.departures import Departures
from toolkit.testing.outcomes import NOT_APPROVED, TOLD, Outcome, is_refusal, told_error
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.callees import Arguments
from toolkit.tools.calls.json_data import plain_data
from toolkit.tools.calls.results import ToolResult, is_own_code, kind_of_error, message_of, place_of_raise
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import record_of
from toolkit.tools.foreign.schema_tools import output_mismatch
from toolkit.tools.origins import function_of, place_of_tool
from toolkit.tools.outcomes import NOTHING_RETURNED, UNWRITABLE

_MOST_PRINTED: Final = 200


class WatchedTool(WrappedTool):
    """A tool whose arguments are compared after the call; those for a framework are passed on as they are."""

    changed = False

    def __init__(self, inner: Tool) -> None:
        """Wrap a tool."""
        super().__init__(inner)
        self._is_foreign = inner.framework is not None

    def parse(self, arguments: Arguments) -> Any:
        """Leave the arguments of another framework's tool to the framework, which is part of what is tested."""
        if self._is_foreign and isinstance(arguments, Mapping):
            return dict(arguments)
        return self.inner.parse(arguments)

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Run the tool, and compare the arguments."""
        before = _copy(parsed)
        try:
            return await self.result_from_inner(parsed, context)
        finally:
            self.changed = before is not None and before != _copy(parsed)


def _copy(parsed: Any) -> Any:
    """Return arguments as plain data of their own, or None if that is impossible."""
    try:
        return deepcopy(plain_data(parsed))
    except Exception:  # noqa: BLE001 - arguments may be any objects
        return None


class Tools:
    """The opened tools, and everything that their calls share."""

    def __init__(self, setup: Mapping[str, Any]) -> None:
        """Prepare to open tools.

        Args:
            setup: The setup of the channel; see `worker_pool`.
        """
        self._targets = setup["targets"]
        self._configuration = _configuration(setup)
        policy, _ = configured_policy(self._configuration, self._targets)
        rules = [Allowance.parse(text) for text in setup["approve"]]
        chosen = policy if self._configuration.has_policy else None
        self._policy = Allowances(rules, chosen) if rules else chosen
        self._tools: dict[str, Tool] = {}
        self._folders: tuple[str, ...] = ()
        self._departures = Departures(self._is_own)
        self._printed = TemporaryFile()  # noqa: SIM115 - it stays open to the very end

    def open(self, targets: list[str]) -> dict[str, Any]:
        """Open targets, and return the definitions of their tools and all problems."""
        opener = SourceOpener(self._configuration)
        opener.permission = ImportPermission(self._configuration, looks=True)  # it imports what defines tools, no more
        with collected_warnings() as warnings:
            opened = opener.open_all(targets)
        self._tools = {name: WatchedTool(tool) for name, tool in opened.tools.items()}
        places = {name: place_of_tool(tool) for name, tool in opened.tools.items()}
        self._folders = tuple({f"{Path(one.file).resolve().parent}{os.sep}" for one in places.values() if one})
        self._departures.start()
        os.dup2(self._printed.fileno(), 1)
        records = [
            {"key": name, "spec": record_of(tool.spec), "place": places[name]} for name, tool in opened.tools.items()
        ]
        problems = [problem_record(one) for one in opened.problems if one.severity != "info"]
        files = opened.files._asdict()
        return {"tools": records, "problems": problems, "files": files, "warnings": [*warnings]}

    def call(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Call a tool, and return how that ended."""
        tool = self._tools[name]
        assert isinstance(tool, WatchedTool)
        tool.changed = False
        gate = Gate(RefusingReviewer(NOT_APPROVED), self._policy)
        context = ToolContext(self._configuration.context, gate=gate).replace(chosen_by="model")
        self._departures.begin()
        started = perf_counter()
        result, signal = ToolResult(), None
        try:
            result = tool.run(arguments, context)
        except BaseException as error:  # noqa: BLE001 - whatever a tool raises ends its call only
            signal = error
        seconds = perf_counter() - started
        outcome = self._judged(tool, result, signal)
        return outcome._replace(seconds=seconds, printed=self._take_printed(), changed=tool.changed)

    def _judged(self, tool: Tool, result: ToolResult, signal: BaseException | None) -> Outcome:
        if signal is None and result.succeeded:
            mismatch, tokens = _mismatch(tool, result), tokens_in(result.output)
            if not mismatch and (words := told_error(result.output)):
                return Outcome("refused", words, TOLD, tokens=tokens)
            digest = sha256(result.output.encode(errors="replace")).hexdigest()
            return Outcome("ok", tokens=tokens, digest=digest, mismatch=mismatch)
        error = signal if signal is not None else self._departures.left
        if error is not None:
            words, place = message_of(error), place_of_raise(error, self._is_own)
            if is_refusal(error, tool.framework, self._is_own):
                return Outcome("refused", words, str(result.error_code or ""), place)
            return Outcome("crashed", words, kind_of_error(error), place)
        message = result.error or ""
        if message.startswith(UNWRITABLE):
            return Outcome("crashed", message, UNWRITABLE)
        is_denied = result.error_code == "rejected" and not self._departures.entered
        return Outcome("denied" if is_denied else "refused", message, str(result.error_code or ""))

    def _is_own(self, file: str) -> bool:
        """Return whether a file belongs to the tools: to no package, or to that of a tool."""
        return is_own_code(file) or (Path(file).is_absolute() and _real_path(file).startswith(self._folders))

    def _take_printed(self) -> str:
        """Return what has been written to standard output since the last call."""
        for stream in (sys.stdout, sys.__stdout__):
            with suppress(Exception):  # a tool may have replaced it with anything
                stream.flush()  # type: ignore[union-attr]  # as above
        size = self._printed.seek(0, os.SEEK_END)
        if size == 0:
            return ""
        self._printed.seek(0)
        text = self._printed.read(_MOST_PRINTED).decode(errors="replace")
        self._printed.truncate(0)
        self._printed.seek(0)
        return text


def _mismatch(tool: Tool, result: ToolResult) -> str:
    """Return how a result violates the output schema; a text of one of our functions is what the function returned."""
    schema, data = tool.spec.output_schema, result.structured
    if schema is None or (data is None and (tool.framework is not None or function_of(tool) is None)):
        return ""
    if data is None and result.output != NOTHING_RETURNED:
        data = result.output
    return output_mismatch(data, schema) or ""


_real_path = lru_cache(maxsize=1024)(os.path.realpath)


def _configuration(setup: Mapping[str, Any]) -> Configuration:
    """Return the configuration of the working directory with the options of the command; servers are left out."""
    configuration, _ = find_configuration(Path.cwd())
    named = setup["named_policy"]
    return configuration._replace(
        sources=tuple(setup["sources"]),
        user_sources=tuple(setup["user_sources"]),
        granted=frozenset(setup["granted"]),
        consented=frozenset(setup["consented"]),
        named_policy=None if named is None else Path(named),
        mcp={},
    )


def main() -> None:
    """Answer requests until the channel is closed."""
    channel = Channel.take()
    leave_a_trace_on_exit(channel.crash)
    tools = Tools(channel.setup)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    errors = os.dup(2)
    try:
        for request in channel.requests():
            if "open" in request:
                answer = tools.open(request["open"])
            else:
                os.dup2(nowhere, 2)
                answer = tools.call(request["call"], request["arguments"])._asdict()
                os.dup2(errors, 2)
            channel.rest()
            channel.answer(json.dumps(answer, default=repr))
    except OSError as error:
        if error.errno != EBADF:
            raise
        faulthandler.disable()
        os._exit(1)  # a tool has forked, and this is the copy; or it has closed the channel
