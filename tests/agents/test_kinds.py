"""Kinds, whatever they are made of and whatever a model does: nothing is done that was not open, and nothing is lost."""

import asyncio
from typing import ClassVar

from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit import ToolCall, tool
from toolkit.agents import (
    AgentKind,
    Limits,
    Playbook,
    ScriptedModel,
    StateMachine,
    ToolMessage,
    after,
    after_any,
    run_agent,
)
from toolkit.agents.kinds import ClosedTool  # private

NAMES = ("a", "b", "c", "d")
STATES = ("north", "east", "south")
CONVERSATIONS = st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4), max_size=6)
MACHINES = st.fixed_dictionaries(
    {state: st.dictionaries(st.sampled_from(NAMES), st.none() | st.sampled_from(STATES)) for state in STATES}
)


def counting_tools(done):
    def make(name):
        @tool(name=name, description=f"Do {name}.", read_only=True)
        async def work() -> str:
            done.append(name)
            return f"{name} is done"

        return work

    return [make(name) for name in NAMES]


def held(conversation, kind):
    """Return what was really done, turn by turn in no order within one, and the answers that the model has seen."""
    done = []
    turns = [[ToolCall(name) for name in names] for names in conversation]
    result = asyncio.run(
        run_agent(ScriptedModel([*turns, "end"]), "go", counting_tools(done), kind=kind, limits=Limits(turns=9))
    )
    answers = [message for message in result.transcript.messages if isinstance(message, ToolMessage)]
    return done, answers, result


@settings(max_examples=examples(40), deadline=None)
@given(MACHINES, st.sampled_from(STATES), CONVERSATIONS)
def test_a_machine_does_what_its_states_allow_and_nothing_else(states, start, conversation):
    everywhere = [name for name in NAMES if not any(name in own for own in states.values())]
    done, answers, result = held(conversation, StateMachine(start, states, everywhere))
    state, expected, failed = start, [], []
    for name in (name for names in conversation for name in names):
        is_open = name in everywhere or name in states[state]
        failed.append(not is_open)
        if is_open:
            expected.append(name)
            state = states[state].get(name) or state
    assert (done, [answer.failed for answer in answers], result.state) == (expected, failed, state)


@settings(max_examples=examples(40), deadline=None)
@given(
    st.dictionaries(st.sampled_from(NAMES[1:]), st.tuples(st.booleans(), st.integers(1, 3))),
    CONVERSATIONS,
)
def test_a_playbook_does_nothing_before_what_it_waits_for(chosen, conversation):
    locks = {}
    for name, (wants_all, how_many) in chosen.items():
        before = NAMES[: min(how_many, NAMES.index(name))]  # earlier ones alone, so that all can open
        locks[name] = (after if wants_all else after_any)(*before)
    done, answers, _ = held(conversation, Playbook(locks))
    used, expected, failed = set(), [], []
    for names in conversation:
        is_open = {
            name: name not in locks
            or (locks[name].tools <= used if chosen[name][0] else bool(locks[name].tools & used))
            for name in names
        }
        failed += [not is_open[name] for name in names]
        expected += [name for name in names if is_open[name]]
        used |= {name for name in names if is_open[name]}
    assert (sorted(done), [answer.failed for answer in answers]) == (sorted(expected), failed)


class Alternating(AgentKind):
    """Each tool may be called in every other turn."""

    one_by_one: ClassVar[bool] = True

    def table(self, tools, past):
        return {
            name: tool if (past.turns + place) % 2 else ClosedTool(tool, "Not this turn.")
            for place, (name, tool) in enumerate(tools.items())
        }


def test_kind_of_ones_own_says_what_is_open():
    done, answers, _ = held([["a", "b"], ["a", "b"]], Alternating())
    assert done == ["a", "b"]
    assert [answer.text for answer in answers] == [
        "a is done",
        "Error: Not this turn.",
        "Error: Not this turn.",
        "b is done",
    ]
