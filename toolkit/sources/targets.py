"""Parses targets by looking at the file system, and finds the files in folders."""

import os
import re
from collections.abc import Iterable
from glob import has_magic
from pathlib import Path
from shlex import quote
from typing import NamedTuple, Self

from toolkit.codes import NOT_A_TOOL, NOT_FOUND
from toolkit.problems import Problem, did_you_mean, nearest
from toolkit.regular_files import MOST_OF_SOURCE, bounded_text, open_regular, real_paths, without_detours
from toolkit.settings.configuration import POLICY_FILE
from toolkit.source_code.module_files import PYTHON

YAML = (".yaml", ".yml")
SUFFIXES = (PYTHON, *YAML)
JSON = ".json"
FILES = (*SUFFIXES, JSON)
"""The ends of the names of all files that can have tools; of JSON files, only OpenAPI documents do."""
CASES = (".cases.yaml", ".cases.yml")
"""The ends of the names of files with test cases."""

_OF_TOOLS = rb"(?i)tool|def execute|kernel_function"
_OUR_KEY = r"""(?m)^["']?(?:(toolkit)["']?[ \t]*:|(steps)["']?[ \t]*:(?![ \t]*\d)|(agent)["']?[ \t]*:[ \t]*["']?\w)"""
_OUR_KIND = r"""(?m)^["']?agent["']?[ \t]*:[ \t]*["']?(?:simp|play|stat)"""
"""The kind of an agent, also a misspelt one."""
_TOP_KEY = r"""(?m)^["']?([A-Za-z_][\w-]*)["']?[ \t]*:"""
_OF_OTHERS = (
    r"(?m)^(?:substitutions|trigger|pool|availableSecrets|pipelines|context_parser|roles)[ \t]*:"
    r"|^[ \t]*-[ \t]+(?:name[ \t]*:[ \t]*['\"]?(?:[\w.-]+\.(?:io|dev)/|pypyr\.)"
    r"|uses[ \t]*:[ \t]*['\"]?[\w.-]+/[^\s@]+@|(?:script|task|checkout|label|image|run)[ \t]*:)"
)
"""What the files of others have beside their `steps`: Cloud Build, Azure Pipelines, GitHub, pypyr and PraisonAI."""
_OUR_STEP = r"(?m)^[ \t]*(?:-[ \t]+)?[\"']?(?:use|set|parallel|approve)[\"']?[ \t]*:"
_STEP_OF_OTHERS = r"(?m)^[ \t]*-[ \t]+[A-Za-z][\w-]*[ \t]*:[ \t]*[^\s{\[]"
"""How a step of another program begins, if no step of the file has a key that ours need."""
_API = (
    rb"""(?m)^(?:["']?(?:openapi|swagger)["']?[ \t]*:|[ \t]*+\{?[ \t]*+"(?:openapi|swagger)"[ \t]*:)[ \t]*["']?[0-9]"""
)
"""The key of an OpenAPI document with its version, which can be anywhere at the top level."""
_MINIFIED_API = rb"""[{,]"(?:openapi|swagger)":"[0-9]"""
_LARGEST_API = 32 * 1024 * 1024
_ENOUGH_TO_TELL = 1024 * 1024
_MOST_SEARCHED = 100


def tool_files(folder: Path) -> list[Path]:
    """Return the Python files, pipelines and agents in a folder and below it, sorted.

    Hidden folders and files, virtual environments, installed packages, tests, other Python files in test folders below
    this one, policies and other YAML files are left out. A file that is reachable by two paths is returned once.
    """
    found: dict[str, Path] = {}
    from toolkit.source_code.project_files import files_below  # few targets are folders

    for path, real in real_paths(files_below(folder, SUFFIXES)):
        if path.suffix == PYTHON or (_may_be_pipeline(path.name) and means_tool(path)):
            found.setdefault(real, path)
    return list(found.values())


def _may_be_pipeline(name: str) -> bool:
    return name != POLICY_FILE and not is_case_file(name)


def is_case_file(name: str) -> bool:
    """Return whether a file with this name holds test cases."""
    return name.endswith(CASES)


