"""On a terminal, a setting that widens is shown in full, and agreed to once."""

import re

from tests.terminals import Terminal

WORDS = [f"word{number}" for number in range(120)]


def configured(project):
    command = ", ".join(f"'{word}'" for word in ["echo", *WORDS])
    description = '"Speaks \\u202e\\u001b[2J."'
    (project / "toolkit.toml").write_text(
        f"[builtin.speak]\nkind = 'process'\ndescription = {description}\ncommand = [{command}]\n"
    )
    return {"XDG_CONFIG_HOME": str(project / "home")}


def test_whole_command_is_shown_and_asked_about_once(project, program):
    environment = configured(project)
    terminal = Terminal(project, "run", "speak", "x", "--approve", "speak", environment=environment)
    terminal.answer("")  # Enter decides nothing
    terminal.answer("a")
    assert terminal.end() == 0
    shown = re.sub(r"[^A-Za-z0-9]", "", terminal.seen)
    assert "".join(f"word{number}" for number in range(120)) in shown
    assert "Usethetoolspeakwiththesesettingsfromtoolkittoml41Itreacheseverythingthataprogramcan" in shown
    assert "\u202e" not in terminal.seen
    assert "\x1b[2J" not in terminal.seen
    assert (project / "out.txt").read_text() == f"{' '.join(WORDS)}\n"
    again = program("run", "speak", "x", "--approve", "speak", "--quiet", env=environment)
    assert (again.returncode, again.stdout, again.stderr) == (0, f"{' '.join(WORDS)}\n", "")


def test_no_is_a_refusal_with_the_place(project):
    terminal = Terminal(project, "run", "speak", "x", "--approve", "speak", environment=configured(project))
    terminal.answer("r")
    terminal.expect("the reason, which the caller will see:")
    terminal.child.send("\r")
    assert terminal.end() == 3
    assert "--consent builtin.speak" in terminal.seen
    assert not (project / "home").exists()
