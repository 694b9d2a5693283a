"""A chat with an agent on the terminal."""

import re
from collections.abc import Iterator

from toolkit.problems import did_you_mean
from toolkit_cli import console
from toolkit_cli.failures import ExitCode
from toolkit_cli.rendering.result_texts import usage_line
from toolkit_cli.rendering.styles import cut, one_line
from toolkit_cli.running.agent_sessions import Conversation

CHAT_COMMANDS = {
    "/help": "show this help",
    "/tools": "list the tools that the agent may call",
    "/reset": "start a new conversation",
    "/usage": "show the usage and cost so far",
    "/exit": "end the chat, like Ctrl-D",
}
_ENDED_FROM_OUTSIDE = {128 + number for number in (1, 15)}  # SIGHUP or SIGTERM; Ctrl-C ends only an answer
_COMMAND = re.compile(r"/\w*")


def chat(conversation: Conversation) -> int:
    """Let the agent answer what the user types until the chat ends, and return the exit code.

    Ctrl-C interrupts an answer; at the prompt it ends the chat, like Ctrl-D.
    """
    conversation.screen.say(_welcome(conversation))
    for typed in _lines(conversation):
        word = typed.split()[0]
        if _COMMAND.fullmatch(word):
            if word == "/exit":
                break
            _run_command(word, conversation)
            continue
        exit_code = conversation.answer(typed)
        if exit_code in _ENDED_FROM_OUTSIDE:
            return exit_code
    return ExitCode.SUCCESS


def _lines(conversation: Conversation) -> Iterator[str]:
    """Yield the typed lines, without empty ones."""
    from toolkit_cli.prompting import Prompter  # few tasks are conversations

    earlier: list[str] = []
    while True:
        try:
            with conversation.screen.hold() as talk:
                typed = Prompter.open(talk).line_now(earlier).strip()
        except EOFError:
            return
        if typed:
            earlier.append(typed)
            yield typed


def _welcome(conversation: Conversation) -> str:
    count = len(conversation.agent.tools)
    who = f"{one_line(conversation.agent.model.name)} with {count} tool{'s' if count != 1 else ''}"
    return f"chat with {who} · /help lists the commands · Ctrl-D ends it"


def _run_command(command: str, conversation: Conversation) -> None:
    say = conversation.screen.say
    match command:
        case "/help":
            for name, words in CHAT_COMMANDS.items():
                say(f"  {name:<8}{words}")
        case "/tools":
            _list_tools(conversation)
        case "/usage":
            say(usage_line(conversation.shown.run.uses))
        case "/reset":
            conversation.start_over()
            say("new conversation started")
        case _:
            hint = did_you_mean(command, CHAT_COMMANDS, otherwise=f"the commands are {', '.join(CHAT_COMMANDS)}")
            say(f"there is no command '{command}'; {hint}")


def _list_tools(conversation: Conversation) -> None:
    tools = conversation.agent.tools
    for name, tool in tools.items():
        line = f"  {one_line(name)}  {one_line(tool.spec.description.partition(chr(10))[0])}"
        conversation.screen.say(cut(line, console.width()))
    if not tools:
        conversation.screen.say("  none")
