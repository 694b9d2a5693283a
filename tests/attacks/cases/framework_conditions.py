"""Attacks on conditions of approval, run in an environment that has the framework: each attempt as JSON.

`python framework_conditions.py FRAMEWORK` prints them.
"""

import asyncio
import json
import sys
from collections import Counter
from itertools import count

from toolkit import Continue, Reject, ToolContext, resolve_tools
from toolkit.approvals import Allowance, Allowances, Gate
from toolkit.errors import Signal

ATTEMPTS = []
SPENT = Counter()
"""How often the tool has run, by amount; each call of a test has its own amount."""


class Reviewer:
    """Counts the questions about each amount, and answers them all alike."""

    def __init__(self, decision):
        self.decision, self.asked = decision, Counter()

    async def review(self, request):
        await asyncio.sleep(0)
        self.asked[request.arguments.get("amount", request.arguments.get("input"))] += 1
        return self.decision


class Answers:
    """A condition that gives these answers in turn, and remembers them by amount."""

    def __init__(self, *answers):
        self.answers, self.given, self.turns = answers, {}, count()

    def __call__(self, amount):
        answer = self.answers[next(self.turns) % len(self.answers)]
        self.given.setdefault(amount, []).append(answer)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def pay(amount: int) -> str:
    """Pay an amount."""
    SPENT[amount] += 1
    await asyncio.sleep(0)
    return f"paid {amount}"


def pydantic_ai(condition, *, is_async=False, setting=None):
    from pydantic_ai import FunctionToolset

    async def later(_ctx, _definition, arguments):
        return condition(arguments["amount"])

    now = lambda _ctx, _definition, arguments: condition(arguments["amount"])  # noqa: E731
    return FunctionToolset([pay]).approval_required(later if is_async else now)


def openai_agents(condition, *, is_async=False, setting=None):
    from agents import function_tool

    async def later(_ctx, arguments, _call_id):
        return condition(arguments["amount"])

    now = lambda _ctx, arguments, _call_id: condition(arguments["amount"])  # noqa: E731
    tool = function_tool(pay, needs_approval=later if is_async else now)
    if setting is not None:
        tool.needs_approval = setting[0]
    return tool


def openai_custom(condition, *, is_async=False, setting=None):
    from agents import CustomTool

    async def later(_ctx, text, _call_id):
        return condition(int(text))

    async def run(_ctx, text):
        return await pay(int(text))

    now = lambda _ctx, text, _call_id: condition(int(text))  # noqa: E731
    tool = CustomTool("pay", "Pay an amount.", run, needs_approval=later if is_async else now)
    if setting is not None:
        tool.needs_approval = setting[0]
    return tool


def google_adk(condition, *, is_async=False, setting=None):
    from google.adk.tools import FunctionTool

    async def later(amount):
        return condition(amount)

    now = lambda amount: condition(amount)  # noqa: E731, PLW0108 - a function, as ADK requires
    if setting is not None:
        return FunctionTool(pay, require_confirmation=setting[0])
    return FunctionTool(pay, require_confirmation=later if is_async else now)


def google_adk_own(condition, *, is_async=False, setting=None):
    from google.adk.tools import BaseTool
    from google.genai import types

    class Pay(BaseTool):
        """A tool that leaves the question to its agent."""

        def _get_declaration(self):
            schema = {"type": "object", "properties": {"amount": {"type": "integer"}}}
            return types.FunctionDeclaration(name="pay", description="Pay.", parameters_json_schema=schema)

        async def check_require_confirmation(self, args, tool_context):
            return condition(args["amount"])

        async def run_async(self, *, args, tool_context):
            return await pay(args["amount"])

    return Pay(name="pay", description="Pay an amount.")


MAKERS = {
    "pydantic_ai": [pydantic_ai],
    "openai_agents": [openai_agents, openai_custom],
    "google_adk": [google_adk, google_adk_own],
}
STRICT = {"openai_agents", "openai_custom", "google_adk_own"}
"""Where only the answer False lets a call run; the other frameworks ask about what is true."""
FALSE_LIKE = [None, 0, "", []]
TRUE_LIKE = [1, "no", "False", [False], object(), float("nan")]
CODES = [(True,), (False, True), (False, False, True), (True, False), (False, True, True)]


def attempt(description, *, held):
    """Note one attempt."""
    ATTEMPTS.append({"description": description, "held": bool(held)})


async def calls(tool, amounts, *, decision=None, chosen_by="person", at_once=False):
    """Call a tool with each amount; return the reviewer, and the amounts of the calls that have run."""
    reviewer = Reviewer(decision or Continue())
    SPENT.clear()

    async def call(amount):
        arguments = {"input": str(amount)} if "input" in tool.spec.properties else {"amount": amount}
        try:
            await tool.call(arguments, ToolContext(reviewer=reviewer, chosen_by=chosen_by))
        except Signal as signal:
            return signal
        return None

    if at_once:
        await asyncio.gather(*map(call, amounts))
    else:
        for amount in amounts:
            await call(amount)
    reviewer.asked = Counter({int(amount): times for amount, times in reviewer.asked.items()})
    return reviewer, SPENT


def tool_of(make, condition, **more):
    """Return the Tool of a framework's tool with a condition."""
    return resolve_tools([make(condition, **more)])["pay"]


def once(make, condition, given, *, was_asked):
    """Return whether a condition was evaluated as often as it may be: once, and by ADK again once it was approved."""
    most = 2 if make is google_adk and was_asked else 1
    return len(condition.given.get(given, ())) <= most


