"""The APIs that OpenAPI documents describe: those of the configuration, and documents that are named as files.

Nothing is sent before a tool is called. A document from the network is fetched once, and only if its digest is known.
"""

from contextlib import suppress
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolkit.address_guard import AddressGuard, host_and_port_of
from toolkit.approvals.consents import Consents
from toolkit.codes import BAD_CONFIGURATION, NO_TOOLS
from toolkit.fetching import Fetcher, FetchError
from toolkit.openapi.access import consent_to
from toolkit.openapi.api_settings import ApiSettings
from toolkit.openapi.api_tools import Api
from toolkit.openapi.credentials import KIND, reason_of
from toolkit.openapi.documents import LARGEST, ApiDocument
from toolkit.problems import Problem, errors_among
from toolkit.regular_files import bounded_bytes, state_folder
from toolkit.replacing import write_file
from toolkit.running import run_coroutine
from toolkit.settings.configuration import Configuration
from toolkit.sources.collected import Collected, as_warning
from toolkit.tools.base import Tool

if TYPE_CHECKING:
    from toolkit.openapi.operation_tools import OperationTool

_TIMEOUT: Final = 60.0
_REDIRECTS: Final = 5


class ConfiguredApis:
    """The APIs of a project, each opened when one of its tools is first needed."""

    def __init__(self, configuration: Configuration, consents: Consents, *, looks: bool) -> None:
        """Create the collection without reading any document.

        Args:
            configuration: The settings of the project.
            consents: The user's consents, which are needed to send requests to servers that the project chooses.
            looks: Whether tools are only inspected, so that nothing is sent.
        """
        self._configuration = configuration
        self._consents = consents
        self._looks = looks
        self._opened: dict[tuple[str, str, str], Api | Problem] = {}
        self._refusals: list[tuple[Api, Problem]] = []

    @property
    def names(self) -> list[str]:
        """The names of the APIs, and the addresses of the operations of those that were opened."""
        opened = [(name, api) for (name, *_), api in self._opened.items() if isinstance(api, Api)]
        return [*self._configuration.openapi, *(f"{name}.{one}" for name, api in opened for one in api.names)]

    def find(self, path: str) -> Collected | None:
        """Return the tools of an API, or the tool `api.operationId`; `None` if there is no such API."""
        apis = self._configuration.openapi
        if path in apis:
            return self._tools(apis[path])
        name, dot, wanted = path.partition(".")
        if dot and name in apis:
            return self._tool(apis[name], wanted)
        for settings in apis.values():
            prefix = settings.offered_prefix
            if path in settings.names.values() or (prefix and path.startswith(prefix) and path != prefix):
                api = self._open(settings)
                if isinstance(api, Problem) or path in api.names:
                    return self._tool(settings, path)
        return None

    def refused(self, name: str) -> Collected | None:
        """Return the problem that an operation with a name may not be used, or `None` if there is none."""
        return next((Collected.nothing(problem) for api, problem in self._refusals if name in api.names), None)

    def open_file(self, file: Path, name: str | None, *, is_users: bool) -> Collected:
        """Return the tools of a document that was named as a file, or one of them.

        Args:
            file: The document.
            name: The operation, if one is wanted.
            is_users: Whether the user named the file, rather than a file of the project.
        """
        settings = ApiSettings(
            file.stem, str(file), prefix="", owner="user" if is_users else "project", allow_private=False
        )
        return self._tools(settings) if name is None else self._tool(settings, name)

    def _tools(self, settings: ApiSettings) -> Collected:
        api = self._open(settings)
        if isinstance(api, Problem):
            return Collected.nothing(api)
        found = api.tools()
        problems = api.problems
        if not found:
            missing = Problem(
                NO_TOOLS, f"'{settings.group or settings.document}' has no operations that can be tools", settings.place
            )
            return Collected([], problems if errors_among(problems) else [*problems, missing])
        tools: list[Tool] = [_facade(settings, api, found)] if settings.facade else [*found]
        return self._permitted(settings, api, Collected(tools, [*problems, *api.notes]))

    def _tool(self, settings: ApiSettings, name: str) -> Collected:
        api = self._open(settings)
        if isinstance(api, Problem):
            return Collected.nothing(api)
        tool = api.tool(name)
        problems = api.problems
        if tool is None:
            return Collected([], problems if errors_among(problems) else [*problems, api.unknown(name)])
        return self._permitted(settings, api, Collected([tool], problems))

    def _permitted(self, settings: ApiSettings, api: Api, found: Collected) -> Collected:
        """Return the tools, with problems of the rest of the document as warnings, if their servers may be used."""
        if api.server_problems and not self._looks:
            return Collected.nothing(*api.server_problems)
        access = consent_to(api.accesses, settings.document, settings.owner, settings.place)
        if access is not None and not self._looks and (refused := self._consents.refusal(access)) is not None:
            self._refusals.append((api, refused))
            return Collected.nothing(refused)
        wrong_choice = set(api.choice_problems)
        problems = [one if one in wrong_choice else as_warning(one) for one in found.problems]
        return Collected(found.tools, problems)

    def _open(self, settings: ApiSettings) -> Api | Problem:
        key = (settings.name, settings.document, settings.owner)
        if key not in self._opened:
            self._opened[key] = self._read(settings)
        return self._opened[key]

    def _read(self, settings: ApiSettings) -> Api | Problem:
        if settings.url is None:
            return Api(ApiDocument(Path(settings.document)), settings)
        has_consent = settings.owner == "user" or f"{KIND}.{settings.name}" in self._configuration.consented
        data = _fetched(settings, is_private=settings.allow_private and has_consent)
        if isinstance(data, Problem):
            return data
        return Api(ApiDocument(Path(settings.url), data=data, name=settings.url), settings)


