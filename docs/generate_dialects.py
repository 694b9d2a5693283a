"""Write what is known of each provider into `docs/dialects.md`, from the limits: `python docs/generate_dialects.py`."""

from pathlib import Path
from typing import Any

from toolkit.dialects import LIMITS, Limit, Limits

PAGE = Path(__file__).parent / "dialects.md"
BEGIN, END = "<!-- the limits -->\n", "<!-- the end of the limits -->\n"
BASES = {
    "openai-strict": "openai",
    "anthropic-strict": "anthropic",
    "gemini-json-schema": "gemini",
    "bedrock-strict": "anthropic-strict",
    "mistral-strict": "mistral",
}


def page() -> str:
    """Return the page with the limits as they are now."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"


def tables() -> str:
    """Return a table for each provider."""
    return "\n".join(_section(name, limits) for name, limits in LIMITS.items() if limits.stated())


def _section(name: str, limits: Limits) -> str:
    base = BASES.get(name)
    known = LIMITS[base].stated() if base else {}
    told = {key: limit for key, limit in limits.stated().items() if known.get(key) != limit}
    gone = [limit for key, limit in known.items() if key not in limits.stated()]
    lead = [f"As `{base}`, and besides:" if not gone else f"As `{base}`, but:", ""] if base else []
    rows = [f"| {_said(limit)} | {_source(limit)} | {limit.source.checked} |" for limit in told.values()]
    rows += [f"| not: {limit.says} | | |" for limit in gone]
    head = [f"### {limits.title}", "", *lead, "| what it takes | who says so | checked |", "| --- | --- | --- |"]
    return "\n".join([*head, *rows, ""])


def _said(limit: Limit[Any]) -> str:
    if isinstance(limit.value, frozenset) and not any(name in limit.says for name in limit.value):
        names = ", ".join(f"`{name}`" for name in sorted(limit.value))
        return f"{limit.says}: {names}" if names else limit.says
    return limit.says


def _source(limit: Limit[Any]) -> str:
    place = limit.source.place
    return f"<{place}>" if place.startswith("https://") else f"`{place}`"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
