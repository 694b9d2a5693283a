"""The screen takes lines, pieces of lines, live displays and questions in turns, and none tears another."""

import pytest

from toolkit_cli.screen import Screen  # private


class Shown:
    """A live display that keeps what is written above it."""

    def __init__(self):
        self.lines = []

    def start(self):
        self.lines.append("<started>")

    def stop(self):
        self.lines.append("<stopped>")

    def print_above(self, line):
        self.lines.append(line)


@pytest.fixture
def screen():
    with Screen() as screen:
        yield screen


def test_line_begins_anew_after_a_piece_of_one(screen, capsys):
    screen.add("Well")
    screen.add(" then")
    screen.say("a step")
    screen.add("Done.\n")
    screen.end_line()
    screen.say("the end")
    assert capsys.readouterr().err == "Well then\na step\nDone.\nthe end\n"


def test_question_waits_for_no_piece_and_pieces_wait_for_the_question(screen, capsys):
    screen.add("Well")
    with screen.hold() as talk:
        talk.write("really? ")
        screen.add("then")
        screen.say("a step")
    assert capsys.readouterr().err == "Well\nreally? then\na step\n"


def test_pieces_are_whole_lines_above_a_live_display(screen, capsys):
    live = Shown()
    screen.add("Well")
    screen.show(live)
    screen.add("one\ntw")
    screen.add("o\nthree")
    screen.say("a step")
    screen.show(None)
    assert live.lines == ["<started>", "one", "two", "three", "a step", "<stopped>"]
    assert capsys.readouterr().err == "Well\n"


def test_program_that_ends_leaves_no_line_open(capsys):
    with Screen() as screen:
        screen.add("Well")
    assert capsys.readouterr().err == "Well\n"
