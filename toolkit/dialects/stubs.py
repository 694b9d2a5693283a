"""Typed stubs of tools, for models that write code which calls tools: Python with types, or TypeScript declarations."""

import json
import keyword
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from toolkit.schemas.places import changed_inside
from toolkit.schemas.schema import Schema
from toolkit.tools.definition.spec import ToolSpec

Language = Literal["python", "typescript"]

_SCALARS: Mapping[Language, Mapping[str, str]] = {
    "python": {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"},
    "typescript": {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"},
}
_ANYTHING: Mapping[Language, str] = {"python": "Any", "typescript": "unknown"}
_RESERVED = frozenset(
    {"break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum",
     "export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof", "new", "null",
     "return", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with", "await",
     "let", "static", "yield"}
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z0-9]+")


def stubs_of(specs: Sequence[ToolSpec], language: Language) -> str:
    """Return typed stubs of tools: a function for each tool, and a type for each object.

    Python functions take keywords only. A tool with a parameter whose name is no identifier takes one mapping instead.

    Args:
        specs: The specifications.
        language: The language.
    """
    writer = _Python() if language == "python" else _TypeScript()
    functions = [writer.function(spec) for spec in specs]
    body = "\n\n".join([*writer.types.values(), *functions]) + "\n"
    names = [name for name in writer.imported if re.search(rf"\b{name}\b", body)]
    return f"from typing import {', '.join(names)}\n\n{body}" if names else body


class _Writer(ABC):
    """Writes the types of one language; objects become named types."""

    language: Language
    list_of: str
    map_of: str
    imported: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.types: dict[str, str] = {}
        self._named: dict[str, dict[str | None, str]] = {}
        self._names: set[str] = set()
        self._functions: set[str] = set()

    @abstractmethod
    def function(self, spec: ToolSpec) -> str:
        """Return the declaration of a tool."""

    @abstractmethod
    def named_type(self, name: str, part: Schema) -> str:
        """Return the declaration of an object."""

    @abstractmethod
    def values(self, parts: Sequence[str]) -> str:
        """Return a type of a few values, which are written as JSON."""

    def result(self, spec: ToolSpec) -> str:
        """Return the type of what a tool returns."""
        if spec.output_schema is None:
            return self.anything
        return self.type_of(Schema.of(spec.output_schema), f"{_pascal(spec.name)}Result")

    @property
    def anything(self) -> str:
        return _ANYTHING[self.language]

    def function_name(self, name: str) -> str:
        """Return an unused identifier for a tool."""
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        plain = plain if plain.isidentifier() and not self.is_reserved(plain) else f"tool_{plain}"
        return _unused(plain, self._functions)

    def is_reserved(self, name: str) -> bool:
        return keyword.iskeyword(name) if self.language == "python" else name in _RESERVED

    def type_of(self, part: Schema, name: str) -> str:
        """Return the type of the values of a schema; `name` is used for an object that has no name of its own."""
        node = part.keywords
        if "$ref" in node:
            target = part.resolved()
            return self.anything if target is None else self.type_of(target, _pascal(str(node["$ref"])))
        if "const" in node or "enum" in node:
            values = [node["const"]] if "const" in node else list(node["enum"])
            scalars = all(value is None or isinstance(value, str | int | bool) for value in values)
            return self.values([_literal(value) for value in values]) if scalars else self.anything
        for key in ("anyOf", "oneOf"):
            if node.get(key):
                names = [name if index == 0 else f"{name}{index + 1}" for index in range(len(node[key]))]
                parts = [self.type_of(part.at(key, index), one) for index, one in enumerate(names)]
                return _union(parts)
        kinds = node.get("type")
        if isinstance(kinds, list | tuple):
            return _union([self._of_kind(part, str(kind), name) for kind in kinds])
        return self._of_kind(part, str(kinds or ("object" if "properties" in node else "")), name)

    def _of_kind(self, part: Schema, kind: str, name: str) -> str:
        node = part.keywords
        if kind == "array":
            items = node.get("items")
            inner = self.type_of(part.at("items"), f"{name}Item") if isinstance(items, Mapping) else self.anything
            return self.list_of.format(inner)
        if kind == "object":
            if node.get("properties"):
                return self._object(part, name)
            others = node.get("additionalProperties")
            inner = self.type_of(part.at("additionalProperties"), f"{name}Value") if isinstance(others, Mapping) else ""
            return self.map_of.format(inner or self.anything)
        return _SCALARS[self.language].get(kind, self.anything)

    def _object(self, part: Schema, name: str) -> str:
        """Return the name of an object's type, which is declared once unless the same object has two titles."""
        title, known = part.keywords.get("title"), self._named.setdefault(_content_of(part), {})
        if title in known:
            return known[title]
        if known and (title is None or None in known):
            return next(iter(known.values()))
        known[title] = unused = _unused(_pascal(str(title or name)) or "Value", self._names)
        declared = self.named_type(unused, part)
        self.types[unused] = declared
        return unused

    def members(self, part: Schema, owner: str) -> list[tuple[str, str, bool]]:
        """Return the name and the type of each property, and whether it is required."""
        required = part.keywords.get("required", ())
        return [
            (name, self.type_of(part.at("properties", name), f"{owner}{_pascal(name)}"), name in required)
            for name in part.keywords.get("properties", {})
        ]


class _Python(_Writer):
    language: Language = "python"
    list_of, map_of = "list[{}]", "dict[str, {}]"
    imported = ("Any", "Literal", "NotRequired", "TypedDict")

    def function(self, spec: ToolSpec) -> str:
        whole = Schema.of(spec.parameters)
        name = self.function_name(spec.name)
        members = self.members(whole, _pascal(spec.name))
        given = ""
        if not all(one.isidentifier() and not keyword.iskeyword(one) for one, _, _ in members):
            given = f"arguments: {self._object(whole, f'{_pascal(spec.name)}Arguments')}"
        elif members:
            ordered = sorted(members, key=lambda one: not one[2])
            given = ", ".join(["*", *(f"{one}: {type_}{'' if needed else ' = ...'}" for one, type_, needed in ordered)])
        described = [f"    {one}: {text}" for one, text in _described(spec)]
        text = "\n".join([spec.description, *(["", "Args:"] if described else []), *described])
        text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').replace("\n", "\n    ")
        text = re.sub(r"[ \t]+\n", "\n", f"{text}\n    " if described else f"{text} " if text.endswith('"') else text)
        docstring = f'    """{text}"""\n' if text else ""
        return f"def {name}({given}) -> {self.result(spec)}:\n{docstring}    ..."

    def named_type(self, name: str, part: Schema) -> str:
        members = self.members(part, name)
        pairs = [(one, type_ if needed else f"NotRequired[{type_}]") for one, type_, needed in members]
        inner = ", ".join(f"{_literal(one)}: {_quoted(type_)}" for one, type_ in pairs)
        return f'{name} = TypedDict("{name}", {{{inner}}})'

    def values(self, parts: Sequence[str]) -> str:
        return f"Literal[{', '.join(_PYTHON_WORDS.get(part, part) for part in parts)}]"


class _TypeScript(_Writer):
    language: Language = "typescript"
    list_of, map_of = "Array<{}>", "Record<string, {}>"

    def function(self, spec: ToolSpec) -> str:
        whole = Schema.of(spec.parameters)
        members = self.members(whole, _pascal(spec.name))
        optional = "" if any(needed for _, _, needed in members) else "?"
        given = f"args{optional}: {{{self._inner(members)}}}" if members else ""
        described = [f"@param args.{one} {text}" for one, text in _described(spec)]
        lines = "\n".join([spec.description, *described]).replace("*/", "*\\/").split("\n")
        text = "\n".join(f" * {line}".rstrip() for line in lines)
        comment = f"/**\n{text}\n */\n" if any(lines) else ""
        return f"{comment}declare function {self.function_name(spec.name)}({given}): Promise<{self.result(spec)}>;"

    def named_type(self, name: str, part: Schema) -> str:
        return f"type {name} = {{{self._inner(self.members(part, name))}}};"

    def _inner(self, members: Sequence[tuple[str, str, bool]]) -> str:
        pairs = (f"{_key(one)}{'' if needed else '?'}: {type_}" for one, type_, needed in members)
        return f" {'; '.join(pairs)} "

    def values(self, parts: Sequence[str]) -> str:
        return _union(parts)


_SHOWN_NOWHERE = ("$defs", "definitions", "title", "description", "default", "examples")


def _content_of(part: Schema) -> str:
    """Return what the type of an object depends on, as text: its own schema, and all that it refers to by name."""
    referred = {one.keywords["$ref"]: one.resolved() for one in part.reached() if "$ref" in one.keywords}
    nodes = {reference: _bare(target.node) for reference, target in referred.items() if target is not None}
    return json.dumps([_bare(part.node), nodes], sort_keys=True, default=str)


def _bare(node: Any) -> Any:
    """Return a schema without what no type shows, in itself and in its parts."""
    if not isinstance(node, Mapping):
        return node
    kept = {key: value for key, value in node.items() if key not in _SHOWN_NOWHERE}
    return changed_inside(kept, _bare)


def _union(types: Sequence[str]) -> str:
    """Return a type of either of others, which both languages write alike."""
    return " | ".join(dict.fromkeys(types))


def _described(spec: ToolSpec) -> list[tuple[str, str]]:
    """Return the parameters that have a description, each in one line."""
    properties = spec.parameters.get("properties", {})
    return [
        (name, " ".join(str(one["description"]).split()))
        for name, one in properties.items()
        if isinstance(one, Mapping) and one.get("description")
    ]


_PYTHON_WORDS = {"true": "True", "false": "False", "null": "None"}


def _literal(value: Any) -> str:
    """Return a value as JSON, which both languages read."""
    return json.dumps(value)


def _quoted(type_: str) -> str:
    return json.dumps(type_)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) else _literal(name)


def _pascal(name: str) -> str:
    words = _WORD.findall(name.rpartition("/")[2])
    joined = "".join(word[0].upper() + word[1:] for word in words)
    return f"T{joined}" if joined[:1].isdigit() else joined


def _unused(name: str, taken: set[str]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}{number}", number + 1
    taken.add(found)
    return found
