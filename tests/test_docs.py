"""The README and the guide cannot drift: what they show is run, what they link to exists, and they leave nothing out.

Each page is one story, told in a directory of its own that also holds the samples. In it

- a block under `<!-- file: NAME -->` becomes that file,
- a `python` block is run, as a session where it has `>>>`, in one namespace for the whole page,
- a `console` block is typed: after each `$ command` stands what it prints on stdout and stderr, and nothing else. `...`
  stands for anything, and times may differ,
- a `console` block under `<!-- terminal: KEYS -->` is typed into a real terminal, and the keys answer its questions;
  every line shown must appear there, in that order,
- a block under `<!-- not run: REASON -->` is left alone, and so are other languages. With `; environment: NAME` it runs
  where a framework is installed: `tests/frameworks/test_pages.py`.
"""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pexpect
import pytest

from tests.terminals import Program
from toolkit.lint import codes

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(page for page in ROOT.glob("docs/**/*.md") if page.parent.name != "api"),
    ]
)
LONG_STORIES = {
    *("agent-files", "agents", "batches", "configuration", "dialects", "errors-and-exit-codes", "existing-repository"),
    *(
        "groups-and-disclosure",
        "http",
        "json_parser",
        "lock",
        "openapi",
        "policy",
        "process",
        "question",
        "ready-policies",
    ),
    *("security", "serving", "tutorial", "using-mcp-servers", "web_scrape", "web_search"),
}
"""The pages that start many programs or servers: each is run by the proofs, or where it is named."""
LINKED_PAGES = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "sample_pipelines" / "README.md"]
BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*?) -->\n+)?(?P<fence>```+)(?P<language>\w*)[^\n]*\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
PROGRAM = Path(sys.executable).with_name("toolkit")
QUOTED = re.compile(r"""'[^']*'|"[^"$`\\\\!]*\"""")
DONE_BY_A_SHELL = re.compile(r"[^\w\s./:=,@%+^'\"-]")
SECONDS = re.compile(r" *\b\d+(?:\.\d+)? ?(?:ms|s|µs)\b *")
PROMPT = "     >"
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|[()].|[=>78])")
WIDTH = 100


class Block(NamedTuple):
    """A fenced block of a page, with the mark above it."""

    line: int
    mark: str
    language: str
    text: str


def blocks_of(page):
    """Return the fenced blocks of a page in their order."""
    text = page.read_text("utf-8")
    return [
        Block(text.count("\n", 0, match.start("fence")) + 1, match["mark"] or "", match["language"], match["text"])
        for match in BLOCK.finditer(text)
    ]


def environment():
    """Return the environment of a reader with a plain terminal and no settings of his own."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TOOLKIT_"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return inherited | {
        "PATH": path,
        "NO_COLOR": "1",
        "COLUMNS": str(WIDTH),
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "TERM": "xterm",
    }


def commands_of(block):
    """Split a console block into its commands, each with the output that is shown."""
    commands = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append([line[2:], ""])
        elif commands[-1][0].endswith("\\"):
            commands[-1][0] += "\n" + line
        else:
            commands[-1][1] += line + "\n"
    return commands


def same(shown, printed):
    """Compare outputs, whatever the times in them and wherever `...` stands."""
    shown, printed = (
        "\n".join(line.rstrip() for line in SECONDS.sub(" 1s ", text).splitlines()) for text in (shown, printed)
    )
    return doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)


def words_of(command, status):
    """Return the words that a shell makes of a command, or what has the shell run it where it does more."""
    if command.startswith("toolkit ") and not DONE_BY_A_SHELL.search(QUOTED.sub("", command)):
        return [str(PROGRAM), *shlex.split(command)[1:]]
    return ["bash", "-c", f"(exit {status}); {command}"]


