"""Reads policy files, which are rules in YAML."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from toolkit.approvals.file_policies import FilePolicy
from toolkit.approvals.policy_keys import PolicyFile, read_policy_table
from toolkit.approvals.rules import GroupFit
from toolkit.codes import BAD_CONFIGURATION
from toolkit.documents.document_reader import read_document
from toolkit.documents.nodes import Mapping as MappingNode, place_of, plain
from toolkit.documents.tables import Owner, Setting, Spot
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.problems import Location, Problem, errors_among


def load_policy(*files: str | Path) -> FilePolicy:
    """Load policy files as one policy, for `ToolContext(policy=…)` and `Gate(policy=…)`.

    The files are trusted because the caller chose them, so their rules can also allow calls. Relative paths in them
    start from the working directory.

    Raises:
        ConfigurationError: If a file cannot be read or is invalid; the error lists all problems of all files.
    """
    problems: list[Problem] = []
    found = [read_policy_file(Path(file), "user", Path.cwd(), problems) for file in files]
    raise_errors(ConfigurationError, problems)
    return FilePolicy([file for file in found if file is not None])


def read_policy_file(
    file: Path,
    owner: Owner,
    folder: Path,
    problems: list[Problem],
    *,
    name: str | None = None,
    groups: Mapping[str, GroupFit] = MappingProxyType({}),
) -> PolicyFile | None:
    """Read a policy file, or return `None` if it cannot be read.

    If there are problems, no call may run: a policy that cannot be read denies everything.

    Args:
        file: The path of the file.
        owner: Whether the file belongs to the user or to a project.
        folder: The folder that relative paths in the file start from.
        problems: Receives the problems of the file.
        name: The name of the file in problems; by default, its path.
        groups: The groups of the configuration, to which rules can refer.
    """
    called = str(file) if name is None else name
    root, broken = read_document(file, name=called)
    problems += [replace(problem, code=BAD_CONFIGURATION) for problem in broken]
    if not isinstance(root, MappingNode):
        if not errors_among(broken):
            hint = "write deny, ask and allow, each with a list of rules"
            problems.append(Problem(BAD_CONFIGURATION, "a policy file is a mapping", Location(called), hint=hint))
        return None
    setting = Setting(folder, lambda path: place_of(root, path) or root.location, problems.append, owner, assigns=": ")
    return read_policy_table(plain(root), Spot((), setting), called, groups)
