"""What a plan warns about: questions beside other steps, and outputs and items that no step takes."""

import pytest

HINT = "questions are asked one at a time; ask once beforehand, in a step that has only 'approve'"


@pytest.mark.parametrize(
    ("steps", "place"),
    [
        ("{for_each: [a, b], max_parallel: 2, use: publish}", "1:9"),
        ("{parallel: {a: {for_each: [a, b], use: publish}, b: upper}}", "1:24"),
        ("{parallel: {a: {parallel: {b: publish}}, c: upper}}", "1:39"),
    ],
)
def test_a_question_beside_other_steps_is_reported(bench, steps, place):
    message = "warning TK621 step 'publish' asks a question while other steps run in parallel"
    assert bench.problems(f"steps: [{steps}]") == [f"{place} {message} ({HINT})"]


@pytest.mark.parametrize(
    "steps", ["publish", "{for_each: [a, b], max_parallel: 1, use: publish}", "{parallel: {a: publish}}"]
)
def test_a_question_that_no_step_runs_beside_is_not_reported(bench, steps):
    assert bench.problems(f"steps: [{steps}]") == []


@pytest.mark.parametrize(
    "step",
    [
        """{when: "${{ prev == 'X' }}", set: 1}""",
        """{when: "${{ prev == 'X' }}", for_each: [a, b], use: reverse}""",
        """{for_each: "${{ split(prev) }}", use: reverse}""",
        """{use: repeat, with: {text: a}, approve: "Repeat it after ${{ prev }}?"}""",
        """{use: repeat, with: {text: a}, approve: {show: "${{ prev }}"}}""",
        """{use: repeat, with: {text: a}, approve: {when: "${{ prev == 'X' }}"}}""",
    ],
)
def test_every_key_that_reads_the_output_takes_it(bench, step):
    assert bench.problems(f"steps: [upper, {step}]") == []


def test_a_step_after_a_failure_takes_its_item_and_needs_no_output(bench):
    text = 'steps: [upper]\non_failure: [{for_each: [a, b], set: "${{ item }}"}, {use: repeat, with: {text: a}}]'
    assert bench.problems(text) == []


def test_a_pipe_that_two_parameters_could_receive_is_fixed_by_naming_the_first(bench):
    _, [problem] = bench.read("steps:\n- upper\n- {use: join_words}\n")
    [edit] = problem.fix.edits
    assert (edit.location.line, edit.location.column, edit.text) == (3, 19, ", pipe: first")
