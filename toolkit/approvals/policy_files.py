"""Policy files: a file of rules in YAML becomes a PolicyFile, with everything that is wrong with it."""

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
    """Return the policy that files of rules make, for `ToolContext(policy=…)` and `Gate(policy=…)`.

    The caller has chosen the files, so all of them may allow. Relative paths in them start from the working
    directory.

    Raises:
        ConfigurationError: With everything that is wrong in one of them.
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
    """Return the content of a policy file; None if it cannot be read.

    After a problem, no call may run: a policy that cannot be read denies.

    Args:
        file: The file.
        owner: Whose it is.
        folder: What relative paths in it start from.
        problems: Receives what is wrong.
        name: How it is called in the places of problems; as the path is written by default.
        groups: The groups of the configuration, which rules may name.
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
