"""Reads the files of a git commit into a folder, without running hooks or filters."""

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple, NoReturn

from toolkit.errors import ConfigurationError
from toolkit.problems import Problem, did_you_mean

_LARGEST = 16 * 1024 * 1024
_BY_ITSELF = {
    "GIT_ALLOW_PROTOCOL": "none",  # a repository can name a remote whose address is a command
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_UNSAFE = frozenset({"", ".", "..", ".git"})
_MOST_REFERENCES = 10_000
_AT_ONCE = 200
"""How many files are read at once, and so are in memory together."""
_SECONDS = 60


class GitRevision(NamedTuple):
    """One commit of a repository.

    Attributes:
        name: The name that the user gave.
        commit: The full hash.
        root: The real path of the top folder of the working tree.
    """

    name: str
    commit: str
    root: Path

    def put_files(self, suffixes: tuple[str, ...], folder: Path) -> None:
        """Write the commit's files with these suffixes into a folder; links and submodules are omitted.

        Raises:
            ConfigurationError: If files are missing from the repository.
            OSError: If a file cannot be written.
        """
        listed = _git(self.root, "ls-tree", "-r", "-z", "-l", "--full-tree", self.commit)
        if listed.returncode:
            _refuse(f"the files of '{self.name}' cannot be listed: {_reason(listed)}")
        wanted = dict(_wanted(listed.stdout, suffixes))
        for path, content in zip(wanted, self._contents(wanted.values()), strict=True):
            target = folder.joinpath(*PurePosixPath(path).parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)

    def _contents(self, objects: Iterable[str]) -> Iterator[bytes]:
        waiting = iter(objects)
        while names := list(islice(waiting, _AT_ONCE)):
            yield from self._some(names)

    def _some(self, names: Sequence[str]) -> Iterator[bytes]:
        found = _git(self.root, "cat-file", "--batch", given="\n".join(names).encode())
        place = 0
        for name in names:
            end = found.stdout.find(b"\n", place)
            head = found.stdout[place:end].split(b" ")
            if end < 0 or len(head) != 3:  # noqa: PLR2004 - the name, the kind and the size
                hint = f"fetch the whole commit: `git fetch --refetch origin {self.commit}`"
                _refuse(f"the repository lacks files of '{self.name}': object {name[:9]} is missing", hint)
            size = int(head[2])
            yield found.stdout[end + 1 : end + 1 + size]
            place = end + 1 + size + 1


def find_revision(name: str, directory: Path) -> GitRevision:
    """Return the commit for a name: a branch, a tag, a hash, `HEAD~2`.

    Args:
        name: The name that the user gave.
        directory: A folder of the repository.

    Raises:
        ConfigurationError: If git or the repository is missing, or if there is no such commit here.
    """
    _check_files(directory.resolve())
    top = _git(directory, "rev-parse", "--show-toplevel")
    if top.returncode:
        hint = "run it inside the working tree of a repository"
        _refuse(f"'{directory.resolve()}' cannot be compared with a revision: {_reason(top)}", hint)
    root = Path(os.path.realpath(os.fsdecode(top.stdout.rstrip(b"\r\n"))))
    found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found.returncode:
        _refuse(f"there is no revision '{name}' in '{root}'", _how_to_get(name, root))
    return GitRevision(name, found.stdout.decode("ascii").strip(), root)


def _check_files(directory: Path) -> None:
    """Refuse a repository with a pipe or a device among its own files, for which git would wait."""
    repository = next((one / ".git" for one in (directory, *directory.parents) if (one / ".git").is_dir()), None)
    for file in os.scandir(repository) if repository is not None else ():
        if not (file.is_file() or file.is_dir() or file.is_symlink()):
            _refuse(f"'{file.path}' is neither a file nor a folder", "remove it, or clone the repository again")


def _how_to_get(name: str, root: Path) -> str:
    """Return a hint on a missing revision: similar names, or how to fetch it into a shallow clone."""
    listed = _git(root, "for-each-ref", "--format=%(refname:short)").stdout.decode("utf-8", "replace")
    known = list(islice(listed.splitlines(), _MOST_REFERENCES))
    remote = next((one for one in known if one.endswith(f"/{name}")), None)
    if remote:
        return f"did you mean '{remote}'?"
    if _git(root, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
        branch = name.removeprefix("origin/")
        return (
            f"this clone is shallow: `git fetch --depth=1 origin {branch}` gets it, for `--against FETCH_HEAD`; "
            "with actions/checkout, write `fetch-depth: 0`"
        )
    return did_you_mean(name, known) or "name a branch, a tag or a commit; `git fetch` gets those of the remote"


def _wanted(listed: bytes, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the path and the object of each plain file with one of the suffixes."""
    for line in listed.split(b"\0"):
        about, _, raw = line.partition(b"\t")
        path = os.fsdecode(raw)
        fields = about.split()
        if not (path and path.endswith(suffixes)) or not fields[0].startswith(b"100"):
            continue
        if fields[3].isdigit() and int(fields[3]) > _LARGEST:  # the size is BAD for a file that is missing
            continue
        if _UNSAFE.isdisjoint(path.split("/")) and os.sep not in path.replace("/", ""):
            yield path, fields[2].decode("ascii")


def _git(folder: Path, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command: Sequence[str] = ("git", "-C", str(folder), *words)
    try:
        return subprocess.run(  # noqa: S603 - names from the user follow `--end-of-options`
            command, input=given, capture_output=True, env=os.environ | _BY_ITSELF, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        _refuse(f"git has not ended after {_SECONDS} seconds", "a file in '.git' may be a pipe")
    except FileNotFoundError:
        _refuse("git is not installed, and only git can read a revision", "install git, or leave out '--against'")


def _reason(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else f"git ended with status {done.returncode}"


def _refuse(message: str, hint: str | None = None) -> NoReturn:
    raise ConfigurationError(problems=[Problem("", message, hint=hint)])
