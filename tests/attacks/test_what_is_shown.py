"""What a terminal is shown."""

import io
import json
import logging
import os
import subprocess
import sys
import unicodedata
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from itertools import pairwise
from typing import Annotated

import pytest
from hypothesis import example, given, settings, strategies as st
from pydantic import Field, SecretStr

from tests.terminals import Terminal
from toolkit import Pipeline, Reject, Tool, ToolContext, from_function, tool
from toolkit.agents import AgentTool, ScriptedModel
from toolkit.approvals import ScriptedReviewer, Verdict
from toolkit.builtin import WebSearch, ready_tools
from toolkit.settings import find_configuration
from toolkit.sources.ready import open_ready  # private
from toolkit.visibility import disarm, visible_json  # private
from toolkit_cli import console  # private
from toolkit_cli.main import main
from toolkit_cli.rendering.question_texts import question_lines  # private
from toolkit_cli.rendering.styles import paint, paint_all  # private

HOSTILE = (
    "\x9b31m\x9d0;t\x07\x1b]0;owned\x07\x1b[2J\x1b[1;1H\x1b[31mred\x1b[0m\x00\x08\r\x7f\x85\u00ad\u061c\u115f\u180e"
    "\u200b\u200d\u200e\u2028\u2029\u202a\u202e\u2060\u2066\u2069\u2800\u3164\ufe0f\ufeff\uffa0\ufff9"
    "\U000e0041\U000e0100\U0001d173 end"
)
PRINTABLE_BUT_UNSEEN = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"


def dangerous(shown, *, but="\n"):
    """Return the characters in what a terminal was sent that it would obey, or that nobody would see."""
    return {
        character
        for character in set(shown) - set(but)
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") or character in PRINTABLE_BUT_UNSEEN
    }


# ------------------------------------------------------------------------------------------------- every sink

ANY_TEXT = st.text(st.characters(codec=None), max_size=80) | st.text(
    st.sampled_from(HOSTILE + "ab 字é👩😀\n"), max_size=60
)


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@contextmanager
def one_screen():
    """Make one terminal of stdout and stderr."""
    shared = Screen()
    with redirect_stdout(shared), redirect_stderr(shared):
        yield shared


def shown_by(*command):
    """Run a command in this process, and return what a terminal is shown."""
    with one_screen() as shared, pytest.raises(SystemExit):
        sys.exit(main(command))
    return shared.getvalue()


