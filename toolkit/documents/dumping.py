"""Formats plain data as YAML for people to read."""

from collections.abc import Sequence
from typing import Any

import yaml

from toolkit.documents.document_reader import unreadable_in
from toolkit.documents.scalars import NoSuchNumber, resolve
from toolkit.freezing import FrozenDict, FrozenList


def as_yaml(data: Any) -> str:
    """Format plain data (as in JSON) as a YAML document, keeping the order of keys, with a newline at the end.

    A string is quoted if YAML 1.1 or 1.2 would otherwise read it as another type.
    """
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=100)


def as_yaml_line(data: Any) -> str:
    """Format plain data as YAML on one line, such as `{tool: fetch, where: {url: 'https://example.com/'}}`.

    The result can also be used inside a list or mapping in brackets.
    """
    listed = yaml.dump(
        [data], Dumper=_LineDumper, sort_keys=False, allow_unicode=False, default_flow_style=True, width=10**9
    )
    return listed.strip()[1:-1]


class _Dumper(yaml.SafeDumper):
    """Repeats equal values rather than using anchors and aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002
        super().increase_indent(flow, indentless=False)


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if unreadable_in(text) else "'" if _means_something_else(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _means_something_else(text: str) -> bool:
    try:
        return not isinstance(resolve(text), str)
    except NoSuchNumber:
        return True


class _LineDumper(_Dumper):
    """Writes multi-line strings on one line, with escapes."""


def _represent_in_line(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    if text.isprintable() and text.isascii():
        return _represent_text(dumper, text)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


_LineDumper.add_representer(str, _represent_in_line)
_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(FrozenDict, yaml.SafeDumper.represent_dict)
_Dumper.add_representer(FrozenList, yaml.SafeDumper.represent_list)


def with_item(text: str, key: str, item: Any) -> str:
    """Return a document with a new item at the end of the list under a key; comments and order are kept.

    Args:
        text: The document, which must be a mapping or empty.
        key: The top-level key of the list. If it is missing, it is added at the end of the document.
        item: The item as plain data, which is written on one line.

    Raises:
        ValueError: If the document is not a mapping, or the value of the key is not a list.
    """
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise ValueError(f"the document is not YAML: {' '.join(str(error).split())}") from error
    line, end = as_yaml_line(item), "\r\n" if "\r\n" in text else "\n"
    if root is None:
        return _appended(text, f"{key}:{end}  - {line}{end}", end)
    if not isinstance(root, yaml.MappingNode):
        message = "the document is not a mapping"
        raise ValueError(message)  # noqa: TRY004 - as the caller expects
    value = next((found for name, found in root.value if name.value == key), None)
    if value is not None:
        return _in_list(text, value, key, line, end)
    if root.flow_style:
        last = root.end_mark.index - 1
        comma = ", " if root.value else ""
        at = root.value[-1][1].end_mark.index if root.value else last
        return f"{text[:at]}{comma}{key}: [{line}]{text[at:]}"
    return _appended(text, f"{key}:{end}  - {line}{end}", end)


def _in_list(text: str, value: yaml.Node, key: str, line: str, end: str) -> str:
    at = value.start_mark.index
    if isinstance(value, yaml.ScalarNode) and value.tag == "tag:yaml.org,2002:null":
        if value.value:
            return f"{text[:at]}[{line}]{text[value.end_mark.index :]}"
        return f"{text[:at]} [{line}]{text[at:]}"
    if not isinstance(value, yaml.SequenceNode):
        message = f"the value of '{key}' is not a list"
        raise ValueError(message)  # noqa: TRY004 - as the caller expects
    if value.flow_style:
        if not value.value:
            return f"{text[: at + 1]}{line}{text[at + 1 :]}"
        at = value.value[-1].end_mark.index
        return f"{text[:at]}, {line}{text[at:]}"
    at = _end_of_line(text, _end_of(value))
    return f"{text[:at]}{end}{' ' * value.start_mark.column}- {line}{text[at:]}"


def _end_of(node: yaml.Node) -> int:
    """Return the end of the last value in a node, since PyYAML's end mark of a block is after any comments."""
    if not isinstance(node, yaml.CollectionNode) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    inner = last[1] if isinstance(last, tuple) else last
    return _end_of(inner) if inner.end_mark.index > inner.start_mark.index else int(inner.start_mark.index)


def _end_of_line(text: str, index: int) -> int:
    if index > 0 and text[index - 1] == "\n":  # a block scalar ends after its last line break
        return len(text[:index].rstrip("\r\n"))
    found = text.find("\n", index)
    return len(text) if found < 0 else found - (text[found - 1] == "\r")


def _appended(text: str, more: str, end: str) -> str:
    return f"{text}{'' if not text or text.endswith(chr(10)) else end}{more}"


