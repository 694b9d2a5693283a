"""Files that block, exhaust, replace or lead elsewhere.

A cloned folder holds pipes, devices, sparse files and links under every name that the program reads or writes, and
compiled files with other code than the source next to them.
"""

import os
import py_compile
import resource
import shlex
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from itertools import product
from pathlib import Path

import pytest

from tests.volumes import some_of

PROGRAM = Path(sys.executable).with_name("toolkit")
MEMORY = 3 * 1024**3
SECONDS = 120
TOOLS = '''
from toolkit import tool

import helper


@tool(read_only=True)
def forecast(city: str) -> str:
    """Tell the weather of a city.

    Args:
        city: The name of the city.
    """
    return helper.words(city)
'''
HELPER = "def words(city):\n    return f'fine in {city}'\n"

# Whatever the program reads without being told to, and what users and other programs often have.
NAMES = [
    "a.py", "x.yaml", "y.yml", "package/__init__.py", "package/tools.py", "toolkit.toml", "pyproject.toml", "toolkit.lock",
    "toolkit-policy.yaml", "policy.yaml", ".env", ".toolkit_cache", ".gitignore", ".git", "baseline.json", "tools.json",
    ".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", "items.jsonl", "script.py", "notes.md", "requirements.txt",
    "pyvenv.cfg", "agents.yaml", "README.md", "conftest.py", "__pycache__", "toolkit.py", "json.py",
]  # fmt: skip
FATAL = {"toolkit.toml", "pyproject.toml", "toolkit.lock", "policy.yaml", "toolkit-policy.yaml"}
"""Files whose content decides what may happen; a command may end with their problem, and must not go on without them."""


def bind(path):
    with socket.socket(socket.AF_UNIX) as server, tempfile.TemporaryDirectory(dir="/tmp") as short:
        server.bind(f"{short}/s")
        Path(short, "s").rename(path)


def truncate(path):
    with path.open("wb") as stream:
        stream.truncate(20 * 1024**3)


def link_to_pipe(path):
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


KINDS = {
    "pipe": os.mkfifo,
    "link to a pipe": link_to_pipe,
    "link to an endless device": lambda path: path.symlink_to("/dev/zero"),
    "sparse file": truncate,
    "socket": bind,
    "folder": Path.mkdir,
    "link to itself": lambda path: path.symlink_to(path.name),
    "link to nothing": lambda path: path.symlink_to("../nothing/at/all"),
}
FOLDERS = list(product(NAMES, KINDS))

COMMANDS = [
    "lint", "list", "run calculator 1+1", "lint .", "lint --static", "lint {name}", "list .", "show tools.py:forecast",
    "lint --static {name}", "list {name}", "schema .", "run tools.py:forecast city=Oslo", "lint --fix", "lint --add-noqa",
    "list --static .", "lock", "lock --check", "lock --update .", "policy list", "mcp list", "runs list", "show {name}",
    "lint --baseline baseline.json", "lint --baseline baseline.json --update-baseline", "run {name} city=Oslo",
]  # fmt: skip


