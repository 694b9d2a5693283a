"""Lets the user of a terminal sign in to an MCP server: in a browser, or by pasting what another browser shows."""

import webbrowser
from typing import TYPE_CHECKING, Final

from toolkit.approvals.decisions import Continue, ReviewRequest
from toolkit.approvals.policies import Risk
from toolkit.approvals.reviewers import answer_of
from toolkit.running import run_in_idle_thread
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from toolkit.approvals.reviewers import Reviewer
    from toolkit.mcp.sign_in.providers import SignInRequest

_MARGIN: Final = "     "


class SignInPrompts:
    """Asks before a browser is opened, since the server has named the page."""

    one_at_a_time = True

    def __init__(self, reviewer: "Reviewer", screen: Screen, *, opens_browser: bool = True) -> None:
        """Create the prompts.

        Args:
            reviewer: Asks the user.
            screen: The screen for other output, which waits while something is typed.
            opens_browser: Whether to open a browser here. Otherwise the user opens the page in any browser, and pastes
                the address that it ends at.
        """
        self._reviewer = reviewer
        self._screen = screen
        self._opens_browser = opens_browser

    async def sign_in(self, request: "SignInRequest") -> str | None:
        """Let the user sign in; `None` if they do not want to."""
        if not self._opens_browser:
            return await self._pasted(request)
        if not isinstance(await answer_of(self._reviewer, _question(request)), Continue):
            return None
        self._screen.say(f"{_MARGIN}waiting for the sign-in at {request.host}; Ctrl-C stops waiting. The page is:")
        self._screen.say(request.address)
        run_in_idle_thread(lambda: self._open(request.address))  # some browsers only return when they are closed
        return await request.arrived()

    def _open(self, page: str) -> None:
        if not webbrowser.open(page):
            self._screen.say(f"{_MARGIN}no browser could be opened: open the page yourself, or use --no-browser")

    async def _pasted(self, request: "SignInRequest") -> str | None:
        from toolkit_cli.prompting import Prompter  # slow to import

        with self._screen.hold() as talk:
            prompter = Prompter.open(talk)
            prompter.say(
                f"{_MARGIN}Sign in to '{request.server}' at {request.host}. Open this page in any browser:\n"
                f"{request.address}\n"
                f"{_MARGIN}Afterwards the browser cannot open a page of 127.0.0.1: paste its address here."
            )
            return await prompter.text("address or code:") or None


def _question(request: "SignInRequest") -> ReviewRequest:
    shown = {"server": request.url, "sign in at": request.host}
    scopes = request.asked("scope")
    return ReviewRequest(
        f"Sign in to the MCP server '{request.server}'? A browser opens a page of {request.host}.",
        Risk(f"sign in to {request.server}", source="MCP server", requires_approval=True, open_world=True),
        shown | ({"permissions": scopes} if scopes else {}),
        asked_by="the server, which has named the page",
        editable=False,
    )
