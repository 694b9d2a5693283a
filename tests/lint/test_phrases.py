"""The words of a phrase stand in every text that its pattern matches, so that looking for them first changes nothing."""

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.volumes import examples
from toolkit.lint.clues.wording import Phrase  # private
from toolkit.lint.rules import (  # private
    cross_tool_shadowing,
    exfil_shape,
    instruction_in_description,
    placeholder_text,
    sensitive_reference,
)

PHRASES = {
    **{f"shadowing {at}": sign.phrase for at, sign in enumerate(cross_tool_shadowing._SIGNS)},
    **{f"instruction {at}": sign.phrase for at, sign in enumerate(instruction_in_description._SIGNS)},
    "placeholder": placeholder_text._ANYWHERE,
    "sending": exfil_shape._SENDING,
    "asking": exfil_shape._ASKING,
    "handed over": sensitive_reference._HANDED_OVER,
}


@pytest.mark.parametrize("phrase", PHRASES.values(), ids=PHRASES)
@settings(max_examples=examples(100, everyday=1), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_text_that_matches_has_a_word(phrase, data):
    text = data.draw(st.from_regex(phrase.pattern))
    assert phrase.may_match(text)


@pytest.mark.parametrize("letter", ["ſ", "ı", "K"])
def test_letters_that_count_as_those_of_ascii_hide_nothing(letter):
    small = {"ſ": "s", "ı": "i", "K": "k"}[letter]
    phrase = Phrase(rf"\b{small}ignal\b", f"{small}ignal")
    assert phrase.search(f"{letter}ignal") is not None
    assert [found[0] for found in phrase.finditer(f"a {letter}ignal")] == [f"{letter}ignal"]


def test_case_of_letters_does_not_matter():
    phrase = Phrase(r"\bnever\b", "never")
    assert phrase.search("It NEVER ends") is not None
    assert phrase.search("It always ends") is None
