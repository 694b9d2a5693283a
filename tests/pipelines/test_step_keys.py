"""What each key of a step does when the pipeline runs."""

from weakref import WeakSet

import pytest

from toolkit import InvalidPipeline, Problem, ToolExecutionError, ToolResult, load_pipeline, tool


def flaky(*outcomes, name="flaky"):
    """Return a tool that raises or returns these one after another, and the list of what it was called with."""
    waiting = list(outcomes)
    calls = []

    def flaky(text: str) -> str:
        calls.append(text)
        outcome = waiting.pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    return tool(name=name, description="Works sometimes.")(flaky), calls


# --------------------------------------------------------------------------------------------------- three forms, pipes


def test_a_step_is_a_name_or_a_name_with_arguments_or_a_mapping(bench):
    text = """
    steps:
      - upper
      - repeat: {times: 3}
      - use: join_words
        with: {second: "!"}
    """
    assert bench.run(text, "hey") == ToolResult("HEY HEY HEY !")


def test_a_name_with_nothing_behind_it_has_no_arguments(bench):
    assert bench.run("steps: [{upper: }, {reverse: {}}]", "ab").output == "BA"


def test_pipe_names_the_parameter_that_receives_the_previous_output(bench):
    text = "steps: [upper, {use: join_words, pipe: second, with: {first: oh}}]"
    assert bench.run(text, "yes").output == "oh YES"


def test_a_list_is_piped_with_an_explicit_pipe(bench):
    text = """
    steps:
      - set: ${{ split(input, ",") }}
      - {use: count_all, pipe: items}
    """
    assert bench.run(text, "a,b,c").structured == 3


def test_a_number_is_piped_as_text_to_a_text_parameter(bench):
    assert bench.run("inputs: {}\nsteps: [{set: 42}, repeat]", {}).output == "42 42"


def test_a_list_is_piped_as_json_to_a_text_tool(bench):
    assert bench.run("inputs: {}\nsteps: [{set: [1, é]}, upper]", {}).output == '[1,"É"]'


def test_a_typed_tool_takes_the_text_as_its_arguments(bench):
    assert bench.run("inputs: {}\nsteps: [{make_point: {x: 3, y: 4}}, norm]", {}).structured == 25


def test_arguments_of_a_typed_tool_stand_under_with(bench):
    assert bench.run('steps: [{use: norm, with: {x: "${{ int(input) }}", y: 1}}]', "2").structured == 5


def test_a_whole_expression_keeps_its_type_and_embedded_ones_become_text(bench):
    text = """
    inputs: {}
    steps:
      - {id: sum, use: add, with: {a: 1, b: 2}}
      - set: {whole: "${{ steps.sum.output }}", text: "sum: ${{ steps.sum.output }} ${{ [1, 'é'] }}"}
    """
    assert bench.run(text, {}).structured == {"whole": 3, "text": 'sum: 3 [1,"é"]'}


def test_a_literal_list_is_never_shared_between_calls(bench):
    seen = []

    @tool
    def grow(items: list) -> int:
        """Grow a list."""
        items.append(1)
        seen.append(len(items))
        return len(items)

    pipeline = bench.add(grow).load("steps: [{use: grow, with: {items: []}}]\ninputs: {}")
    pipeline.run({})
    pipeline.run({})
    assert seen == [1, 1]


# ----------------------------------------------------------------------------------------------------------- set, adapt


def test_set_computes_a_value_of_any_shape(bench):
    text = 'steps: [{set: {"list": ["${{ input }}", 2, null], deep: {text: "<${{ input }}>"}}}]'
    assert bench.run(text, "a").structured == {"list": ["a", 2, None], "deep": {"text": "<a>"}}


def test_set_can_be_nothing(bench):
    assert bench.run(
        'inputs: {}\nsteps: [{id: none, set: null}, {set: "${{ prev == None and steps.none.output == None }}"}]', {}
    ).structured


