"""Null for something that may be left out counts as left out, exactly there and nowhere else."""

from dataclasses import dataclass, field

from toolkit import from_function, tool


@dataclass
class Filter:
    column: str
    limit: int = 10
    tags: list[str] = field(default_factory=list)


@tool
def search(query: str, filter: Filter | None = None, words: list[str] = []) -> str:  # noqa: A002, B006
    """Search."""
    return f"{query} {filter} {words}"


searching = from_function(search)


def test_null_of_an_optional_parameter_counts_as_left_out():
    assert searching.run({"query": "x", "words": None}).output == "x None []"


def test_null_inside_leaves_out_only_itself():
    called = searching.run({"query": "x", "filter": {"column": "a", "limit": None, "tags": ["b"]}})
    assert called.output == "x Filter(column='a', limit=10, tags=['b']) []"


def test_null_in_a_list_is_wrong_and_does_not_drop_the_list():
    assert searching.run({"query": "x", "words": ["a", None]}).error == (
        "Invalid parameter 'words[1]': should be a valid string, not null"
    )


def test_null_of_what_is_required_inside_is_missing():
    called = searching.run({"query": "x", "filter": {"column": None}})
    assert called.error == "Missing required parameter(s): filter.column"


def test_null_of_a_required_parameter_of_any_type_is_missing():
    @tool
    def pack(tags: list[str], size: int | str, more: dict[str, int]) -> str:
        """Pack."""
        return "packed"

    called = from_function(pack).run({"tags": None, "size": None, "more": None})
    assert called.error == "Missing required parameter(s): tags, size, more"
