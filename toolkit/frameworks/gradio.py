"""Gradio: the functions of apps that are launched with `mcp_server=True`; see `gradio/mcp.py` of Gradio 5 and 6.

Their tools are read in the source. They need the running app, so they are not called from here: configure its server.
"""

from toolkit.tools.foreign.source_marks import Injected, Place, Registration, SourceMarks, Terms

_EVENTS = (
    *("click", "submit", "change", "input", "select", "upload", "clear", "load", "tick", "then", "success"),
    *("edit", "release", "stop", "play", "blur", "focus", "like", "retry", "undo", "apply", "stream"),
)


def _registration(*names: str, function: tuple[Place, ...] = ("fn", 0)) -> Registration:
    """Return how calls register functions. A tool has the name of its function, whatever `api_name` says."""
    return Registration(
        names,
        "function",
        function=function,
        name=(),
        description=("api_description",),
        hidden_by=(
            *(("fn", None), ("api_name", False), ("show_api", False)),
            *(("api_visibility", "private"), ("api_visibility", "undocumented")),
        ),
    )


MARKS = SourceMarks(
    title="Gradio",
    packages=("gradio",),
    registrations=(
        _registration("gradio.*Interface", "gradio.api", "gradio.*.api"),
        _registration("gradio.on", "gradio.*.on", function=("fn", 1)),
        _registration(*(f"gradio.*().{event}" for event in _EVENTS)),
    ),
    only_with=("mcp_server=True", "GRADIO_MCP_SERVER"),
    injected=Injected(
        types=("gradio.*Request", "gradio.*Progress", "gradio.*EventData", "gradio.*SelectData"),
        names=("history",),  # of a function of a `ChatInterface`
    ),
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring", failure="raise gr.Error('…')"),
)
