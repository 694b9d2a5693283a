"""What CONTRIBUTING says about adding things is true: each test adds one to a copy of the house, and uses the command line.

The copy consists of links to the real files, except for those that the new thing touches.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from tests.terminals import Terminal

ROOT = Path(__file__).parents[1]


def test_files_that_the_guide_names_exist():
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"`([\w/.-]+\.(?:py|md|toml|yml|json))`", guide))
    folders = [ROOT / name for name in (".github", "cli", "docs", "tests", "toolkit")]
    files = [*ROOT.glob("*.*"), *(file for folder in folders for file in folder.rglob("*.*"))]
    assert len(named) > 40
    assert sorted(name for name in named if not any(file.as_posix().endswith(f"/{name}") for file in files)) == []


class House:
    """A copy of the library and the command line, and a project of a user."""

    def __init__(self, folder):
        self.root, self.project, self.touched = folder / "house", folder / "project", set()
        self.project.mkdir()
        for package in ("toolkit", "cli/toolkit_cli"):
            (self.root / package).parent.mkdir(parents=True, exist_ok=True)
            (self.root / package).symlink_to(ROOT / package)

    def write(self, path, text):
        """Add a file to the house."""
        assert not (ROOT / path).exists()
        self._unlink(path)
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, "utf-8")
        self.touched.add(path)

    def add(self, path, line, *, after):
        """Add a line to a file of the house, after a line that begins in a certain way."""
        lines = (self.root / path).read_text("utf-8").splitlines(keepends=True)
        [position] = [number for number, one in enumerate(lines) if one.startswith(after)]
        self._rewrite(path, "".join([*lines[: position + 1], f"{line}\n", *lines[position + 1 :]]))

    def change(self, path, old, new):
        """Replace a part of a file of the house, which occurs there once."""
        text = (self.root / path).read_text("utf-8")
        assert text.count(old) == 1
        self._rewrite(path, text.replace(old, new))

    def run(self, *arguments):
        """Run the program of this house; return what it prints, and its exit code."""
        ended = subprocess.run(
            [sys.executable, "-m", "toolkit_cli", *arguments],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return ended.stdout, ended.stderr, ended.returncode

    def script(self, name):
        """Run a script of the project; return what it prints."""
        ended = subprocess.run(
            [sys.executable, name],
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return ended.stdout, ended.stderr

    @property
    def environment(self):
        """The environment variables of a program of this house."""
        settings = {name: value for name, value in os.environ.items() if not name.startswith("TOOLKIT_")}
        return {
            **settings,
            "COLUMNS": "200",
            "PYTHONPATH": os.pathsep.join([str(self.root), str(self.root / "cli")]),
            "XDG_STATE_HOME": str(self.root / "state"),
        }

    def _rewrite(self, path, text):
        self._unlink(path)
        (self.root / path).unlink()
        (self.root / path).write_text(text, "utf-8")
        self.touched.add(path)

    def _unlink(self, path):
        """Replace the link that leads to a file by a folder of links, one level after the other."""
        for parent in reversed(Path(path).parents):
            copy = self.root / parent
            if copy.is_symlink():
                real = copy.resolve()
                copy.unlink()
                copy.mkdir()
                for one in real.iterdir():
                    if one.name != "__pycache__":
                        (copy / one.name).symlink_to(one)


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


DIALECT = '''
"""Acme: an invented provider, whose names have no digits."""

from toolkit.dialects.declarations import CHECKED, Dialect, Form  # private
from toolkit.dialects.provider_limits import Limit, Limits, Source  # private

_PAGE = Source("https://acme.example/tools", CHECKED)


def _write(draft):
    return {"acmeTool": draft.described | {"input": draft.parameters}}


DIALECTS = (
    Dialect(
        name="acme",
        provider="acme",
        write=_write,
        limits=Limits("Acme", name=Limit("[a-z_]+", "a name has only small letters", _PAGE)),
        forms=(Form("acme", "/acmeTool", "/acmeTool", ("/acmeTool/input",)),),
        lists=("acmeTools",),
        hosted=frozenset({"acmeSearch"}),
    ),
)
'''
TOOL = '''
from toolkit import tool


@tool(read_only=True)
def find_2(number: str) -> str:
    """Find an order of the shop.

    Args:
        number: The number of the order.
    """
    return number
'''


@pytest.mark.proof
def test_dialect_touches_two_files(house):
    house.write("toolkit/dialects/acme.py", DIALECT)
    house.add("toolkit/dialects/registry.py", '    "acme": ("acme",),', after='    "mistral"')
    assert len(house.touched) == 2

    (house.project / "tools.py").write_text(TOOL, "utf-8")
    written, said, code = house.run("schema", "tools.py:find_2", "--dialect", "acme")
    assert list(json.loads(written)) == ["acmeTool"]
    assert json.loads(written)["acmeTool"]["name"] == "find_2"
    assert said.startswith("error[TK101]: tool 'find_2': Acme refuses the name 'find_2'")
    assert code == 1
    assert "|acme|" in house.run("schema", "--help")[0]

    (house.project / "tools.json").write_text(json.dumps({"acmeTools": [json.loads(written), {"acmeSearch": {}}]}))
    refused = "error[TK101] the tool's name is 'find_2', which is not accepted by Acme\n"
    for target, place in (("tools.py", "6:5"), ("tools.json", "1:38")):
        found = house.run("lint", target, "--provider", "acme", "--format", "concise", "--quiet", "--select", "TK101")
        assert found == (f"{target}:{place}: {refused}", "", 1)
        assert house.run("lint", target, "--provider", "openai", "--quiet", "--select", "TK101") == ("", "", 0)
    (house.project / "toolkit.toml").write_text('[defaults]\ndialect = "acme"\n\n[lint]\nprovider = "acme"\n')
    assert house.run("schema", "tools.py:find_2")[0] == written


FRAMEWORK = '''
"""Acme Agents: an invented framework."""

from toolkit.frameworks.foreign_tools import ForeignTool  # private
from toolkit.frameworks.recognised import ForeignClass  # private
from toolkit.tools.foreign.source_marks import Registration, SourceMarks  # private
from toolkit.tools.definition.spec import ToolSpec  # private

MARKS = SourceMarks(
    title="Acme Agents",
    packages=("acme_agents",),
    classes=("acme_agents.*Action",),
    registrations=(Registration(("acme_agents.action",), name=("called",), description=("says",)),),
)


def _tools_of_action(action):
    async def invoke(arguments, context):
        return action.perform(**arguments)

    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    yield ForeignTool(ToolSpec(action.name, action.says, schema), invoke, framework="acme", thing=action, function=action.perform)


CLASSES = {"acme_agents.Action": ForeignClass(_tools_of_action)}
'''
PACKAGE = """
class Action:
    def __init__(self, perform, called, says):
        self.perform, self.name, self.says = perform, called, says


