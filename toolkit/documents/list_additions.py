"""Adds items to lists in YAML documents without changing anything else."""

from typing import Any

import yaml

from toolkit.documents.dumping import as_yaml_line


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
