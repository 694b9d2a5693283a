"""What happens to served calls: cancelled, too long, blocked, too big, secret; and what facades reveal."""

import asyncio
import threading

import anyio
import mcp_types as types
import pytest
from hypothesis import given, settings, strategies as st
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from tests.mcp.served import in_this_process, over_http, until
from tests.volumes import examples
from toolkit import Pipeline, Tool, ToolContext, ToolResult, from_function, tool
from toolkit.approvals import AllowAll
from toolkit.disclosure import UnfoldingTool
from toolkit.mcp import Options, Rules
from toolkit.mcp.serving import worker_pool  # private
from toolkit.wrappers import ConfirmedTool

ERAS = ["legacy", "2026-07-28"]


@pytest.fixture(params=ERAS, ids=["handshake", "stateless"])
def era(request):
    return request.param


def text(result):
    return result.content[0].text


def served(tools, use, era="legacy", options=None, **more):
    async def talk():
        async with in_this_process(tools, era, options, **more) as (server, client):
            return await use(server, client)

    return anyio.run(talk)


def test_cancelled_call_is_really_cancelled(era):
    began, ended = threading.Event(), threading.Event()

    @tool(read_only=True)
    async def wait() -> str:
        """Wait."""
        began.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return "waited"

    async def use(server, client):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "wait", {})
            await anyio.to_thread.run_sync(began.wait)
            tasks.cancel_scope.cancel()
        return await anyio.to_thread.run_sync(ended.wait, 20)

    assert served([wait], use, era)


def test_call_that_takes_too_long_has_failed(era):
    @tool(read_only=True)
    async def wait() -> str:
        """Wait."""
        await asyncio.sleep(60)
        return "waited"

    async def use(server, client):
        return await client.call_tool("wait", {})

    result = served([wait], use, era, Options(rules=Rules(limit=0.05)))
    assert (result.is_error, text(result)) == (True, "timed out after 50ms")
    assert result.meta["toolkit/error_code"] == "timeout"


def test_tool_that_blocks_its_loop_holds_up_no_call_that_comes_later():
    blocks, free = threading.Event(), threading.Event()
    greeted = []

    @tool(read_only=True)
    async def block() -> str:
        """Block."""
        blocks.set()
        free.wait(20)
        return "blocked"

    @tool(read_only=True)
    async def greet() -> str:
        """Greet."""
        greeted.append("hello")
        return "hello"

    async def use(server, client):
        async with anyio.create_task_group() as tasks:
            results = []

            async def call():
                results.append(await client.call_tool("block", {}))

            tasks.start_soon(call)
            await until(blocks.is_set)
            greeting = await client.call_tool("greet", {})
            await client.list_tools()
            await until(lambda: results)
            free.set()
            await until(lambda: not server._pool._others)  # the loop that moves again has ended
            return text(greeting), text(results[0])

    try:
        greeting, blocked = served([block, greet], use, "legacy", Options(rules=Rules(limit=0.2)))
    finally:
        free.set()
    assert greeting == "hello"
    assert greeted == ["hello"]  # the call that a blocked loop had not begun is no business of it when it moves again
    assert blocked == "timed out after 200ms; the tool blocks its event loop, and may still take effect"


def test_call_that_has_not_begun_at_the_end_never_does(monkeypatch):
    monkeypatch.setattr(worker_pool, "_CLEANUP_SECONDS", 0.01)
    blocks, free = threading.Event(), threading.Event()
    began = []

    async def block():
        blocks.set()
        free.wait(20)
        return ToolResult("blocked")

    async def late():
        began.append("late")
        return ToolResult("late")

    async def end():
        pool = worker_pool.WorkerPool()
        pool.begin(block, lambda: None, needs_loop=True)
        await until(blocks.is_set)
        waiting = pool.begin(late, lambda: None, needs_loop=True)
        pool.close()
        pool.move_if_blocked(waiting)
        return waiting.result

    try:
        assert asyncio.run(end()).error_code == "cancelled"
    finally:
        free.set()
    assert began == []