def action(*, called, says):
    return lambda function: Action(function, called, says)
"""
MODULE = """
from acme_agents import action


@action(called="forecast", says="Tell the weather of tomorrow in a city.")
def tell(city: str) -> str:
    return f"{city}: sunny"
"""


@pytest.mark.proof
def test_framework_touches_three_files_with_its_case(house):
    house.write("toolkit/frameworks/acme.py", FRAMEWORK)
    house.add("toolkit/tools/foreign/frameworks.py", '    "acme": Framework(("acme_agents",)),', after='    "haystack"')
    house.write("tests/frameworks/cases/acme/tools.py", MODULE)
    assert len(house.touched) == 3

    (house.root / "acme_agents.py").write_text(PACKAGE, "utf-8")  # installed, and not a file of the project
    (house.project / "tools.py").write_text(MODULE, "utf-8")
    listed, _, code = house.run("list", "tools.py", "--format", "json")
    assert ([(one["name"], one["framework"]) for one in json.loads(listed)], code) == ([("forecast", "acme")], 0)
    read, _, code = house.run("list", "--static", "tools.py", "--format", "json")
    assert ([(one["name"], one["framework"]) for one in json.loads(read)], code) == ([("forecast", "acme")], 0)
    assert json.loads(house.run("schema", "tools.py:forecast")[0])["name"] == "forecast"
    assert house.run("run", "tools.py:forecast", "city=Oslo") == ("Oslo: sunny\n", "", 0)
    for options in ((), ("--static",)):
        found = house.run("lint", *options, "tools.py", "--format", "concise", "--quiet", "--profile", "all")
        assert found == ("tools.py:6:10: info[TK204] parameter 'city' of 'forecast' has no description\n", "", 0)


RULE = '''
"""TK198: a name that is a colour."""

from collections.abc import Iterator

from toolkit.codes import COLOURFUL_NAME
from toolkit.lint.definitions.tool_definitions import ToolDefinition  # private
from toolkit.lint.rule import Rule  # private
from toolkit.problems import Problem


class ColourfulName(Rule):
    """The name of a tool is a colour.

    ## Why is this bad?

    It says nothing.
    """

    code = COLOURFUL_NAME
    severity = "error"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        """Report a name that is a colour."""
        if tool.name in {"red", "green"}:
            yield self.problem(f"the name {tool.name!r} is a colour", tool.location)
'''


def test_rule_touches_three_files_with_its_case(house):
    case = "tests/lint/rules/TK198"
    house.add("toolkit/codes.py", 'COLOURFUL_NAME: Final = "TK198"', after="INVALID_PARAMETER_NAME")
    house.write("toolkit/lint/rules/colourful_name.py", RULE)
    house.write(f"{case}/bad.py", TOOL.replace("find_2", "red"))
    house.write(f"{case}/good.py", TOOL)
    assert len({path.removesuffix("/bad.py").removesuffix("/good.py") for path in house.touched}) == 3

    bad, good = (str(house.root / case / name) for name in ("bad.py", "good.py"))
    found, _, code = house.run("lint", bad, "--format", "concise", "--quiet", "--select", "colourful-name")
    assert (found.partition("bad.py:")[2], code) == ("6:5: error[TK198] the name 'red' is a colour\n", 1)
    assert house.run("lint", good, "--quiet", "--select", "TK198") == ("", "", 0)
    assert "TK198" in house.run("lint", bad, "--format", "concise")[0]
    assert "It says nothing." in house.run("lint", "--explain", "TK198")[0]


DECISION = '''
@dataclass(frozen=True, slots=True)
class Skip(Decision):
    """Skip this call; its caller receives the reason and can continue."""

    reason: str = ""
    by: str = field(default="", kw_only=True)

    word: ClassVar["DecisionWord"] = "skip"
    answers: ClassVar = (ProgramAnswer("skip", lambda answer: Skip(answer.get("reason", ""))),)

    def outcome(self, request: ReviewRequest) -> "Granted | Refused":
        """Refuse the call."""
        return Refused(f"Skipped: {self.reason}", self.reason)


'''
GATED = '''
from toolkit import tool


@tool(destructive=True)
def wipe(path: str) -> str:
    """Wipe a file."""
    raise SystemExit("it was called")
'''
REVIEWED = """
import asyncio

