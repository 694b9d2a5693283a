"""Checks one file or name with every rule, and reports the findings and its tools."""

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from toolkit.codes import (
    CROSS_TOOL_SHADOWING,
    DOES_NOT_IMPORT,
    HIDDEN_UNICODE,
    INSTRUCTION_IN_DESCRIPTION,
    INVALID_PARAMETER_NAME,
    INVALID_TOOL_NAME,
    LONG_TOOL_NAME,
    MISSING_DESCRIPTION,
    NO_TOOLS,
    RESERVED_NAME,
    SECRET_IN_DEFINITION,
    SENSITIVE_REFERENCE,
    UNREADABLE_ANNOTATION,
    VAGUE_TOOL_NAME,
)
from toolkit.documents.document_reader import parse_document, read_text
from toolkit.documents.json_reading import parse_json, read_json
from toolkit.lint.clues.dead_code import is_never_defined
from toolkit.lint.clues.mocks import is_pretended
from toolkit.lint.configuration.suppressions import Header, suppressions_in, widened
from toolkit.lint.definitions.built_definitions import (
    built_definition,
    is_described_otherwise,
    marks_to_functions,
    written_behind,
)
from toolkit.lint.definitions.json_tools import definitions_in, is_in_own_format
from toolkit.lint.definitions.manifests import kind_of, parse_manifest
from toolkit.lint.definitions.pipeline_files import PipelineFile
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.definitions.written_definitions import outline_of, written_definition
from toolkit.lint.engine.children import Answer
from toolkit.lint.engine.records import choice_in
from toolkit.lint.engine.reports import Gaps, Report, read_step
from toolkit.lint.engine.requests import Request
from toolkit.lint.engine.skill_checks import SkillChecker
from toolkit.lint.rule import BREAKAGES, Rule
from toolkit.problems import Location, Problem, Severity, read_problem
from toolkit.regular_files import MOST_OF_PYTHON
from toolkit.skills.skill_files import parse_skill, read_skill
from toolkit.source_code.known_marks import marks_of
from toolkit.source_code.module_files import is_installed
from toolkit.source_code.python_files import PythonFile, make_reader, source_text
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.requirements import version_files
from toolkit.source_code.sample_files import is_generated, is_in_samples, is_in_tests, is_left_behind
from toolkit.source_code.source_files import Definition, last_name
from toolkit.source_code.syntax_nodes import SCOPES, parsed_annotation
from toolkit.source_code.tool_hints import hint_of_unknown_mark
from toolkit.source_code.unfollowed_calls import Unfollowed
from toolkit.sources.targets import mentions_tools
from toolkit.tools.foreign.frameworks import title_of

_INJECTED = {"ToolContext", "MemoryId"}


def undefined_annotations(file: PythonFile) -> Iterator[Problem]:
    """Yield a problem for each annotation of a tool with a name that the file does not define."""
    is_deferred = file.imported_names.get("annotations") == "__future__.annotations"
    known: set[str] | None = None
    for function in file.tools:
        for what, place, annotation in _annotations(function):
            read = annotation if is_deferred else _quote(annotation)
            names = _names_in(read)
            if not names:
                continue
            known = {*vars(builtins), *_bound(file.tree.body), "__name__", "__file__"} if known is None else known
            if "*" not in known and (unknown := [name for name in names if name not in known]):
                message = f"the annotation of {what} cannot be read: name {unknown[0]!r} is not defined"
                hint = "import or define the name where the annotation can see it, outside 'if TYPE_CHECKING:'"
                yield Problem(UNREADABLE_ANNOTATION, message, place, hint=hint)


def _annotations(function: PythonFunction) -> Iterator[tuple[str, Location, ast.expr]]:
    for parameter in function.all_parameters:
        if parameter.node.annotation is not None:
            place = function.file.location(parameter.node)
            yield f"parameter {parameter.name!r}", place, parameter.node.annotation
    if function.node.returns is not None:
        yield "the return value", function.location, function.node.returns


