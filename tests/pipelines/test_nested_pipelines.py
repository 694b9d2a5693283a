"""Pipelines that call pipelines: files by their paths, circles, and what is known of a pipeline as a tool."""

import pytest

from toolkit import Pipeline, ToolContext, ToolResult
from toolkit.tools import RecordingMetrics


def test_a_file_calls_another_by_its_path(bench):
    (bench.folder / "below").mkdir()
    bench.write("steps: [upper, ../last.yaml]", "below/middle.yaml")
    bench.write("name: last\nsteps: [reverse]", "last.yaml")
    assert bench.run("steps: [repeat, ./below/middle.yaml]", "ab").output == "BA BA"


def test_a_pipeline_with_inputs_is_called_like_a_function(bench):
    bench.write(
        "inputs: {word: {type: string}, times: {type: integer, default: 2}}\nsteps: [{repeat: {text: '${{ inputs.word }}', times: '${{ inputs.times }}'}}]",
        "inner.yaml",
    )
    assert bench.run("steps: [upper, ./inner.yaml, {use: ./inner.yaml, with: {times: 1}}]", "a").output == "A A"


def test_what_is_wrong_in_another_file_is_told_with_its_own_place(bench):
    bench.write("steps: [uper]", "inner.yaml")
    problems = bench.read("steps: [upper, ./inner.yaml]")[1]
    assert [
        (problem.location.file.rpartition("/")[2], problem.location.line, problem.message) for problem in problems
    ] == [("inner.yaml", 1, "unknown tool 'uper'")]


def test_a_circle_of_files_is_refused_at_the_step_that_closes_it(bench):
    bench.write("steps: [./b.yaml]", "a.yaml")
    bench.write("steps: [./a.yaml]", "b.yaml")
    problems = bench.read("steps: [./a.yaml]")[1]
    assert [
        (problem.code, problem.location.file.rpartition("/")[2], problem.message, problem.hint) for problem in problems
    ] == [
        (
            "TK622",
            "b.yaml",
            "pipelines call each other in a circle: a.yaml → b.yaml → a.yaml",
            "remove one of these steps",
        )
    ]


def test_a_file_that_calls_itself_is_refused(bench):
    assert bench.problems("steps: [./pipeline.yaml]") == [
        "1:9 TK622 pipelines call each other in a circle: pipeline.yaml → pipeline.yaml (remove one of these steps)"
    ]


def test_many_files_are_each_read_once(bench):
    for number in range(18):
        bench.write(f"steps: [./p{number + 1}.yaml, ././p{number + 1}.yaml]", f"p{number}.yaml")
    bench.write("steps: [upper]", "p18.yaml")
    pipeline, problems = bench.read("steps: [./p17.yaml]")
    assert problems == []
    assert pipeline.run("x").output == "X"
    pipeline, problems = bench.read("steps: [./p0.yaml]")
    assert problems == []
    assert pipeline is not None


def test_too_many_levels_of_files_are_refused(bench):
    for number in range(25):
        bench.write(f"steps: [./p{number + 1}.yaml]", f"p{number}.yaml")
    [problem] = bench.read("steps: [./p0.yaml]")[1]
    assert (problem.code, problem.message) == ("TK622", "pipelines call each other more than 20 deep")


def test_a_missing_file_is_an_unknown_tool(bench):
    assert bench.problems("steps: [./nowhere.yaml]") == [
        f"1:9 TK604 there is no pipeline './nowhere.yaml' (looked for {bench.folder}/nowhere.yaml)"
    ]


def test_each_pipeline_records_its_own_metrics_after_its_steps():
    from toolkit.builtin import Calculator

    metrics = RecordingMetrics()
    inner = Pipeline.of(Calculator(), name="inner", description="Inner.")
    Pipeline.of(inner, inner, name="outer", description="Outer.").run("1+1", ToolContext(metrics=metrics))
    assert [tool for operation, tool in metrics.operations() if operation == "success"] == [
        "calculator",
        "inner",
        "calculator",
        "inner",
        "outer",
    ]


def test_a_failure_inside_is_the_failure_outside(bench):
    bench.write("steps: [fail]", "inner.yaml")
    assert bench.run("steps: [./inner.yaml, upper]", "x") == ToolResult.failure("no x", "refused")


@pytest.mark.parametrize(("steps", "read_only"), [("list_issues", True), ("list_issues, upper", None)])
def test_a_pipeline_is_read_only_if_all_its_tools_are(bench, steps, read_only):
    assert bench.load(f"steps: [{steps}]").spec.read_only is read_only


def test_a_pipeline_tells_what_it_returns(bench):
    bench.write("inputs: {repo: {type: string}}\nsteps: [list_issues]", "inner.yaml")
    text = "steps: [{id: page, use: ./inner.yaml}]\noutput: {first: '${{ steps.page.output.issues[0].title }}', n: '${{ steps.page.output.total }}'}"
    pipeline = bench.load(text)
    assert pipeline.spec.output_schema["properties"] == {"first": {"type": "string"}, "n": {"type": "integer"}}
    assert pipeline.run("r").structured == {"first": "r: crash at start", "n": 3}


def test_a_pipeline_is_a_tool_under_other_names_and_round_other_tools(bench):
    pipeline = bench.load("steps: [upper]").with_name("shout").with_note("Loudly.")
    assert (pipeline.name, pipeline.run("x").output) == ("shout", "X")
    assert Pipeline.of(pipeline, pipeline).name == "shout_then_shout"