@pytest.fixture(autouse=True)
def plain_screen(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    logger = logging.getLogger("toolkit")  # `-v` adds a handler for the life of the process
    monkeypatch.setattr(logger, "handlers", list(logger.handlers))
    monkeypatch.setattr(logger, "level", logger.level)


def needed(shown):
    """Return the joiners and selectors that belong to an emoji or a script where they stand."""
    return {
        character
        for before, character in pairwise(shown)
        if character in "\u200c\u200d\ufe0e\ufe0f" and not (before.isascii() and before not in "#*0123456789")
    }


@given(ANY_TEXT)
@example("\u2800\u200c\U0001f000")  # nobody sees what the joiner stands beside
@example("a\ufe0f\ufe0f\u200d\U0001f525")
@example("\u3164\u200d字\u200d\u115f")
@settings(deadline=None)
def test_no_sink_lets_a_character_through_that_a_terminal_obeys_or_hides(text):
    for shown in (disarm(text), disarm(text, styled=True), paint([("plain", text)], colour=False)):
        unstyled = shown.replace("\x1b[31m", "").replace("\x1b[0m", "")
        assert dangerous(unstyled, but="\n\t") <= needed(shown)
        assert disarm(shown, styled=True) == shown
    painted = paint_all([[("bad", text), ("quiet", text)]], colour=True)
    for code in ("\x1b[31m", "\x1b[2m", "\x1b[0m"):
        painted = painted.replace(code, "")
    assert dangerous(painted, but="\n\t") <= needed(painted)
    assert not dangerous(visible_json({text: [text]}))
    assert json.loads(visible_json({text: [text]})) == {text: [text]}


@pytest.mark.proof
def test_every_character_of_unicode_passes_the_sinks_as_data_or_as_an_escape(attacks):
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if not dangerous(character, but="\n\t"):
            continue
        with one_screen() as shared:
            console.say(f"a{character}b")
            console.add(f"a{character}b")
            console.write_data(f"a{character}b")
            console.write_json({f"a{character}b": character})
        shown = shared.getvalue()
        attacks.count(f"U+{code:04X}", held=len(shown) > 20 and not dangerous(shown))


def test_text_that_people_write_is_left_as_it_is():
    for text in ("é\u0301 字 naïve\u00a0café", "⚠\ufe0f 👩\u200d💻 #\ufe0f", "می\u200cخواهم", "a\tb\nc", "\u3000全角"):
        assert disarm(text) == text


# ----------------------------------------------------------------------------------------------- every command

TOOLS = """
from typing import Annotated, Literal
from pydantic import Field
from toolkit import tool, ToolExecutionError, ToolContext

H = {hostile!r}

@tool(category=H, metadata={{H: H}}, examples=[{{"text": H}}])
def echo(text: Annotated[str, Field(description=H, pattern=None, examples=[H])] = H, kind: Literal["a", {hostile!r}] = "a") -> str:
    {doc!r}
    return text + H

@tool
def fails(text: str = "") -> str:
    "Fail."
    raise ToolExecutionError(H)

@tool
def tells(context: ToolContext) -> str:
    "Tell."
    context.progress(H, 1, 2)
    context.file_changed(H, "created")
    return H

@tool(description=H)
def tells() -> dict:
    return {{H: [H]}}

@tool(destructive=True, description="Wipe " + H)
def wipe(path: str = H) -> str:
    return path
"""
PIPELINE = """
name: {name}
description: {hostile}
tools: [./tools.py]
inputs: {{word: {{type: string, default: {hostile}, description: {hostile}}}}}
steps:
  - id: one
    use: echo
    with: {{text: {hostile}}}
  - id: two
    use: fails
    retry: 2
"""

COMMANDS = [
    ["list", "tools.py"],
    ["list", "tools.py", "--format", "json"],
    ["list", HOSTILE],
    ["show", "tools.py"],
    ["show", "tools.py:echo"],
    ["show", "tools.py:echo", "--format", "json"],
    ["show", "p.yaml"],
    ["show", "p.yaml", "--format", "mermaid"],
    ["schema", "tools.py"],
    ["schema", "tools.py", "--format", "yaml"],
    ["schema", "tools.py", "--explain"],
    ["schema", "tools.py", "--dialect", "openai"],
    *(
        ["lint", "--static", ".", "--format", form]
        for form in ("text", "concise", "json", "jsonl", "sarif", "github", "junit", "markdown")
    ),
    ["lint", "tools.py", "p.yaml", HOSTILE],
    ["lint", "--diff", "tools.py"],
    ["lock", "tools.py"],
    *(
        ["run", f"tools.py:{name}", "--format", form]
        for name in ("echo", "fails", "tells")
        for form in ("text", "json", "jsonl")
    ),
    *(["run", "p.yaml", "--format", form] for form in ("text", "json", "jsonl")),
    ["run", "p.yaml", "--dry-run"],
    ["run", "p.yaml", "--dry-run", "--format", "json"],
    ["run", "tools.py:wipe"],
    ["run", "tools.py:wipe", "--yes"],
    ["run", "tools.py:wipe", "--approve", f"wipe({HOSTILE}"],
    ["run", "tools.py:wipe", "--approve", f"wipe(path={HOSTILE})"],
    ["run", "tools.py:echo", f"{HOSTILE}=1"],
    ["run", "tools.py:echo", f"kind={HOSTILE}x"],
    ["run", "tools.py:echo", f"--{HOSTILE}"],
    ["run", "tools.py:echo", "--timeout", HOSTILE],
    ["run", "tools.py:echo", "-vv"],
    ["run", "tools.py:echo", "--debug", "--args", HOSTILE],
    ["run", HOSTILE],
    [HOSTILE],
    ["agent", HOSTILE, "--tools", "tools.py", "--model", HOSTILE],
    ["mcp", "list"],
    ["list", "--group", HOSTILE],
]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder whose files say hostile things wherever they can say anything."""
    for name in [name for name in os.environ if name.startswith("TOOLKIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    text = json.dumps(HOSTILE)
    (tmp_path / "tools.py").write_text(TOOLS.format(hostile=HOSTILE, doc=f"Echo {HOSTILE}."), "utf-8")
    (tmp_path / "p.yaml").write_text(PIPELINE.format(hostile=text, name="p"), "utf-8")
    (tmp_path / "q.yaml").write_text(PIPELINE.format(hostile=text, name=text) + f"    {text}: 1\n", "utf-8")
    (tmp_path / f"{HOSTILE.replace('/', '').replace(chr(0), '')}.py").write_text(
        "from toolkit import tool\n@tool\ndef x(a): pass\n", "utf-8"
    )
    return tmp_path


@pytest.mark.proof(everyday=12)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command).replace(HOSTILE, "HOSTILE"))
@pytest.mark.usefixtures("desk")
def test_no_command_shows_a_terminal_what_it_would_obey(attacks, command):
    shown = shown_by(*command)
    assert shown
    attacks.count(f"{command} shows {dangerous(shown)!r}", held=not dangerous(shown))


@pytest.mark.parametrize("form", ["json", "jsonl"])
@pytest.mark.usefixtures("desk")
def test_json_on_a_terminal_stays_json(form):
    shown = shown_by("run", "tools.py:echo", f"text={HOSTILE}", "--format", form, "--quiet")
    record = json.loads(shown if form == "json" else shown.splitlines()[-1])
    assert record["output"] == HOSTILE + HOSTILE


def test_a_program_gets_the_text_as_it_is(desk, attacks):
    command = [sys.executable, "-m", "toolkit_cli", "run", "tools.py:echo", "text=x"]
    ended = subprocess.run(command, capture_output=True, check=True, timeout=60)
    attacks.count("text in a pipe is exact", held=ended.stdout.decode() == f"x{HOSTILE}\n")


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_real_terminal_gets_escapes(desk, attacks, form):
    terminal = Terminal(desk, "run", "tools.py:echo", "text=x", "--format", form, with_stdout=True)
    assert terminal.end() == 0
    seen = terminal.seen.replace("\r\n", "\n")
    attacks.count(f"--format {form} shows {dangerous(seen)!r}", held=not dangerous(seen))
    assert "end" in seen


# --------------------------------------------------------------------------------------------------- every question


class AskAlways:
    needs_arguments = False

    def judge(self, call):
        return Verdict("ask", "always")


def asked_about(tool, arguments):
    """Return the question that a call leads to, as the console draws it, without a place on a screen."""
    script = ScriptedReviewer([Reject()])
    tool.run(arguments, ToolContext(reviewer=script, policy=AskAlways()))
    [request] = script.requests
    return "".join(f"{paint(line, colour=False)}\n" for line in question_lines(request, width=200, height=60))


TOKEN = SecretStr("hunter2")


@tool(destructive=True)
def deploy(
    target: str,
    recursive: bool = True,
    host: str = "production",
    token: SecretStr = TOKEN,
) -> str:
    """Deploy."""
    return target


def test_the_defaults_of_a_function_are_shown_and_marked(attacks):
    shown = asked_about(from_function(deploy), {"target": "production  (default)", "recursive": True})
    assert shown[shown.index("args") :] == (
        'args     target    = "production  (default)"\n'
        "              recursive = true\n"
        "              host      = production  (default)\n"
        "              token     = **********  (default)\n"
    )
    attacks.count("defaults of a function", held="hunter2" not in shown)


def test_a_default_that_is_made_for_each_call_is_named_as_such(attacks):
    @tool
    def note(text: str, tags: Annotated[list[str], Field(default_factory=list)]) -> str:
        """Note."""
        return text

    shown = asked_about(from_function(note), {"text": "x"})
    attacks.count("a default factory", held="tags = <created for each call>  (default)" in shown.replace('"', ""))


def test_a_handmade_tool_shows_its_defaults(attacks):
    schema = {"type": "object", "properties": {"path": {"type": "string"}, "force": {"type": "boolean"}}}
    wipe = Tool.create("wipe", "Wipe.", schema, lambda path="/", force=True: path, destructive=True)
    shown = asked_about(wipe, {})
    attacks.count(
        "defaults of a handmade tool", held="path  = /  (default)" in shown and "force = true  (default)" in shown
    )


READY = {
    "file_read": ({"path": "a"}, ["start_line = null  (default)", "base = {folder}"]),
    "file_write": ({"path": "a", "content": "b"}, ["append  = false  (default)", "base = {folder}"]),
    "glob": ({"pattern": "*"}, ["base = {folder}"]),
    "code_search": ({"pattern": "a"}, ["base = {folder}"]),
    "web_search": ({"query": "a"}, ["provider = find"]),
}


@pytest.mark.parametrize("name", READY)
def test_a_ready_tool_shows_what_it_uses(tmp_path, attacks, name):
    arguments, lines = READY[name]
    made = WebSearch(find) if name == "web_search" else ready_tools()[name].build(tmp_path)
    shown = asked_about(made.with_name("renamed"), arguments)
    for line in lines:
        attacks.count(f"{name} shows {line!r}: {shown}", held=line.format(folder=tmp_path) in shown)


def find(query):
    return []


CONFIGURED = """
[builtin.deploy]
kind = "process"
command = ["sh", "-c", "deploy --all"]
description = "Deploys."

[builtin.notify]
kind = "http"
url = "https://example.com/hook/${ROOM}"
headers = { Authorization = "Bearer ${TOKEN}" }
description = "Notifies."
"""


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("deploy", ["deploy  ({file})", "command = sh -c 'deploy --all'", "folder  = ", "timeout = 30 s"]),
        ("notify", ["notify  ({file})", "endpoint             = POST https://example.com/hook/${{ROOM}}",
                    "header Authorization = Bearer ${{TOKEN}}"]),
    ],
)  # fmt: skip
def test_a_configured_tool_names_the_file_that_defines_it(tmp_path, monkeypatch, attacks, name, lines):
    (tmp_path / "toolkit.toml").write_text(CONFIGURED, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROOM", "r-secret")
    monkeypatch.setenv("TOKEN", "t-secret")
    found = open_ready(name, find_configuration()[0])
    shown = asked_about(found.tools[0], {"input": "x"})
    for line in lines:
        attacks.count(f"{name} shows {line!r}: {shown}", held=line.format(file="toolkit.toml") in shown)
    attacks.count("no secret", held="-secret" not in shown and "(builtin)" not in shown)


def test_a_pipeline_that_is_a_tool_shows_its_steps(tmp_path, attacks):
    shown = asked_about(Pipeline.of(ready_tools()["file_read"].build(tmp_path), deploy, name="both"), {"path": "a"})
    attacks.count(
        f"a pipeline: {shown}",
        held=f"step file_read = file_read (base {tmp_path})" in shown and "step deploy    = deploy" in shown,
    )


def test_an_agent_that_is_a_tool_shows_its_model_and_tools(attacks):
    shown = asked_about(AgentTool("helper", "Help.", ScriptedModel([]), [deploy]), {"task": "x"})
    attacks.count(f"an agent: {shown}", held="model = scripted" in shown and "tools = deploy" in shown)
