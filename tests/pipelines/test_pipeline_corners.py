"""Corners: what happens where two rules meet."""

import json
from dataclasses import dataclass

import pytest

from toolkit import ConfigurationError, Pipeline, Tool, ToolExecutionError, ToolResult, TypedTool, tool
from toolkit.approvals import Verdict


class DenyAll:
    needs_arguments = False

    def judge(self, call):
        return Verdict("deny", "rule 7")


@pytest.mark.parametrize("step", ["{approve: true}", "{use: upper, approve: true}"])
def test_what_a_policy_denies_does_not_run(bench, step):
    assert bench.run(f"steps: [{step}]", "x", policy=DenyAll()) == ToolResult.failure("Denied by rule 7", "rejected")


def test_a_signal_while_cleaning_up_does_not_hide_the_failure(bench, caplog):
    result = bench.run("steps: [fail]\non_failure: [publish, upper]", "x")
    assert result == ToolResult.failure("no x", "refused")
    [message] = [record.message for record in caplog.records if record.name == "toolkit.pipelines"]
    assert message.startswith("on_failure step 'publish' failed: tool 'publish' requires approval"), message


def test_a_fallback_that_fails_is_the_failure(bench):
    result = bench.run("steps: [{use: fail, on_error: {value: '${{ error.message.size }}'}}]", "x")
    assert result.error_code == "expression"


def test_without_any_tools_the_hint_is_where_to_name_them(bench):
    bench.opening.tools.clear()
    assert bench.problems("steps: [upper]") == ["1:9 TK604 unknown tool 'upper' (list a source of tools under 'tools')"]


def test_a_retry_waits_in_the_loop_when_there_is_one(bench):
    failures = [1, 2]

    @tool
    async def flaky(text: str) -> str:
        """Work the third time."""
        if failures:
            raise ToolExecutionError("busy", failures.pop())
        return text

    text = "steps: [{use: flaky, retry: {attempts: 3, backoff: 1ms}}, later]"
    assert bench.add(flaky).run(text, "x").output == "x"


class HTTPStatusError(Exception):
    """As HTTP clients raise it."""

    def __init__(self, status):
        super().__init__(f"status {status}")
        self.response = type("Response", (), {"status_code": status})()


@pytest.mark.parametrize(("status", "attempts"), [(429, 2), (503, 2), (404, 1)])
def test_the_status_of_an_answer_tells_whether_to_try_again(bench, status, attempts):
    calls = []

    @tool
    def fetch(text: str) -> str:
        """Fetch."""
        calls.append(text)
        raise HTTPStatusError(status)

    text = "steps: [{use: fetch, retry: {attempts: 2, backoff: 0s, errors: [rate_limit, network]}}]"
    bench.add(fetch).run(text, "x")
    assert len(calls) == attempts


def test_signals_of_branches_inside_branches_leave_bare(bench):
    @tool
    async def stop(text: str) -> str:
        """Stop everything."""
        raise ConfigurationError("not set up")

    text = "steps: [{parallel: {a: {parallel: {b: stop, c: forever}}, d: forever}}]"
    with pytest.raises(ConfigurationError, match="not set up"):
        bench.add(stop).run(text, "x")


def test_signals_of_items_leave_bare(bench):
    @tool
    async def stop(text: str) -> str:
        """Stop everything."""
        raise ConfigurationError("not set up")

    with pytest.raises(ConfigurationError, match="not set up"):
        bench.add(stop).run('steps: [{for_each: "${{ split(input) }}", max_parallel: 2, use: stop}]', "a b c")


@dataclass
class Tree:
    name: str
    children: list["Tree"]


class Size(TypedTool[Tree]):
    name = "size"
    description = "Counts the nodes of a tree."

    def execute(self, tree: Tree) -> int:
        return 1 + sum(self.execute(child) for child in tree.children)