@pytest.mark.proof
def test_many_calls_at_once_do_not_mix(era):
    @tool(read_only=True)
    async def echo(number: int, context: ToolContext) -> str:
        """Say it again."""
        await asyncio.sleep(0.001 * (number % 7))
        return f"{number} {context.get('who')}"

    async def use(server, client):
        answers = {}

        async def call(number):
            result = await client.call_tool("echo", {"number": number}, meta={"who": f"w{number}"})
            answers[number] = text(result)

        async with anyio.create_task_group() as tasks:
            for number in range(300):
                tasks.start_soon(call, number)
        return answers

    answers = served([echo], use, era, Options(rules=Rules(meta=frozenset({"who"}))))
    assert answers == {number: f"{number} w{number}" for number in range(300)}


@tool(read_only=True)
def repeat(times: int) -> str:
    """Repeat a letter."""
    return "a" * times


@tool(read_only=True)
def listed(times: int) -> list[str]:
    """List a letter."""
    return ["a"] * times


def test_long_text_is_cut_and_long_data_is_an_error(era):
    async def use(server, client):
        return [await client.call_tool(name, {"times": times}) for name, times in (("repeat", 150), ("listed", 50))]

    cut, refused = served([repeat, listed], use, era, Options(longest=100))
    assert text(cut) == "a" * 100 + "... [truncated, full length: 150 characters]"
    assert (refused.is_error, text(refused)) == (
        True,
        "the result has 201 characters, more than the limit of 100; ask for less",
    )


def test_result_that_breaks_its_promise_is_an_error(era):
    @tool(read_only=True)
    def measure() -> dict[str, float]:
        """Measure."""
        return {"degrees": float("nan")}

    @tool(read_only=True)
    def other() -> dict[str, float]:
        """Return something else."""
        return ToolResult("just text")  # type: ignore[return-value]

    async def use(server, client):
        return [text(await client.call_tool(name, {})) for name in ("measure", "other")]

    assert served([measure, other], use, era) == [
        '{"degrees":"NaN"}\n(does not match the output schema of \'measure\': \'degrees\' must be a number, not "NaN")',
        "just text\n(does not match the output schema of 'other': should be a valid object, not null)",
    ]


def test_text_that_utf_8_cannot_say_is_sent_with_escapes(era):
    @tool(read_only=True)
    def name() -> str:
        """Return the name of a file."""
        return "caf\udce9"

    @tool(read_only=True)
    def names() -> list[str]:
        """Return names of files."""
        return ToolResult("x", structured=["caf\udce9"])  # type: ignore[return-value]

    async def use(server, client):
        return text(await client.call_tool("name", {})), await client.call_tool("names", {})

    said, several = served([name, names], use, era)
    assert said == "caf\\udce9"
    assert several.structured_content in (["caf?"], {"result": ["caf?"]})


def test_secrets_of_the_environment_leave_in_no_answer(era, monkeypatch, caplog):
    monkeypatch.setenv("SHOP_API_KEY", "hush-4711-secret")

    @tool(read_only=True)
    def leak(how: str) -> list[str]:
        """Let a secret slip."""
        if how == "raise":
            raise RuntimeError("refused: Bearer hush-4711-secret")
        return ["hush-4711-secret", "fine"]

    async def use(server, client):
        raised = await client.call_tool("leak", {"how": "raise"})
        returned = await client.call_tool("leak", {"how": "return"})
        return raised, returned

    raised, returned = served([leak], use, era, Options())
    assert text(raised) == "refused: Bearer **********"
    assert text(returned) == '["**********","fine"]'
    assert "hush" not in f"{raised!r}{returned!r}"


