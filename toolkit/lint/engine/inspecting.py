"""Checks each requested file or name, or returns its cached report."""

from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.codes import NO_TOOLS
from toolkit.lint.configuration.settings import LintSettings
from toolkit.lint.engine.caching import Cache
from toolkit.lint.engine.reports import Report
from toolkit.lint.engine.requests import Limits, Request
from toolkit.lint.rule import Rule, RuleSettings
from toolkit.lint.rules import make_rules
from toolkit.problems import Problem
from toolkit.settings.configuration import Configuration
from toolkit.sources.import_permissions import Chooser

if TYPE_CHECKING:
    from toolkit.lint.engine.checked_files import AnswerTo
    from toolkit.lint.engine.file_checks import KnownTree


class Inspection:
    """Checks requests with the rules of some codes."""

    def __init__(
        self,
        codes: Callable[[], Collection[str]],
        configuration: Configuration,
        settings: LintSettings,
        limits: Limits,
        cache: Cache,
        chooser: Chooser,
        processes: int | None = None,
    ) -> None:
        """Prepare the inspection, without checking anything.

        Args:
            codes: Returns the codes to check; called late, since it may import all rules.
            configuration: The settings of the project.
            settings: The settings of lint.
            limits: Time and memory that opening a single file may use.
            cache: The results of earlier checks.
            chooser: Who named the requests.
            processes: The number of additional processes that check files; by default, as many as are useful.
        """
        self._find_codes = codes
        self._configuration = configuration
        self._settings = settings
        self._limits = limits
        self._cache = cache
        self._chooser = chooser
        self._processes = processes

    @property
    def directory(self) -> Path:
        """The folder of the project's settings and its lockfile."""
        return self._settings.directory

    @cached_property
    def _codes(self) -> Collection[str]:
        return self._find_codes()

    @cached_property
    def rules(self) -> list[Rule]:
        """The rules of the codes; the first use imports them."""
        return make_rules(self._codes, self._rule_settings)

    @property
    def _rule_settings(self) -> RuleSettings:
        settings = self._settings
        return RuleSettings(settings.providers, settings.limits, settings.directory, settings.tool_decorators)

    def reports(self, requests: Sequence[Request]) -> list[Report]:
        """Return the report of each request, in the same order."""
        known = {request: self._cache.find(request) for request in requests}
        fresh = self._look_at([request for request, report in known.items() if report is None])
        return [known[request] or fresh[request] for request in requests]

    def _look_at(self, requests: Sequence[Request]) -> dict[Request, Report]:
        if not requests:
            return {}
        if self._settings.is_static:
            unknown = {request: _not_looked_at(request) for request in requests if request.file is None}
            return unknown | self._checked([one for one in requests if one not in unknown], lambda _: None)
        from toolkit.lint.engine.opened_files import opened_files  # not needed if all files are cached

        with opened_files(
            requests,
            self._configuration,
            settings=self._settings,
            limits=self._limits,
            chooser=self._chooser,
            keeps_trail=self._cache.is_kept,
        ) as opened:
            return self._checked(requests, opened.answer, opened.known_tree)

    def _checked(
        self, requests: Sequence[Request], answer: "AnswerTo", known_tree: "KnownTree | None" = None
    ) -> dict[Request, Report]:
        from toolkit.lint.engine.checked_files import Instructions, checked_files  # imported while the child starts

        instructions = Instructions.of(self._codes, self._rule_settings, self._limits)
        with closing(checked_files(requests, answer, instructions, known_tree, self._processes)) as found:
            return {one.request: self._cache.keep(one.request, one.report) for one in found}


def _not_looked_at(request: Request) -> Report:
    message = f"'{request.target}' is not a file, and with '--static' nothing is imported to find it"
    return Report((Problem(NO_TOOLS, message, severity="warning", hint="leave out '--static', or name a file"),))
