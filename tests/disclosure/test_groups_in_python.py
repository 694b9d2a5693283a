"""Groups as values: what they hold, what they need, what they lack, and what is chosen of them."""

import pytest

from toolkit import InvalidTools, tool
from toolkit.disclosure import ToolGroup
from toolkit.disclosure.groups import chosen, is_plain, matches  # private


@tool
def brave_search(query: str) -> str:
    """Search the web."""
    return query


@tool
def brave_news(query: str) -> str:
    """Search the news."""
    return query


@tool
def fetch(url: str) -> str:
    """Fetch a page."""
    return url


def web(**options):
    return ToolGroup.of("web", [brave_search, brave_news, fetch], description="The web.", **options)


def names(tools):
    return [each.name for each in tools]


def reported(error):
    return [(problem.code, problem.message, problem.hint) for problem in error.value.problems]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (["fetch"], ["fetch"]),
        (["brave_*"], ["brave_search", "brave_news"]),
        (["fetch", "brave_s*"], ["brave_search", "fetch"]),
        (["/^f|news/"], ["brave_news", "fetch"]),
        (["*"], ["brave_search", "brave_news", "fetch"]),
        (["Fetch", "fetc", "etch", "/^x/"], []),
        ([], []),
    ],
)
def test_tools_are_chosen_by_name_prefix_pattern_or_expression(wanted, found):
    assert names(chosen(web(), wanted)) == found
    assert names(web().choose(wanted)) == found


def test_what_is_excluded_is_left_out():
    assert names(web().choose(["*"], exclude=["*news", "/fet/"])) == ["brave_search"]


def test_a_broken_expression_is_told():
    with pytest.raises(ValueError, match=r"the regular expression /\(/ is invalid"):
        matches("x", "/(/")
    assert [is_plain(text) for text in ("fetch", "web.fetch", "f*", "f?", "[f]", "/f/", "/")] == [
        True, True, False, False, False, False, True,
    ]  # fmt: skip


def test_a_group_without_needs_is_offered_to_everybody():
    assert list(web().offered()) == ["brave_search", "brave_news", "fetch"]


def test_a_group_is_offered_when_all_that_it_needs_is_granted():
    group = web(permissions=["internet_access", "host_access"])
    assert list(group.offered({"internet_access", "host_access"})) == ["brave_search", "brave_news", "fetch"]
    with pytest.raises(InvalidTools) as refused:
        group.offered({"internet_access"})
    assert reported(refused) == [
        (
            "TK007",
            "group 'web' needs 'host_access', which was not granted",
            "to grant it, pass --grant host_access or set TOOLKIT_GRANT=host_access",
        )
    ]


def test_a_group_is_not_offered_without_what_it_requires():
    with pytest.raises(InvalidTools) as refused:
        web(required=["fetch", "fetsh", "zip"]).offered()
    assert reported(refused) == [
        ("TK008", "group 'web' lacks its required tool 'fetsh'", "did you mean 'fetch'?"),
        ("TK008", "group 'web' lacks its required tool 'zip'", "it has brave_news, brave_search, fetch"),
    ]
    assert web(required=["fetch"]).choose(["brave_*"]).problems(()) != []


def test_everything_wrong_with_a_group_is_told_at_once():
    with pytest.raises(InvalidTools) as refused:
        ToolGroup.of("my web", [fetch, object(), fetch], permissions=["internet", "host_access"])  # type: ignore[list-item]  # on purpose
    assert [problem.code for problem in refused.value.problems] == ["TK003", "TK101", "TK103", "TK005"]


def test_a_group_can_be_one_tool():
    facade = web().facade(usage_notes="Search first.", exclusive=True)
    assert (facade.name, facade.description, names(facade.inner_tools)) == ("web", "The web.", names(web()))
    assert (facade.usage_notes, facade.exclusive) == ("Search first.", True)
