"""Renders tools, as a list or with all their details, and lists of skills."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from toolkit.amounts import tokens_of_data
from toolkit.builtin.catalog import options_of
from toolkit.disclosure.offering import tree_of
from toolkit.pipelines.outline import outline_of
from toolkit.skills.skill_files import read_skill
from toolkit.tools.base import Tool
from toolkit.tools.foreign.frameworks import title_of
from toolkit.tools.kinds.function_tools import DescribedTool
from toolkit.tools.origins import place_of_tool
from toolkit_cli.rendering.excerpts import path_for_people, shown_path
from toolkit_cli.rendering.listings import drawn_tree, tree_record
from toolkit_cli.rendering.policy_tables import outlook_record, outlook_text
from toolkit_cli.rendering.schemas import Parameter, parameters_of, type_of
from toolkit_cli.rendering.styles import Line, lines_of, one_line, table, wrap_text
from toolkit_cli.rendering.tool_kinds import (
    REMOTE,
    address_of,
    is_facade,
    kind_of,
    operation_in,
    outline_of_agent,
    pipeline_in,
)
from toolkit_cli.rendering.tree_outlines import agent_record, drawn, drawn_agent, outline_record

if TYPE_CHECKING:
    from toolkit.approvals.file_policies import FilePolicy
    from toolkit.builtin.catalog import ReadyTool
    from toolkit.builtin.options import Option
    from toolkit.openapi.operation_tools import OperationTool
    from toolkit.pipelines.outline import PipelineOutline
    from toolkit.pipelines.pipeline import Pipeline


_STRUCTURED = ("list", "object", "(")
_FLAGS = (
    ("destructive", "destructive"),
    ("requires_approval", "asks first"),
    ("read_only", "read-only"),
    ("idempotent", "idempotent"),
    ("open_world", "open world"),
)


def listed(
    tools: Sequence[Tool], width: int, policy: "FilePolicy | None" = None, *, counts: bool = False
) -> list[Line]:
    """Return a table of tools: name, marks, source, and the first sentence of the description.

    With a policy, the table has a column with the possible decisions. If there are tools of other frameworks, it has a
    column with the framework. With `counts`, it has a column with the tokens of each definition, and their sum below.
    """
    header = ("NAME", "MARKS", "~TOKENS", "POLICY", "FRAMEWORK", "FROM", "DESCRIPTION")
    sizes = [tokens_of_data(tool.spec.definition) for tool in tools]
    rows = [_row(tool, policy, f"{size:,}" if counts else "") for tool, size in zip(tools, sizes, strict=True)]
    lines = table(header, rows, width, danger="destructive")
    if counts:
        lines += [[], [("quiet", f"all definitions together add about {sum(sizes):,} tokens to each request")]]
    return lines


def summary_record(tool: Tool, policy: "FilePolicy | None" = None) -> dict[str, Any]:
    """Return a tool of a list as plain data; every key is always present."""
    spec, place = tool.spec, place_of_tool(tool)
    return {
        "name": spec.name,
        "description": spec.description,
        "kind": kind_of(tool),
        "framework": tool.framework,
        "source": spec.source,
        "location": place._asdict() | {"file": shown_path(place.file)} if place else None,
        "requires_approval": spec.requires_approval,
        "read_only": spec.read_only,
        "destructive": spec.destructive,
        "idempotent": spec.idempotent,
        "open_world": spec.open_world,
        "policy": outlook_record(policy, tool),
        "tokens": tokens_of_data(spec.definition),
    }


def full_record(tool: Tool, policy: "FilePolicy | None" = None) -> dict[str, Any]:
    """Return everything about a tool as plain data.

    Every key is always present, except `pipeline`, `agent`, `tools`, `operation` and `options`, which depend on the
    kind.
    """
    spec, pipeline = tool.spec, pipeline_in(tool)
    steps = {"pipeline": outline_record(outline_of_pipeline(pipeline))} if pipeline else {}
    known = options_of(tool)
    options = {"options": option_records(known)} if known or spec.source == "builtin" else {}
    inner: dict[str, Any] = {"tools": _tree_record(tool)} if is_facade(tool) else {}
    if (operation := operation_in(tool)) is not None:
        inner = {"operation": _operation_record(operation)}
    agent = outline_of_agent(tool)
    if agent is not None:
        inner = {"agent": agent_record(agent)}
    return (
        summary_record(tool, policy)
        | steps
        | inner
        | {
            "parameters": spec.parameters,
            "output_schema": spec.output_schema,
            "return_behavior": spec.return_behavior,
            "result_tokens": spec.result_tokens,
            "category": spec.category,
            "strict": spec.strict,
            "metadata": dict(spec.metadata),
            "examples": list(spec.examples),
        }
        | options
    )


def detailed(
    tool: Tool, width: int, policy: "FilePolicy | None" = None, target: str = "", *, more: str = ""
) -> list[Line]:
    """Return everything about a tool, from its name to how to run it.

    Args:
        tool: The tool.
        width: The width of the lines.
        policy: The policy of the project, if any.
        target: The target that the tool was opened with.
        more: Options that the command to run it needs, after a blank.
    """
    spec = tool.spec
    lines: list[Line] = [[("strong", spec.name)]]
    paragraphs = (wrap_text(line, width - 2) for line in lines_of(spec.description))
    lines += [[("plain", f"  {line}".rstrip())] for lines_of_one in paragraphs for line in lines_of_one]
    lines += [[]]
    lines += _facts(tool, policy)
    parameters = parameters_of(spec.parameters)
    if parameters:
        lines += [[], [("strong", "Parameters")], *_parameter_table(parameters, width)]
    if pipeline := pipeline_in(tool):
        lines += [[], *drawn(outline_of_pipeline(pipeline), width)]
    if is_facade(tool):
        lines += [[], *_tree(tool, width)]
    if agent := outline_of_agent(tool):
        lines += [[], *drawn_agent(agent, width)]
    if options := options_of(tool):
        lines += [[], *drawn_options(spec.name, options, width)]
    if not isinstance(tool, DescribedTool):
        lines += [[], [("strong", "Run it")], [("plain", f"  {command_for(tool, target, more)}")]]
    return lines


def drawn_options(name: str, options: "Iterable[Option]", width: int) -> list[Line]:
    """Return the options of a built-in tool."""
    rows = [(one.name, one.kind.name, _default_of(one), one.meaning) for one in options]
    head: Line = [("strong", "Options"), ("quiet", f"  in [tool.toolkit.builtin.{name}]")]
    return [head, *table(("NAME", "TYPE", "DEFAULT", "MEANING"), rows, width, indent=2)]


def option_records(options: "Iterable[Option]") -> list[dict[str, Any]]:
    """Return the options of a built-in tool as plain data."""
    return [
        {
            "name": one.name,
            "kind": one.kind.name,
            "meaning": one.meaning,
            "default": one.default,
            "required": one.required,
            "widens": one.widens is not None,
        }
        for one in options
    ]


def explained(ready: "ReadyTool", width: int) -> list[Line]:
    """Return the description and options of a built-in tool that has not been created."""
    lines: list[Line] = [[("strong", ready.name)], [("plain", f"  {ready.summary}.")]]
    return [*lines, [], *drawn_options(ready.name, ready.options, width)]


def explanation_record(ready: "ReadyTool") -> dict[str, Any]:
    """Return the description and options of a built-in tool as plain data."""
    return {"name": ready.name, "description": f"{ready.summary}.", "options": option_records(ready.options)}


def outline_of_pipeline(pipeline: "Pipeline") -> "PipelineOutline":
    """Return the outline of a pipeline."""
    return outline_of(pipeline.plan)


def marks_of(tool: Tool) -> list[str]:
    """Return the marks of a tool, most severe first; a tool that decides itself whether to ask "may ask"."""
    marks = [words for name, words in _FLAGS if getattr(tool.spec, name)]
    return ["may ask", *marks] if tool.demands and not tool.spec.requires_approval else marks


def first_sentence(text: str) -> str:
    """Return the first sentence of a description, on one line."""
    words = " ".join(text.split("\n\n", 1)[0].split())
    end = words.find(". ")
    return words if end < 0 else words[: end + 1]


def command_for(tool: Tool, target: str, more: str = "") -> str:
    """Return a command that runs the tool, with the arguments of an example, or with placeholders in capitals.

    Args:
        tool: The tool.
        target: The target that it was opened with.
        more: Options of the command, after a blank.
    """
    spec = tool.spec
    parts = ["toolkit", "run", f"{quote(address_of(spec, target))}{more}"]
    if is_facade(tool):
        return f"{' '.join(parts)}.TOOL"
    if spec.examples:
        return " ".join(parts + [_argument(name, value) for name, value in spec.examples[0].items()])
    parameters = [one for one in parameters_of(spec.parameters) if one.required and one.name in spec.properties]
    if tool.pipe == "text" and len(spec.properties) == 1:
        return " ".join([*parts, "TEXT"])
    return " ".join(parts + [_placeholder(one) for one in parameters])


def _row(tool: Tool, policy: "FilePolicy | None", size: str) -> tuple[str, ...]:
    spec = tool.spec
    name = address_of(spec) if (spec.source or "").startswith(REMOTE) else spec.name
    outlook = outlook_text(policy, tool) if policy is not None else ""
    source, words = shown_path(spec.source or ""), first_sentence(spec.description)
    return one_line(name), ", ".join(marks_of(tool)), size, outlook, _framework_of(tool), source, words


def _framework_of(tool: Tool) -> str:
    return "" if tool.framework is None else title_of(tool.framework)


def _facts(tool: Tool, policy: "FilePolicy | None") -> list[Line]:
    spec, place = tool.spec, place_of_tool(tool)
    facts = {
        "kind": kind_of(tool),
        **_facts_of_operation(tool),
        "framework": _framework_of(tool),
        "from": shown_path(spec.source or ""),
        "defined": str(place._replace(file=path_for_people(place.file))) if place else "",
        "category": one_line(spec.category or ""),
        "marks": ", ".join(marks_of(tool)),
        "policy": outlook_text(policy, tool) if policy is not None else "",
        "returns": type_of(spec.output_schema) if spec.output_schema else "",
        "tokens": f"about {tokens_of_data(spec.definition):,} in each request",
        "most": f"{spec.result_tokens:,} tokens of a result" if spec.result_tokens else "",
        "its result": "" if spec.return_behavior == "to_model" else f"ends a model's turn ({spec.return_behavior})",
    }
    known = {name: fact for name, fact in facts.items() if fact}
    widest = max(map(len, known))
    return [[("quiet", f"  {name:<{widest}}  "), ("plain", fact)] for name, fact in known.items()]


def _facts_of_operation(tool: Tool) -> dict[str, str]:
    """Return where the requests of an operation go, and what signs them; nothing for other tools."""
    if (operation := operation_in(tool)) is None:
        return {}
    record = _operation_record(operation)
    signed = [f"{where} = {value}" for where, value in record["credentials"].items()]
    missing = f"none in the settings, and it needs {record['missing']}" if record["missing"] else ""
    return {
        "request": f"{record['method']} {record['path']}",
        "server": record["server"],
        "credentials": ", ".join(signed) or missing,
    }


def _operation_record(tool: "OperationTool") -> dict[str, Any]:
    """Return where the requests of an operation go, and what signs them, with references instead of secrets."""
    operation, credentials = tool.operation, tool.access.credentials
    parts = credentials.shown(operation)
    return {
        "method": operation.method,
        "path": operation.path,
        "server": tool.access.base,
        "credentials": {f"{part.place} {part.name}": part.value for part in parts},
        "missing": credentials.missing(operation),
    }


def _parameter_table(parameters: Iterable[Parameter], width: int) -> list[Line]:
    header = ("NAME", "TYPE", "DEFAULT", "DESCRIPTION")
    return table(header, [_parameter_row(one) for one in parameters], width, indent=2)


def _parameter_row(parameter: Parameter) -> tuple[str, str, str, str]:
    texts = [parameter.description] if parameter.description else []
    if parameter.constraints:
        texts.append(f"({', '.join(parameter.constraints)})")
    return parameter.name, parameter.type, "required" if parameter.required else parameter.default, " ".join(texts)


def _default_of(option: "Option") -> str:
    if option.required:
        return "required"
    return "" if option.default is None else json.dumps(option.default, ensure_ascii=False)


def _argument(name: str, value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return quote(f"{name}{':=' if isinstance(value, list | dict | None) else '='}{text}")


def _placeholder(parameter: Parameter) -> str:
    if parameter.type.startswith(_STRUCTURED):
        return f"{parameter.name}:=JSON"
    return f"{parameter.name}={parameter.name.upper()}"


def _tree(tool: Tool, width: int) -> list[Line]:
    return drawn_tree(tree_of(tool), width)


def _tree_record(tool: Tool) -> list[dict[str, Any]]:
    return tree_record(tree_of(tool))


_NONE = "(none)"


def listed_skills(files: Iterable[Path], width: int) -> list[Line]:
    """Return a table of skills: name, file, and the first sentence of the description."""
    rows = []
    for skill in map(read_skill, files):
        name = one_line(skill.name.text) if skill.name else _NONE
        description = one_line(first_sentence(skill.description.text)) if skill.description else _NONE
        rows.append((name, shown_path(skill.file), description))
    return table(("SKILL", "FROM", "DESCRIPTION"), rows, width)