def _quote(annotation: ast.expr) -> ast.expr | None:
    is_text = isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)
    return annotation if is_text else None


def _names_in(annotation: ast.expr | None) -> list[str]:
    """Return the names that reading an annotation looks up, in their order."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = parsed_annotation(annotation.value)
    nodes = () if annotation is None else ast.walk(annotation)
    return [node.id for node in nodes if isinstance(node, ast.Name) and node.id not in _INJECTED]


def _bound(statements: Iterable[ast.AST]) -> Iterator[str]:
    for node in statements:
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from ((one.asname or one.name).partition(".")[0] for one in names)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.If(test=test, orelse=orelse) if _is_for_checkers(test):
                yield from _bound(orelse)
                continue
        if isinstance(node, ast.Call) and _changes_names(node):
            yield "*"
        if not isinstance(node, SCOPES):
            yield from _bound(ast.iter_child_nodes(node))


def _is_for_checkers(test: ast.expr) -> bool:
    return last_name(test) == "TYPE_CHECKING"


def _changes_names(call: ast.Call) -> bool:
    """Return whether a call may define names dynamically: `globals().update(…)`, `exec(…)`."""
    return isinstance(call.func, ast.Name) and call.func.id in {"globals", "vars", "exec", "setattr"}


_OF_NAMES = {INVALID_TOOL_NAME, LONG_TOOL_NAME, RESERVED_NAME, VAGUE_TOOL_NAME}
KnownTree = Callable[[str, str], ast.Module | None]
"""Returns the syntax tree of a file, by its real path, if it was parsed with this content before."""


class Read(NamedTuple):
    """A request, and what could be read before the answer of the child process.

    Attributes:
        request: The request.
        module: The source of a Python file that can be parsed.
        found: The rules' findings in the marked functions.
        problem: Why the file cannot be parsed.
    """

    request: Request
    module: PythonFile | None = None
    found: tuple[Problem, ...] = ()
    problem: Problem | None = None


class FileChecker:
    """Checks files with a set of rules."""

    def __init__(
        self, rules: Sequence[Rule], known_tree: KnownTree | None = None, tool_decorators: Sequence[str] = ()
    ) -> None:
        """Group the rules by what they check.

        Args:
            rules: The rules.
            known_tree: Returns the trees of files that were parsed before.
            tool_decorators: The project's decorators that register tools.
        """
        self._reader = make_reader(tool_decorators)
        self._known_tree = known_tree or self._reader.meanings.tree_of
        self._others: dict[str, PythonFile] = {}
        self._directory = rules[0].settings.directory if rules else None
        self._tool, self._function, self._module, self._pipeline, self._manifest, self._api, of_skills = (
            [rule for rule in rules if rule.overrides(f"check_{what}")]
            for what in ("tool", "function", "module", "pipeline", "manifest", "api", "skill")
        )
        self._skills = SkillChecker(of_skills)

    def read(self, request: Request) -> "Read":
        """Read what does not depend on the child process: the source of a Python file, and findings in it."""
        file = str(request.file)
        if request.kind != "python":
            return Read(request)
        text = source_of(file) if request.text is None else request.text
        if isinstance(text, Problem):
            return Read(request, problem=text)
        try:
            tree = self._known_tree(file, text)
            module = PythonFile(file, text, tree, self._reader)
        except SyntaxError as error:
            is_meant = request.is_named or mentions_tools(Path(file))
            return Read(request, problem=unreadable(error, file) if is_meant else None)
        found = self._of_functions([*module.tools, *module.framework_functions.values(), *module.outer_functions])
        return Read(request, module, tuple(found))

    def look(self, read: "Read", answer: Answer | None) -> Report:
        """Return the report of one request; its tools refer to their sources.

        Args:
            read: The request, as returned by `read`.
            answer: The answer of the child process; None if no code is run.
        """
        report = self._look(read, answer)
        files = answer if isinstance(answer, dict) else {}
        own = (read.request.file,) if read.request.kind == "python" and read.request.file else ()
        return report._replace(
            read=tuple(sorted({*own, *files.get("read", ())})),
            imported=tuple(files.get("imported", own if isinstance(answer, Problem) else ())),
        )

    def _look(self, read: "Read", answer: Answer | None) -> Report:
        request = read.request
        opened = _Opened.of(answer)
        problems = [one for one in opened.problems if request.is_named or one.code != NO_TOOLS]
        match request.kind:
            case "python":
                return self._python(read, opened, problems, is_static=answer is None)
            case "json":
                return self._json(request)
            case "cases":
                return self._cases(request)
            case "manifest":
                return self._manifest_file(request)
            case "openapi":
                return self._api_file(request)
            case "skill":
                return self._skill_file(request)
            case "pipeline":
                return self._pipeline_file(request, opened, problems, is_static=answer is None)
        tools = [built_definition(record, None, request.target, opened.child) for record in opened.tools]
        return self._finished(problems, tools, "", "", opened)

    def _python(self, read: "Read", opened: "_Opened", problems: list[Problem], *, is_static: bool) -> Report:
        request, module, file = read.request, read.module, str(read.request.file)
        if module is None:
            return Report((*problems, read.problem) if is_static and read.problem else tuple(problems))
        functions = marks_to_functions(module, opened.tools)
        written = written_behind(module, opened.tools, functions)
        shown = {position: written_definition(module, tool) for position, tool in written.items()}
        everywhere = dict(functions)
        for other in self._other_files(file, opened.tools):
            theirs_too = marks_to_functions(other, opened.tools)
            everywhere |= theirs_too
            shown |= {at: written_definition(other, one.written) for at, one in theirs_too.items() if one.written}
        built = [
            built_definition(record, everywhere.get(position), file, opened.child, shown.get(position))
            for position, record in enumerate(opened.tools)
            if (position in functions or _is_from_here(record, file)) and not is_described_otherwise(module, record)
        ]
        known = {function.node for function in functions.values()}
        unbuilt = [function for function in module.tools if function.node not in known]
        sources = [written_definition(module, function, is_alone=is_static) for function in unbuilt]
        theirs = [
            written_definition(module, tool)
            for tool in (*module.written, *(module.elsewhere if is_static else ()))
            if tool.function not in known and tool not in written.values()
        ]
        if theirs:
            problems = [one for one in problems if one.code != NO_TOOLS]
        if is_static and request.is_named and not (sources or theirs or any(_calls_in(module))):
            message = f"no tools were found in '{request.target}'"
            otherwise = Problem(NO_TOOLS, message, Location(file), "warning", _how_to_make_one(module))
            problems.append(next(_conversions_in(module), otherwise))
        if is_static:  # otherwise it was reported when the tools were built
            problems += undefined_annotations(module)
        problems += map(_not_found, module.out_of_reach)
        unmarked = {function.node: function for function in functions.values() if function.mark is None}
        problems += [*read.found, *self._of_functions(unmarked.values())]
        if sources or theirs or any(tool.location is None or tool.location.file == file for tool in built):
            problems += self._of_module(module, self._module, is_foreign=bool(theirs) and not sources)
        elif module.frameworks:
            problems += self._of_module(module, [one for one in self._module if one.checks_servers], is_foreign=True)
        report = self._finished(problems, [*built, *theirs, *sources], file, module.text, opened)
        if report.needs and (theirs or not report.tools):
            every = self._reader.meanings.files_behind(file)
            behind = sorted(one for one in every if not is_installed(one))
            folders = sorted(self._reader.folders_of(every))
            behind += version_files(file) if _depends_on_versions(module) else ()
            report = report._replace(
                needs={
                    "files": [*report.needs["files"], *behind],
                    "listings": [*report.needs["listings"], *([one, one] for one in folders)],
                    "projects": sorted(self._reader.projects_of(every)),
                }
            )
        report = report._replace(gaps=Gaps() if opened.child else self._gaps_in(module, has_tools=bool(report.tools)))
        return report if is_static else report._replace(tools=report.tools[: len(built) + len(theirs)])

    def _other_files(self, file: str, records: Sequence[Mapping[str, Any]]) -> Iterator[PythonFile]:
        """Yield the other files of the project with functions that became tools of a file which imports them."""
        for home in dict.fromkeys(one["definition"][0] for one in records if one["definition"]):
            if home != file and not is_installed(home) and (other := self._other(home)):
                yield other

    def _other(self, file: str) -> PythonFile | None:
        text = source_of(file)
        if isinstance(text, Problem):
            return None
        known = self._others.get(file)
        if known is None or known.text != text:
            try:
                known = PythonFile(file, text, self._known_tree(file, text), self._reader)
            except SyntaxError:
                return None
            self._others[file] = known
        return known

    def _gaps_in(self, module: PythonFile, *, has_tools: bool) -> Gaps:
        """Return where a file registers tools that its source does not show."""
        calls = (one.problem_in(module.file) for one in _calls_in(module))
        problems = (*module.shown.cuts_in(module.file), *calls)
        return Gaps(
            problems,
            followed=tuple(sorted({place for one in module.shown.tools for place in one.followed})),
            around=tuple(sorted(self._reader.files_around(module))) if problems else (),
            frameworks=() if has_tools else tuple(map(title_of, module.frameworks)),
            unknown_mark=None if has_tools else _unknown_mark(module),
            conversions=() if has_tools else tuple(_conversions_in(module)),
            server=None if has_tools else _server_in(module),
        )

    def _of_functions(self, functions: Iterable[PythonFunction]) -> Iterator[Problem]:
        for function in functions:
            is_own = function.written is None
            for rule in self._function:
                found = rule.check_function(function)
                yield from found if is_own else _weighed(rule, _fixable(rule, found), function)

    def _of_module(self, module: PythonFile, rules: Sequence[Rule], *, is_foreign: bool) -> Iterator[Problem]:
        for rule in rules:
            found = rule.check_module(module)
            yield from _weighed(rule, found, None) if is_foreign else found

    def _of_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        is_own = tool.framework is None
        for rule in self._tool:
            found = rule.check_tool(tool)
            yield from found if is_own else _weighed(rule, _fixable(rule, found), tool.function)

    def _json(self, request: Request) -> Report:
        file = str(request.file)
        root, problems = read_json(Path(file)) if request.text is None else parse_json(request.text, file)
        if root is None:
            return Report(tuple(problems))
        tools, others = definitions_in(root, file)
        problems += others
        if not tools and not problems and request.is_named:
            problems.append(Problem(NO_TOOLS, f"no tools were found in '{request.target}'", Location(file), "warning"))
        report = self._finished(problems, tools, file, "", _Opened.of(None))
        is_in_test = self._directory is not None and is_in_tests(file, self._directory)
        if not request.is_named and (is_in_test or is_in_own_format(root)):
            report = report._replace(problems=tuple(map(_milder, report.problems)))
        return report._replace(needs={"files": [], "listings": [], "projects": []})

    def _cases(self, request: Request) -> Report:
        from toolkit.cases.case_format import read_cases  # few checks have cases

        file = Path(str(request.file))
        text = read_text(file, str(file)) if request.text is None else request.text
        if isinstance(text, Problem):
            return Report((text,))
        _, problems = read_cases(file, parse_document(text, str(file)))
        return self._finished(problems, [], str(file), text, _Opened.of(None))

    def _manifest_file(self, request: Request) -> Report:
        file = str(request.file)
        text = read_text(Path(file), file) if request.text is None else request.text
        if isinstance(text, Problem):
            return Report((text,))
        kind = kind_of(file, text)
        manifest, problems = parse_manifest(text, file, kind) if kind else (None, [])
        if manifest is not None:
            problems += [problem for rule in self._manifest for problem in rule.check_manifest(manifest)]
        if self._directory is not None and is_in_tests(file, self._directory):
            problems = [replace(one, severity="info") for one in problems]
        # A manifest depends on the code of its project, so its findings are not cached.
        return self._finished(problems, [], file, text, _Opened.of(None))._replace(needs=None)

    def _api_file(self, request: Request) -> Report:
        from toolkit.lint.definitions.api_files import definitions_in, read_api  # few checks have OpenAPI documents

        file = Path(str(request.file))
        text = None if request.text is None else request.text.encode()
        api = read_api(file, *choice_in(request.api), data=text)
        tools = definitions_in(api)
        problems = [*api.problems, *(problem for rule in self._api for problem in rule.check_api(api))]
        # Checking it again takes less time than looking for secrets in what would be cached.
        return self._finished(problems, tools, str(file), "", _Opened.of(None))._replace(needs=None)

    def _skill_file(self, request: Request) -> Report:
        file = str(request.file)
        skill = read_skill(Path(file)) if request.text is None else parse_skill(request.text, file)
        problems = self._skills.problems_of(skill)
        # A skill depends on the files of its folder, so its findings are not cached.
        return self._finished(problems, [], file, skill.source.text, _Opened.of(None))._replace(needs=None)

    def _pipeline_file(
        self, request: Request, opened: "_Opened", problems: list[Problem], *, is_static: bool
    ) -> Report:
        file = str(request.file)
        text = read_text(Path(file), file) if request.text is None else request.text
        if isinstance(text, Problem):
            return Report((*problems, text) if is_static else tuple(problems))
        if is_static:  # otherwise it was reported when the pipeline was planned
            problems += parse_document(text, file)[1]
        steps = [tuple(map(read_step, record["steps"])) for record in opened.tools if record["steps"] is not None]
        pipeline = PipelineFile(file, text, steps[0] if steps else None)
        for rule in self._pipeline:
            problems += rule.check_pipeline(pipeline)
        tools = [
            replace(built_definition(record, None, file, opened.child), texts=tuple(pipeline.texts()))
            for record in opened.tools
        ]
        return self._finished(problems, tools, file, text, opened)._replace(steps=pipeline.steps or ())

    def _finished(
        self, problems: Iterable[Problem], tools: Sequence[ToolDefinition], file: str, text: str, opened: "_Opened"
    ) -> Report:
        found = [(tool, problem) for tool in tools for problem in self._of_tool(tool)]
        # A rule's finding replaces a problem of building with the same message or at the same location.
        seen = {key for _, one in found for key in _keys_of(one)}
        building = [one for one in problems if seen.isdisjoint(_keys_of(one))]
        outlined = tuple(
            replace(tool, outline=outline_of(tool)) if tool.spec is None and tool.is_written else tool for tool in tools
        )
        headers = {header_of(tool.function) for tool in tools if tool.function and tool.function.file.file == file}
        suppressions = (widened(one, headers) for one in suppressions_in(file, text))
        return Report(
            (*_once_a_place(found), *building), outlined, suppressions=tuple(suppressions), needs=opened.needs
        )


def _keys_of(problem: Problem) -> set[tuple[object, ...]]:
    place = problem.location and problem.location[1:3]
    return {("message", problem.code, problem.message), ("place", problem.code, place)}


def _once_a_place(found: Iterable[tuple[ToolDefinition, Problem]]) -> Iterator[Problem]:
    """Yield the findings in tools; those in a function or a part of a document that several tools have only once."""
    first: dict[tuple[object, ...], ToolDefinition] = {}
    for tool, one in found:
        node = tool.function and tool.function.node
        is_shared = (node is not None or tool.origin == "openapi") and one.code not in _OF_NAMES
        if not is_shared or first.setdefault((node, one.code, one.location), tool) is tool:
            yield one  # of the names of one function, each may be wrong


def _fixable(rule: Rule, found: Iterable[Problem]) -> Iterable[Problem]:
    """Return the findings in a tool of another framework, without fixes that do not apply to it."""
    return found if rule.fixes_all else (replace(one, fix=None) for one in found)


_DANGERS = {
    HIDDEN_UNICODE,
    INSTRUCTION_IN_DESCRIPTION,
    SENSITIVE_REFERENCE,
    CROSS_TOOL_SHADOWING,
    SECRET_IN_DEFINITION,
}
_IN_ANY_CODE = BREAKAGES | _DANGERS
"""What matters even where nobody depends on a tool: it breaks its server, attacks a model, or reveals a secret."""

_OF_REFUSED_NAMES = {INVALID_TOOL_NAME, LONG_TOOL_NAME, INVALID_PARAMETER_NAME}
"""What a provider refuses, whatever a function does."""


def _weighed(rule: Rule, found: Iterable[Problem], function: PythonFunction | None) -> Iterator[Problem]:
    """Yield the findings in a tool of another framework, as an `info` in a sample, a copy, dead code or a pretence.

    What breaks its server is an `info` only in a file that others have replaced, and an attack or a secret never.
    """
    for one in found:
        if one.severity == "info":
            yield one
        elif one.code in _IN_ANY_CODE:
            is_useless = one.code in BREAKAGES and _is_left_behind(rule, one)
            yield replace(one, severity="info") if is_useless else one
        else:
            is_unreal = function is not None and one.code not in _OF_REFUSED_NAMES and is_pretended(function)
            is_useless = function is not None and (is_generated(function.file.text) or is_never_defined(function))
            severity = "info" if is_unreal or is_useless or _is_sample(rule, one) else one.severity
            yield replace(one, severity=severity)


def _milder(problem: Problem) -> Problem:
    """Return a finding in a file that only the project's own program reads, as an `info` unless it is a danger."""
    return problem if problem.code in _DANGERS else replace(problem, severity="info")