def case_files_in(folder: Path) -> list[Path]:
    """Return the files with test cases in a folder and below it, sorted, without those of another program."""
    from toolkit.source_code.project_files import files_below  # few targets are folders

    return [one for one in files_below(folder, CASES) if has_cases(one)]


def has_cases(file: Path) -> bool:
    """Return whether a file named like one with test cases is ours, not one of another program.

    It is another program's only if no case has a key that says what to run, and each has one for its own question.
    A file that cannot be read is ours, so that the mistake in it is reported.
    """
    from toolkit.documents import read_document  # few folders have such files
    from toolkit.documents.nodes import Mapping, Sequence

    root, _ = read_document(file)
    if isinstance(root, Mapping):
        if "toolkit" in root.entries:
            return True
        root = root.get("cases")
    cases = root.items if isinstance(root, Sequence) else ()
    keys = [one.entries.keys() if isinstance(one, Mapping) else set() for one in cases]
    return not keys or any(one & _OF_CASES or not one & _OF_OTHER_CASES for one in keys)


_OF_CASES = {"run", "ask", "with", "answers", "stub", "snapshot"}
_OF_OTHER_CASES = {"assert", "input", "inputs", "messages", "prompt", "query", "question", "vars"}


def is_benchmark(name: str) -> bool:
    """Return whether a file has a name of the Berkeley Function-Calling Leaderboard, whose questions are cases."""
    return Path(name).name.startswith("BFCL_") and name.endswith(".json") and not name.endswith(".cassette.json")


def means_tool(path: Path) -> bool:
    """Whether a YAML file is meant as a pipeline or agent: it has `steps`, `toolkit` or `agent` at its top level.

    Only the text is searched, so that files with YAML errors count, too. The value of `agent` is a kind of agent, or
    another word if all other keys are those of agents. Steps of build services and of other programs are not meant, nor
    is their number.
    """
    try:
        with open_regular(path) as stream:
            text = stream.read(_ENOUGH_TO_TELL).decode("utf-8", errors="replace").removeprefix("\ufeff")
    except OSError:
        return True  # opening it reports why it cannot be read
    keys = {key[key.lastindex or 0] for key in re.finditer(_OUR_KEY, text)}
    return (
        "toolkit" in keys
        or ("steps" in keys and not _has_steps_of_others(text))
        or ("agent" in keys and _is_our_agent(text))
    )


def _is_our_agent(text: str) -> bool:
    from toolkit.agents.files.agent_keys import KEYS  # few files begin like one of an agent

    if re.search(_OUR_KIND, text) is not None:
        return True
    others = {*re.findall(_TOP_KEY, text)} - _USUAL_KEYS
    known = [one.name for one in KEYS]
    return bool(others) and all(one in known or nearest(one, known, most=1, cutoff=0.8) for one in others)


_USUAL_KEYS = {"agent", "name", "description", "model"}
"""The keys that the files of other programs often have, too."""


def _has_steps_of_others(text: str) -> bool:
    if re.search(_OF_OTHERS, text):
        return True
    return re.search(_STEP_OF_OTHERS, text) is not None and re.search(_OUR_STEP, text) is None


def means_api(path: Path, *, most: int = _LARGEST_API) -> bool:
    """Whether a YAML or JSON file is an OpenAPI document; only the text is searched, as far as `most` bytes."""
    try:
        with open_regular(path) as stream:
            return is_api_text(stream.read(most), path.suffix)
    except OSError:
        return False


def is_api_text(text: bytes, suffix: str) -> bool:
    """Whether the text of a file with a suffix is meant as an OpenAPI document."""
    return re.search(_API, text) is not None or (suffix == JSON and re.search(_MINIFIED_API, text) is not None)


def mentions_tools(path: Path) -> bool:
    """Whether the text of a Python file that cannot be parsed mentions tools; if not, it was not meant to have any."""
    try:
        with open_regular(path) as stream:
            return re.search(_OF_TOOLS, stream.read(MOST_OF_SOURCE)) is not None
    except OSError:
        return True  # opening it reports why it cannot be read