def test_adapt_reshapes_the_result_for_the_next_step_and_for_references(bench):
    text = """
    inputs: {}
    steps:
      - id: page
        use: list_issues
        with: {repo: r}
        adapt: ${{ result.issues[0].title }}
      - upper
      - set: [ "${{ prev }}", "${{ steps.page.output }}", "${{ steps.page.text }}" ]
    """
    assert bench.run(text, {}).structured == ["R: CRASH AT START", "r: crash at start", "r: crash at start"]


def test_adapt_may_be_a_text_or_a_mapping(bench):
    text = """
    inputs: {}
    steps:
      - {use: add, with: {a: 1, b: 2}, adapt: "n=${{ result }}"}
      - {use: reverse, adapt: {text: "${{ result }}", size: "${{ len(result) }}"}}
      - set: ${{ prev }}
    """
    assert bench.run(text, {}).structured == {"text": "3=n", "size": 3}


def test_adapt_that_fails_is_the_steps_failure(bench):
    text = """
    steps:
      - {id: a, use: upper, adapt: "${{ result.name }}", on_error: continue}
      - set: ${{ steps.a.status }}
    """
    assert bench.run(text, "x").output == "failed"


def test_adapt_applies_at_the_end_of_a_branch(bench):
    text = 'steps: [{parallel: {left: {use: upper, adapt: "<${{ result }}>"}, right: reverse}}]'
    assert bench.run(text, "ab").structured == {"left": "<AB>", "right": "ba"}


# ----------------------------------------------------------------------------------------------------------------- when


def test_a_step_whose_condition_is_false_is_skipped_and_hands_on_nothing_new(bench):
    text = """
    steps:
      - upper
      - {id: turned, use: reverse, when: "${{ len(prev) > 3 }}"}
      - repeat
      - set: ["${{ prev }}", "${{ steps.turned }}"]
    """
    skipped = {"output": None, "text": "", "status": "skipped", "error": None, "attempts": 0, "seconds": 0.0}
    record = bench.run(text, "abc").structured
    assert record[0] == "ABC ABC"
    assert record[1] | {"seconds": 0.0} == skipped
    assert bench.run(text, "abcd").structured[0] == "DCBA DCBA"


def test_a_condition_may_be_plainly_true(bench):
    assert bench.run("steps: [{use: upper, when: true}]", "x").output == "X"


def test_when_every_step_is_skipped_the_input_is_the_result(bench):
    assert bench.run('steps: [{use: upper, when: "${{ len(input) > 99 }}"}]', "x") == ToolResult("x")


def test_a_condition_that_fails_is_the_steps_failure(bench):
    result = bench.run('steps: [{use: upper, when: "${{ prev.size > 1 }}"}]', "x")
    assert result.error_code == "expression"
    assert result.error.endswith("pipeline.yaml:1:33")


# ------------------------------------------------------------------------------------------------------------- for_each


def test_for_each_maps_over_a_list_in_order(bench):
    text = """
    inputs: {}
    steps:
      - {use: list_issues, with: {repo: r, limit: 2}}
      - {for_each: "${{ prev.issues }}", use: upper, adapt: "${{ index }}:${{ item.number }}:${{ result[11:] }}"}
      - set: ${{ prev }}
    """
    numbered = ['0:1:,"TITLE":"R: CRASH AT START"}', '1:2:,"TITLE":"R: HOW TO INSTALL"}']
    assert bench.run(text, {}).structured == [text.replace("9", "") for text in numbered]


def test_the_pipe_carries_the_item(bench):
    assert bench.run("steps: [{for_each: \"${{ split(prev, ',') }}\", use: upper}]", "a,b").structured == ["A", "B"]


def test_for_each_takes_a_literal_list(bench):
    text = 'inputs: {}\nsteps: [{for_each: [1, 2, 3], set: "${{ item * 10 + index }}"}]'
    assert bench.run(text, {}).structured == [10, 21, 32]


def test_an_item_that_fails_ends_the_step(bench):
    text = "inputs: {}\nsteps: [{for_each: [1, 2, 4], use: odd, pipe: number}]"
    assert bench.run(text, {}) == ToolResult.failure("item 2 of 3: 2 is even", "even")


def test_failed_items_can_be_left_out(bench):
    text = "inputs: {}\nsteps: [{id: odds, for_each: [1, 2, 3], use: odd, pipe: number, on_item_error: skip}]"
    assert bench.run(text, {}).structured == [1, 3]


