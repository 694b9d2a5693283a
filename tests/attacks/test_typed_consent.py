"""What counts as a typed yes."""

import os
import random
from itertools import pairwise, product

import pexpect
import pytest
from hypothesis import example, given, settings, strategies as st

from tests.terminals import MENU_END, PROMPT, Terminal
from tests.volumes import examples
from toolkit_cli.prompting import CLEAR, ENTER, ERASE, QUIET_SECONDS, TypedLine  # private

APPROVING = "osa"
CONTROL = (ENTER, ERASE, CLEAR)

# ------------------------------------------------------------------------------- the logic, with a clock of its own

WORDS = ("so", "ls", "hello", "echo o", "cargo", "as", "yes", "foo bar oo", "aaa", "git commit -a", "s o s")
SECONDS_PER_KEY = (0.005, 0.03, 0.08, 0.15, 0.25, 0.33, 0.45, 0.499, 0.501, 0.6, 0.9, 1.7)
MOMENTS_BETWEEN_KEYS = (0.01, 0.35, 0.65, 0.99)


def lines_at_a_question(keys, asked_at, late=0.0):
    """Return each line that a question gets when these (time, key) are typed and it appears at a time, with its times.

    As the program does: keys that came before are read when it appears, every other one when it comes, and a line is
    opened at the end of a pause, or as late as the machine is slow. A line that ends is followed by a new one.
    """
    line, its_keys = TypedLine(asked_at), [(asked_at, "")]
    for at, key in keys:
        now = max(at, asked_at)
        opening = now - late if line.seconds_left(now - late) == 0 else asked_at
        line = line.after_pause(opening).after_key(key, now)
        its_keys.append((now, key))
        if line.is_ended:
            yield line, its_keys
            line, its_keys = TypedLine(now), [(now, "")]


def approves(line):
    return any(line.decides_for(letter) for letter in APPROVING)


def typed(text, seconds_per_key):
    return [(number * seconds_per_key, key) for number, key in enumerate(text)]


def test_the_end_of_a_word_that_is_being_typed_never_approves(attacks):
    for word, seconds, moment, late in product(WORDS, SECONDS_PER_KEY, MOMENTS_BETWEEN_KEYS, (0.0, 0.07)):
        keys = typed(f"{word}{ENTER}", seconds)
        for position in range(len(keys)):
            asked_at = (position + moment) * seconds
            held = not any(approves(line) for line, _ in lines_at_a_question(keys, asked_at, late))
            attacks.count(f"{word!r} at {seconds} s a key, asked at {asked_at} s", held=held)
    assert attacks.attempts > 2000


def test_several_lines_that_are_typed_quickly_never_approve(attacks):
    chance = random.Random(11)  # noqa: S311 - the same attempts every time
    for attempt in range(2000):
        lines = [chance.choice((*WORDS, "o", "s", "a", "")) for _ in range(chance.randint(1, 5))]
        keys, at = [], 0.0
        for key in ENTER.join([*lines, ""]):
            at += chance.uniform(0.0, QUIET_SECONDS * 0.99)
            keys.append((at, key))
        asked_at = chance.uniform(0.0, at)
        held = not any(approves(line) for line, _ in lines_at_a_question(keys, asked_at))
        attacks.count(f"attempt {attempt}: {lines} asked at {asked_at}", held=held)


def test_a_letter_typed_after_the_question_has_settled_decides():
    keys = [(0.6, "o"), (0.7, ENTER)]
    assert [approves(line) for line, _ in lines_at_a_question(keys, 0.0)] == [True]
    after_a_line_that_was_ended = [(0.0, "x"), (0.1, ENTER), (0.7, "p"), (0.8, ERASE), (0.9, "o"), (1.0, ENTER)]
    assert [approves(line) for line, _ in lines_at_a_question(after_a_line_that_was_ended, 0.05)] == [True]


@given(
    st.lists(
        st.tuples(st.floats(0.0, 2.0), st.sampled_from(["o", "s", "x", " ", ENTER, ERASE, CLEAR, "up"])), max_size=12
    ),
    st.floats(0.0, 5.0),
)
@settings(max_examples=examples(500), deadline=None)
@example([(0.1, "l"), (0.6, "o"), (0.6, ENTER)], 0.2)
def test_whatever_is_typed_only_a_fresh_line_after_half_a_second_of_quiet_decides(pauses, asked_at):
    keys, at = [], 0.0
    for pause, key in pauses:
        at += pause
        keys.append((at, key))
    for line, its_keys in lines_at_a_question(keys, asked_at):
        if approves(line):
            begins = max(place for place, (_, key) in enumerate(its_keys[:-1]) if key in ("", ENTER))
            quiet = [now - before >= QUIET_SECONDS for (before, _), (now, _) in pairwise(its_keys[begins:])]
            letters = [len(key) == 1 and key not in CONTROL for _, key in its_keys[begins + 1 :]]
            assert line.text in APPROVING
            assert True in quiet[: letters.index(True) + 1]


