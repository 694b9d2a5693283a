"""Checks the locks and states of a file against its tools, and makes the kind of the agent from them."""

import re
from collections.abc import Collection, Iterator, Mapping

from toolkit.agents.files.agent_definitions import AgentDefinition
from toolkit.agents.kinds import AgentKind, names_within
from toolkit.agents.playbooks import Playbook, never_opens
from toolkit.agents.state_machines import StateMachine
from toolkit.codes import LOCK_NEVER_OPENS, UNKNOWN_STATE, UNKNOWN_TOOL, UNREACHABLE_STATE
from toolkit.documents.shapes import Word
from toolkit.problems import Problem, did_you_mean, errors_among, fix_spelling
from toolkit.tools.base import Tool
from toolkit.tools.inputs import Input

_INPUT = re.compile(r"\$\{\{\s*inputs\.(\w+)\s*\}\}")


def make_kind(
    definition: AgentDefinition, tools: Mapping[str, Tool], later: Collection[str], problems: list[Problem]
) -> AgentKind:
    """Return the kind of an agent.

    Args:
        definition: The content of the file.
        tools: The tools of its targets and references, by name.
        later: The names of tools that may be offered later.
        problems: The list to which all problems are added. A kind with errors must not be used.
    """
    known = {*tools, *names_within(tools), *later}
    match definition.kind:
        case "playbook":
            problems += _unknown_tools(_words_of_locks(definition), known)
            playbook = Playbook({one.tool.text: one.lock for one in definition.locks if one.lock is not None})
            if not errors_among(problems):
                problems += _never_opened(definition, playbook.locks_that_never_open(known))
            return playbook
        case "state_machine":
            problems += _unknown_tools(_words_of_states(definition), known)
            problems += _wrong_states(definition)
            states = {
                state.name.text: {
                    transition.tool.text: transition.to.text if transition.to else None
                    for transition in state.transitions
                }
                for state in definition.states
            }
            start = definition.start.text if definition.start else next(iter(states), "")
            if (given := start_input(definition)) is not None:
                start = str(given.schema.get("default", next(iter(states), "")))
            return StateMachine(start, states, tuple(word.text for word in definition.everywhere))
    return AgentKind()


def start_input(definition: AgentDefinition) -> Input | None:
    """Return the input that names the initial state, as in `start: ${{ inputs.state }}`, or `None`."""
    found = _INPUT.fullmatch(definition.start.text) if definition.start is not None else None
    return next((one for one in definition.inputs or () if found and one.name.text == found[1]), None)


def placed_tools(definition: AgentDefinition, tools: Mapping[str, Tool]) -> dict[str, Tool]:
    """Return the tools that are in a state. Other tools could never be called and are not offered."""
    if definition.kind != "state_machine":
        return dict(tools)
    placed = {word.text for word in _words_of_states(definition)}
    return {name: tool for name, tool in tools.items() if placed & {name, *names_within({name: tool})}}


def _words_of_locks(definition: AgentDefinition) -> Iterator[Word]:
    for one in definition.locks:
        yield one.tool
        yield from one.waits_for


def _words_of_states(definition: AgentDefinition) -> Iterator[Word]:
    for state in definition.states:
        yield from (transition.tool for transition in state.transitions)
    yield from definition.everywhere


def _unknown_tools(words: Iterator[Word], known: Collection[str]) -> Iterator[Problem]:
    for word in words:
        if word.text not in known:
            otherwise = f"its tools are {', '.join(sorted(known))}" if known else "list its tools under 'tools'"
            hint = did_you_mean(word.text, known, otherwise=otherwise)
            fix = fix_spelling(word.text, known, word.location)
            message = f"{word.text!r} is not one of the agent's tools"
            yield Problem(UNKNOWN_TOOL, message, word.location, hint=hint, fix=fix)


def _never_opened(definition: AgentDefinition, names: Collection[str]) -> Iterator[Problem]:
    for one in definition.locks:
        if (name := one.tool.text) in names:
            hint = "make one of them wait for something else"
            yield Problem(LOCK_NEVER_OPENS, never_opens(name), one.tool.location, hint=hint)


def _wrong_states(definition: AgentDefinition) -> Iterator[Problem]:
    states = {state.name.text: state for state in definition.states}
    given = start_input(definition)
    named = [definition.start] if definition.start and given is None else []
    if given is not None:
        offered = [*given.schema.get("enum", ()), *([given.schema["default"]] if "default" in given.schema else [])]
        named += [Word(str(state), given.name.location) for state in offered]
    named += [
        transition.to for state in definition.states for transition in state.transitions if transition.to is not None
    ]
    unknown = [word for word in named if word.text not in states]
    for word in unknown if states else ():
        hint = did_you_mean(word.text, states, otherwise=f"the states are {', '.join(states)}")
        fix = fix_spelling(word.text, states, word.location)
        yield Problem(UNKNOWN_STATE, f"there is no state {word.text!r}", word.location, hint=hint, fix=fix)
    if unknown or not states or given is not None:
        return
    reached, coming = set[str](), [definition.start.text if definition.start else next(iter(states))]
    while coming:
        if (name := coming.pop()) not in reached:
            reached.add(name)
            coming += [transition.to.text for transition in states[name].transitions if transition.to is not None]
    for state in definition.states:
        if state.name.text not in reached:
            message, place = f"no tool leads to the state {state.name.text!r}", state.name.location
            hint = "make a tool of another state lead to it, or remove it"
            yield Problem(UNREACHABLE_STATE, message, place, "warning", hint)
