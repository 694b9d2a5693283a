"""What a pipeline cannot do: eat the machine by repeating itself."""

import pytest


@pytest.mark.proof
def test_values_that_double_from_step_to_step_end_in_a_failure(bench):
    step = '  - set: {a: "${{ prev }}", b: "${{ prev }}"}\n'
    result = bench.run("steps:\n" + step * 60, "x")
    assert result.error_code == "expression"
    assert result.error.startswith("the value is too large at ")


def test_what_is_known_of_values_that_double_stays_small(bench):
    step = '  - set: {a: "${{ prev }}", b: "${{ prev }}"}\n'
    assert bench.load("steps:\n" + step * 60).spec.output_schema is None
    assert bench.load("steps:\n" + step * 2).spec.output_schema["properties"]["a"]["properties"]["b"] == {
        "type": "string"
    }


@pytest.mark.proof
@pytest.mark.parametrize(
    "step",
    [
        '  - {set: ["${{ prev }}"]}\n',
        '  - {set: {a: "${{ prev }}"}, when: "${{ len(input) > 0 }}"}\n',
        '  - {for_each: [1], set: "${{ [prev, item] }}"}\n',
        "  - {use: upper, when: \"${{ input != 'x' }}\"}\n",
    ],
)
def test_long_chains_of_all_kinds_are_planned_and_run(bench, step):
    pipeline = bench.load("steps:\n" + step * 900)
    assert len(pipeline.steps) == 900
    result = pipeline.run("some")
    assert isinstance(result.output, str)


def test_more_steps_than_a_thousand_are_refused_where_they_begin(bench):
    text = "steps:\n" + "  - upper\n" * 1_001
    assert bench.problems(text) == [
        "1002:5 TK602 a pipeline has at most 1,000 steps, and this has 1,001 (use for_each, or split it into several pipelines)"
    ]


@pytest.mark.proof
def test_a_list_of_many_items_is_done_in_bounded_memory(bench):
    text = 'steps: [{set: "${{ split(input) }}"}, {for_each: "${{ prev }}", use: upper, max_parallel: 8}, {set: "${{ len(prev) }}"}]'
    assert bench.run(text, "ab " * 3_000).structured == 3_000
