"""`toolkit lint`."""

import json
import os
import sys

import pytest

from tests.terminals import Terminal
from toolkit.lint import codes
from toolkit.lint.rules import is_default  # private

BAD = """\
from toolkit import tool


@tool
def remind(when) -> str:
    return f"reminded {when}"
"""
REPORT = """\
error[TK201]: tool 'remind' has no description
 --> bad.py:5:5
  |
5 | def remind(when) -> str:
  |     ^^^^^^
  |
hint: write a docstring: what it does and when to use it

warning[TK204]: parameter 'when' of 'remind' has no description
 --> bad.py:5:12
  |
5 | def remind(when) -> str:
  |            ^^^^
  |
hint: add 'when: …' under 'Args:' in the docstring, or write Annotated[…, '…']

warning[TK301]: parameter 'when' of 'remind' has no type
 --> bad.py:5:12
  |
5 | def remind(when) -> str:
  |            ^^^^
  |
hint: annotate it: when: str

Found 1 error and 2 warnings in 1 file. (1 tool in 1 file)
"""
GOOD = '''\
from toolkit import tool


@tool
def remind(when: str) -> str:
    """Remind somebody of an appointment.

    Args:
        when: The day, as `2026-05-17`.
    """
    return f"reminded {when}"
'''
FIXABLE = GOOD.replace("        when:", "        wen:").replace("appointment", "appoint\u200bment")


@pytest.fixture
def bad(project):
    (project / "bad.py").write_text(BAD, "utf-8")
    return project


def test_findings_go_to_stdout_with_their_places_and_cures(invoke, bad):
    result = invoke("lint", "bad.py")
    assert (result.exit_code, result.stdout, result.stderr) == (1, REPORT, "")


def test_without_a_path_the_working_directory_is_checked(invoke, bad):
    assert invoke("lint").stdout == REPORT.replace("in 1 file)", "in 1 file; 1 Python file run)")


def test_without_a_path_configured_sources_are_checked(invoke, bad):
    (bad / "good.py").write_text(GOOD, "utf-8")
    (bad / "toolkit.toml").write_text('sources = ["good.py"]\n', "utf-8")
    result = invoke("lint")
    summary = "All checks passed! (1 tool in 1 file; 1 Python file run)\n"
    assert (result.exit_code, result.stdout, result.stderr) == (0, summary, "")


def test_warnings_alone_fail_nothing(invoke, bad):
    (bad / "bad.py").write_text(GOOD.replace("when: str", "when"), "utf-8")
    result = invoke("lint", "bad.py")
    assert result.exit_code == 0
    assert result.stdout.endswith("Found 1 warning in 1 file. (1 tool in 1 file)\n")


def test_json_is_an_array_of_problems(invoke, bad):
    result = invoke("lint", "bad.py", "--format", "json")
    assert (result.exit_code, result.stderr) == (1, "")
    assert [(problem["code"], problem["location"]["line"]) for problem in json.loads(result.stdout)] == [
        ("TK201", 5),
        ("TK204", 5),
        ("TK301", 5),
    ]
    (bad / "bad.py").write_text(GOOD, "utf-8")
    assert invoke("lint", "bad.py", "--format", "json").stdout == "[]\n"


def test_github_gets_annotations(invoke, bad):
    result = invoke("lint", "bad.py", "--format", "github")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == (
        "::error file=bad.py,line=5,endLine=5,col=5,title=toolkit TK201::"
        "tool 'remind' has no description%0Ahint: write a docstring: what it does and when to use it\n"
        "::warning file=bad.py,line=5,endLine=5,col=12,title=toolkit TK204::"
        "parameter 'when' of 'remind' has no description%0A"
        "hint: add 'when: …' under 'Args:' in the docstring, or write Annotated[…, '…']\n"
        "::warning file=bad.py,line=5,endLine=5,col=12,title=toolkit TK301::"
        "parameter 'when' of 'remind' has no type%0Ahint: annotate it: when: str\n"
    )