def _is_sample(rule: Rule, problem: Problem) -> bool:
    return problem.location is not None and is_in_samples(problem.location.file, rule.settings.directory)


def _is_left_behind(rule: Rule, problem: Problem) -> bool:
    return problem.location is not None and is_left_behind(problem.location.file, rule.settings.directory)


def without_sources(report: Report) -> Report:
    """Return a report whose tools do not refer to the sources of their files, which take much memory."""
    tools = (
        replace(
            tool,
            function=None,
            texts=(),
            document=None,
            result=None,
            parameters=tuple(replace(one, python=None) for one in tool.parameters),
        )
        for tool in report.tools
    )
    return report._replace(tools=tuple(tools))


def header_of(function: PythonFunction) -> Header:
    """Return the lines of a function's decorators and parameters."""
    node = function.node
    return Header(function.first_line, node.lineno, max(node.lineno, node.body[0].lineno - 1))


class _Opened(NamedTuple):
    problems: list[Problem]
    tools: list[dict[str, Any]]
    child: str
    needs: Mapping[str, Any] | None

    @classmethod
    def of(cls, answer: Answer | None) -> "_Opened":
        match answer:
            case None:
                return cls([], [], "", {"files": [], "listings": [], "projects": []})
            case Problem():
                return cls([answer], [], "", None)
        problems = [_judge(read_problem(record)) for record in answer["problems"]]
        return cls(problems, answer["tools"], answer["child"], answer["needs"])