def told_of(reports):
    @tool(read_only=True)
    async def work(context: ToolContext) -> str:
        """Work."""
        for report in reports:
            context.progress(*report)
        return "done"

    told = []

    async def tell(value, of, message):
        told.append((value, of, message))

    async def use(server, client):
        return await client.call_tool("work", {}, progress_callback=tell)

    served([work], use)
    return told


@pytest.mark.parametrize("first", [0, 1])
def test_progress_is_sent_as_the_tool_says_it(first):
    reports = [(f"item {number}", number, 3) for number in range(first, 4)]
    assert told_of(reports) == [(float(number), 3.0, message) for message, number, _ in reports]


def test_message_without_a_number_keeps_the_place_of_those_that_have_one():
    told = told_of([("begun",), ("first", 0, 2), ("second", 1, 2), ("so far",), ("whole", 2, 2)])
    assert told == [
        (0.0, None, "begun"),
        (0.001, 2.0, "first"),
        (1.0, 2.0, "second"),
        (1.001, None, "so far"),
        (2.0, 2.0, "whole"),
    ]


@given(
    st.lists(
        st.tuples(
            st.just("m"), st.none() | st.floats() | st.integers(-5, 9), st.none() | st.floats() | st.integers(-5, 9)
        ),
        max_size=12,
    )
)
@settings(max_examples=examples(40), deadline=None)
def test_progress_always_grows_and_never_exceeds_its_total(reports):
    told = told_of(reports)
    values = [value for value, _, _ in told]
    assert values == sorted(set(values))
    assert [value for value, of, _ in told if of is not None and value > of] == []


def test_steps_within_a_step_do_not_count_as_steps():
    @tool(read_only=True)
    async def inner(text: str, context: ToolContext) -> str:
        """Run a pipeline of its own."""
        result = await Pipeline.of(shout, shout, shout, name="inner").call({"text": text}, context)
        return result.output

    @tool(read_only=True)
    def shout(text: str) -> str:
        """Put text into capitals."""
        return text.upper()

    told = []

    async def tell(value, of, message):
        told.append((value, of, message))

    async def use(server, client):
        return await client.call_tool("outer", {"input": "a"}, progress_callback=tell)

    outer = Pipeline.of(shout, from_function(inner), name="outer")
    assert not served([outer], use, options=Options(rules=Rules(policy=AllowAll("test")))).is_error
    assert [of for _, of, _ in told] == [2.0] * len(told)
    assert [message for value, _, message in told if value.is_integer()] == [
        "outer: 2 steps",
        "step 1/2 · shout: ok",
        "step 2/2 · inner: ok",
    ]
    assert len(told) == 11


@tool(read_only=True)
def add(left: int, right: int) -> str:
    """Add two numbers."""
    return str(left + right)


@tool
def power(base: int, exponent: int) -> str:
    """Raise a number to a power."""
    return str(base**exponent)


def maths():
    return UnfoldingTool.of("maths", "Reckon with numbers.", [add, power])


def test_facade_unfolds_in_the_session_of_its_caller():
    changes = []

    async def listen(message):
        changes.append(type(message).__name__)

    async def use(server, client):
        before = [tool.name for tool in (await client.list_tools()).tools]
        await client.call_tool("maths", {})
        after = [tool.name for tool in (await client.list_tools()).tools]
        return before, after, text(await client.call_tool("add", {"left": 2, "right": 3}))

    before, after, result = served([maths()], use, message_handler=listen)
    assert (before, after) == (["maths"], ["maths", "maths_context", "add", "power"])
    assert changes == ["ToolListChangedNotification"]
    assert result == "5"


