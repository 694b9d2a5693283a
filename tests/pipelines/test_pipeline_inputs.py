"""What a pipeline takes: one text, or inputs that are checked when the run starts, all at once."""

import pytest

from toolkit import Pipeline, ToolResult, tool

INPUTS = """
inputs:
  repo: {type: string, pattern: '^[\\w.-]+/[\\w.-]+$', description: Owner and name}
  limit: {type: integer, default: 20, minimum: 1, maximum: 100}
  labels: {type: array, items: {type: string, minLength: 2}, default: [bug], maxItems: 2}
  kind: {enum: [open, closed], default: open}
  since: {type: string, format: date, default: "2026-01-31"}
  who: {type: object, properties: {mail: {type: string, format: email}, age: {type: number}}, required: [mail], default: {mail: a@b.io}}
  any:
steps:
  - set: [ "${{ inputs.repo }}", "${{ inputs.limit }}", "${{ inputs.labels }}", "${{ inputs.kind }}", "${{ inputs.since }}", "${{ inputs.who }}", "${{ inputs.any }}" ]
"""


def test_defaults_are_filled_in(bench):
    result = bench.run(INPUTS, {"repo": "a/b", "any": None})
    assert result.structured == ["a/b", 20, ["bug"], "open", "2026-01-31", {"mail": "a@b.io"}, None]


def test_numbers_may_come_as_text_and_unknown_inputs_are_ignored(bench):
    result = bench.run(INPUTS, '{"repo": "a/b", "limit": "5", "labels": ["one", "two"], "any": {"x": 1}, "more": 1}')
    assert result.structured[1:3] == [5, ["one", "two"]]
    assert result.structured[-1] == {"x": 1}


def test_everything_missing_and_wrong_is_told_at_once(bench):
    wrong = {"limit": 1000, "labels": ["x", "yy"], "kind": "shut", "who": {"age": "old"}}
    result = bench.run(INPUTS, wrong)
    assert result.error_code == "invalid_arguments"
    assert result.error == (
        "Missing required parameter(s): repo, any, who.mail; "
        "Invalid parameter 'limit': should be less than or equal to 100, not 1000; "
        "Invalid parameter 'labels[0]': string should have at least 2 characters, not \"x\"; "
        "Invalid parameter 'kind': should be 'open' or 'closed', not \"shut\"; "
        "Invalid parameter 'who.age': must be a number, not \"old\""
    )


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", "2026-02-28", "2026-02-30"),
        ("date-time", "2026-02-28T10:00:00+01:00", "2026-02-28"),
        ("time", "10:30", "1030"),
        ("duration", "P1DT2H", "P"),
        ("email", "ada@example.org", "ada@example"),
        ("hostname", "www.example.org", "-www.example.org"),
        ("ipv4", "127.0.0.1", "127.0.0.256"),
        ("ipv6", "::1", "::g"),
        ("regex", "[a-z]+", "[a-z"),
        ("uri", "https://example.org/a?b", "example.org"),
        ("uuid", "12345678-1234-5678-1234-567812345678", "1234"),
    ],
)
def test_formats_are_checked(bench, name, good, bad):
    text = f'inputs: {{x: {{type: string, format: {name}}}, all: {{type: array, items: {{format: {name}}}, default: []}}}}\nsteps: [{{set: "${{{{ [inputs.x, inputs.all] }}}}"}}]'
    assert bench.run(text, {"x": good}).succeeded
    assert bench.run(text, {"x": bad, "all": [good, bad]}).error == (
        f"Invalid parameter 'x': it is not a valid {name}: {bad!r}; Invalid parameter 'all[1]': it is not a valid {name}: {bad!r}"
    )


def test_a_wrong_call_runs_nothing(bench):
    from toolkit import tool

    calls = []

    @tool
    def note(text: str) -> str:
        """Keep a note."""
        calls.append(text)
        return text

    bench.add(note).run(
        "inputs: {n: {type: integer}, m: {type: integer, default: 1}}\nsteps: [{note: {text: '${{ inputs.n + inputs.m }}'}}]",
        {"n": "x"},
    )
    assert calls == []


def test_the_only_input_is_what_the_first_step_receives(bench):
    assert bench.run("inputs: {url: {type: string}}\nsteps: [upper]", {"url": "ab"}).output == "AB"
    assert (
        bench.run("inputs: {n: {type: integer}}\nsteps: [{use: add, pipe: a, with: {b: 1}}]", {"n": "4"}).structured
        == 5
    )