# Severities that differ in lint, which checks definitions rather than running tools.
_SEVERITIES: dict[str, Severity] = {MISSING_DESCRIPTION: "error", NO_TOOLS: "warning"}


def _depends_on_versions(module: PythonFile) -> bool:
    """Whether findings in a file depend on what its project requires for its tools or its server."""
    known = {tool.marks for tool in module.written} | set(filter(None, map(marks_of, module.frameworks)))
    return any(one.docstrings_since or one.demands.removed or one.terms.renamers for one in known)


def _how_to_make_one(module: PythonFile) -> str:
    """Return a hint on creating a tool, in the terms of the framework that the file imports, if any."""
    frameworks = dict.fromkeys(map(title_of, module.frameworks))
    if frameworks:
        return f"no function in it is registered as a tool of {' or '.join(frameworks)}"
    return _unknown_mark(module) or "mark a function with `@tool`"


_ANSWERS = re.compile(r"""(?:==|\bcase)\s*["']tools/list["']""")
"""How a server without a framework tells requests apart."""


_FORWARDS = re.compile(r"""\(\s*["']tools/list["']""")
"""How a client asks, which a server does that passes the request on to another one."""


_SERVERS = {"FastMCP", "MCPServer"}
"""The classes of MCP servers that have tools of their own, unless they only have resources or prompts."""


