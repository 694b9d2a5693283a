"""Four rules look closely only at texts that may hold what they search: they find what they would find anywhere."""

import ast
import re

from hypothesis import HealthCheck, example, given, settings, strategies as st

from tests.volumes import examples
from toolkit import ToolSpec
from toolkit.lint.definitions.tool_definitions import Text, ToolDefinition  # private
from toolkit.lint.definitions.written_places import Somewhere  # private
from toolkit.lint.rule import RuleSettings  # private
from toolkit.lint.rules import (  # private
    no_return_description,
    non_portable_text,
    sensitive_reference,
    short_description,
)
from toolkit.source_code.python_files import PythonFile  # private

PARTS = [
    *("'", '"', "`", "```", "<b>", "</p>", "<x", "a < b", "---", "|---|", "| --- | :---: |", "\x07", "\x1b[0m", "\x85"),
    *("~/.ssh/id_rsa", ".ssh/known.pub", "id_ed25519", ".aws/credentials", ".AWS/credentials", "/etc/shadow", ".netrc"),
    *(
        ".kube/config",
        ".git-credentials",
        "profile",
        "read",
        "send",
        "include",
        "api key",
        "pa\u017f\u017fword",
        "to\u212aen",
        ".env",
    ),
    *("Returns:", "return", "Return\n---", ":returns:", ":return:", "RETURNS:", "eturn", "gives", "the", "get_city"),
    *("\u0e01", "\u4e00" * 5, "\uac00", "\u3042", "\u00e9", "\u0130", " ", " ", "\n", "\n\n", ". ", "word"),
]
TEXTS = st.lists(st.sampled_from(PARTS) | st.text(max_size=4), max_size=12).map("".join)
KINDS = st.sampled_from(["name", "title", "description", "parameter", "value"])
DUMB = "Put the city on a list."

thoroughly = settings(max_examples=examples(3_000, everyday=30), deadline=None, suppress_health_check=list(HealthCheck))


def tool_with(texts, description="", **fields):
    written = Somewhere(None)
    return ToolDefinition(
        "get_city", description, texts=tuple(Text(kind, text, written) for kind, text in texts), **fields
    )


def messages(rule, tool):
    return [problem.message for problem in rule(RuleSettings()).check_tool(tool)]


@thoroughly
@given(texts=st.lists(st.tuples(KINDS, TEXTS), max_size=3))
@example(texts=[("description", "say '\x07'")])
@example(texts=[("description", "say '\x07' < 3")])
@example(texts=[("description", "as '<b>' or <b>")])
@example(texts=[("description", "`a\n|---|\n`")])
@example(texts=[("description", "```\n|---|\n```")])
def test_text_that_not_all_readers_show_is_found_as_without_a_quick_look(texts):
    expected = []
    for kind, text in texts:
        if kind in {"description", "parameter", "title"}:
            plain = non_portable_text._CODE.sub(lambda code: " " * len(code[0]), text)
            expected += [
                f"the {kind} of 'get_city' contains {what}"
                for what, pattern, where in (
                    ("HTML", non_portable_text._TAG, plain),
                    ("a Markdown table", non_portable_text._TABLE, plain),
                    ("control characters", non_portable_text._CONTROL, text),
                )
                if pattern.search(where)
            ]

    assert messages(non_portable_text.NonPortableText, tool_with(texts)) == expected


@thoroughly
@given(texts=st.lists(st.tuples(KINDS, TEXTS), max_size=3))
def test_places_of_secrets_are_found_as_without_a_quick_look(texts):
    expected = []
    for kind, text in texts:
        if kind in {"description", "parameter", "title"}:
            places = sensitive_reference._PLACES.finditer(text)
            place = next((one for one in places if not sensitive_reference._is_setting(one, text)), None)
            if found := place or sensitive_reference._HANDED_OVER.pattern.search(text):
                shown = " ".join(found[0].split())
                expected.append(f"the {kind} of 'get_city' asks for secrets ({shown!r})")

    assert messages(sensitive_reference.SensitiveReference, tool_with(texts)) == expected


@thoroughly
@given(text=TEXTS)
def test_short_descriptions_are_found_as_without_a_quick_look(text):
    expected = []
    if stripped := text.strip():
        is_dense = re.search(short_description._DENSE, stripped) is not None
        words = len(re.findall(r"[^\W_]+", stripped))
        if short_description._restates(stripped, "get_city"):
            expected = ["the description of 'get_city' only repeats its name"]
        elif len(stripped) * 3 < 20 if is_dense else len(stripped) < 20 or words < 4:
            expected = ["the description of 'get_city' is very short"]

    assert messages(short_description.ShortDescription, tool_with([], text)) == expected


@thoroughly
@given(docstring=TEXTS)
@example(docstring="Find it.\n\nReturns:\n    A line.")
@example(docstring="Find it.\n\n:return: A line.")
def test_sections_that_models_never_see_are_found_as_without_a_quick_look(docstring):
    [function] = PythonFile("tools.py", f"def get_city():\n    {docstring!a}\n").functions
    tool = tool_with([], DUMB, spec=ToolSpec("get_city", DUMB, {"type": "object"}), function=function)
    [problem] = no_return_description.NoReturnDescription(RuleSettings()).check_tool(tool)

    has_section = no_return_description._RETURNS.search(ast.get_docstring(function.node) or "") is not None
    assert (problem.hint == "say it in the description too: models never see the section 'Returns'") == has_section
