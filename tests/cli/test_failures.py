"""Whatever is raised becomes an exit code and words."""

import json

import pytest
import typer

from toolkit.errors import (
    ConfigurationError,
    ExitEarlyError,
    InvalidTools,
    ToolArgumentsError,
    ToolExecutionError,
)
from toolkit.problems import Problem
from toolkit_cli.failures import ExitCode, Failure, code_for, exit_code_of  # private


def raising(error):
    def work():
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "exit_code", "told"),
    [
        (Failure(ExitCode.APPROVAL, "nobody can be asked", hint="use --yes"), 3, "error: nobody can be asked\nhint: use --yes\n"),
        (InvalidTools(problems=[Problem("TK101", "a"), Problem("TK103", "b")]), 2, "error[TK101]: a\n\nerror[TK103]: b\n"),
        (InvalidTools(problems=[Problem("TK001", "gone")]), 4, "error[TK001]: gone\n"),
        (ConfigurationError("no reviewer"), 2, "error: no reviewer\n"),
        (ToolArgumentsError("x is missing"), 2, "error: x is missing\n"),
        (ToolExecutionError("no network"), 1, "error: no network\n"),
        (ExitEarlyError("enough"), 3, "error: enough\n"),
        (typer.BadParameter("no such thing."), 2, "error: invalid value: no such thing\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
    ],
)  # fmt: skip
def test_what_was_raised_has_its_exit_code_and_words(error, exit_code, told, capsys):
    assert exit_code_of(raising(error), ["run"]) == exit_code
    assert capsys.readouterr().err == told


def test_what_the_work_returns_is_the_exit_code():
    assert exit_code_of(lambda: ExitCode.FINDINGS, []) == 1
    assert exit_code_of(lambda: None, []) == 0
    assert exit_code_of(raising(typer.Exit(5)), []) == 5


def test_not_found_is_the_exit_code_only_where_nothing_else_is_wrong():
    gone, broken, odd = Problem("TK001", "a"), Problem("TK002", "b"), Problem("TK301", "c", severity="warning")
    assert code_for([]) == code_for([odd]) == 0
    assert code_for([gone, odd]) == 4
    assert code_for([gone, broken]) == 2


def test_fault_of_ours_is_reported_without_the_values_of_the_command_line(capsys):
    arguments = ["no_command", "secret.py", "token=hunter2", "--input", "hunter2", "--context=key=hunter2", "-v"]
    assert exit_code_of(raising(KeyError("x")), arguments) == 70
    told = capsys.readouterr().err
    assert told.startswith(
        "error: internal error: KeyError: 'x'\nhint: this is a bug in toolkit: please report it\n\n--- report ---\n"
    )
    assert "command: toolkit … … … --input … --context=… …\nraised: KeyError\n  cli/toolkit_cli/failures.py:" in told
    assert "hunter2" not in told
    assert "Traceback" not in told


def test_debug_shows_the_traceback(capsys):
    assert exit_code_of(raising(ConfigurationError("no reviewer")), ["run", "--debug"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("Traceback (most recent call last):\n")
    assert told.endswith("\n\nerror: no reviewer\n")


@pytest.mark.parametrize(
    "arguments", [["--format", "json"], ["--format=jsonl"], ["--format", "text", "--format", "json"]]
)
def test_programs_get_one_json_object(arguments, capsys):
    assert exit_code_of(raising(KeyError("x")), ["list", *arguments]) == 70
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert json.loads(told)["exit_code"] == 70