@pytest.mark.parametrize("at_once", [1, 2, 7])
def test_the_order_is_that_of_the_list_however_many_run_at_a_time(bench, at_once):
    text = f"inputs: {{}}\nsteps: [{{for_each: [1, 2, 3, 4, 5], max_parallel: {at_once}, use: odd, pipe: number, on_item_error: skip}}]"
    assert bench.run(text, {}).structured == [1, 3, 5]


def test_items_run_side_by_side(bench):
    import asyncio

    both_are_there = asyncio.Barrier(2)

    @tool
    async def meet(text: str) -> str:
        """Wait for the other."""
        await both_are_there.wait()
        return text

    text = 'steps: [{for_each: "${{ split(prev) }}", max_parallel: 2, use: meet}]'
    assert bench.add(meet).run(text, "a b").structured == ["a", "b"]


def test_no_items_give_an_empty_list(bench):
    assert bench.run('steps: [{for_each: "${{ split(prev) }}", use: upper}]', " ").structured == []


def test_for_each_over_something_else_fails(bench):
    result = bench.run('steps: [{for_each: "${{ parse_json(input) }}", use: upper}]', '{"a": 1}')
    assert result == ToolResult.failure("for_each needs a list, not a mapping", "error")
    result = bench.run('steps: [{for_each: "${{ parse_json(input) }}", use: upper}]', '"a b"')
    assert result == ToolResult.failure("for_each needs a list, not text; split(…) turns text into a list", "error")


@pytest.mark.proof
def test_a_list_that_is_too_long_is_refused(bench):
    @tool
    def many() -> list[int]:
        """Give many numbers."""
        return list(range(1_000_001))

    result = bench.add(many).run('inputs: {}\nsteps: [many, {for_each: "${{ prev }}", set: "${{ item }}"}]', {})
    assert result.error == "for_each takes at most 1,000,000 items, but this list has 1,000,001; split it"


class Weighed:
    """An object that says whether it is still kept."""


@pytest.mark.parametrize("more", ["", ", max_parallel: 4"])
def test_of_each_item_nothing_but_its_output_is_kept(bench, more):
    kept: WeakSet[Weighed] = WeakSet()
    most = []

    @tool
    def weigh(text: str) -> ToolResult:
        """Weigh."""
        made = Weighed()
        kept.add(made)
        most.append(len(kept))
        return ToolResult.success(text, artifact=made)

    steps = f'steps: [{{for_each: "${{{{ split(prev) }}}}", use: weigh{more}}}]'
    assert bench.add(weigh).run(steps, "a " * 200).structured == ["a"] * 200
    assert max(most) <= 10


@pytest.mark.proof
def test_for_each_takes_a_million_items(bench):
    @tool
    def numbers() -> list[int]:
        """Give many numbers."""
        return list(range(1_000_000))

    steps = 'inputs: {}\nsteps: [numbers, {for_each: "${{ prev }}", set: "${{ item }}"}]'
    assert bench.add(numbers).run(steps, {}).structured == list(range(1_000_000))


def test_the_default_for_max_parallel_holds(bench):
    pipeline = bench.load('defaults: {max_parallel: 3}\nsteps: [{for_each: "${{ split(prev) }}", use: upper}]')
    assert pipeline.plan.steps[0].definition.each.max_parallel == 3
    assert pipeline.run("a b c").structured == ["A", "B", "C"]


# ------------------------------------------------------------------------------------------------------------- parallel


def test_branches_join_to_a_map_in_the_order_they_are_written(bench):
    text = """
    steps:
      - upper
      - id: both
        parallel:
          slow: [later, reverse]
          quick: repeat
      - set: ["${{ prev.quick }}", "${{ steps.both.output.slow }}"]
    """
    assert bench.run(text, "ab").structured == ["AB AB", "BA"]


def test_branches_run_side_by_side(bench):
    import asyncio

    both_are_there = asyncio.Barrier(2)

    @tool
    async def meet(text: str) -> str:
        """Wait for the other."""
        await both_are_there.wait()
        return text

    assert bench.add(meet).run("steps: [{parallel: {a: meet, b: meet}}]", "x").structured == {"a": "x", "b": "x"}