_DOTTED_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_NAME_WITHIN = re.compile(r"\w[\w./-]*")
"""The name of an object or tool in a module; in a file, tools of other frameworks can have any name."""
_ADDRESS = re.compile(r"\w[\w-]*(?:\.[\w./-]+)?")


class FilesTarget(NamedTuple):
    """Files, and optionally a name in them.

    Attributes:
        spelled: The path as the user wrote it.
        paths: The files.
        name: The name in the files, or `None` for all their tools.
        is_single: Whether the path is that of a single file, not a folder or pattern.
        is_api: Whether the single file is an OpenAPI document.
    """

    spelled: str
    paths: tuple[Path, ...]
    name: str | None = None
    is_single: bool = True
    is_api: bool = False

    @property
    def python(self) -> tuple[Path, ...]:
        """The Python files among them."""
        return tuple(path for path in self.paths if path.suffix == PYTHON)

    @property
    def pipelines(self) -> tuple[Path, ...]:
        """The pipelines and agents among them."""
        return () if self.is_api else tuple(path for path in self.paths if path.suffix != PYTHON)

    def without_pipelines(self) -> Self:
        """Return the same target without its pipelines and agents."""
        return self if self.is_api else self._replace(paths=self.python)


class NameTarget(NamedTuple):
    """The name of a configured or ready tool, a remote tool (`server.tool`) or a module; with `name`, a module."""

    spelled: str
    module: str
    name: str | None = None


Target = FilesTarget | NameTarget


def parse_target(text: str, base: Path) -> Target | Problem:
    """Parse a target.

    Args:
        text: `file.py`, `file.py:name`, `pipeline.yaml`, a folder, a glob, a tool's name, `package.module` or
            `package.module:name`.
        base: The folder that relative paths start from.

    Returns:
        The target, or the problem (`TK001`) that the file does not exist. Names are not looked up.
    """
    if "\0" in text or not text.strip():
        kind = "a name with a null character" if "\0" in text else "an empty name"
        return Problem(NOT_FOUND, f"{kind} is not a target", hint="name a file, a folder, a tool or a module")
    if (whole := _files(text, base, None)) is not None:
        return whole
    front, colon, name = text.rpartition(":")
    if colon and front and name.strip():
        if (files := _files(front, base, name)) is not None:
            return files
        if _NAME_WITHIN.fullmatch(name):
            return NameTarget(text, front, name) if _DOTTED_NAME.fullmatch(front) else _nothing_there(front, base)
    if _ADDRESS.fullmatch(text) and not text.endswith(SUFFIXES):
        return NameTarget(text, text)
    return _nothing_there(text, base)


def file_of_class(text: str, base: Path) -> Path | None:
    """Return the Python file in `file.py:Class`, or `None` if the text refers to a module."""
    target = parse_target(text, base)
    return target.paths[0] if isinstance(target, FilesTarget) and target.is_single else None


def is_module_name(name: str) -> bool:
    """Return whether a name can be that of a module; names of remote tools can have further characters."""
    return _DOTTED_NAME.fullmatch(name) is not None


def _files(text: str, base: Path, name: str | None) -> FilesTarget | Problem | None:
    """Return the files of a path or pattern, or `None` if nothing exists there."""
    path = without_detours(base / _at_home(text))
    try:
        if path.is_dir():
            return FilesTarget(text, tuple(tool_files(path)), name, is_single=False)
        if path.exists():
            return _one_file(text, path, name)
        if has_magic(text):
            return _matching(text, base, name)
    except OSError as error:  # such as a name that is too long, or a folder without permission
        reason = (error.strerror or str(error)).lower()
        return Problem(NOT_FOUND, f"cannot look for '{text}': {reason}")
    return None


def _one_file(text: str, path: Path, name: str | None) -> FilesTarget | Problem:
    if is_case_file(path.name):
        return Problem(
            NOT_A_TOOL, f"'{text}' holds test cases, not tools", hint=f"run them: toolkit test {quote(text)}"
        )
    if path.suffix in (*YAML, JSON) and not (path.suffix != JSON and means_tool(path)) and means_api(path):
        return FilesTarget(text, (path,), name, is_api=True)
    if path.suffix in SUFFIXES:
        return FilesTarget(text, (path,), name)
    return Problem(
        NOT_A_TOOL,
        f"'{text}' is neither a Python file nor a pipeline"
        + (", nor an OpenAPI document" if path.suffix == JSON else ""),
        hint=f"name a file that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}",
    )