_HAS_OTHERS = re.compile(r"\.(?:add_)?(?:prompt|resource)\b")


def _server_in(module: PythonFile) -> Location | None:
    """Return where a file creates a server, or answers a request for the list of tools without passing it on."""
    found = _ANSWERS.search(module.text)
    if found is not None and not _FORWARDS.search(module.text):
        return Location(module.file, module.text.count("\n", 0, found.start()) + 1, 1)
    if not module.frameworks or _HAS_OTHERS.search(module.text):
        return None
    if not any(name in module.text for name in _SERVERS):
        return None
    calls = (node for node in ast.walk(module.tree) if isinstance(node, ast.Call) and last_name(node.func) in _SERVERS)
    created = min(calls, key=lambda node: (node.lineno, node.col_offset), default=None)
    return None if created is None else Location(module.file, created.lineno, created.col_offset + 1)


def _calls_in(module: PythonFile) -> Iterator[Unfollowed]:
    """Yield the calls in a file that register tools which no source shows."""
    return (one for one in module.shown.unfollowed if not one.is_conversion)


def _conversions_in(module: PythonFile) -> Iterator[Problem]:
    """Yield a problem for each definition that a file makes of what no source shows."""
    return (one.problem_in(module.file) for one in module.shown.unfollowed if one.is_conversion)