async def attack(make):
    """Try everything on one kind of tool."""
    name = make.__name__
    for codes in CODES:
        for is_async in (False, True):
            for at_once in (False, True):
                await stateful(make, codes, is_async=is_async, at_once=at_once)
    for is_async in (False, True):
        condition = Answers(OSError("no rate"))
        asked, ran = await calls(tool_of(make, condition, is_async=is_async), [7])
        attempt(f"{name}: raises, async {is_async}: {ran}", held=not ran or asked.asked[7] == 1)
    for answer in [*TRUE_LIKE, *(FALSE_LIKE if name in STRICT else [])]:
        reviewer, ran = await calls(tool_of(make, Answers(answer)), [8], decision=Reject("no"))
        attempt(f"{name}: returns {answer!r}: {ran}", held=not ran and reviewer.asked[8] == 1)
    if name not in {"pydantic_ai", "google_adk_own"}:
        for setting in [1, "yes", *([None, 0, ""] if name in STRICT else [])]:
            reviewer, ran = await calls(tool_of(make, None, setting=(setting,)), [9], decision=Reject("no"))
            attempt(f"{name}: is set to {setting!r}: {ran}", held=not ran and reviewer.asked[9] == 1)
    for answer in (True, False):
        reviewer, ran = await calls(tool_of(make, Answers(answer)), [10], chosen_by="model")
        attempt(f"{name}: a model's call asks {dict(reviewer.asked)}", held=reviewer.asked[10] == 1 and ran[10] == 1)


async def stateful(make, codes, *, is_async, at_once):
    """Call with a condition whose answers change; what it answers for a call decides about that call alone."""
    if make is pydantic_ai and is_async:
        codes = (True,)  # it asks whenever the condition is async
    for decision in (Continue(), Reject("no")):
        condition = Answers(*codes)
        amounts = list(range(1, 7))
        tool = tool_of(make, condition, is_async=is_async)
        reviewer, ran = await calls(tool, amounts, decision=decision, at_once=at_once)
        for amount in amounts:
            given = condition.given.get(amount, [True])
            was_asked = reviewer.asked[amount] == 1
            may_run = isinstance(decision, Continue) or not was_asked
            words = f"{make.__name__} {codes}, async {is_async}, at once {at_once}, {decision}: {amount} got {given}"
            held = was_asked is bool(given[0]) and ran[amount] == (1 if may_run else 0)
            attempt(f"{words}, asked {was_asked}, ran {ran[amount]}", held=held)
            attempt(f"{words}, too often", held=once(make, condition, amount, was_asked=was_asked))


async def attack_spending():
    """Two calls that together cost too much: the second one is asked about, though its first evaluation was before."""
    condition = lambda amount: sum(a * times for a, times in SPENT.items()) + amount > 100  # noqa: E731
    for amounts in ([60, 61], [99, 2], [50, 51, 52], [40, 41, 42, 43]):
        reviewer, ran = await calls(tool_of(pydantic_ai, condition), amounts, at_once=True)
        unasked = sum(amount * (times - reviewer.asked[amount]) for amount, times in ran.items())
        attempt(f"pydantic_ai: {amounts} at once cost {unasked} without a question", held=unasked <= 100)


async def attack_preparing():
    """A tool whose `prepare` function requires approval of some calls only."""
    from dataclasses import replace

    from pydantic_ai import FunctionToolset, RunContext, Tool

    async def prepare(ctx: RunContext, definition):
        return replace(definition, kind=ctx.deps["kind"]) if ctx.deps and "kind" in ctx.deps else definition

    def pay_with(ctx: RunContext, amount: int) -> str:
        """Pay an amount."""
        SPENT[amount] += 1
        return "paid"

    tool = resolve_tools([FunctionToolset([Tool(pay_with, name="pay", prepare=prepare)])])["pay"]
    for kind in ("unapproved", "external"):
        SPENT.clear()
        reviewer = Reviewer(Reject("no"))
        await tool.call({"amount": 11}, ToolContext({"kind": kind}, reviewer=reviewer))
        asked = reviewer.asked[11] == (1 if kind == "unapproved" else 0)
        attempt(f"pydantic_ai: prepared as {kind}: {SPENT}, {reviewer.asked}", held=not SPENT and asked)


async def attack_names():
    """A renamed tool: rules and reviewers know it by the name by which it is called."""
    tool = tool_of(pydantic_ai, Answers(True)).with_name("bank_pay")
    for name, may_run in (("bank_pay", True), ("pay", False)):
        SPENT.clear()
        gate = Gate(Reviewer(Reject("no")), Allowances([Allowance.parse(name)]))
        await tool.call({"amount": 14}, ToolContext(gate=gate))
        attempt(f"pydantic_ai: --approve {name} of bank_pay: {dict(SPENT)}", held=bool(SPENT) is may_run)


async def attack_ids():
    """A condition that remembers the calls it has seen, by their ids."""
    from agents import function_tool

    seen = set()

    def is_new(_ctx, _arguments, call_id):
        is_known = call_id in seen
        seen.add(call_id)
        return not is_known

    tool = resolve_tools([function_tool(pay, needs_approval=is_new)])["pay"]
    reviewer, _ = await calls(tool, [12, 13, 12])
    attempt(f"openai_agents: ids of calls: {dict(reviewer.asked)}", held=sum(reviewer.asked.values()) == 3)


async def main(framework):
    """Try everything on a framework."""
    for make in MAKERS[framework]:
        await attack(make)
    if framework == "pydantic_ai":
        await attack_spending()
        await attack_preparing()
        await attack_names()
    if framework == "openai_agents":
        await attack_ids()
    json.dump(ATTEMPTS, sys.stdout)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
