"""Every sample of an agent lints clean, and runs: with its script, and with a model behind a server by `--model` alone."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.chat_server import ChatServer
from toolkit import Continue, ToolContext, ToolResult
from toolkit.agents import outline_of
from toolkit.approvals import ScriptedReviewer
from toolkit.lint import check
from toolkit.runs import Run
from toolkit.settings import Configuration
from toolkit.sources import open_targets
from toolkit_cli.main import application

SAMPLES = Path(__file__).parents[1] / "sample_pipelines"
FOLDER = Path("sample_pipelines", "agents")
TASK = {"task": "Do what you are for."}
PACKETS = {"first": "250 g for 3.20", "second": "1 kg for 11.90"}

ANSWERS: dict[str, tuple[dict[str, str], str]] = {
    "price_check": (PACKETS, '{"cheaper": "second", "per_kilogram": 11.9}'),
    "bird_reader": (TASK, "Barn owls hunt voles at dusk, and by ear alone."),
    "order_desk": (TASK, "Your order, 2 sencha, 19.00 €, has left the house."),
    "customer_care": (TASK, "Ada Lovelace owes 21.60 €, and has been reminded."),
    "treasurer": (TASK, "Order A-1042: 58 pieces, 4432.70 NOK."),
    "editor": (TASK, "Did you know? Barn owls hunt at dusk, by ear alone."),
    "bulletin": ({}, "# HOW DO OWLS HUNT?\n\nBarn owls hunt voles at dusk, and by ear alone."),
}
CALLS = {
    "price_check": ["calculator", "calculator"],
    "bird_reader": ["find_birds", "read_page", "keep_note"],
    "order_desk": ["write_order", "confirm_order", "send_order"],
    "customer_care": ["find_customer", "balance", "send_reminder"],
    "treasurer": ["agent_process", "order_totals", "process_budget", "progress"],
    "editor": ["bird_reader", "blackboard", "blackboard_get", "find_birds", "keep_note", "read_page"],
    "bulletin": ["bird_reader", "find_birds", "keep_note", "read_page"],
}


@pytest.fixture(autouse=True)
def samples_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the samples, with the working directory above it, as in a fresh clone."""
    shutil.copytree(SAMPLES, tmp_path / "sample_pipelines", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(name: str, run: Run | None = None, **settings: str) -> ToolResult:
    """Run a sample as `toolkit run` does, where a person says yes to everything."""
    opened = open_targets([str(FOLDER / f"{name}.yaml")], Configuration(**settings))  # type: ignore[arg-type]
    assert opened.problems == []
    [tool] = opened.tools.values()
    return tool.run(ANSWERS[name][0], ToolContext(reviewer=ScriptedReviewer([Continue()] * 9), run=run))


def test_there_is_a_lesson_for_each_of_the_samples() -> None:
    names = sorted(path.stem for path in (SAMPLES / "agents").glob("*.yaml") if ".cases" not in path.name)
    lessons = (SAMPLES / "README.md").read_text("utf-8")
    assert names == sorted(ANSWERS)
    assert [name for name in names if f"sample_pipelines/agents/{name}.yaml" not in lessons] == []


@pytest.mark.proof(everyday=3)
@pytest.mark.parametrize("name", ANSWERS)
def test_command_of_the_lesson_runs_offline(name: str) -> None:
    lessons = (SAMPLES / "README.md").read_text("utf-8")
    [command] = re.findall(rf"`toolkit (run sample_pipelines/agents/{name}\.yaml[^`]*)`", lessons)
    finished = CliRunner().invoke(application(), [*shlex.split(command), "--quiet"])
    assert (finished.exit_code, finished.stdout) == (0, f"{ANSWERS[name][1]}\n")


def test_samples_lint_clean() -> None:
    assert check([str(FOLDER)], Configuration()) == []


@pytest.mark.parametrize("name", ANSWERS)
def test_sample_runs_with_its_script(name: str) -> None:
    watched = Run()
    result = run(name, watched)
    assert result.output == ANSWERS[name][1]
    made = {call.tool for call in watched.calls if call.outcome == "success"}
    assert sorted(set(CALLS[name])) == sorted(made - {name, "file_read", "total_order"})


@pytest.mark.proof
@pytest.mark.parametrize("name", ANSWERS)
def test_sample_runs_with_a_server_by_the_name_of_another_model_alone(name: str) -> None:
    with ChatServer.of_folder(FOLDER / "scripts") as server:
        result = run(name, chosen_model="chat:any", model_url=server.url)
        assert len(server.asked) >= 2
    assert result.output == ANSWERS[name][1]


def test_answer_of_price_check_is_data() -> None:
    assert run("price_check").structured == {"cheaper": "second", "per_kilogram": 11.9}


def test_locks_and_states_are_those_that_the_lessons_tell_of() -> None:
    opened = open_targets([str(FOLDER / "bird_reader.yaml"), str(FOLDER / "order_desk.yaml")], Configuration())
    reader, desk = (outline_of(tool) for tool in opened.tools.values())
    assert {tool.name: tool.first for tool in reader.tools} == {
        "find_birds": "",
        "read_page": "use find_birds",
        "keep_note": "use find_birds and read_page",
    }
    assert [state.name for state in desk.states] == ["draft", "confirmed", "sent"]


@pytest.mark.proof
def test_editor_finds_on_the_blackboard_what_the_reader_has_noted() -> None:
    watched = Run()
    run("editor", watched)
    [seen] = [call.output for call in watched.calls if call.tool == "blackboard_get"]
    assert "Barn owls hunt at dusk, by ear alone." in seen


def test_refused_order_stays_a_draft() -> None:
    opened = open_targets([str(FOLDER / "order_desk.yaml")], Configuration())
    watched = Run()
    result = opened.tools["order_desk"].run(TASK, ToolContext(reviewer=ScriptedReviewer([]), run=watched))
    assert [call.tool for call in watched.calls if call.outcome == "success"] == ["order_desk"]
    assert "Error" in result.output


def test_treasurer_is_told_what_is_left() -> None:
    watched = Run()
    run("treasurer", watched)
    [budget] = [call.output for call in watched.calls if call.tool == "process_budget"]
    assert budget.startswith("cost: $0.045 left of $0.05, $0.005 spent\n")
    assert json.loads(json.dumps(watched.spent.tokens)) == 2010