def test_types_that_refer_to_themselves_are_checked(bench):
    @tool
    def grow(name: str) -> Tree:
        """Make a tree."""
        return Tree(name, [Tree("leaf", [])])

    bench.add(grow, Size())
    assert bench.run("steps: [grow, size]", "oak").structured == 2
    text = 'steps: [{id: tree, use: grow}, {use: repeat, with: {text: "${{ steps.tree.output.children[0].nam }}"}}]'
    assert bench.problems(text) == [
        "1:64 TK605 'steps.tree.output.children[0].nam' does not exist: there is no 'nam' (did you mean 'name'?)"
    ]


def test_a_value_that_may_be_nothing_is_not_refused(bench):
    @tool
    def find(text: str) -> int | None:
        """Find a number."""
        return int(text) if text.isdecimal() else None

    bench.add(find)
    text = 'steps: [find, {use: odd, with: {number: "${{ prev }}"}}]'
    assert bench.run(text, "3").structured == 3
    assert bench.run(text, "x").error_code == "invalid_arguments"


def test_a_choice_between_types_is_refused_only_where_none_fits(bench):
    @tool
    def either(text: str) -> list[int] | bool:
        """Give one of two."""
        return [1]

    assert bench.add(either).problems('steps: [either, {use: odd, with: {number: "${{ prev }}"}}]') == [
        "1:43 TK607 'number' of tool 'odd': a list instead of a whole number"
    ]


def test_types_are_held_against_one_another_however_deep_they_lie(bench):
    def nested(kind, levels):
        inner = {"type": kind} if levels == 0 else nested(kind, levels - 1)
        return {"type": "object", "properties": {"a": inner}, "required": ["a"]}

    deep = Tool.create("deep", "Take what lies deep.", nested("integer", 20), lambda a: "")
    [told] = bench.add(deep).problems(
        f'inputs: {{a: {json.dumps(nested("boolean", 19))}}}\nsteps: [{{deep: {{a: "${{{{ inputs.a }}}}"}}}}]'
    )
    assert told.endswith("true or false instead of a whole number")


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("len(input)", "a whole number"),
        ("input == 'x'", "true or false"),
        ("not input", "true or false"),
        ("[input]", "a list"),
        ("[x for x in input]", "a list"),
        ("{'a': input}", "a mapping"),
        ("1.5", "a number"),
        ("upper(input)", "text"),
    ],
)
def test_the_types_of_expressions_are_known_where_they_are_certain(bench, expression, kind):
    @tool
    def strict(flag: bool, items: list[str]) -> str:
        """Take types that little else fits."""
        return ""

    text = f'steps: [{{use: strict, with: {{flag: "${{{{ {expression} }}}}", items: "${{{{ {expression} }}}}"}}}}]'
    told = [line.partition(": ")[2] for line in bench.add(strict).problems(text)]
    wanted = [one for one in ("true or false", "a list") if one != kind]
    assert told == [f"{kind} instead of {one}" for one in wanted]


def test_the_reason_of_a_run_that_was_ended_early_is_kept_through_nested_pipelines(bench):
    from toolkit import ExitEarlyError

    @tool
    def stop(text: str) -> str:
        """Stop the run."""
        raise ExitEarlyError("enough")

    bench.add(stop)
    bench.write("steps: [reverse, stop]", "inner.yaml")
    with pytest.raises(ExitEarlyError, match="enough") as raised:
        bench.load("steps: [upper, ./inner.yaml]").run("ab")
    assert raised.value.outputs == {"upper": "AB", "inner/reverse": "BA"}


def test_a_pipeline_of_pipelines_made_in_python_needs_no_loop():
    @tool
    def shout(text: str) -> str:
        """Say it loudly."""
        return text.upper()

    inner = Pipeline.of(shout, shout)
    assert not Pipeline.of(inner, inner, name="outer", description="Outer.").suspends


def test_the_place_of_a_pipeline_is_that_of_its_name(bench):
    spec = bench.load("steps: [upper]\nname: loud").spec
    assert (spec.source, str(spec.location)) == (f"{bench.folder}/pipeline.yaml", f"{bench.folder}/pipeline.yaml:2:7")