class Clone:
    """A folder from someone else, next to files that nothing may change."""

    def __init__(self, folder):
        self.folder = folder
        self.root = folder / "clone"
        self.outside = folder / "outside"
        self.outside.mkdir(parents=True)
        (self.outside / "kept.py").write_text("KEPT = 1\n")
        self.write("tools.py", TOOLS)
        self.write("helper.py", HELPER)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def plant(self, name, kind):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        KINDS[kind](path)

    def run(self, command, *, limited=False, **variables):
        """Run the program, with limited memory if a hole would exhaust the machine; None if it does not end."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        own = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_STATE_HOME": str(home / "state")}
        try:
            return subprocess.run(
                [PROGRAM, *shlex.split(command)], cwd=self.root, env=os.environ | own | variables, text=True,
                stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False,
                preexec_fn=limit_memory if limited else None,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None

    def state_outside(self):
        return {path.relative_to(self.outside): state_of(path) for path in sorted(self.outside.rglob("*"))}


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def state_of(path):
    return (path.lstat().st_mode, path.read_bytes() if path.is_file() else None)


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path)


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("kind", KINDS)
def test_planted_files_neither_block_nor_exhaust_nor_crash_a_command(tmp_path, attacks, kind):
    assert len(FOLDERS) >= 200
    planted = [(place, name) for place, (name, one) in enumerate(FOLDERS) if one == kind]
    for place, name in some_of(planted):
        clone = Clone(tmp_path / str(place))
        clone.plant(name, kind)
        for number in range(5):
            command = COMMANDS[(place * 5 + number) % len(COMMANDS)].format(name=name)
            ended = clone.run(command, limited=kind in {"link to an endless device", "sparse file"})
            what = f"`toolkit {command}` with a {kind} as {name}"
            attacks.count(f"{what} does not end", held=ended is not None)
            if ended is None:
                continue
            held = ended.returncode in {0, 1, 2, 3, 4} and "Traceback" not in ended.stderr
            attacks.count(f"{what} crashes: {ended.returncode} {ended.stderr[-300:]}", held=held)
            if command == "run calculator 1+1" and name not in FATAL:
                attacks.count(f"{what} fails: {ended.stderr}", held=ended.stdout == "2\n")
            if command == "list ." and name not in FATAL:
                attacks.count(f"{what} hides the rest: {ended.stderr}", held="forecast" in ended.stdout)


@pytest.mark.parametrize("name", ["a.py", "x.yaml"])
@pytest.mark.parametrize("command", ["lint", "lint --static"])
def test_a_file_that_cannot_be_read_is_reported_and_the_others_are_checked(clone, name, command):
    clone.plant(name, "pipe")
    ended = clone.run(command)
    assert ended.returncode == 1 or name == "a.py", ended.stdout
    assert name in ended.stdout
    assert "not a regular file" in ended.stdout
    assert "1 tool in 1 file" in ended.stdout


# ------------------------------------------------------------------------------------------------- what is run was read


EVIL = "open({marker!r}, 'a').close()\n\n\ndef words(city):\n    return 'evil'\n"
LOOKS = [
    "run tools.py:forecast city=Oslo", "lint", "list .", "list", "show tools.py:forecast", "schema tools.py", "list tools",
    "lock --update tools.py", "run tools:forecast city=Oslo", "run p.yaml", "lint --add-noqa",
]  # fmt: skip
TAG = sys.implementation.cache_tag
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def compiled(mode, name=f"__pycache__/{{module}}.{TAG}.pyc"):
    """Return what plants bytecode of other code for a module."""

    def plant(clone, module, evil):
        source = clone.root / f"{module}.py"
        before = source.read_text()
        text = evil + (TOOLS if module == "tools" else "")
        wanted = max(len(before), len(text))
        source.write_text(before + "#" * (wanted - len(before)))
        state = source.stat()
        other = clone.write("other.py", text + "#" * (wanted - len(text)))
        os.utime(other, ns=(state.st_mtime_ns, state.st_mtime_ns))
        target = clone.root / name.format(module=module)
        target.parent.mkdir(exist_ok=True)
        py_compile.compile(str(other), cfile=str(target), dfile=str(source), doraise=True, invalidation_mode=mode)
        other.unlink()

    return plant


def extension(clone, module, evil):
    """Plant a compiled module; it cannot be loaded under this name, so trying to shows."""
    import _bz2

    shutil.copy(_bz2.__file__, clone.root / f"{module}{SUFFIX}")


def package(clone, module, evil):
    """Plant a package without source, which Python prefers to a module of the same name."""
    (clone.root / module).mkdir()
    compiled(py_compile.PycInvalidationMode.UNCHECKED_HASH, "{module}/__init__.pyc")(clone, module, evil)


MODES = py_compile.PycInvalidationMode
PLANTS = {
    "bytecode with an unchecked hash": compiled(MODES.UNCHECKED_HASH),
    "bytecode with the times of the source": compiled(MODES.TIMESTAMP),
    "optimized bytecode": compiled(MODES.UNCHECKED_HASH, f"__pycache__/{{module}}.{TAG}.opt-1.pyc"),
    "bytecode beside the source": compiled(MODES.UNCHECKED_HASH, "{module}.pyc"),
    "package of bytecode": package,
    "compiled module": extension,
    "compiled module for every Python": lambda clone, module, evil: (
        extension(clone, module, evil),
        (clone.root / f"{module}{SUFFIX}").rename(clone.root / f"{module}.abi3.so"),
    ),
}


@pytest.mark.proof(everyday=4)
@pytest.mark.parametrize("module", ["tools", "helper"])
@pytest.mark.parametrize("plant", PLANTS)
def test_compiled_files_never_replace_the_source_next_to_them(tmp_path, attacks, plant, module):
    for number, command in enumerate(some_of(LOOKS) if plant != "bytecode with an unchecked hash" else LOOKS):
        clone = Clone(tmp_path / str(number))
        clone.write("p.yaml", "tools: [tools.py]\nsteps:\n  - forecast: {city: Oslo}\n")
        marker = clone.folder / "marker"
        PLANTS[plant](clone, module, EVIL.format(marker=str(marker)))
        ended = clone.run(command, **({"PYTHONOPTIMIZE": "1"} if plant == "optimized bytecode" else {}))
        what = f"`toolkit {command}` with {plant} for {module}.py"
        attacks.count(f"{what} ran it", held=ended is not None and not marker.exists())
        is_folder = plant == "package of bytecode" and f" {module} " in f"{command.replace(':', ' ')} "
        held = (
            ended is not None
            and ended.returncode in ({2, 4} if is_folder else {0, 1})  # a folder without source holds no tools
            and "evil" not in ended.stdout
            and "import" not in ended.stderr
        )
        attacks.count(f"{what} failed: {ended and ended.stdout + ended.stderr}", held=held)


def test_module_that_is_only_compiled_is_not_imported_and_the_reason_is_given(clone, attacks):
    (clone.root / "helper.py").unlink()
    extension(clone, "helper", "")
    ended = clone.run("run tools.py:forecast city=Oslo")
    attacks.count(f"it ran: {ended.stdout}", held=ended.returncode == 2)
    assert f"'helper{SUFFIX}' is compiled, and modules in a project are imported from their source" in ended.stderr


def test_bytecode_is_not_written_into_a_folder_nor_through_its_links(clone, attacks):
    (clone.root / "__pycache__").symlink_to(clone.outside)
    (clone.root / "package").mkdir()
    clone.write("package/__init__.py", "")
    before = clone.state_outside()
    for command in LOOKS[:-2]:
        clone.run(command, PYTHONDONTWRITEBYTECODE="")
        attacks.count(f"`toolkit {command}` wrote outside", held=clone.state_outside() == before)
    assert not list(clone.root.rglob("*.pyc"))


def test_comparing_with_a_revision_never_fetches_from_a_remote_whose_address_is_a_command(clone, attacks):
    def git(*words):
        return subprocess.run(
            ["git", *words], cwd=clone.root, check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "--quiet")
    git("add", "--all")
    git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=tools")
    blob = git("rev-parse", "HEAD:tools.py")
    (clone.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    marker = clone.folder / "marker"
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::touch {marker}",
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
        "protocol.allow": "always",
    }.items():
        git("config", key, value)
    ended = clone.run("lint --against HEAD")
    attacks.count(f"it was run: {ended.stderr}", held=not marker.exists())
    assert ended.returncode == 2, ended.stdout


# ------------------------------------------------------------------------------------------------ where files are written

BAD = TOOLS.replace("import helper\n", "").replace("        city:", "        citty:").replace("Tell", "Tel\u200bl")
SCRIPT = "- Fine.\n"
WRITES = [
    "lint", "lint --static", "lint --fix --unsafe-fixes", "lint --fix --unsafe-fixes .", "lint --add-noqa",
    "lint --fix --unsafe-fixes {name}", "lint --add-noqa {name}", "lint --output json={name}",
    "lint --output json={name}/deep/er.json", "lint --update-baseline", "lint --baseline {name} --update-baseline",
    "lock --update tools.py", "lock --update", "new tool greet --path {name}", "new pipeline sums --path {name}",
    "run tools.py:forecast --each items.jsonl --out {name}", "run tools.py:forecast --each items.jsonl --out {name}/o.jsonl",
    "run tools.py:forecast --each items.jsonl --store sqlite:///{name}",
    "agent --tools tools.py --model scripted:script.yaml --transcript {name} hello",
    "run tools.py:forecast --each items.jsonl --store sqlite:///{name}/s.db",
]  # fmt: skip
PLACES = [
    ".toolkit_cache", ".toolkit_cache/.gitignore", "toolkit.lock", "lint-baseline.json", "a.py", "z/tools.py", "out",
    "a.yaml", "greet.py", "greet", "tools.json",
]  # fmt: skip
LEADS = {
    "a folder": lambda clone: clone.outside,
    "a module": lambda clone: clone.outside / "bad.py",
    "an empty file": lambda clone: clone.outside / "empty",
    "a lockfile": lambda clone: clone.outside / "toolkit.lock",
    "a baseline": lambda clone: clone.outside / "lint-baseline.json",
    "nothing yet": lambda clone: clone.outside / "new",
    "a chain of links": lambda clone: clone.outside / "chain",
    "a relative path": lambda clone: Path(os.path.relpath(clone.outside, clone.root)),
}


def with_treasures(clone):
    """Put files outside that the program would overwrite, since they look like its own."""
    (clone.outside / "bad.py").write_text(BAD)
    (clone.outside / "empty").touch()
    (clone.outside / "toolkit.lock").write_text('{"toolkit-lock": 1, "tools": {}}')
    (clone.outside / "lint-baseline.json").write_text('{"toolkit-lint-baseline": 1, "findings": []}')
    (clone.outside / "chain").symlink_to(clone.outside / "empty")
    for number in range(12):
        (clone.outside / f"lint-{number}.json").write_text("{}")
    clone.write("items.jsonl", '{"city": "Oslo"}\n')
    clone.write("script.yaml", SCRIPT)
    clone.write("toolkit.toml", 'sources = ["."]\n')
    return clone


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("lead", LEADS)
def test_files_are_never_written_through_a_link_of_the_project(tmp_path, attacks, lead):
    for number, (name, command) in enumerate(some_of(product(PLACES, WRITES))):
        clone = with_treasures(Clone(tmp_path / str(number)))
        if "baseline" in command:
            clone.write("toolkit.toml", 'sources = ["."]\n[lint]\nbaseline = "lint-baseline.json"\n')
        path = clone.root / name
        path.parent.mkdir(exist_ok=True)
        path.symlink_to(LEADS[lead](clone))
        before = clone.state_outside()
        typed = command.format(name=name)
        ended = clone.run(typed)
        what = f"`toolkit {typed}` with a link to {lead} as {name}"
        after = clone.state_outside()
        changed = [str(path) for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
        attacks.count(f"{what} changed {changed}", held=not changed)
        held = ended is not None and ended.returncode in {0, 1, 2, 3, 4} and "Traceback" not in ended.stderr
        attacks.count(f"{what} crashed: {ended and ended.stderr}", held=held)


@pytest.mark.parametrize("baseline", ["../outside/new.json", "{outside}/new.json", "inner/../../outside/new.json"])
def test_settings_of_a_project_cannot_name_a_file_outside_of_it_to_write(clone, attacks, baseline):
    with_treasures(clone)
    baseline = baseline.format(outside=clone.outside)
    clone.write("toolkit.toml", f'sources = ["."]\n[lint]\nbaseline = "{baseline}"\n')
    before = clone.state_outside()
    ended = clone.run("lint --update-baseline")
    attacks.count(f"baseline = {baseline!r} was written", held=clone.state_outside() == before)
    assert ended.returncode == 2
    assert "leads out of" in ended.stderr


def test_links_of_the_user_are_followed_and_those_that_stay_in_the_project_too(clone):
    with_treasures(clone)
    (clone.folder / "results").symlink_to(clone.outside)
    (clone.root / "inner").mkdir()
    (clone.root / "out").symlink_to("inner")
    assert clone.run("lint --output json=../results/new.json --output concise=out/found.txt").returncode in {0, 1}
    assert (clone.outside / "new.json").read_text().startswith("[")
    assert (clone.root / "inner/found.txt").exists()


def test_refused_link_is_named_with_the_file_that_it_leads_to(clone):
    with_treasures(clone)
    (clone.root / "out").symlink_to(clone.outside)
    ended = clone.run("lint --output json=out/found.json")
    assert ended.returncode == 2
    assert f"a link in '{clone.root}' leads out of it, to '{clone.outside}/found.json'" in ended.stderr


def test_fixes_leave_a_module_outside_alone_and_say_so(clone):
    with_treasures(clone)
    (clone.root / "a.py").symlink_to(clone.outside / "bad.py")
    ended = clone.run("lint --fix --unsafe-fixes .")
    assert (clone.outside / "bad.py").read_text() == BAD
    assert "outside of the project" in ended.stderr


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("command", ["list --static .", "lint --static", "list .", "lint"])
def test_deeply_nested_folders_do_not_crash_a_command(clone, attacks, command):
    handle = os.open(clone.root, os.O_RDONLY)
    for _ in range(1_800):
        os.mkdir("d", dir_fd=handle)
        inner = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)
    ended = clone.run(command)
    attacks.count(f"`toolkit {command}` crashed: {ended.stderr[-300:]}", held=ended.returncode in {0, 1})
    subprocess.run(["rm", "-rf", clone.root / "d"], check=True)  # too deep for Python


@pytest.mark.parametrize("pattern", ["**/*.py", "**", "{root}/**/*.py"])
def test_links_that_lead_back_or_everywhere_do_not_block_a_pattern(clone, attacks, pattern):
    (clone.root / "package").mkdir()
    for name, place in (("here", "."), ("package/up", ".."), ("package/root", "/"), ("aside", str(clone.outside))):
        (clone.root / name).symlink_to(place)
    (clone.outside / "other.py").write_text(TOOLS.replace("forecast", "other"), "utf-8")
    ended = clone.run(f"list --static '{pattern.format(root=clone.root)}'")
    shown = "" if ended is None else ended.stdout
    attacks.count(f"list {pattern} printed {shown!r}", held="forecast" in shown and "other" not in shown)


def test_settings_with_a_deep_key_do_not_block_a_command(clone, attacks):
    for text in [f"[{'a.' * 200_000}b]\n", f"{'a . ' * 200_000}b = 1\n", f"x = {{ {'a.' * 200_000}b = 1 }}\n"]:
        clone.write("toolkit.toml", text)
        ended = clone.run("run calculator 1+1")
        attacks.count(f"{text[:20]} was not refused", held=ended is not None and "nested too deeply" in ended.stderr)


@pytest.mark.parametrize("name", ["config", "HEAD"])
def test_pipe_in_a_repository_does_not_block_a_comparison(clone, attacks, name):
    subprocess.run(["git", "init", "--quiet"], cwd=clone.root, check=True)
    (clone.root / ".git" / name).unlink()
    os.mkfifo(clone.root / ".git" / name)
    ended = clone.run("lint --against HEAD")
    attacks.count(f"a pipe as .git/{name} blocks", held=ended is not None and ended.returncode == 2)