def _unknown_mark(module: PythonFile) -> str | None:
    hint = hint_of_unknown_mark(module.text.encode(errors="replace"), Path(module.file).name)
    if hint is None:
        return None
    marks = (mark for one in ast.walk(module.tree) if isinstance(one, Definition) for mark in one.decorator_list)
    named = (last_name(mark.func if isinstance(mark, ast.Call) else mark) for mark in marks)
    return hint if any(name.endswith("tool") for name in named) else None  # one in a docstring is an example


def _not_found(function: PythonFunction) -> Problem:
    message = f"{function.name!r} is marked, but it is not a tool: its class is inside another class"
    hint = "move the class out of the other one, or create an instance of it in the module"
    return Problem(NO_TOOLS, message, function.location, "warning", hint)


def _judge(problem: Problem) -> Problem:
    return replace(problem, severity=_SEVERITIES.get(problem.code, problem.severity))


def _is_from_here(record: Mapping[str, Any], file: str) -> bool:
    """Return whether a tool that is not a function in this file belongs to it: no installed package defines it."""
    definition, location = record["definition"], record["spec"].get("location")
    defining = definition[0] if definition else location and location["file"]
    return not defining or defining == file or not is_installed(defining)


def source_of(file: str) -> str | Problem:
    """Return the source of a Python file, with its original line ends."""
    text = read_text(Path(file), file, most=MOST_OF_PYTHON)
    if not isinstance(text, Problem):
        return text

    try:
        return source_text(file)
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError):
        return replace(text, code=DOES_NOT_IMPORT)


def unreadable(error: SyntaxError, file: str) -> Problem:
    """Return the problem that a file is not valid Python, with Python's location of the error."""
    from toolkit.sources.import_failures import syntax_hint  # only bad news needs it

    place = Location(file, error.lineno or 1, error.offset or 1)
    message = f"'{Path(file).name}' cannot be read: {type(error).__name__}: {error.msg}"
    return Problem(DOES_NOT_IMPORT, message, place, hint=syntax_hint())