def test_file_that_is_not_there_is_a_finding(invoke, bad):
    result = invoke("lint", "gone.py")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith("error[TK001]: there is no file 'gone.py'\n")


def test_file_that_kills_the_interpreter_hides_no_other(invoke, bad):
    (bad / "deadly.py").write_text("import os\nfrom toolkit import Tool\nos._exit(3)\nnever = Tool()\n", "utf-8")
    result = invoke("lint")
    assert result.exit_code == 1
    assert REPORT.rpartition("\n\n")[0] in result.stdout
    assert "deadly.py" in result.stdout


def test_wrong_configuration_is_exit_code_2(invoke, bad):
    (bad / "toolkit.toml").write_text("sources = 3\n", "utf-8")
    result = invoke("lint")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error[TK005]: 'sources' must be a list of strings\n --> toolkit.toml:1:1\n")


# ------------------------------------------------------------------------------------------------------------- selecting


def codes_in(result):
    """Return the codes of the findings of `--format concise`."""
    return [line.partition("[")[2][:5] for line in result.stdout.splitlines() if "[TK" in line]


def test_rules_are_selected_by_code_beginning_and_name(invoke, bad):
    def found(*options):
        return codes_in(invoke("lint", "bad.py", "--format", "concise", *options))

    assert found("--select", "TK2") == ["TK201", "TK204"]
    assert found("--select", "TK2,TK301", "--ignore", "TK204") == ["TK201", "TK301"]
    assert found("--select", "missing-description") == ["TK201"]
    assert found("--ignore", "TK2", "--extend-select", "TK204") == ["TK204", "TK301"]
    assert found("--ignore", "ALL") == []


def test_options_build_on_the_settings(invoke, bad):
    (bad / "pyproject.toml").write_text('[tool.toolkit.lint]\nignore = ["TK3"]\n', "utf-8")
    assert codes_in(invoke("lint", "--format", "concise")) == ["TK201", "TK204"]
    assert codes_in(invoke("lint", "--format", "concise", "--ignore", "TK204")) == ["TK201"]
    assert codes_in(invoke("lint", "--format", "concise", "--extend-select", "TK301")) == ["TK201", "TK204", "TK301"]
    assert codes_in(invoke("lint", "--format", "concise", "--select", "TK301")) == ["TK301"]


def test_unknown_rules_and_providers_are_told_all_at_once(invoke, bad):
    result = invoke("lint", "--select", "TK9,TK40l,quite-other", "--provider", "antropic")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error[TK005]: there is no rule 'TK9'\n"
        "hint: `toolkit lint --explain ALL` shows all\n\n"
        "error[TK005]: there is no rule 'TK40l'\n"
        "hint: did you mean 'TK401' or 'TK402' or 'TK403'?\n\n"
        "error[TK005]: there is no rule 'quite-other'\n"
        "hint: `toolkit lint --explain ALL` shows all\n\n"
        "error[TK005]: unknown provider 'antropic'\n"
        "hint: did you mean 'anthropic' or 'anthropic-strict'?\n"
    )


def test_wrong_lint_settings_are_told_with_their_places(invoke, bad):
    (bad / "toolkit.toml").write_text('[lint]\nignroe = []\nselect = ["TK9"]\nmax-parameters = "8"\n', "utf-8")
    result = invoke("lint")
    assert (result.exit_code, result.stdout) == (2, "")
    assert [line for line in result.stderr.splitlines() if line.startswith(("error", " -->", "hint"))] == [
        "error[TK005]: unknown key 'lint.ignroe'",
        " --> toolkit.toml:2:1",
        "hint: did you mean 'ignore'?",
        "error[TK005]: there is no rule 'TK9'",
        " --> toolkit.toml:3:1",
        "hint: `toolkit lint --explain ALL` shows all",
        "error[TK005]: 'lint.max-parameters' must be a whole number",
        " --> toolkit.toml:4:1",
    ]


# ------------------------------------------------------------------------------------------------------------ exit codes


@pytest.mark.proof
def test_warnings_fail_where_that_is_wanted(invoke, bad):
    assert invoke("lint", "--ignore", "TK201").exit_code == 0
    assert invoke("lint", "--ignore", "TK201", "--warnings-as-errors").exit_code == 1


