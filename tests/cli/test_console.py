"""Data and talk are kept apart, and colour and width follow the terminal."""

import os
import pty
import subprocess
import sys

import pytest


@pytest.fixture
def in_terminal(project):
    """Run a program on a terminal of the given width; what it wrote to stdout and stderr comes out mixed."""

    def run(code, *, columns, **environment):
        ours, theirs = pty.openpty()
        inherited = {
            name: value for name, value in os.environ.items() if name not in {"COLUMNS", "NO_COLOR", "FORCE_COLOR"}
        }
        size = f"import os, termios, fcntl, struct; fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('4H', 24, {columns}, 0, 0))\n"
        subprocess.run(
            [sys.executable, "-c", size + code],
            stdin=theirs, stdout=theirs, stderr=theirs,
            cwd=project, check=True, timeout=60,
            env=inherited | {"TERM": "xterm"} | environment,
        )  # fmt: skip
        os.close(theirs)
        written = b""
        try:
            while piece := os.read(ours, 65536):
                written += piece
        except OSError:  # a terminal whose other side is closed
            pass
        os.close(ours)
        return written.decode().replace("\r\n", "\n")

    return run


def test_terminal_gives_width_and_colour(in_terminal):
    program = "from toolkit_cli import console\nprint(console.width(), console.data_width(), console.stderr_has_colour(), console.data_has_colour(), console.can_ask())"
    assert in_terminal(program, columns=91) == "91 91 True True True\n"
    assert in_terminal(program, columns=91, COLUMNS="70") == "70 70 True True True\n"
    assert in_terminal(program, columns=91, NO_COLOR="1") == "91 91 False False True\n"
    assert in_terminal(program, columns=91, TERM="dumb") == "91 91 False False True\n"
    assert in_terminal(program, columns=3) == "40 40 True True True\n"


def test_data_keeps_its_terminal_while_others_are_sent_to_stderr(in_terminal):
    program = (
        "from toolkit_cli import console\n"
        "with console.ReservedStdout():\n"
        "    console.write_data(f'{console.data_is_terminal()} {console.data_width()}\\n')\n"
    )
    assert in_terminal(program, columns=66) == "True 66\n"


def test_without_a_terminal_there_is_no_colour_and_data_is_as_wide_as_it_likes(project):
    program = "from toolkit_cli import console\nprint(console.width(), console.data_width(), console.stderr_has_colour(), console.can_ask())"
    environment = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "FORCE_COLOR"}}
    finished = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        stdin=subprocess.DEVNULL,
    )
    assert finished.stdout == "80 100000 False False\n"


def test_stdout_is_given_back_afterwards(project):
    program = (
        "import os\n"
        "from toolkit_cli import console\n"
        "with console.ReservedStdout():\n"
        "    console.write_data('data\\n')\n"
        "    print('talk', flush=True)\n"
        "    with console.ReservedStdout():\n"
        "        console.write_data('more data\\n')\n"
        "    os.write(1, b'more talk\\n')\n"
        "print('after', flush=True)\n"
        "os.write(1, b'and after\\n')\n"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout == "data\nmore data\nafter\nand after\n"
    assert finished.stderr == "talk\nmore talk\n"


def test_text_without_a_form_in_utf_8_is_escaped(project):
    program = "from toolkit_cli import console\nwith console.ReservedStdout():\n    console.write_data('a\\udc80b\\n')"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout == "a\\udc80b\n"
