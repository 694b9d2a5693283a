"""Option groups: the options of a command under headings in its help, where they are too many for one list."""

from collections.abc import Iterable, Mapping

_MOST_TOGETHER = 12
OTHERS = "Options"

_NAMES: Mapping[str, tuple[str, ...]] = {
    "Arguments of the tool": ("args", "input"),
    "Batches": ("each", "jobs", "out", "on_item_error", "store"),
    "Rules": ("select", "ignore", "extend_select", "provider", "static", "explain"),
    "Fixes": ("fix", "unsafe_fixes", "diff", "add_noqa"),
    "Baseline": ("baseline", "update_baseline", "against"),
    "Model": ("model", "base_url", "model_timeout", "instructions", "max_turns", "budget"),
    "Conversation": ("transcript", "go_on"),
    "Approvals": ("yes", "no_input", "approve", "policy"),
    "Tools": ("tools", "group", "grant", "start", "consent", "python"),
    "Context": ("context", "memory_id", "meta"),
    "HTTP": ("http", "token_env", "allow_host"),
    "Output": ("format", "output", "statistics", "compat", "verbose", "quiet"),
    "Exit code": ("require_tools", "warnings_as_errors", "fail_on", "exit_zero"),
}
_GROUPS = {name: group for group, names in _NAMES.items() for name in names}


def grouped(records: Iterable[tuple[str, tuple[str, str]]]) -> Mapping[str, list[tuple[str, str]]]:
    """Return the help of options by their headings; a short list stays one.

    Args:
        records: The name of each parameter, with how its option is written and what it does.
    """
    listed = list(records)
    if len(listed) <= _MOST_TOGETHER:
        return {OTHERS: [record for _, record in listed]}
    groups: dict[str, list[tuple[str, str]]] = {group: [] for group in (*_NAMES, OTHERS)}
    for name, record in listed:
        groups[_GROUPS.get(name, OTHERS)].append(record)
    return {group: found for group, found in groups.items() if found}