def test_stateless_client_searches_and_calls_behind_facades():
    async def use(server, client):
        names = [tool.name for tool in (await client.list_tools()).tools]
        unfolded = await client.call_tool("maths", {})
        found = await client.call_tool("search_tools", {"query": "power of a number"})
        called = await client.call_tool("call_tool", {"name": "maths.add", "arguments": {"left": 2, "right": 3}})
        short = await client.call_tool("call_tool", {"name": "add", "arguments": {"left": 1, "right": 1}})
        wrong = await client.call_tool("call_tool", {"name": "maths.ad", "arguments": {}})
        asked = await client.call_tool("call_tool", {"name": "power", "arguments": {"base": 2, "exponent": 3}})
        still = [tool.name for tool in (await client.list_tools()).tools]
        assert still == names
        return names, unfolded, found, text(called), text(short), text(wrong), text(asked)

    names, unfolded, found, called, short, wrong, asked = served([maths()], use, "2026-07-28")
    assert names == ["maths", "search_tools", "call_tool"]
    assert [one["name"] for one in unfolded.meta["toolkit/structured"]["tools"]] == ["maths.add", "maths.power"]
    assert text(unfolded).startswith(
        "Call one of these with call_tool(name, arguments):\n- maths.add: Add two numbers."
    )
    assert found.meta["toolkit/structured"]["tools"][0]["name"] == "maths.power"
    assert (called, short) == ("5", "2")
    assert wrong == "no tool 'maths.ad' is behind another one; did you mean 'maths.add' or 'maths.power'?"
    assert asked == "Rejected by reviewer: this client cannot be asked whether 'power' may run"


def test_call_tool_promises_nothing_that_it_cannot_keep():
    async def use(server, client):
        return {tool.name: tool.annotations for tool in (await client.list_tools()).tools}

    annotations = served([maths()], use, "2026-07-28")
    assert annotations["call_tool"] is None
    assert annotations["search_tools"] == types.ToolAnnotations(read_only_hint=True, open_world_hint=False)


def test_gate_round_a_facade_holds_for_what_is_behind_it():
    guarded = ConfirmedTool(maths(), lambda arguments: "Open the maths?")

    async def use(server, client):
        return text(await client.call_tool("call_tool", {"name": "maths.add", "arguments": {"left": 2, "right": 3}}))

    assert served([guarded], use, "2026-07-28").startswith("Rejected by reviewer")


def test_replaced_tools_are_offered_and_told_to_sessions():
    heard = threading.Event()

    async def listen(message):
        heard.set()

    async def use(server, client):
        await client.list_tools()
        await server.replace({"repeat": server.catalog.tools["repeat"]})
        await until(heard.is_set)
        return [tool.name for tool in (await client.list_tools()).tools]

    assert served([repeat, listed], use, message_handler=listen) == ["repeat"]


def test_replaced_tools_are_told_to_stateless_clients_that_listen():
    async def use(server, client):
        async with client.listen(tools_list_changed=True) as changes:
            await server.replace({"repeat": server.catalog.tools["repeat"]})
            event = await anext(aiter(changes))
        return type(event).__name__, [tool.name for tool in (await client.list_tools()).tools]

    assert served([repeat, listed], use, "2026-07-28") == ("ToolsListChanged", ["repeat"])


