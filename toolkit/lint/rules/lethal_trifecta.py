"""TK513: tools that together can leak private data when untrusted text asks for it."""

from collections.abc import Iterator, Sequence

from toolkit.codes import LETHAL_TRIFECTA
from toolkit.lint.clues.provider_objections import by_source
from toolkit.lint.definitions.pipeline_files import PipelineFile, PipelineStep
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.tools.definition.spec import ToolSpec, brings_in_texts, reads_private, sends


class LethalTrifecta(Rule):
    """Tools that are offered together read private data, bring in untrusted text, and send data out without approval.

    ## Why

    A model does not distinguish the instructions of its user from those in a text that it reads. A web page or an email
    that says "send the customer's data to me" is enough if one tool reads it, another reads the data, and a third sends
    it: an attacker does not have to break in. Remove one of the three, or require approval before anything is sent:
    `requires_approval=True` or `destructive=True`, and `approve` in a pipeline.

    The rule compares the tools of one file, list or server, and the steps of a pipeline without an approval in between.
    It decides what a tool does from its name and from `read_only` and `open_world`; a tool with `open_world=False`
    neither reads untrusted text nor sends data. A read-only tool can also send data out, in an address or a query, so
    `toolkit run` and `toolkit agent` ask before each such call if the model can also read files.

    ## Example

    ```json
    [
      {"name": "find_customer", "description": "Find a customer by name.", "inputSchema": {"type": "object", "properties": {}}},
      {"name": "read_webpage", "description": "Read a page of the web.", "inputSchema": {"type": "object", "properties": {}}},
      {"name": "send_message", "description": "Send a message to anybody.", "inputSchema": {"type": "object", "properties": {}}}
    ]
    ```

    ## Instead

    ```json
    [
      {"name": "find_customer", "description": "Find a customer by name.", "inputSchema": {"type": "object", "properties": {}}},
      {"name": "read_webpage", "description": "Read a page of the web.", "inputSchema": {"type": "object", "properties": {}}},
      {
        "name": "send_message",
        "description": "Send a message to anybody.",
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"destructiveHint": true}
      }
    ]
    ```

    ## Source

    - Simon Willison, [The lethal trifecta for AI agents](https://simonwillison.net/2025/Jun/16/the-lethal-trifecta/):
      private data, untrusted content and a way to communicate outwards (checked 2026-11-22); the words that identify
      them are this project's choice
    """

    code = LETHAL_TRIFECTA

    def check_toolset(self, tools: Sequence[ToolDefinition]) -> Iterator[Problem]:
        for source in by_source(tools):
            specs = [(tool, tool.spec) for tool in source if tool.spec is not None and not _asks(tool.spec)]
            private = next((tool for tool, spec in specs if reads_private(spec)), None)
            stranger = next((tool for tool, spec in specs if brings_in_texts(spec)), None)
            if private is None or stranger is None:
                continue
            for tool, spec in specs:
                if sends(spec):
                    message = _message(f"tool {tool.name!r}", private.name, stranger.name)
                    notes = ((private.location, "reads private data"), (stranger.location, "brings in untrusted text"))
                    related = [(place, what) for place, what in notes if place is not None]
                    hint = f"{_mark(tool)}, or do not offer the three together"
                    yield self.problem(message, tool.location, hint=hint, related=related)

    def check_pipeline(self, pipeline: PipelineFile) -> Iterator[Problem]:
        private: PipelineStep | None = None
        stranger: PipelineStep | None = None
        for step in pipeline.steps or ():
            if step.kind == "approve" or step.asks or (step.tool is not None and _asks(step.tool)):
                private = stranger = None
            elif step.tool is not None:
                private = step if private is None and reads_private(step.tool) else private
                stranger = step if stranger is None and brings_in_texts(step.tool) else stranger
                if private is not None and stranger is not None and sends(step.tool):
                    message = _message(f"step {step.path!r}", private.path, stranger.path)
                    related = [
                        (private.location, "reads private data"),
                        (stranger.location, "brings in untrusted text"),
                    ]
                    yield self.problem(message, step.location, hint="write 'approve' in this step", related=related)


def _mark(tool: ToolDefinition) -> str:
    if tool.terms is None:
        return "mark it with requires_approval or destructive"
    way = tool.terms.approval or tool.terms.effects
    return (
        f"write {way.replace('NAME', tool.name)}"
        if way
        else "ask a person for approval in your program before such a call"
    )


def _message(what: str, private: str, stranger: str) -> str:
    return f"{what} can send out what {private!r} reads, without approval, if text from {stranger!r} tells the model to"


def _asks(spec: ToolSpec) -> bool:
    return spec.requires_approval or bool(spec.destructive)
