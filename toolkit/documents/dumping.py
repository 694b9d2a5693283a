"""Formats plain data as YAML for people to read."""

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

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
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