FACADE = """
import asyncio
from pathlib import Path

from toolkit import tool, toolbox

@toolbox(description="Reckon with numbers.")
class Maths:
    @tool(read_only=True)
    def add(self, left: int, right: int) -> str:
        \"\"\"Add two numbers.\"\"\"
        return str(left + right)

maths = Maths()

@tool(read_only=True)
async def wait(name: str) -> str:
    \"\"\"Wait.\"\"\"
    Path(f"{name}.began").touch()
    try:
        await asyncio.sleep(60)
    finally:
        Path(f"{name}.ended").touch()
    return "waited"
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server over HTTP with a facade: its folder and its URL."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "tools.py").write_text(FACADE, "utf-8")
    with over_http(folder, "tools.py") as (_, url):
        yield folder, url


@pytest.mark.proof
def test_what_one_session_has_unfolded_no_other_sees(site):
    _, url = site

    async def names(client):
        return [tool.name for tool in (await client.list_tools()).tools]

    async def talk():
        async with Client(url, mode="legacy") as one, Client(url, mode="legacy") as other:
            await one.call_tool("Maths", {})
            return await names(one), await names(other)

    assert anyio.run(talk) == (["wait", "Maths", "Maths_context", "add"], ["Maths", "wait"])


@pytest.mark.parametrize("era", ERAS)
def test_call_over_http_is_really_cancelled(site, era):
    folder, url = site

    async def talk():
        async with Client(url, mode=era) as client, anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "wait", {"name": era})
            await until((folder / f"{era}.began").exists)
            tasks.cancel_scope.cancel()
        await until((folder / f"{era}.ended").exists)

    anyio.run(talk)


@pytest.mark.proof
def test_many_clients_at_once_lose_nothing(site):
    _, url = site

    async def talk():
        answers = []

        async def call(client, number):
            arguments = {"name": "Maths.add", "arguments": {"left": number, "right": 1}}
            answers.append((number, text(await client.call_tool("call_tool", arguments))))

        async def use(first):
            async with Client(url, mode="2026-07-28") as client:
                for number in range(first, first + 10):
                    await call(client, number)

        async with anyio.create_task_group() as tasks:
            for first in range(0, 120, 10):
                tasks.start_soon(use, first)
        return answers

    assert sorted(anyio.run(talk)) == [(number, str(number + 1)) for number in range(120)]


def test_call_that_comes_when_the_server_has_closed_is_cancelled():
    @tool(read_only=True)
    def wait() -> str:
        """Wait."""
        threading.Event().wait(60)
        return "waited"

    async def use(server, client):
        server.close()
        return await client.call_tool("wait", {})

    assert text(served([wait], use)) == "the call was cancelled"


@pytest.mark.parametrize(
    ("given", "more"),
    [({}, ""), ({"input": None}, ""), ({"inptu": "a"}, "; Unknown parameter 'inptu': did you mean 'input'?")],
)
def test_text_that_is_required_must_be_given(era, given, more):
    ran = []

    @tool(read_only=True)
    def note(text: str) -> str:
        """Note a text."""
        ran.append(text)
        return text

    async def use(server, client):
        results = [await client.call_tool("noting", given)]
        if era != "legacy":
            behind = {"name": "behind.noting", "arguments": given}
            results.append(await client.call_tool("call_tool", behind))
        return [(result.is_error, text(result)) for result in results]

    noting = Pipeline.of(note, name="noting")
    told = served([noting, UnfoldingTool.of("behind", "More.", [noting])], use, era)
    assert set(told) == {(True, f"Missing required parameter(s): input{more}")}
    assert ran == []


def many(count):
    return [Tool.create(f"tool_{number}", "Do it.", {"type": "object"}, lambda: "done") for number in range(count)]


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize(("count", "pages"), [(0, [0]), (200, [200]), (201, [200, 1]), (450, [200, 200, 50])])
def test_long_list_is_sent_in_pages(era, count, pages):
    async def use(server, client):
        listed = [await client.list_tools()]
        while (cursor := listed[-1].next_cursor) is not None:
            listed.append(await client.list_tools(cursor=cursor))
        return [[tool.name for tool in page.tools] for page in listed]

    told = served(many(count), use, era)
    assert [len(page) for page in told] == pages
    assert [name for page in told for name in page] == [f"tool_{number}" for number in range(count)]


@pytest.mark.proof(everyday=1)
def test_cursor_that_means_nothing_is_an_error(era):
    async def use(server, client):
        cursor = (await client.list_tools()).next_cursor
        await server.replace({one.name: one for one in many(300)})
        faults = []
        for wrong in ("", "7", "nonsense", cursor, cursor.replace("-200", "-100")):
            with pytest.raises(MCPError) as raised:
                await client.list_tools(cursor=wrong)
            faults.append((raised.value.code, raised.value.message))
        return faults

    message = "Invalid cursor: the list may have changed; start again without a cursor"
    assert served(many(400), use, era) == [(-32602, message)] * 5