def test_the_first_failing_branch_ends_the_others(bench):
    text = "steps: [{parallel: {slow: forever, broken: fail}}]"
    assert bench.run(text, "luck") == ToolResult.failure("no luck", "refused")


def test_steps_of_branches_can_be_read_after_them(bench):
    text = """
    steps:
      - parallel:
          left: {id: left, use: upper}
          right: {id: right, use: reverse}
      - set: ${{ steps.left.output + steps.right.output }}
    """
    assert bench.run(text, "ab").output == "ABba"


def test_a_branch_in_which_nothing_ran_gives_nothing(bench):
    text = 'steps: [{parallel: {left: {use: upper, when: "${{ len(input) > 99 }}"}, right: reverse}}]'
    assert bench.run(text, "ab").structured == {"left": None, "right": "ba"}


def test_branches_may_hold_branches(bench):
    text = "steps: [{parallel: {a: {parallel: {b: upper, c: reverse}}, d: repeat}}]"
    assert bench.run(text, "xy").structured == {"a": {"b": "XY", "c": "yx"}, "d": "xy xy"}


def test_plain_functions_run_side_by_side_in_threads(bench):
    from threading import Barrier

    both_are_there = Barrier(2, timeout=30)

    @tool
    def meet(text: str) -> str:
        """Wait for the other."""
        both_are_there.wait()
        return text

    assert bench.add(meet).run("steps: [{parallel: {a: meet, b: meet}}]", "x").structured == {"a": "x", "b": "x"}


# ---------------------------------------------------------------------------------------------------------------- retry


def test_a_failed_call_is_tried_again(bench):
    step, calls = flaky(ConnectionError("gone"), ToolExecutionError("busy", 429), "well")
    text = 'steps: [{id: a, use: flaky, retry: {attempts: 3, backoff: 0s}}, {set: "${{ [prev, steps.a.attempts] }}"}]'
    assert bench.add(step).run(text, "x").structured == ["well", 3]
    assert calls == ["x", "x", "x"]


def test_the_last_failure_is_the_result(bench):
    step, calls = flaky(ValueError("one"), ValueError("two"))
    result = bench.add(step).run("steps: [{use: flaky, retry: {attempts: 2, backoff: 0s}}]", "x")
    assert result == ToolResult.failure("two", "error")
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError("slow"), "timeout"),
        (ToolExecutionError("slow", "timeout"), "timeout"),
        (ToolExecutionError("slow", 504), "timeout"),
        (ToolExecutionError("many", "rate_limit"), "rate_limit"),
        (ToolExecutionError("many", "429"), "rate_limit"),
        (ConnectionResetError("gone"), "network"),
        (OSError("no route"), "network"),
        (ToolExecutionError("down", 503), "network"),
        (FileNotFoundError("no file"), "error"),
        (ValueError("bad"), "error"),
        (ToolExecutionError("bad", "E1"), "error"),
    ],
)
def test_only_the_named_kinds_of_failure_are_tried_again(bench, error, kind):
    text = "steps: [{{use: flaky, retry: {{attempts: 2, backoff: 0s, errors: [{}]}}}}]"
    for named in ("timeout", "rate_limit", "network", "error"):
        step, calls = flaky(error, "well")
        bench.add(step).run(text.format(named), "x")
        assert len(calls) == (2 if named == kind else 1), named


def test_an_exception_is_judged_by_what_caused_it(bench):
    error = RuntimeError("request failed")
    error.__cause__ = ConnectionRefusedError("no")
    step, calls = flaky(error, "well")
    bench.add(step).run("steps: [{use: flaky, retry: {attempts: 2, backoff: 0s, errors: network}}]", "x")
    assert len(calls) == 2


def test_what_the_same_call_would_only_meet_again_is_not_tried_again(bench):
    for code in ("invalid_arguments", "rejected"):
        step, calls = flaky(ToolExecutionError("no", code), "well")
        bench.add(step).run("steps: [{use: flaky, retry: {attempts: 5, backoff: 0s}}]", "x")
        assert len(calls) == 1