def _matching(pattern: str, base: Path, name: str | None) -> FilesTarget | Problem | None:
    matches = _matches(_at_home(pattern), base)
    paths: dict[Path, None] = {}
    for match in matches:
        if match.is_dir():
            paths |= dict.fromkeys(tool_files(match))
        elif match.suffix == PYTHON or (match.suffix in YAML and means_tool(match) and not is_case_file(match.name)):
            paths[match] = None
    return FilesTarget(pattern, tuple(paths), name, is_single=False) if matches else None


def _matches(pattern: str, base: Path) -> list[Path]:
    """Return the files and folders that match a shell pattern, in order.

    `**` enters no folder through a link, which may lead back or anywhere. As in shells, names that begin
    with a dot only match if the pattern has such a name.
    """
    parts = [part if part == "**" else re.sub(r"\*{2,}", "*", part) for part in Path(pattern).parts]
    first = next(index for index, part in enumerate(parts) if has_magic(part))
    folder = base.joinpath(*parts[:first])
    names_hidden = any(part.startswith(".") for part in parts[first:])
    found = folder.glob("/".join(parts[first:]))  # it accepts no absolute patterns, so it begins at the folder
    shown = (
        match
        for match in found
        if names_hidden or not any(part.startswith(".") for part in match.relative_to(folder).parts)
    )
    return sorted(shown, key=str)


def _at_home(text: str) -> str:
    """Expand `~` in a path; unlike pathlib, this leaves unknown users unchanged."""
    return os.path.expanduser(text)


def _nothing_there(text: str, base: Path) -> Problem:
    if has_magic(text):
        return Problem(NOT_FOUND, f"no file matches '{text}'", hint=f"looked for in '{base.resolve()}'")
    path = base / _at_home(text)
    if path.is_symlink():
        return Problem(NOT_FOUND, f"'{text}' is a broken link", hint=f"it leads to '{path.readlink()}'")
    if not (text.endswith(SUFFIXES) or "/" in text):
        return Problem(NOT_FOUND, f"nothing is named '{text}'", hint=did_you_mean(text, _names_in(path.parent)))
    missing = f"there is no {'folder' if text.endswith('/') else 'file'} '{text}'"
    if not path.parent.is_dir():
        return Problem(NOT_FOUND, missing, hint=f"there is no folder '{path.parent}' either")
    otherwise = f"looked for in '{path.parent.resolve()}'"
    before = text.rstrip("/").removesuffix(path.name)
    near = did_you_mean(path.name, _names_in(path.parent), before=before, otherwise=otherwise)
    return Problem(NOT_FOUND, missing, hint=near)


def _names_in(folder: Path) -> Iterable[str]:
    """Return the names in a folder that can be suggested as targets."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    return [entry.name for entry in entries if not entry.name.startswith(".") and _could_be_meant(entry)]


def _could_be_meant(entry: Path) -> bool:
    return (entry.suffix in SUFFIXES and entry.exists()) or entry.is_dir()


def functions_named(name: str, base: Path) -> list[str]:
    """Return the functions of a name in the Python files of a folder, as targets to suggest."""
    if not name.isidentifier():
        return []
    definition = re.compile(rf"^(?:async )?def {name}\(", re.MULTILINE)
    files = [base / file for file in _names_in(base) if file.endswith(".py")][:_MOST_SEARCHED]
    return [f"{file.name}:{name}" for file in files if definition.search(_text_of(file))]


def _text_of(file: Path) -> str:
    try:
        return bounded_text(file)
    except (OSError, ValueError):
        return ""


def nearby_names(base: Path) -> list[str]:
    """Return the names of the files in a folder, with and without their suffix, for hints."""
    names = list(_names_in(base))
    return names + [Path(name).stem for name in names]