from toolkit import Skip, ToolContext, load_tools  # private
from toolkit.approvals import AuditLog, Gate, ScriptedReviewer
from toolkit.webhooks.webhook_messages import read_answer, signed  # private


async def review(request):
    import json

    answer = {"id": "1", "call": request.fingerprint, "decision": "skip", "reason": "by a program"}
    body = json.dumps(answer).encode()
    return read_answer("secret", signed("secret", "answer", body), body, "1", request)


class Programs:
    review = staticmethod(review)


from pathlib import Path

log, heard = AuditLog(Path("audit.jsonl")), []
for reviewer in (ScriptedReviewer([Skip("not now")]), Programs()):
    context = ToolContext(listener=heard.append).replace(gate=Gate(reviewer, audit=log))
    print(load_tools("tools.py")["wipe"].run({"path": "x"}, context).text)
print([one.decision for one in heard if hasattr(one, "decision")])
"""


@pytest.mark.proof
def test_approval_decision_touches_four_files(house):
    decisions = "toolkit/approvals/decisions.py"
    house.change(decisions, "KINDS: Final[", f"{DECISION.lstrip()}KINDS: Final[")
    house.add(decisions, "    Skip,", after="    ExitEarly,")
    house.change("toolkit/__init__.py", 'ExitEarly Reject ReviewRequest"', 'ExitEarly Reject ReviewRequest Skip"')
    house.change("toolkit/events.py", '"reject", "exit_early"]', '"reject", "exit_early", "skip"]')
    menu = "cli/toolkit_cli/reviewing/console_reviewer.py"
    house.add(
        menu,
        '    "skip": _Choice("k", "skip this call", Skip("The reviewer skipped it")),',
        after='    "reject": _Choice',
    )
    house.change(
        menu,
        "import Continue, Decision, Edit, ExitEarly, Reject",
        "import Continue, Decision, Edit, ExitEarly, Reject, Skip",
    )
    assert len(house.touched) == 4

    (house.project / "tools.py").write_text(GATED, "utf-8")
    (house.project / "script.py").write_text(REVIEWED, "utf-8")
    printed, said = house.script("script.py")
    assert (printed.splitlines(), said) == (
        ["Error: Skipped: not now", "Error: Skipped: by a program", "['skip', 'skip']"],
        "",
    )
    records = [json.loads(line) for line in (house.project / "audit.jsonl").read_text("utf-8").splitlines()]
    assert [(one["decision"], one["by"], one["reason"]) for one in records if one["event"] == "decision"] == [
        ("skip", "reviewer", "not now"),
        ("skip", "reviewer", "by a program"),
    ]
    terminal = Terminal(house.project, "run", "tools.py:wipe", "path=x", environment=house.environment)
    terminal.answer("k")
    assert terminal.end() == 3
    assert "skip this call" in terminal.seen
    assert "Skipped: The reviewer skipped it" in terminal.seen
    answers = json.loads(house.run("schema", "--of", "answer")[0])["properties"]["decision"]["enum"]
    assert answers == ["approve", "edit", "answer", "reject", "stop", "skip"]


FAIL = '''
class Fail(NamedTuple):
    """A step that ends the pipeline with an error."""

    message: Value

    @property
    def kind(self) -> str:
        """The key that makes it a step of this kind."""
        return "fail"

    @property
    def values(self) -> Mapping[str, Value]:
        """The values that may contain expressions, by the names under which an outline shows them."""
        return {"message": self.message}


'''
FAIL_STEP = '''
class FailStep:
    """Fails with a message."""

    def __init__(self, fail: Fail) -> None:
        self._message = fail.message

    async def act(self, flow: Flow, turn: Turn) -> Outcome:
        return outcome_of(ToolResult.failure(text_of(self._message.render(flow.roots()))))


'''
FAIL_METHOD = '''
    def fail(self, message: Any, **keys: "Unpack[StepKeys]") -> Self:
        """Add a step that ends the pipeline with an error."""
        return self._add(self._steps, {"fail": message}, keys)

'''
REFUNDS = """
description: Refund an order of the shop, unless the amount is too large, and return the doubled amount.
inputs:
  amount: {type: integer}
