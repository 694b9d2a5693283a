"""Browser Use: the actions of its agents; see `browser_use/tools/service.py` and `tools/registry/` of 0.13.

Their tools are read in the source: nothing but an agent, with its model and a browser, runs them. `Tools` was called
`Controller` before 0.7.
"""

from toolkit.tools.foreign.source_marks import Demands, Injected, Registration, SourceMarks, Terms

_INJECTED = (
    "available_file_paths", "browser", "browser_session", "cdp_client", "context", "extraction_schema", "file_system",
    "has_sensitive_data", "page", "page_extraction_llm", "page_url",
)  # fmt: skip
"""The names of what the agent passes; older versions also pass `browser` and `page`."""

MARKS = SourceMarks(
    title="Browser Use",
    packages=("browser_use",),
    registrations=(
        Registration(
            (
                "browser_use.*Tools().action",
                "browser_use.*Controller().action",
                "browser_use.*Tools().registry.action",
                "browser_use.*Controller().registry.action",
                "browser_use.*Registry().action",
            ),
            name=(),
            description=("description", 0),
            schema=("param_model", 1),
        ),
    ),
    injected=Injected(names=_INJECTED, usual=()),
    receivers=("controller", "tools", "*_controller", "*_tools"),
    terms=Terms(failure="return ActionResult(error='…')"),
    demands=Demands(variadic=("**",), envelope=True),
)
