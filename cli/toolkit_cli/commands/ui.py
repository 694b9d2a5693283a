"""`toolkit ui`: a local page to look at tools and to call them."""

from importlib.util import find_spec
from typing import Annotated, NamedTuple

import typer

from toolkit.errors import not_installed
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.other_python import Python, continue_with
from toolkit_cli.running.sessions import open_session
from toolkit_cli.shared_options import SessionOptions, Sources, Targets

_NEEDED = ("starlette", "uvicorn")


class UiOptions(NamedTuple):
    """The command-line options of `toolkit ui`, one per field."""

    targets: Targets = None
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65_535, help="The port; 0 picks a free one.")] = 0
    tools: Sources = None
    python: Python = None
    session: SessionOptions = SessionOptions()


def ui(options: UiOptions) -> int:
    """Show tools on a local page: definitions, findings, pipelines; and call them there.

    The page asks before a call that needs approval. It is served to this machine only, and only to whoever has the
    address that is printed. It loads nothing from elsewhere. Ctrl-C ends it.
    """
    continue_with(options.python)
    if not all(map(find_spec, _NEEDED)):
        raise not_installed("the page needs", "toolkit-cli[mcp]")
    from toolkit_cli.serving.tool_page.page_server import serve_page  # help needs none of it

    targets = options.targets or []
    with open_session(options.session, targets, options.tools) as session:
        session.audit()
        tools = session.open(targets)
        if not tools:
            hint = "name a file, a folder or a tool; or add `sources` to toolkit.toml"
            raise Failure(ExitCode.USAGE, "there are no tools to show", hint=hint)

        def tell(address: str) -> None:
            console.write_help(f"{address}\n")
            if not session.is_quiet:
                console.say("showing the tools at this address; press Ctrl-C to stop")

        return serve_page(session, tools, targets, options.port, tell)