def test_the_default_retry_holds_for_every_call(bench):
    step, calls = flaky(ValueError("one"), "well")
    assert bench.add(step).run("defaults: {retry: {attempts: 2, backoff: 0s}}\nsteps: [flaky]", "x").output == "well"
    assert len(calls) == 2


def test_the_waiting_grows_and_is_bounded_and_scattered():
    from toolkit.pipelines import Retry
    from toolkit.pipelines.retrying import delay_after  # private

    retry = Retry(attempts=10, backoff=1, factor=2, longest=5)
    for attempt, most in ((1, 1), (2, 2), (3, 4), (4, 5), (9, 5), (5_000, 5)):
        delays = {delay_after(retry, attempt) for _ in range(20)}
        assert most / 2 <= min(delays) < max(delays) <= most


# -------------------------------------------------------------------------------------------------------------- timeout


def test_a_call_that_takes_too_long_is_stopped(bench):
    stopped = []

    @tool
    async def hang(text: str) -> str:
        """Hang."""
        import asyncio

        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(text)
        return text

    text = 'steps: [{id: a, use: hang, timeout: 10ms, on_error: continue}, {set: "${{ [steps.a.status, steps.a.error] }}"}]'
    error = {"message": "timed out after 10ms", "code": "timeout", "step": "a"}
    assert bench.add(hang).run(text, "x").structured == ["timed_out", error]
    assert stopped == ["x"]


def test_a_plain_function_is_reported_as_still_running(bench):
    from threading import Event

    go = Event()

    @tool
    def block(text: str) -> str:
        """Block."""
        go.wait(30)
        return text

    result = bench.add(block).run("steps: [{use: block, timeout: 10ms}]", "x")
    go.set()
    assert result == ToolResult.failure(
        "timed out after 10ms; it is a plain function, is still running in its thread, and may still take effect",
        "timeout",
    )


def test_a_timeout_is_tried_again(bench):
    import asyncio

    calls = []

    @tool
    async def second_time_lucky(text: str) -> str:
        """Hang once."""
        calls.append(text)
        if len(calls) == 1:
            await asyncio.Event().wait()
        return text

    text = "steps: [{use: second_time_lucky, timeout: 50ms, retry: {attempts: 2, backoff: 0s, errors: [timeout]}}]"
    assert bench.add(second_time_lucky).run(text, "x").output == "x"


def test_a_timeout_error_of_the_tool_itself_keeps_its_message(bench):
    step, _ = flaky(TimeoutError("the server is slow"))
    assert bench.add(step).run("steps: [{use: flaky, timeout: 1m}]", "x") == ToolResult.failure(
        "the server is slow", "timeout"
    )


def test_branches_can_have_a_limit_together(bench):
    text = "steps: [{timeout: 10ms, parallel: {a: forever, b: upper}}]"
    assert bench.run(text, "x") == ToolResult.failure("timed out after 10ms", "timeout")


# ------------------------------------------------------------------------------------------------ on_error, on_failure


def test_after_a_failure_that_was_continued_past_the_message_is_handed_on(bench):
    text = 'steps: [{id: a, use: fail, on_error: continue}, {set: "${{ [prev, steps.a.status, steps.a.error, steps.a.text] }}"}]'
    error = {"message": "no luck", "code": "refused", "step": "a"}
    assert bench.run(text, "luck").structured == ["no luck", "failed", error, ""]


def test_a_fallback_takes_the_place_of_the_output(bench):
    text = """
    steps:
      - {id: a, use: fail, on_error: {value: {reason: "${{ error.code }}"}}}
      - set: ["${{ prev }}", "${{ steps.a.output }}", "${{ steps.a.status }}"]
    """
    assert bench.run(text, "luck").structured == [{"reason": "refused"}, {"reason": "refused"}, "failed"]