@pytest.mark.proof
def test_nothing_fails_where_that_is_wanted(invoke, bad):
    assert invoke("lint", "--exit-zero").exit_code == 0


# ---------------------------------------------------------------------------------------------------------------- fixing


def test_fix_mends_files_and_tells_what_is_left(invoke, bad):
    (bad / "bad.py").write_text(FIXABLE, "utf-8")
    result = invoke("lint", "bad.py", "--fix")
    assert (result.exit_code, result.stdout) == (0, "All checks passed! (1 tool in 1 file)\n")
    assert result.stderr == "Fixed 2 problems in 1 file.\n"
    assert (bad / "bad.py").read_text("utf-8") == GOOD


def test_diff_shows_the_fixes_and_changes_nothing(invoke, bad):
    (bad / "bad.py").write_text(FIXABLE, "utf-8")
    result = invoke("lint", "bad.py", "--diff")
    assert (result.exit_code, result.stderr) == (1, "Would fix 2 problems in 1 file.\n")
    assert [line for line in result.stdout.splitlines() if line[:1] in {"-", "+"}] == [
        "--- bad.py",
        "+++ bad.py",
        '-    """Remind somebody of an appoint\u200bment.',
        '+    """Remind somebody of an appointment.',
        "-        wen: The day, as `2026-05-17`.",
        "+        when: The day, as `2026-05-17`.",
    ]
    assert (bad / "bad.py").read_text("utf-8") == FIXABLE
    (bad / "bad.py").write_text(GOOD, "utf-8")
    assert invoke("lint", "bad.py", "--diff").exit_code == 0


@pytest.mark.proof
def test_diff_on_a_terminal_shows_what_the_terminal_would_obey_or_hide(bad):
    (bad / "bad.py").write_text(FIXABLE.replace("somebody", "some\x1b[2Jbody"), "utf-8")
    shown = Terminal(bad, "lint", "bad.py", "--diff", with_stdout=True)
    assert shown.end() == 1
    assert [line for line in shown.seen.splitlines() if line.strip().startswith(('-    """', '+    """'))] == [
        '-    """Remind some\\x1b[2Jbody of an appoint\\u200bment.',
        '+    """Remind some[2Jbody of an appointment.',
    ]


def test_summary_tells_what_can_be_fixed(invoke, bad):
    (bad / "bad.py").write_text(FIXABLE.replace("@tool", "@tool(name='remind me')"), "utf-8")
    result = invoke("lint", "bad.py", "--format", "concise")
    assert result.stdout.splitlines()[-2:] == [
        "Found 3 errors in 1 file.",
        "2 problems can be fixed with `--fix`, 1 more with `--fix --unsafe-fixes`.",
    ]


@pytest.mark.proof
def test_file_that_cannot_be_written_is_told(program, bad):
    (bad / "bad.py").write_text(FIXABLE, "utf-8")
    (bad / "sitecustomize.py").write_text(
        "import os\nreal = os.replace\n\n"
        "def replace(old, new, **options):\n"
        "    if str(new).endswith('bad.py'):\n"
        "        raise OSError(28, 'No space left on device', str(new))\n"
        "    return real(old, new, **options)\n\nos.replace = replace\n",
        "utf-8",
    )
    result = program("lint", "bad.py", "--fix", env={"PYTHONPATH": os.pathsep.join([str(bad), *sys.path])})
    assert (result.returncode, result.stdout) == (1, "")
    assert "No space left on device" in result.stderr
    assert (bad / "bad.py").read_text("utf-8") == FIXABLE
    assert sorted(path.name for path in bad.glob(".bad*")) == []


# -------------------------------------------------------------------------------------------------------------- baseline


