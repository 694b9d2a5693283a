"""Counts the warnings of imported modules in one line, or shows them, as the options of the command say."""

from collections.abc import Collection

from typer._click.globals import get_current_context

from toolkit_cli import console


def tell_warnings(found: Collection[str]) -> None:
    """Print how many warnings there were, or all of them with `-v` or `--debug`; nothing with `--quiet`."""
    context = get_current_context(silent=True)
    options = {} if context is None else context.params
    if not found or options.get("quiet"):
        return
    if options.get("verbose") or options.get("debug"):
        console.say("\n".join(found))
        return
    flag = "-v" if "verbose" in options else "--debug" if "debug" in options else ""
    hint = f" ({flag} shows them)" if flag else ""
    console.say(f"{len(found)} warning{'s' if len(found) != 1 else ''} of imported modules{hint}")