def test_what_a_fallback_reads_is_checked_before_anything_runs(tmp_path):
    (tmp_path / "a.yaml").write_text(
        """toolkit: 1
name: a
inputs: {}
steps: [{id: a, set: 1, on_error: {value: "${{ nowhere }}"}}, {id: b, set: 1, on_error: {value: "${{ error.mesage }}"}}]
""",
        "utf-8",
    )
    with pytest.raises(InvalidPipeline) as caught:
        load_pipeline(tmp_path / "a.yaml")
    assert [problem.message for problem in caught.value.problems] == [
        "there is no 'nowhere'",
        "'error.mesage' does not exist: there is no 'mesage'",
    ]


def test_a_fallback_at_the_end_is_the_result(bench):
    assert bench.run("steps: [{use: fail, on_error: {value: instead}}]", "x") == ToolResult("instead")


def test_a_last_step_that_was_continued_past_gives_its_failure(bench):
    assert bench.run("steps: [{use: fail, on_error: continue}]", "x") == ToolResult.failure("no x", "refused")


def test_a_step_may_fail_under_the_other_strategy(bench):
    text = "error_strategy: continue_on_failure\nsteps: [{use: fail, on_error: fail}, upper]"
    assert bench.run(text, "x").error == "no x"
    assert bench.run("error_strategy: continue_on_failure\nsteps: [fail, upper]", "x").output == "NO X"


def note_taker():
    notes = []

    @tool
    def note(text: str) -> str:
        """Keep a note."""
        notes.append(text)
        return text

    return note, notes


def test_on_failure_runs_after_a_failure_and_can_read_it(bench):
    note, notes = note_taker()
    text = """
    steps: [{id: broken, use: fail}, upper]
    on_failure:
      - note
      - note: {text: "${{ error.step }}: ${{ error.message }} (${{ error.code }}), ${{ steps.broken.status }}"}
    """
    assert bench.add(note).run(text, "luck") == ToolResult.failure("no luck", "refused")
    assert notes == ["no luck", "broken: no luck (refused), failed"]


def test_failure_of_a_branch_is_that_of_the_step_in_it(bench):
    note, notes = note_taker()
    text = """
    steps:
      - {id: both, parallel: {left: [upper, {id: inner, use: fail}], right: upper}}
    on_failure: [{note: {text: "${{ error.step }}"}}]
    """
    assert bench.add(note).run(text, "luck") == ToolResult.failure("no LUCK", "refused")
    assert notes == ["inner"]


def test_on_failure_does_not_run_when_all_went_well(bench):
    note, notes = note_taker()
    bench.add(note).run("steps: [{use: fail, on_error: continue}, upper]\non_failure: [note]", "x")
    assert notes == []


def test_a_failure_in_on_failure_hides_neither_the_first_nor_what_follows(bench, caplog):
    note, notes = note_taker()
    result = bench.add(note).run("steps: [fail]\non_failure: [{fail: {input: cleaning}}, {note: {text: done}}]", "x")
    assert result.error == "no x"
    assert notes == ["done"]
    assert "on_failure step 'fail' failed: no cleaning" in [record.message for record in caplog.records]


def test_output_shapes_the_result(bench):
    text = 'steps: [{id: a, use: upper}]\noutput: {text: "${{ steps.a.output }}", given: "${{ input }}"}'
    assert bench.run(text, "x") == ToolResult('{"text":"X","given":"x"}', structured={"text": "X", "given": "x"})


def test_an_output_that_fails_is_the_pipelines_failure(bench):
    note, notes = note_taker()
    result = bench.add(note).run("steps: [upper]\noutput: ${{ prev.size }}\non_failure: [note]", "x")
    assert result.error_code == "expression"
    assert len(notes) == 1


def test_expressions_read_the_listed_environment(bench):
    assert bench.run('inputs: {}\nsteps: [{set: "${{ env.REGION }}"}]', {}).output == "north"


def test_an_environment_that_needs_consent_is_refused_where_an_expression_reads_it(bench, monkeypatch):
    refusal = Problem("TK011", "the variables need consent")
    monkeypatch.setattr(bench.opening, "refusal_of_environment", lambda: refusal)
    assert bench.read("steps: [upper]")[1] == []
    pipeline, problems = bench.read('steps: [{set: "${{ env.REGION }}"}]')
    assert (pipeline, problems) == (None, [refusal])