def type_commands(block, directory):
    """Run the commands of a console block without a terminal and compare what they print."""
    status = 0
    for command, shown in commands_of(block):
        finished = subprocess.run(
            words_of(command, status),
            cwd=directory,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        status = finished.returncode
        assert same(shown, finished.stdout), f"line {block.line}: $ {command}\nprints\n{finished.stdout}"


def type_in_terminal(block, directory, keys):
    """Run the one command of a console block in a terminal, answer with the keys, and look for the lines shown."""
    [(command, shown)] = commands_of(block)
    program, *arguments = words_of(command, 0)
    child: Any = Program(
        program,
        arguments,
        cwd=str(directory),
        env=environment(),
        encoding="utf-8",
        timeout=30,
        dimensions=(50, WIDTH),
    )
    screen = ""
    for key in keys.split():
        child.expect_exact(PROMPT)
        screen += child.before + child.after
        child.send(f"{key}\r")
    child.expect(pexpect.EOF)
    screen = ESCAPES.sub("", screen + child.before)
    child.close()
    screen, position = plain(screen), 0
    for line in filter(None, (plain(line) for line in shown.splitlines())):
        found = screen.find(line, position)
        assert found >= 0, f"line {block.line}: the terminal does not show {line!r} here:\n{screen}"
        position = found + len(line)


def plain(text):
    """Return text without its spacing and its times."""
    return SECONDS.sub(" 1s", " ".join(text.split()))


def run_python(block, page, namespace):
    """Run a python block, as a session where it looks like one."""
    if ">>>" not in block.text:
        exec(compile(block.text, f"{page.name}:{block.line}", "exec", dont_inherit=True), namespace)  # noqa: S102
        return
    example = doctest.DocTestParser().get_doctest(block.text, namespace, page.name, str(page), block.line)
    report = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=report.append, clear_globs=False)
    namespace.update(example.globs)
    assert result.failed == 0, "".join(report)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """The directory of a page, like a clone that was set up; what is imported from there is forgotten afterwards."""
    shutil.copytree(ROOT / "sample_pipelines", tmp_path / "sample_pipelines")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ".state"))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.proof(everyday=32)
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.proof] * (page.stem in LONG_STORIES), id=page.name) for page in PAGES],
)
def test_page_shows_what_happens(page, desk):
    namespace = {"__name__": page.stem}
    for block in blocks_of(page):
        kind, _, detail = block.mark.partition(": ")
        if kind == "file":
            (desk / detail).parent.mkdir(parents=True, exist_ok=True)
            (desk / detail).write_text(block.text, "utf-8")
        elif kind == "terminal":
            type_in_terminal(block, desk, detail)
        elif kind == "not run":
            assert detail, f"line {block.line}: say why it is not run"
        elif block.language == "console":
            type_commands(block, desk)
        elif block.language == "python":
            run_python(block, page, namespace)


@pytest.mark.proof
def test_pages_name_each_file_right_above_it():
    """The mark that makes a block a file shows neither on the site nor on GitHub."""
    marked = re.compile(r"(?P<above>[^\n]*)\n\n<!-- file: (?P<name>\S+) -->\n+```")
    unnamed = [
        f"{page}: {file['name']}"
        for page in PAGES
        for file in marked.finditer(page.read_text("utf-8"))
        if f"`{file['name']}`" not in file["above"]
    ]
    assert unnamed == []


def test_links_of_pages_lead_somewhere():
    broken = [
        f"{page}: {destination}#{anchor}"
        for page in LINKED_PAGES
        for destination, anchor in links_of(page)
        if not destination.exists() or (anchor and anchor not in anchors_of(destination))
    ]
    assert broken == []


def test_every_page_is_found_from_the_readme():
    """Within two clicks: from its few links, or from the lists of the guide and of the rules."""
    readme, guide, rules = (ROOT / page for page in ("README.md", "docs/index.md", "docs/rules/README.md"))
    found = {destination for page in (readme, guide, rules) for destination, _ in links_of(page)}
    assert {guide, rules} <= found
    assert set(LINKED_PAGES) - {readme} <= found


def links_of(page):
    """Return the files that a page links to, each with the anchor that is meant in it, if any."""
    targets = re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", page.read_text("utf-8")))
    inner = (target.partition("#") for target in targets if not re.match(r"[a-z]+:", target))
    return [((page.parent / file).resolve() if file else page, anchor) for file, _, anchor in inner]


def test_pages_install_no_project_of_the_same_name():
    """The name `toolkit` belongs to another project in the package index; ours is `toolkit-cli`."""
    install = re.compile(r"pip install .*(?<![\w./-])toolkit(?=[\s\['\"]|$)")
    assert [str(page) for page in PAGES if install.search(page.read_text("utf-8"))] == []


def test_pages_stand_for_the_place_of_this_repository_in_one_way():
    """`OWNER/toolkit` and `COMMIT`, so that whoever keeps the repository can replace them at once."""
    named = re.compile(r"(?:uses: |@ )(\S*/toolkit)@(\w+)|repo: (\S+/toolkit)")
    found = {part for page in PAGES for one in named.findall(page.read_text("utf-8")) for part in filter(None, one)}
    assert found == {
        "OWNER/toolkit",
        "git+https://github.com/OWNER/toolkit",
        "https://github.com/OWNER/toolkit",
        "COMMIT",
    }


@cache
def anchors_of(page):
    """Return the anchors that the headings of a page make."""
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def help_of(*words):
    """Return what `--help` prints for a command."""
    finished = subprocess.run(
        [str(PROGRAM), *words, "--help"],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return finished.stdout


def commands():
    """Return the names of the commands, as the help lists them."""
    listed = help_of().partition("Run and serve:")[2]
    return re.findall(r"^  (\w+)", listed, re.MULTILINE)


def test_every_command_and_option_is_documented():
    written = "\n".join(page.read_text("utf-8") for page in PAGES if page.name != "commands.md")  # which lists them all
    missing = [f"toolkit {name}" for name in commands() if f"toolkit {name}" not in written]
    for name in commands():
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", help_of(name))) - {"--help"}
        missing += [
            f"toolkit {name} {option}" for option in sorted(options) if not re.search(rf"`[^`\n]*{option}\b", written)
        ]
    assert commands()
    assert missing == []


def test_every_problem_code_has_a_page():
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "toolkit").rglob("*.py"))
    used = set(re.findall(r'"(TK\d{3})"', sources))
    assert used
    assert sorted(used - set(codes())) == []
