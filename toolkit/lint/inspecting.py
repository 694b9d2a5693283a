"""Inspecting: every file and name that is asked for is looked at, or what was found in it before is taken.

Users' files are opened in a child process. The rules run here on small files, and in another child process, with a
deadline, on large ones; many files are checked in several such processes at once.
"""

from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path

from toolkit.codes import NO_TOOLS
from toolkit.lint.caching import Cache
from toolkit.lint.children import Answer, Answers
from toolkit.lint.file_checks import FileChecker, KnownTree
from toolkit.lint.judge_pools import Checked, JudgePool, useful_processes
from toolkit.lint.judges import Instructions, Judge, is_heavy
from toolkit.lint.limits import Limits
from toolkit.lint.reports import Report
from toolkit.lint.requests import Request
from toolkit.lint.rule import Rule, RuleSettings
from toolkit.lint.rules import make_rules
from toolkit.lint.settings import LintSettings
from toolkit.lint.unimported_files import refused_files
from toolkit.problems import Problem
from toolkit.sources.configuration import Configuration
from toolkit.sources.import_permission import Chooser, ImportPermission


class Inspection:
    """Looks at requests with the rules of some codes."""

    def __init__(
        self,
        codes: "Callable[[], Collection[str]]",
        configuration: Configuration,
        settings: LintSettings,
        limits: Limits,
        cache: Cache,
        chooser: Chooser,
        processes: int | None = None,
    ) -> None:
        """Look at nothing yet.

        Args:
            codes: Returns what is looked for, once that is needed: to know it can mean to import all rules.
            configuration: The settings of the project.
            settings: Those of lint.
            limits: What one file may take while it is opened.
            cache: What was found before.
            chooser: Who named the requests.
            processes: How many processes check files beside this one; by default, as many as are useful.
        """
        self._find_codes = codes
        self._configuration = configuration
        self._settings = settings
        self._limits = limits
        self._cache = cache
        self._chooser = chooser
        self._processes = processes

    @cached_property
    def _codes(self) -> Collection[str]:
        return self._find_codes()

    @property
    def directory(self) -> Path:
        """The folder of the project's settings, where its lockfile lies."""
        return self._settings.directory

    @cached_property
    def rules(self) -> list[Rule]:
        """The rules of the codes; to make them is to import them."""
        return make_rules(self._codes, self._rule_settings)

    @property
    def _rule_settings(self) -> RuleSettings:
        return RuleSettings(self._settings.providers, self._settings.limits, self._settings.directory)

    def reports(self, requests: Sequence[Request]) -> list[Report]:
        """Return what is found under each request, in the same order."""
        known = {request: self._cache.find(request) for request in requests}
        fresh = self._look_at([request for request, report in known.items() if report is None])
        return [known[request] or fresh[request] for request in requests]

    def _look_at(self, requests: Sequence[Request]) -> dict[Request, Report]:
        if not requests:
            return {}
        if self._settings.is_static:
            unknown = {request: _not_looked_at(request) for request in requests if request.file is None}
            return unknown | self._checked([one for one in requests if one not in unknown], lambda _: None)
        return self._opened(requests)

    def _opened(self, requests: Sequence[Request]) -> dict[Request, Report]:
        """Return the report of each request; the child opens the next one while others are looked at."""
        interpreter = self._settings.interpreter
        with Answers(
            self._configuration, self._limits, keeps_trail=self._cache.is_kept, interpreter=interpreter
        ) as answers:
            if any(request.kind != "json" for request in requests):
                answers.begin()
            permission = ImportPermission(self._configuration, looks=True)
            refused = refused_files(requests, permission, self._chooser, interpreter)
            opened = [request for request in requests if request.kind != "json" and request not in refused]
            answers.ask(opened)
            waiting = set(opened)

            def answer(request: Request) -> Answer | None:
                return answers.next() if request in waiting else refused.get(request)

            return self._checked(requests, answer, permission.recogniser.tree_of)

    def _checked(
        self, requests: Sequence[Request], answer: "_AnswerTo", known_tree: KnownTree | None = None
    ) -> dict[Request, Report]:
        processes = useful_processes(len(requests)) if self._processes is None else self._processes
        checked = (
            self._checked_there(requests, answer, processes)
            if processes
            else self._checked_here(requests, answer, known_tree)
        )
        with closing(checked):
            return {one.request: self._cache.keep(one.request, one.report) for one in checked}

    def _checked_here(
        self, requests: Sequence[Request], answer: "_AnswerTo", known_tree: KnownTree | None
    ) -> Generator[Checked]:
        """Yield the report of each request, in their order; each is read before its answer is awaited."""
        with Judge(self._instructions) as judge:
            checker = FileChecker(self.rules, known_tree)  # the rules are imported while the child starts
            for request in requests:
                read = None if is_heavy(request) else checker.read(request)
                given = answer(request)
                yield Checked(request, judge.report(request, given) if read is None else checker.look(read, given))

    def _checked_there(self, requests: Sequence[Request], answer: "_AnswerTo", processes: int) -> Generator[Checked]:
        """Yield the report of each request, in any order, from processes that check them beside this one."""
        with JudgePool(self._instructions, processes) as pool:
            for request in requests:
                pool.give(request, answer(request))
                yield from pool.finished()
            yield from pool.rest()

    @property
    def _instructions(self) -> Instructions:
        return Instructions.of(self._codes, self._rule_settings, self._limits)


_AnswerTo = Callable[[Request], Answer | None]


def _not_looked_at(request: Request) -> Report:
    message = f"'{request.target}' is not a file, and with '--static' nothing is imported to find it"
    return Report((Problem(NO_TOOLS, message, severity="warning", hint="leave out '--static', or name a file"),))