def test_only_new_findings_fail_with_a_baseline(invoke, bad):
    written = invoke("lint", "--baseline", "known.json", "--update-baseline")
    assert (written.exit_code, written.stdout) == (0, "All checks passed! (1 tool in 1 file; 1 Python file run)\n")
    assert written.stderr == "wrote 3 findings to the baseline 'known.json'\n"
    (bad / "bad.py").write_text("# moved\n\n" + BAD, "utf-8")
    known = invoke("lint", "--baseline", "known.json")
    assert (known.exit_code, known.stderr) == (0, "3 findings in the baseline\n")
    (bad / "bad.py").write_text(
        BAD + BAD.replace("remind", "forget").replace("(when)", "()").replace("{when}", ""), "utf-8"
    )
    new = invoke("lint", "--baseline", "known.json", "--format", "concise")
    assert new.exit_code == 1
    assert new.stdout.splitlines()[0] == "bad.py:11:5: error[TK201] tool 'forget' has no description"
    (bad / "bad.py").write_text(GOOD, "utf-8")
    gone = invoke("lint", "--baseline", "known.json")
    assert gone.stderr == "3 in the baseline are no longer found; --update-baseline removes them\n"


def test_baseline_may_stand_in_the_settings(invoke, bad):
    (bad / "toolkit.toml").write_text("[lint]\nbaseline = 'known.json'\n", "utf-8")
    missing = invoke("lint")
    assert missing.exit_code == 2
    assert missing.stderr.startswith("error[TK005]: there is no baseline '")
    assert missing.stderr.endswith("hint: write one with --update-baseline\n")
    assert invoke("lint", "--update-baseline").exit_code == 0
    assert invoke("lint").exit_code == 0


def test_baseline_to_update_must_be_named(invoke, bad):
    result = invoke("lint", "--update-baseline")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: there is no baseline to update\nhint: pass its file: --baseline lint-baseline.json\n"
    )


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "it was not written"),
        ("[" * 100_000, "the JSON is broken: nested deeper than 200 levels"),
        (
            '{"toolkit-lint-baseline": 1, "findings": [{"file": "a", "code": "b", "message": "c", "count": 1e999}]}',
            "it was not written",
        ),
    ],
    ids=["another", "deep", "count"],
)
def test_file_that_is_no_baseline_is_told(invoke, bad, text, reason):
    (bad / "known.json").write_text(text, "utf-8")
    result = invoke("lint", "--baseline", "known.json")
    assert result.exit_code == 2
    assert f"the baseline 'known.json' cannot be read: {reason}" in result.stderr


@pytest.mark.proof
def test_broken_baseline_is_reported_where_it_breaks(invoke, bad):
    (bad / "known.json").write_text('{\n  "toolkit-lint-baseline": 1,\n  "findings": [,]\n}\n', "utf-8")
    result = invoke("lint", "--baseline", "known.json")
    assert result.exit_code == 2
    assert "the baseline 'known.json' cannot be read: the JSON is broken: a value is expected" in result.stderr
    assert "--> known.json:3:16" in result.stderr


@pytest.mark.proof
def test_file_that_is_no_baseline_is_not_overwritten(invoke, bad):
    (bad / "profile").write_text("mine", "utf-8")
    (bad / "known.json").symlink_to(bad / "profile")
    (bad / "new.json").symlink_to(bad / "made")
    (bad / "old.json").write_text('<<<<<<< {"toolkit-lint-baseline": 1', "utf-8")
    for name, told in [("known", "cannot"), ("new", "cannot"), ("old", "wrote 3 findings")]:
        result = invoke("lint", "--baseline", f"{name}.json", "--update-baseline")
        assert told in result.stderr
    assert (bad / "profile").read_text("utf-8") == "mine"
    assert not (bad / "made").exists()
    assert invoke("lint", "--baseline", "profile", "--update-baseline").stderr == (
        "error: cannot write 'profile': it already exists and is not a baseline\n"
    )


# ------------------------------------------------------------------------------------------------------------- the rest