steps:
  - id: doubled
    set: ${{ inputs.amount * 2 }}
  - fail: "${{ steps.doubled.output }} is too much"
    when: ${{ inputs.amount > 10 }}
"""
BUILT = """
from toolkit import Pipeline

refund = Pipeline.builder().name("refund").description("Refund.").set(3).fail("no refund of ${{ prev }}").build()
print(refund.run({"input": "x"}).text)
"""


@pytest.mark.proof
def test_step_kind_touches_five_files(house):
    pipelines = "toolkit/pipelines"
    house.change(f"{pipelines}/step_definitions.py", "Action = Use |", f"{FAIL.lstrip()}Action = Fail | Use |")
    row = '    Key("fail", VALUE, "ends the pipeline with this error", beside=frozenset({"fail"})),'
    house.add(f"{pipelines}/step_keys.py", row, after='    Key("set", VALUE')
    house.change(f"{pipelines}/step_keys.py", '("use", "set", "parallel")', '("use", "set", "parallel", "fail")')
    house.add(f"{pipelines}/steps.py", "    Fail,", after="    Each,")
    house.add(
        f"{pipelines}/steps.py",
        '            case "fail":\n                return Fail(own["fail"])',
        after='                return Compute(own["set"])',
    )
    actions = f"{pipelines}/step_actions.py"
    house.change(actions, "import Approval, Compute, Use", "import Approval, Compute, Fail, Use")
    house.add(
        actions,
        "        case Fail() as fail:\n            return FailStep(fail)",
        after="            return ComputeValue(compute)",
    )
    house.change(actions, "class AskPerson:", f"{FAIL_STEP.lstrip()}class AskPerson:")
    house.change(f"{pipelines}/builder.py", "    def on_failure(", f"{FAIL_METHOD.lstrip(chr(10))}    def on_failure(")
    assert len(house.touched) == 5

    (house.project / "refund.yaml").write_text(REFUNDS, "utf-8")
    assert house.run("run", "refund.yaml", "amount=5", "--quiet") == ("10\n", "", 0)
    printed, said, code = house.run("run", "refund.yaml", "amount=50", "--quiet")
    assert (printed, "100 is too much" in said, code) == ("", True, 1)
    assert "fail" in house.run("show", "refund.yaml")[0]
    assert house.run("lint", "refund.yaml", "--quiet", "--select", "TK6") == ("", "", 0)
    schema = json.loads(house.run("schema", "--of", "pipeline")[0])
    assert jsonschema.Draft7Validator(schema).is_valid({"steps": [{"fail": "no"}]})
    assert not jsonschema.Draft7Validator(schema).is_valid({"steps": [{"fail": "no", "set": 1}]})

    (house.project / "both.yaml").write_text(REFUNDS.replace("    when:", "    set: 1\n    when:"), "utf-8")
    assert "a step has either 'fail' or 'set', not both" in house.run("lint", "both.yaml", "--format", "concise")[0]
    (house.project / "misspelt.yaml").write_text(REFUNDS.replace("inputs.amount >", "inputs.amuont >"), "utf-8")
    assert "did you mean 'amount'?" in house.run("lint", "misspelt.yaml")[0]

    (house.project / "script.py").write_text(BUILT, "utf-8")
    assert house.script("script.py") == ("Error: no refund of 3\n", "")


CUSTOMER = """
Customer = Annotated[str | None, typer.Option(metavar="NAME", help="The customer whom the run is for.")]