def with_value(text: str, path: Sequence[str | int], value: Any, *, as_block: bool = False) -> str:
    """Return a document with another value at a path of keys and indexes; comments, order and layout are kept.

    Keys that are missing at the end of the path are added. A block stays a block, and everything else is written on one
    line.

    Args:
        text: The document.
        path: The keys and indexes.
        value: The value as plain data.
        as_block: Whether a mapping that is added is written as a block, if the mapping around it is one.

    Raises:
        ValueError: If the document is not YAML, or the path leads through something else than mappings and lists.
    """
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise ValueError(f"the document is not YAML: {' '.join(str(error).split())}") from error
    if root is None:
        raise ValueError("the document is empty")
    node, indent = root, 0
    for at, step in enumerate(path):
        inner = _inner(node, step)
        if inner is None:
            for name in reversed(path[at + 1 :]):
                value = {name: value}
            assert isinstance(node, yaml.MappingNode)  # other nodes lack no key
            return _with_entry(text, node, str(step), value, as_block=as_block)
        indent = node.start_mark.column
        node = inner
    start, end = node.start_mark.index, _end_of(node)
    if isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}:
        end = len(text[:end].rstrip("\r\n"))
        if isinstance(value, str) and _fits_in_block(value):
            return text[:start] + _as_block(value, indent + 2) + text[end:]
    is_block = isinstance(node, yaml.CollectionNode) and not node.flow_style
    if is_block and isinstance(value, dict | list) and value:
        lines = as_yaml(value).rstrip("\n").split("\n")
        return text[:start] + f"\n{' ' * node.start_mark.column}".join(lines) + text[end:]
    gap = " " if start and text[start - 1] == ":" else ""  # a missing value begins right behind the colon
    return f"{text[:start]}{gap}{as_yaml_line(value)}{text[end:]}"


def without_entry(text: str, path: Sequence[str]) -> str:
    """Return a document without the entry at a path of at least two keys; comments, order and layout are kept.

    A mapping that becomes empty is written as `{}`.

    Raises:
        ValueError: If there is no such entry.
    """
    node: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    above: yaml.Node | None = None
    for step in path[:-1]:
        above = next((name for name, _ in node.value if name.value == step), None) if node else None
        node = _inner(node, step) if node else None
    if not isinstance(node, yaml.MappingNode) or _inner(node, path[-1]) is None or above is None:
        message = f"there is nothing at '{path[-1]}'"
        raise ValueError(message)
    at = next(index for index, (name, _) in enumerate(node.value) if name.value == path[-1])
    key, value = node.value[at]
    if node.flow_style:
        start, end = key.start_mark.index, value.end_mark.index
        if at > 0:
            start = node.value[at - 1][1].end_mark.index
        elif len(node.value) > 1:
            end = node.value[1][0].start_mark.index
        return text[:start] + text[end:]
    start = text.rfind("\n", 0, key.start_mark.index) + 1
    end = text.find("\n", _end_of_line(text, _end_of(value))) + 1 or len(text)
    if len(node.value) == 1:
        colon = text.index(":", above.end_mark.index) + 1
        return f"{text[:colon]} {{}}{text[colon:start]}{text[end:]}"
    return text[:start] + text[end:]


def _inner(node: yaml.Node, step: str | int) -> yaml.Node | None:
    """Return the node at a key or an index, or `None` if a mapping lacks the key.

    Raises:
        ValueError: If the node has no such items.
    """
    if isinstance(node, yaml.MappingNode) and isinstance(step, str):
        return next((found for name, found in node.value if name.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        found: yaml.Node = node.value[step]
        return found
    message = f"there is nothing at '{step}'"
    raise ValueError(message)


def _with_entry(text: str, mapping: yaml.MappingNode, key: str, value: Any, *, as_block: bool) -> str:
    if mapping.flow_style:
        at = mapping.value[-1][1].end_mark.index if mapping.value else mapping.start_mark.index + 1
        return f"{text[:at]}{', ' if mapping.value else ''}{key}: {as_yaml_line(value)}{text[at:]}"
    at = _end_of_line(text, _end_of(mapping))
    end = "\r\n" if "\r\n" in text else "\n"
    written = as_yaml({key: value}).rstrip("\n") if as_block else f"{key}: {as_yaml_line(value)}"
    lines = "".join(f"{end}{' ' * mapping.start_mark.column}{line}" for line in written.split("\n"))
    return f"{text[:at]}{lines}{text[at:]}"


def _fits_in_block(value: str) -> bool:
    lines = value.removesuffix("\n").split("\n")
    return (
        bool(value.strip())
        and not value.startswith((" ", "\n"))
        and not value.endswith("\n\n")
        and (unreadable_in(value) is None and "\r" not in value and not any(line != line.rstrip() for line in lines))
    )


def _as_block(value: str, indent: int) -> str:
    lines = value.removesuffix("\n").split("\n")
    indented = "\n".join(f"{' ' * indent}{line}" if line else "" for line in lines)
    return f"|{'' if value.endswith(chr(10)) else '-'}\n{indented}"