def _facade(settings: ApiSettings, api: Api, tools: "list[OperationTool]") -> Tool:
    """Return the one tool that finds and reveals the others."""
    from toolkit.disclosure.searching import ToolSearch  # few APIs are behind a facade

    what = api.title or settings.name
    description = f"Find operations of {what} by what they do. Operations that are found can then be called."
    return ToolSearch(tools, name=settings.name, description=description)


def _fetched(settings: ApiSettings, *, is_private: bool) -> bytes | Problem:
    """Return a document of the network: as it was kept, or as it is now if it has the digest that pins it.

    Args:
        settings: The settings of its API.
        is_private: Whether it may be on this machine or its network.
    """
    kept = state_folder() / "documents" / settings.digest.removeprefix("sha256:")
    try:
        data = bounded_bytes(kept, most=LARGEST)
    except OSError:
        data = b""
    if f"sha256:{sha256(data).hexdigest()}" == settings.digest:
        return data
    fetched = _fetch(settings, is_private=is_private)
    if isinstance(fetched, Problem):
        return fetched
    digest = f"sha256:{sha256(fetched).hexdigest()}"
    if digest != settings.digest:
        message = f"the document of '{settings.name}' is not the one that is pinned: its digest is now '{digest}'"
        hint = "check what has changed, and then write this digest"
        return Problem(BAD_CONFIGURATION, message, settings.place, hint=hint)
    _keep(kept, fetched)
    return fetched


def _fetch(settings: ApiSettings, *, is_private: bool) -> bytes | Problem:
    url = str(settings.url)
    guard = AddressGuard([host_and_port_of(url)] if is_private else ())
    fetcher = Fetcher(guard, timeout=_TIMEOUT, max_bytes=LARGEST, max_redirects=_REDIRECTS)
    try:
        answer = run_coroutine(lambda: fetcher.fetch("GET", url))
    except FetchError as error:
        reason = reason_of(error, settings.name)
    else:
        if answer.status == HTTPStatus.OK and not answer.is_cut:
            return answer.body
        reason = "it is too large" if answer.is_cut else f"the status is {answer.status}"
    return Problem(BAD_CONFIGURATION, f"the document '{url}' cannot be fetched: {reason}", settings.place)


def _keep(file: Path, data: bytes) -> None:
    with suppress(OSError):  # it is fetched again the next time
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file, data, is_private=True)
