"""Dumping: plain data as YAML, for people to read."""

from typing import Any

import yaml


def as_yaml(data: Any) -> str:
    """Return plain data (what JSON can say) as a YAML document, in its own order, with a newline at the end."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=100)


class _Dumper(yaml.SafeDumper):
    """Writes the same value twice rather than an anchor and an alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - as in PyYAML
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        super().increase_indent(flow, indentless=False)
