"""Writes a first case file for tools: with their examples, with boundaries, and with arguments that they refuse."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolkit.documents.dumping import as_yaml
from toolkit.json_texts import json_text
from toolkit.testing.argument_values import ArgumentMaker
from toolkit.tools.base import Tool

_HEAD: Final = """\
# `toolkit test --update FILE` writes the outputs of the snapshots; read them before you keep them.
"""
_MOST: Final = 3
_LONGEST: Final = 40
_SEED: Final = "0"


def first_cases(tools: Sequence[tuple[str, Tool]]) -> str:
    """Return the text of a case file.

    Args:
        tools: The tools, each with what `toolkit run` calls it, relative to the file.
    """
    cases = [case for address, tool in tools for case in _cases_of(address, tool)]
    return _HEAD + as_yaml({"toolkit": 1, "cases": _with_different_names(cases)})


def _cases_of(address: str, tool: Tool) -> Iterator[dict[str, Any]]:
    spec, examples = tool.spec, list(map(dict, tool.spec.examples))
    try:
        maker = ArgumentMaker(spec.parameters, _SEED)
    except ValueError:  # the schema is malformed, which lint reports
        return
    valid = [*examples, *(one for one in maker.valid(_MOST) if one not in examples)][: max(_MOST, len(examples))]
    stubs = {one.name: "stubbed" for one in tool.callees if not one.spec.read_only}
    for arguments in valid if spec.read_only or stubs else ():
        case = {"name": f"{spec.name} of {_short(arguments)}", "run": address, "with": arguments}
        yield case | ({"stub": stubs} if stubs and not spec.read_only else {}) | {"snapshot": True}
    if valid and (spec.destructive or spec.requires_approval):
        yield {
            "name": f"{spec.name} asks first",
            "run": address,
            "with": valid[0],
            "answers": [{spec.name: {"reject": "no"}}],
            "expect": {"error": "no", "code": "rejected", "asked": [spec.name], "not": [spec.name]},
        }
    for one in maker.broken(valid[:1])[:_MOST]:
        expect = {"error": True, "not": [spec.name]}
        yield {
            "name": f"{spec.name} refuses what breaks {one.breaks}",
            "run": address,
            "with": one.arguments,
            "expect": expect,
        }


def _short(arguments: Mapping[str, Any]) -> str:
    text = json_text(arguments)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _with_different_names(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    names: dict[str, int] = {}
    found = []
    for case in cases:
        count = names[case["name"]] = names.get(case["name"], 0) + 1
        found.append(case if count == 1 else case | {"name": f"{case['name']} ({count})"})
    return found