"""
FOR_CUSTOMER = """
    if options.customer is not None:
        console.say(f"for {options.customer}")
"""
COUNTED = '''
from pathlib import Path

from toolkit import tool


@tool(read_only=True)
def look(n: int) -> int:
    """Look."""
    if Path("broken").exists():
        raise ValueError("broken")
    return n
'''


@pytest.mark.proof
def test_option_that_applies_again_when_a_run_is_resumed_touches_two_files(house):
    options = "cli/toolkit_cli/run_options.py"
    house.change(options, "\n\nclass RunOptions(", f"{CUSTOMER}class RunOptions(")
    house.add(options, "    customer: Customer = None", after="    each: Each = None")
    house.change(
        "cli/toolkit_cli/tool_runs.py", "    run = _batch_of(", f"{FOR_CUSTOMER.lstrip(chr(10))}    run = _batch_of("
    )
    assert len(house.touched) == 2

    (house.project / "tools.py").write_text(COUNTED, "utf-8")
    (house.project / "items.jsonl").write_text("1\n", "utf-8")
    (house.project / "broken").touch()
    batch = ("run", "tools.py:look", "--each", "items.jsonl", "--out", "out.jsonl", "--quiet")
    assert house.run(*batch, "--customer", "Ada")[1].startswith("for Ada\n")
    (house.project / "broken").unlink()
    [run] = json.loads(house.run("runs", "list", "--format", "json")[0])
    assert house.run("runs", "resume", run["id"], "--failed", "--quiet") == ("", "for Ada\n", 0)
    assert (house.project / "out.jsonl").read_text("utf-8") == '{"item": 1, "output": 1}\n'
    assert house.run(*batch) == ("", "", 0)
