"""Groups the options of a command under headings in its help, if there are too many for one list."""

from collections.abc import Iterable, Mapping

_MOST_TOGETHER = 12
OTHERS = "Options"

_NAMES: Mapping[str, tuple[str, ...]] = {
    "Tool arguments": ("args", "input"),
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
    """Return the help records of options by heading; a short list gets a single heading.

    Args:
        records: The name of each parameter, with its option and the help for it.
    """
    listed = list(records)
    if len(listed) <= _MOST_TOGETHER:
        return {OTHERS: [record for _, record in listed]}
    groups: dict[str, list[tuple[str, str]]] = {group: [] for group in (*_NAMES, OTHERS)}
    for name, record in listed:
        groups[_GROUPS.get(name, OTHERS)].append(record)
    return {group: found for group, found in groups.items() if found}