def test_statistics_count_each_rule(invoke, bad):
    (bad / "more.py").write_text(FIXABLE.replace("remind", "recall"), "utf-8")
    result = invoke("lint", "--statistics")
    assert result.exit_code == 1
    assert result.stdout == (
        "1  TK201  [ ] missing-description\n"
        "1  TK204  [ ] missing-parameter-description\n"
        "1  TK205  [*] docstring-parameter-mismatch\n"
        "1  TK301  [ ] untyped-parameter\n"
        "1  TK501  [*] hidden-unicode\n"
    )


def test_rule_is_explained_by_code_and_by_name(invoke, project):
    by_code, by_name = invoke("lint", "--explain", "tk201"), invoke("lint", "--explain", "missing-description")
    assert by_code.stdout == by_name.stdout
    assert by_code.stdout.startswith(
        "# missing-description (TK201)\n\n*severity: error*\n\nA tool has no description.\n\n## Why\n"
    )


def test_it_is_said_which_rules_are_off_by_default(invoke, project):
    page = invoke("lint", "--explain", "TK617").stdout
    assert page.splitlines()[2] == "*severity: info · off by default · fixed by `--fix --unsafe-fixes`*"


def test_all_rules_are_listed(invoke, project):
    lines = invoke("lint", "--explain", "ALL").stdout.splitlines()
    assert "TK201  error           missing-description: A tool has no description." in lines
    assert len([line for line in lines if " off " in line[:24]]) == len(codes()) - len(
        list(filter(is_default, codes()))
    )
    assert len(lines) == len(codes())


def test_unknown_rule_to_explain_is_told(invoke, project):
    result = invoke("lint", "--explain", "TK20")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: there is no rule 'TK20'\nhint: did you mean 'TK")


def test_findings_are_written_to_files_too(invoke, bad):
    result = invoke("lint", "bad.py", "--output", "json=out/found.json", "--output", "concise=found.txt")
    assert (result.exit_code, result.stdout) == (1, REPORT)
    assert [one["code"] for one in json.loads((bad / "out/found.json").read_text("utf-8"))] == [
        "TK201",
        "TK204",
        "TK301",
    ]
    assert (bad / "found.txt").read_text("utf-8").count("\n") == 4


@pytest.mark.parametrize("output", ["json", "json=", "yaml=found.yaml"])
def test_output_that_is_no_format_and_file_is_refused(invoke, bad, output):
    result = invoke("lint", "--output", output)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: '{output}' is not FORMAT=FILE\n")


def test_static_reads_and_runs_nothing(invoke, bad):
    (bad / "bad.py").write_text("raise SystemExit('run')\n" + BAD, "utf-8")
    result = invoke("lint", "bad.py", "calculator", "--static", "--format", "concise")
    assert result.exit_code == 1
    assert result.stdout == (
        "warning[TK004] 'calculator' is not a file, and with '--static' nothing is imported to find it\n"
        "bad.py:6:5: error[TK201] tool 'remind' has no description\n"
        "bad.py:6:12: warning[TK204] parameter 'when' of 'remind' has no description\n"
        "bad.py:6:12: warning[TK301] parameter 'when' of 'remind' has no type\n"
        "Found 1 error and 3 warnings in 1 file. (1 tool in 1 file; read, not run; 27 rules need an import)\n"
    )


@pytest.mark.proof
def test_results_are_kept_where_it_is_said(program, bad):
    program("lint", env={"TOOLKIT_CACHE_DIR": str(bad / "kept")})
    assert (bad / "kept" / ".gitignore").read_text() == "*\n"
    assert not (bad / ".toolkit_cache").exists()
    program("lint", "--no-cache")
    assert not (bad / ".toolkit_cache").exists()
    expected = REPORT.replace("in 1 file)", "in 1 file; 1 Python file run)")
    assert program("lint").stdout == program("lint").stdout == expected
    assert (bad / ".toolkit_cache").is_dir()


STRICTLY = '''\
from toolkit import tool


@tool
def reserve(labels: dict[str, str]) -> str:
    """Reserve a table for a guest.

    Args:
        labels: What is known of the guest.
    """
    return str(labels)
'''


