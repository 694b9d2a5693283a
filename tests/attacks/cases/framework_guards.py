"""Attacks on what agents of other frameworks ask or block before a call, run where the framework is: each as JSON.

`python framework_guards.py FRAMEWORK` prints them.
"""

import asyncio
import json
import sys

from toolkit import Continue, Reject, ToolContext, resolve_tools

ATTEMPTS = []
RAN = []


class Reviewer:
    """Answers every question alike, and keeps what it was asked about."""

    def __init__(self, decision):
        self.decision, self.asked = decision, []

    async def review(self, request):
        self.asked.append(dict(request.arguments))
        return self.decision


def pay(amount: int) -> str:
    """Pay an amount."""
    RAN.append(amount)
    return f"paid {amount}"


def look(amount: int) -> str:
    """Look an amount up."""
    RAN.append(amount)
    return f"found {amount}"


def attempt(description, held):
    ATTEMPTS.append({"description": description, "held": bool(held)})


async def call(tools, name, decision, amount=7):
    """Call a tool as a person; return what ran, what was asked and the result."""
    RAN.clear()
    reviewer = Reviewer(decision)
    result = await tools[name].call({"amount": amount}, ToolContext(reviewer=reviewer))
    return list(RAN), reviewer.asked, result


async def asks_about_pay(words, tools):
    ran, asked, _ = await call(tools, "pay", Reject("no"))
    attempt(f"{words}: refused: ran {ran}, asked {asked}", not ran and asked == [{"amount": 7}])
    ran, asked, _ = await call(tools, "pay", Continue())
    attempt(f"{words}: approved: ran {ran}, asked {asked}", ran == [7] and asked == [{"amount": 7}])


async def asks_nothing_about_look(words, tools):
    ran, asked, _ = await call(tools, "look", Reject("no"))
    attempt(f"{words}: the other tool: ran {ran}, asked {asked}", ran == [7] and not asked)


async def langchain():
    from langchain.agents import create_agent
    from langchain.agents.middleware import HumanInTheLoopMiddleware
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    class Model(FakeListChatModel):
        def bind_tools(self, *_, **__):
            return self

    for setting in (True, {"allowed_decisions": ["approve", "reject"]}):
        middleware = [HumanInTheLoopMiddleware({"pay": setting, "look": False})]
        agent = create_agent(Model(responses=["Hello."]), [pay, look], middleware=middleware)
        tools = resolve_tools([agent])
        await asks_about_pay(f"langchain {setting}", tools)
        await asks_nothing_about_look(f"langchain {setting}", tools)


async def haystack():
    from haystack.components.agents import Agent
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.hooks.human_in_the_loop import (
        AlwaysAskPolicy,
        AskOncePolicy,
        BlockingConfirmationStrategy,
        ConfirmationHook,
        NeverAskPolicy,
        SimpleConsoleUI,
    )
    from haystack.tools import create_tool_from_function
    from haystack.utils import Secret

    def strategy(policy):
        return BlockingConfirmationStrategy(confirmation_policy=policy, confirmation_ui=SimpleConsoleUI())

    never = strategy(NeverAskPolicy())
    for policy in (AlwaysAskPolicy(), AskOncePolicy()):
        asks = strategy(policy)
        for strategies in ({"pay": asks}, {("pay", "x"): asks, "*": never}, {"*": asks, "look": never}):
            agent = Agent(
                chat_generator=OpenAIChatGenerator(api_key=Secret.from_token("none")),
                tools=[create_tool_from_function(pay), create_tool_from_function(look)],
                hooks={"before_tool": [ConfirmationHook(confirmation_strategies=strategies)]},
            )
            tools = resolve_tools([agent])
            await asks_about_pay(f"haystack {list(strategies)}", tools)
            await asks_nothing_about_look(f"haystack {list(strategies)}", tools)


async def google_adk():
    from google.adk.agents import Agent
    from google.adk.tools import FunctionTool

    def block(tool, args, tool_context):
        return {"error": "blocked"} if args["amount"] > 5 else None

    async def block_later(tool, args, tool_context):
        return block(tool, args, tool_context)

    def double(tool, args, tool_context):
        args["amount"] *= 2

    for guard in (block, block_later, [double, block]):
        tools = resolve_tools([Agent(name="clerk", tools=[pay], before_tool_callback=guard)])
        ran, _, result = await call(tools, "pay", Continue())
        attempt(f"google_adk {guard}: ran {ran}", not ran and result.error == "blocked")
        ran, _, result = await call(tools, "pay", Continue(), 2)
        attempt(f"google_adk {guard}: passes: ran {ran}", ran == [4 if isinstance(guard, list) else 2])
    for setting in (True, lambda amount: True):
        made = FunctionTool(pay, require_confirmation=setting)
        tools = resolve_tools([Agent(name="clerk", tools=[made], before_tool_callback=double)])
        ran, asked, result = await call(tools, "pay", Continue())
        attempt(f"google_adk changes what was approved: ran {ran}, asked {asked}", not ran and result.error)


async def crewai():
    from crewai.hooks import register_before_tool_call_hook
    from crewai.tools import tool

    mine = tool("pay")(pay)

    def block(context):
        if context.tool_input["amount"] == 4:
            context.tool_input["amount"] = 40
        return False if context.tool_input["amount"] == 7 else None

    register_before_tool_call_hook(block)
    tools = resolve_tools([mine])
    ran, _, result = await call(tools, "pay", Continue())
    attempt(f"crewai: ran {ran}", not ran and "blocks" in str(result.error))
    ran, _, _ = await call(tools, "pay", Continue(), 2)
    attempt(f"crewai: passes: ran {ran}", ran == [2])
    gated = ToolContext(reviewer=Reviewer(Continue()), chosen_by="model")
    RAN.clear()
    result = await tools["pay"].call({"amount": 4}, gated)
    attempt(f"crewai changes what was approved: ran {RAN}", not RAN and result.error)


if __name__ == "__main__":
    asyncio.run(globals()[sys.argv[1]]())
    json.dump(ATTEMPTS, sys.stdout)
