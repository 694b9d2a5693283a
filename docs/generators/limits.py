"""Generates the limits of providers in `docs/dialects.md`, and the limits and files of clients in `docs/clients.md`."""

import re
from collections.abc import Collection
from typing import Any

from docs.generators.regions import with_region, with_regions
from toolkit.dialects import CLIENTS, LIMITS, RESULTS, Limit, Limits
from toolkit.dialects.provider_limits import Source  # private
from toolkit.mcp.settings.clients import CLIENTS as FILES  # private


def pages() -> dict[str, str]:
    """Return the pages with the current limits, by their paths in the docs."""
    return {
        "dialects.md": with_region("dialects.md", "the limits", tables(LIMITS.keys() - CLIENTS.keys())),
        "clients.md": with_regions(
            "clients.md", {"the limits": tables(CLIENTS.keys()), "the results": _results(), "the files": _files()}
        ),
    }


def tables(names: Collection[str]) -> str:
    """Return one table per provider or client."""
    return "\n".join(_section(name, limits) for name, limits in LIMITS.items() if name in names and limits.stated())


def _results() -> str:
    """Return one table per client and provider about what its model receives of results."""
    sections = []
    for name, passing in RESULTS.items():
        rows = [
            f"| {topic} | {fact.says} | {_source(fact)} | {fact.source.checked} |"
            for topic, fact in passing.facts().items()
        ]
        head = [f"### {passing.title}: `--as {name}`", "", "| of | the model receives | source | checked |"]
        sections.append("\n".join([*head, "| --- | --- | --- | --- |", *rows, ""]))
    return "\n".join(sections)


def _files() -> str:
    """Return the table of the files in which servers are installed."""
    rows = []
    for name, client in FILES.items():
        places = dict.fromkeys(_code(places[0]) for places in client.user.values())
        variables = [client.reference.format("NAME")] if client.reference else []
        variables += [key for key in (client.started.passed_on, client.reached and client.reached.bearer) if key]
        cells = [
            _code(name),
            "<br>".join(places),
            "".join(map(_code, client.project[:1])),
            _code(" → ".join([*client.path, "name"])),
            "<br>".join(map(_code, variables)),
            "<br>".join(map(_place, client.sources)),
            client.sources[0].checked,
        ]
        rows.append(f"| {' | '.join(cells)} |")
    head = "| client | your file | of a project | servers are under | variable | source | checked |"
    return "\n".join([head, "| --- | --- | --- | --- | --- | --- | --- |", *rows, ""])


def _code(text: str) -> str:
    usual = re.sub(r"\$\{[A-Z_]+:-([^}]*)\}", r"\1", text)  # where the variable with another folder is not set
    return f"`{usual}`"


def _section(name: str, limits: Limits) -> str:
    base = limits.base
    known = LIMITS[base].stated() if base else {}
    told = {key: limit for key, limit in limits.stated().items() if known.get(key) != limit}
    gone = [limit for key, limit in known.items() if key not in limits.stated()]
    lead = [f"As `{base}`, and also:" if not gone else f"As `{base}`, but:", ""] if base else []
    rows = [f"| {_describe(limit)} | {_source(limit)} | {limit.source.checked} |" for limit in told.values()]
    rows += [f"| not: {limit.says} | | |" for limit in gone]
    title = f"### {limits.title}: `{name}`" if name in CLIENTS else f"### {limits.title}"
    head = [title, "", *lead, "| limit | source | checked |", "| --- | --- | --- |"]
    return "\n".join([*head, *rows, ""])


def _describe(limit: Limit[Any]) -> str:
    if isinstance(limit.value, frozenset) and not any(name in limit.says for name in limit.value):
        names = ", ".join(f"`{name}`" for name in sorted(limit.value))
        return f"{limit.says}: {names}" if names else limit.says
    return limit.says


def _source(limit: Limit[Any]) -> str:
    return _place(limit.source)


def _place(source: Source) -> str:
    return f"<{source.place}>" if source.place.startswith("https://") else f"`{source.place}`"