@pytest.mark.proof
def test_compatibility_shows_who_takes_what_and_why_not(project, invoke):
    (project / "tools.py").write_text(STRICTLY)
    (project / "good.py").write_text(GOOD)
    shown = invoke(
        "lint", "--compat", "tools.py", "good.py", "--provider", "openai,openai-strict", env={"COLUMNS": "120"}
    )
    assert shown.exit_code == 1
    assert shown.stdout == (
        "TOOL          openai  openai-strict\n"
        "reserve       69      no\n"
        "remind        58      69\n"
        "all together  127     153\n"
        "\n"
        "a number: accepted, adds about that many tokens to each request; !: something is lost; no: rejected\n"
        "\n"
        "TOOL     PROVIDER       CODE   WHY\n"
        "reserve  openai-strict  TK304  'labels' has arbitrary members, but it can only be sent empty\n"
    )


def test_compatibility_as_data_has_every_provider(project, invoke):
    (project / "tools.py").write_text(STRICTLY)
    shown = invoke("lint", "--compat", "--format", "json", "tools.py")
    [tool] = json.loads(shown.stdout)["tools"]
    assert shown.exit_code == 0
    assert [name for name, verdict in tool["providers"].items() if not verdict["taken"]] == [
        "openai-strict",
        "anthropic-strict",
    ]
    assert set(json.loads(shown.stdout)["all"]) == set(tool["providers"])


def test_compatibility_is_written_as_text_or_json_alone(project, invoke):
    shown = invoke("lint", "--compat", "--format", "sarif", ".")
    assert (shown.exit_code, shown.stderr) == (
        2,
        "error: '--compat' does not support the format sarif, only text and json\n",
    )


def test_folder_without_tools_is_reported_and_fails_where_tools_are_required(invoke, project):
    (project / "code").mkdir()
    (project / "code/module.py").write_text("X = 1\n", "utf-8")
    result = invoke("lint", "code", "--format", "concise")
    assert (result.exit_code, result.stdout) == (
        0,
        "warning[TK004] no tools were found in 'code'\nFound 1 warning. (no tools; 1 Python file read, 0 run)\n",
    )
    result = invoke("lint", "code", "--format", "concise", "--require-tools")
    assert (result.exit_code, result.stdout) == (
        1,
        "error[TK004] no tools were found in 'code'\nFound 1 error. (1 Python file read, 0 run)\n",
    )
    for path in ("code", "code/module.py"):
        result = invoke("lint", path, "--require-tools", "--ignore", "TK004")
        assert (result.exit_code, "no tools were found in" in result.stdout) == (1, True)


@pytest.mark.parametrize(
    "command", [["lint", "--static", "code"], ["lint", "--static", "code/a.py"], ["list", "--static", "code"]]
)
def test_decorator_of_the_project_that_may_register_tools_is_named(invoke, project, command):
    (project / "code").mkdir()
    (project / "code/a.py").write_text("from own import shop\n\n\n@shop.shoptool\ndef send(): ...\n", "utf-8")
    hint = "hint: '@shop.shoptool' in 'a.py' is not a mark of a known framework; if it registers tools, name it in 'tool-decorators'"

    result = invoke(*command)

    assert hint in (result.stdout + result.stderr).splitlines()


def test_configuration_with_only_servers_is_no_check_of_them(invoke, project):
    (project / "toolkit.toml").write_text("[mcp.time]\ncommand = 'time-server'\n", "utf-8")
    result = invoke("lint", "--require-tools")
    assert (result.exit_code, result.stdout) == (
        1,
        (
            "error[TK004]: no tools were found in '.'\n"
            "hint: name the MCP servers to check what they list: `toolkit lint time`\n"
            "\n"
            "Found 1 error.\n"
        ),
    )


def test_folder_whose_file_does_not_import_is_reported_once(invoke, project):
    (project / "code").mkdir()
    (project / "code/module.py").write_text("from toolkit import tool\n\nnonsense\n\n\n@tool\ndef f(): ...\n", "utf-8")
    result = invoke("lint", "code", "--format", "concise", "--select", "TK0")
    assert [line.split()[1] for line in result.stdout.splitlines()[:-1]] == ["error[TK002]"]
