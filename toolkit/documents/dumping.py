"""Dumping: plain data as YAML, for people to read."""

from typing import Any

import yaml

from toolkit.documents.document_reader import unreadable_in
from toolkit.documents.scalars import NoSuchNumber, resolve
from toolkit.freezing import FrozenDict, FrozenList


def as_yaml(data: Any) -> str:
    """Return plain data (what JSON can say) as a YAML document, in its own order, with a newline at the end.

    A text that either version of YAML would take for something else is quoted.
    """
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=100)


class _Dumper(yaml.SafeDumper):
    """Writes the same value twice rather than an anchor and an alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - as in PyYAML
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


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(FrozenDict, yaml.SafeDumper.represent_dict)
_Dumper.add_representer(FrozenList, yaml.SafeDumper.represent_list)