def test_input_is_the_only_input_whatever_its_name(bench):
    assert (
        bench.run('inputs: {url: {type: string}}\nsteps: [{set: "${{ input + inputs.url }}"}]', {"url": "ab"}).output
        == "abab"
    )


def test_without_inputs_there_is_one_text(bench):
    pipeline = bench.load("description: Says it loudly.\nsteps: [upper]")
    assert pipeline.spec.definition == {
        "name": "pipeline",
        "description": "Says it loudly.",
        "parameters": {
            "type": "object",
            "properties": {"input": {"type": "string", "description": "The input to pass to the tool"}},
            "required": ["input"],
        },
    }
    assert (pipeline.run("ab"), pipeline.run('{"input": "ab"}'), pipeline.run("")) == (
        ToolResult("AB"),
        ToolResult("AB"),
        ToolResult(""),
    )


READ_NOTHING = [
    "steps: [{add: {a: 1, b: 2}}]",
    "steps: [{add: {a: 1, b: 2}}, {use: repeat, pipe: text, with: {times: 2}}]",
    "steps: [{for_each: [a, b], use: upper}]",
    "steps: [{parallel: {one: {set: 1}, two: [{set: b}, upper]}}]",
    "steps: [{approve: Go?}, {set: 1}]",
    "steps: [{set: 1, when: '${{ 1 > 2 }}'}]",
    "steps: [{set: 1}]\noutput: ${{ prev }}",
    "steps: [{set: 1}]\non_failure: [upper]",
]
READ_TEXT = [
    "steps: [upper]",
    "steps: [{add: {a: 1, b: 2}}, {set: '${{ input }}'}]",
    "steps: [{set: '${{ prev }}'}]",
    "steps: [{set: '${{ inputs }}'}]",
    "steps: [{set: 1, when: '${{ len(prev) > 2 }}'}]",
    "steps: [{for_each: '${{ lines(input) }}', use: upper}]",
    "steps: [{parallel: {one: {set: 1}, two: [upper]}}]",
    "steps: [{approve: 'Post ${{ prev }}?'}, {set: 1}]",
    "steps: [{approve: Go?}, {repeat: {times: 2}}]",
    "steps: [{approve: Go?}]",
    "steps: [{set: 1, when: '${{ 1 > 2 }}'}, upper]",
    "steps: [{set: 1}]\noutput: ${{ input }}",
    "steps: [{set: 1}]\non_failure: [{set: '${{ input }}'}]",
]


@pytest.mark.parametrize("text", READ_NOTHING)
def test_a_pipeline_whose_steps_need_no_text_asks_for_none(bench, text):
    pipeline = bench.read(text)[0]
    assert (pipeline.spec.parameters, pipeline.pipe) == ({"type": "object", "properties": {}}, "parameter")


@pytest.mark.parametrize("text", READ_TEXT)
def test_a_pipeline_with_a_step_that_needs_the_text_asks_for_it(bench, text):
    pipeline = bench.read(text)[0]
    assert (list(pipeline.spec.required), pipeline.pipe) == (["input"], "text")


def test_a_pipeline_made_in_python_always_takes_one_text():
    @tool
    def greet() -> str:
        """Say hello to everybody."""
        return "hello"

    pipeline = Pipeline.of(greet)
    assert pipeline.spec.required == ("input",)
    assert [problem.message for problem in pipeline.problems] == [
        "step 'greet' does not use the pipeline's input, which is lost"
    ]


def test_the_schema_of_inputs_is_the_tools(bench):
    text = "inputs: {a: {type: string, description: First}, b: {type: integer, default: 2}}\nsteps: [{repeat: {text: '${{ inputs.a }}', times: '${{ inputs.b }}'}}]"
    assert bench.load(text).spec.parameters == {
        "type": "object",
        "properties": {"a": {"type": "string", "description": "First"}, "b": {"type": "integer", "default": 2}},
        "required": ["a"],
    }


def test_a_pipeline_can_take_nothing(bench):
    pipeline = bench.load("inputs: {}\nsteps: [{set: 1}]")
    assert pipeline.spec.parameters == {"type": "object", "properties": {}}
    assert pipeline.run().structured == 1
    assert pipeline.run("").structured == 1