# ---------------------------------------------------------------------------------------------- on a real terminal

WAITS = """
from toolkit import tool

@tool(destructive=True)
def wipe(path: str) -> str:
    '''Wipe a file.'''
    open(path, "w").close()
    return "wiped"

print("loading", flush=True)
with open("gate") as gate:
    gate.read()
"""


class Asked(Terminal):
    """The program, which asks whether it may wipe a file as soon as its gate opens."""

    def __init__(self, folder):
        self.report = folder / "report.md"
        self.report.write_text("kept", "utf-8")
        (folder / "waits.py").write_text(WAITS, "utf-8")
        if not (folder / "gate").exists():
            os.mkfifo(folder / "gate")
        super().__init__(folder, "run", "waits.py:wipe", "path=report.md")
        self.expect("loading")

    def open_gate(self):
        (self.folder / "gate").write_text("go", "utf-8")

    def type(self, text, seconds_per_key):
        """Send keys one by one; between them, the screen is read."""
        for key in text:
            self.child.send(key)
            self.child.expect(pexpect.TIMEOUT, timeout=seconds_per_key)

    def refuse(self):
        """Stop the run, however often that takes, and return whether nothing was approved until then."""
        for _ in range(4):
            self.child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=QUIET_SECONDS * 3)
            if self.child.after is pexpect.EOF:
                break
            self.child.send("q\r")
        return self.end() == 3 and self.report.read_text("utf-8") == "kept"


@pytest.fixture
def asked(tmp_path):
    return Asked(tmp_path)


@pytest.mark.proof
@pytest.mark.parametrize("seconds_per_key", [0.0, 0.08, 0.3, 0.6])
@pytest.mark.parametrize(("before", "after"), [("hell", "o\r"), ("l", "s\r"), ("", "hello\rls\r")])
def test_a_word_that_is_being_typed_when_the_question_appears(asked, attacks, seconds_per_key, before, after):
    asked.type(before, seconds_per_key)
    asked.open_gate()
    asked.expect("approve  ")  # keys from here on come while the question is drawn
    asked.type(after, seconds_per_key)
    attacks.count(f"{before!r}, then {after!r} at {seconds_per_key} s a key", held=asked.refuse())


@pytest.mark.proof
def test_words_typed_on_and_on_at_changing_speed(asked, attacks):
    chance = random.Random(6)  # noqa: S311 - the same attempts every time
    asked.type("so", 0.1)
    asked.open_gate()
    for _ in range(40):
        word = chance.choice(("so", "ls", "hello", "cargo", "as", "foo o"))
        asked.type(word, chance.choice((0.0, 0.02, 0.08, 0.12)))
        asked.child.send("\r")
        attacks.count(f"{word!r} in the middle of others", held=asked.report.read_text("utf-8") == "kept")
    assert asked.refuse()


@pytest.mark.proof
@pytest.mark.parametrize("ahead", ["o\r", "o\ro\ro\r", "s\r", "a\r", "o", "ooo", "\x1b[200~o\r\x1b[201~", "o\n\n\n"])
def test_what_was_typed_before_the_question(asked, attacks, ahead):
    asked.child.send(ahead)
    asked.child.expect(pexpect.TIMEOUT, timeout=0.2)
    asked.open_gate()
    asked.expect(MENU_END)
    attacks.count(f"{ahead!r} before the question", held=asked.refuse())


PASTES = [
    "\x1b[200~o\x1b[201~\r",
    "\x1b[200~o\r\x1b[201~\r",
    "\x1b[200~o\r\x1b[201~",
    "\x1b[200~s\no\n\x1b[201~\r",
    "\x1b[200~\x1b[201~o\r",
    "o\x1b[200~\x1b[201~\r",
    "o\ro\r",
    "o\rls\r",
    "hello\ro\r",
    "first\rs\ro\rlast\r",
    "o\r" * 2000,
]
"""What comes when something is pasted, where the terminal marks pastes and where it does not."""


@pytest.mark.proof
@pytest.mark.parametrize("paste", PASTES, ids=lambda paste: repr(paste[:30]))
def test_a_paste_at_the_prompt(asked, attacks, paste):
    asked.open_gate()
    asked.expect(MENU_END)
    asked.expect(PROMPT)
    asked.child.send(paste)
    attacks.count(f"pasted: {paste[:30]!r}", held=asked.refuse())


@pytest.mark.proof
def test_a_paste_may_fill_the_reason(asked):
    asked.open_gate()
    asked.answer("r")
    asked.expect("the reason")
    asked.child.send("\x1b[200~not today\x1b[201~\r")
    assert asked.end() == 3
    assert "error: Rejected by reviewer: not today" in asked.seen


def test_one_letter_and_enter_approve(asked):
    asked.open_gate()
    asked.answer("o")
    assert asked.end() == 0
    assert asked.report.read_text("utf-8") == ""
