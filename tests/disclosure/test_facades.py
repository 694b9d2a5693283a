"""Facades: one tool for many; what a call reveals, how a second call is led back, and what is refused."""

import asyncio
import json

import pytest

from toolkit import (
    Continue,
    InvalidTools,
    Reject,
    Tool,
    ToolContext,
    ToolResult,
    WrappedTool,
    from_function,
    from_object,
    tool,
)
from toolkit.approvals import ScriptedReviewer
from toolkit.disclosure import ProgressiveTool, UnfoldingTool, offer, unfolded_by
from toolkit.disclosure.progressive import facade_in  # private
from toolkit.wrappers import ConfirmedTool, limited


@tool(read_only=True)
def query_table(sql: str) -> str:
    """Execute a SQL query."""
    return f"5 rows of {sql}"


@tool
def insert_record(table: str) -> str:
    """Insert a record."""
    return f"inserted into {table}"


@tool(requires_approval=True)
def delete_record(number: int) -> str:
    """Delete a record."""
    return f"deleted {number}"


DATABASE = (
    "database",
    "Work with the database. Invoke to see operations.",
    [query_table, insert_record, delete_record],
)


def database(**options):
    return UnfoldingTool.of(*DATABASE, **options)


def names(tools):
    return [each.name for each in tools]


class Loop:
    """What a model is offered, and the calls that it makes."""

    def __init__(self, *tools, **context):
        self.tools = {each.name: each for each in tools}
        self.context = ToolContext(loop_id="l1", **context)

    def call(self, name, arguments="{}"):
        result = self.tools[name].run(arguments, self.context)
        if (unfolded := unfolded_by(result)) is not None:
            self.tools, remark = offer(self.tools, name, unfolded)
            return f"{result.text}\n{remark}" if remark else result.text
        return result.text


def test_a_model_sees_only_the_facade_until_it_calls_it():
    loop = Loop(database())
    assert list(loop.tools) == ["database"]
    text = loop.call("database")
    assert text == "Tools now available: query_table, insert_record, delete_record. Call the one that you need."
    assert list(loop.tools) == ["database", "database_context", "query_table", "insert_record", "delete_record"]
    assert loop.call("query_table", {"sql": "t"}) == "5 rows of t"


def test_a_result_of_a_facade_is_data_for_programs_too():
    result = database().run()
    assert result.structured == {
        "tools": [
            {"name": "query_table", "description": "Execute a SQL query."},
            {"name": "insert_record", "description": "Insert a record."},
            {"name": "delete_record", "description": "Delete a record."},
        ]
    }
    assert json.loads(json.dumps(result.structured)) == result.structured


@pytest.mark.parametrize("arguments", ["", "null", "garbage {", '{"anything": 1}', "[]", {}])
def test_whatever_is_sent_to_a_facade_that_wants_nothing_is_ignored(arguments):
    assert names(database().run(arguments).artifact.tools) == ["query_table", "insert_record", "delete_record"]


def test_a_second_call_of_the_facade_leads_to_its_tools():
    loop = Loop(database(usage_notes="Query first."))
    loop.call("database")
    guide = loop.tools["database"]
    assert guide.description == "Call a specific tool instead: query_table, insert_record, delete_record."
    assert loop.call("database", '{"sql": "SELECT 1"}') == (
        "Use one of these tools directly:\n"
        "- query_table: Execute a SQL query.\n"
        "- insert_record: Insert a record.\n"
        "- delete_record: Delete a record.\n"
        "\n"
        "Query first."
    )
    assert len(loop.tools) == 5


def test_the_context_tool_keeps_what_the_tools_are_for():
    loop = Loop(database(usage_notes="Query first."))
    loop.call("database")
    context = loop.tools["database_context"]
    assert context.description == (
        "Work with the database. Invoke to see operations. "
        "Available: query_table, insert_record, delete_record. Query first."
    )
    assert loop.call("database_context") == (
        "Tools for Work with the database. Invoke to see operations:\n"
        "- query_table: Execute a SQL query.\n"
        "    sql (string, required)\n"
        "- insert_record: Insert a record.\n"
        "    table (string, required)\n"
        "- delete_record: Delete a record.\n"
        "    number (integer, required)\n"
        "\n"
        "Usage notes: Query first."
    )
    assert loop.call("database_context").startswith("ALREADY LOADED.")


def test_usage_notes_are_told_with_the_tools_and_not_in_their_descriptions():
    loop = Loop(database(usage_notes="Query first."))
    assert loop.call("database").endswith("Call the one that you need.\n\nQuery first.")
    assert loop.tools["query_table"].description == "Execute a SQL query."


def test_siblings_stay_beside_the_tools_unless_the_facade_is_exclusive():
    other = from_function(query_table).with_name("other")
    beside, alone = Loop(other, database()), Loop(other, database(exclusive=True))
    beside.call("database")
    alone.call("database")
    revealed = ["database", "database_context", "query_table", "insert_record", "delete_record"]
    assert list(beside.tools) == ["other", *revealed]
    assert list(alone.tools) == revealed


def test_a_tool_whose_name_a_sibling_has_is_offered_under_another():
    def query_table() -> str:
        """Query another table."""
        return "another"

    loop = Loop(from_function(query_table), database())
    assert loop.call("database").endswith("\nRenamed to avoid conflicts: 'query_table' is 'database_query_table'.")
    assert loop.call("query_table") == "another"
    assert loop.call("database_query_table", {"sql": "t"}) == "5 rows of t"


def test_approvals_of_revealed_tools_stand():
    reviewer = ScriptedReviewer([Continue()])
    loop = Loop(database(), reviewer=reviewer)
    loop.call("database")
    assert loop.call("delete_record", {"number": 3}) == "deleted 3"
    assert [request.text for request in reviewer.requests] == ["Run delete_record?"]


def test_a_model_is_not_asked_about_for_looking_behind_a_facade():
    reviewer = ScriptedReviewer([])
    loop = Loop(database(), reviewer=reviewer, chosen_by="model")
    loop.call("database")
    assert reviewer.requests == []


def by_category(**options):
    return UnfoldingTool.by_category(
        "files", "File operations.", {"read": [query_table], "write": [insert_record, delete_record]}, **options
    )


def test_categories_are_an_enumeration_of_the_one_parameter():
    assert by_category(parameter="kind").spec.parameters == {
        "type": "object",
        "properties": {
            "kind": {
                "type": "string",
                "enum": ["read", "write"],
                "description": "Category to access. Available: read, write",
            }
        },
        "required": ["kind"],
    }


def test_only_the_tools_of_the_category_are_revealed_and_others_can_be_added():
    loop = Loop(by_category())
    assert loop.call("files", {"category": "read"}).startswith("Tools now available: query_table.")
    assert list(loop.tools) == ["files", "files_context", "query_table"]
    loop.call("files", {"category": "write"})
    assert sorted(loop.tools) == ["delete_record", "files", "files_context", "insert_record", "query_table"]
    assert loop.call("files", {"category": "write"}).startswith("Use one of these tools directly:\n- query_table")
    assert loop.call("files").startswith("Use one of these tools directly:\n- query_table")
    assert "Category to access" in str(loop.tools["files"].spec.parameters)


def test_a_category_that_is_none_is_refused_with_the_names_of_all():
    loop = Loop(by_category())
    assert loop.call("files", {"category": "admin"}) == (
        "Error: Invalid parameter 'category': should be 'read' or 'write', not \"admin\""
    )
    assert loop.call("files").startswith("Error: Missing")
    assert list(loop.tools) == ["files"]


def connect(arguments):
    connection = arguments.get("connection", "localhost")

    def query(sql: str) -> str:
        """Query the database."""
        return f"{sql} at {connection}"

    def insert(row: str) -> str:
        """Insert a row."""
        return f"{row} into {connection}"

    return [query_tool(query), query_tool(insert)] if connection != "nowhere" else []


def query_tool(function):
    return from_function(function)


CONNECTION = {"type": "object", "properties": {"connection": {"type": "string"}}}


def test_a_function_may_make_the_tools_for_the_arguments():
    loop = Loop(UnfoldingTool.selectable("database", "Database operations.", CONNECTION, connect))
    loop.call("database", {"connection": "prod"})
    assert loop.call("query", {"sql": "t"}) == "t at prod"
    loop.call("database", {"connection": "test"})
    assert sorted(loop.tools) == ["database", "database_context", "insert", "query"]
    assert loop.call("query", {"sql": "t"}) == "t at test"


def test_tools_that_share_a_state_keep_it_when_the_same_choice_is_made_again():
    def cart(arguments):
        items = []

        def add_item(item: str) -> str:
            """Add an item."""
            items.append(item)
            return f"{arguments['cart_id']}: {', '.join(items)}"

        return [from_function(add_item)]

    parameters = {"type": "object", "properties": {"cart_id": {"type": "string"}}, "required": ["cart_id"]}
    loop = Loop(UnfoldingTool.selectable("cart", "A shopping cart.", parameters, cart))
    loop.call("cart", {"cart_id": "a"})
    loop.call("add_item", {"item": "tea"})
    loop.call("cart", {"cart_id": "a"})
    assert loop.call("add_item", {"item": "milk"}) == "a: tea, milk"
    loop.call("cart", {"cart_id": "b"})
    assert loop.call("add_item", {"item": "tea"}) == "b: tea"
    loop.call("cart", {"cart_id": "a"})
    assert loop.call("add_item", {"item": "bread"}) == "a: tea, milk, bread"


def test_a_choice_may_be_async_and_may_look_at_the_context():
    async def choose(arguments, context):
        await asyncio.sleep(0)
        return [delete_record] if context.get("role") == "admin" else [query_table]

    facade = UnfoldingTool.selectable("api", "The API.", CONNECTION, choose)
    assert names(facade.run({}, ToolContext({"role": "admin"})).artifact.tools) == ["delete_record"]
    assert names(facade.run({}).artifact.tools) == ["query_table"]
    assert names(asyncio.run(facade.call({})).artifact.tools) == ["query_table"]


def test_a_choice_of_nothing_changes_nothing():
    loop = Loop(UnfoldingTool.selectable("database", "Database operations.", CONNECTION, connect))
    assert (
        loop.call("database", {"connection": "nowhere"}) == "There are no tools behind 'database' for these arguments."
    )
    assert list(loop.tools) == ["database"]


def test_a_choice_that_fails_is_a_failed_call():
    def choose(arguments):
        return [object()] if arguments else 1 / 0

    facade = UnfoldingTool.selectable("api", "The API.", CONNECTION, choose)
    assert facade.run({}).error == "division by zero"
    assert facade.run({"connection": "x"}).error.startswith("'api' cannot reveal its tools: ")
    twice = UnfoldingTool.selectable("api", "The API.", CONNECTION, lambda _: [query_table, from_function(query_table)])
    assert twice.run({}).error == "'api' cannot reveal its tools: the name 'query_table' is taken"


def test_more_tools_keep_everything_else():
    more = by_category(usage_notes="Read first.", exclusive=True).with_tools(
        from_function(query_table).with_name("help")
    )
    unfolded = more.run({"category": "write"}).artifact
    assert names(unfolded.tools) == ["help", "insert_record", "delete_record"]
    assert (unfolded.notes, unfolded.exclusive) == ("Read first.", True)
    assert names(more.categories["read"]) == ["query_table", "help"]
    chosen = UnfoldingTool.selectable("database", "Database operations.", CONNECTION, connect).with_tools(query_table)
    assert names(chosen.run({"connection": "prod"}).artifact.tools) == ["query_table", "query", "insert"]


class Files:
    @tool
    def read(self, path: str) -> str:
        """Read a file."""
        return path

    @tool
    def write(self, path: str) -> str:
        """Write a file."""
        return path


def test_tools_of_objects_can_be_added():
    both = database().with_tools(Files())
    assert names(both.inner_tools) == ["query_table", "insert_record", "delete_record", "read", "write"]


def test_any_object_with_marked_methods_can_be_a_facade():
    facade = UnfoldingTool.from_tool_object(Files(), "files", "Work with files.", usage_notes="Read first.")
    assert names(facade.run().artifact.tools) == ["read", "write"]
    assert facade.run().text.endswith("\n\nRead first.")
    with pytest.raises(InvalidTools, match="an object of type 'object' has no tools"):
        UnfoldingTool.from_tool_object(object(), "nothing", "Nothing.")


def test_facades_inside_facades_unfold_one_after_the_other():
    users = UnfoldingTool.of("users", "User management.", [insert_record, delete_record])
    config = UnfoldingTool.of("config", "System configuration.", [query_table])
    loop = Loop(UnfoldingTool.of("admin", "Administrative operations.", [users, config]))
    loop.call("admin")
    assert list(loop.tools) == ["admin", "admin_context", "users", "config"]
    loop.call("users")
    assert list(loop.tools) == [
        "admin", "admin_context", "config", "users", "users_context", "insert_record", "delete_record",
    ]  # fmt: skip
    assert loop.call("insert_record", {"table": "t"}) == "inserted into t"


def test_a_facade_that_unfolds_again_leaves_the_facades_inside_it_as_they_are():
    users = UnfoldingTool.of("users", "User management.", [insert_record])
    loop = Loop(UnfoldingTool.by_category("admin", "Administration.", {"a": [users], "b": [query_table]}))
    loop.call("admin", {"category": "a"})
    loop.call("users")
    text = loop.call("admin", {"category": "b"})
    assert "Under another name" not in text
    assert sorted(loop.tools) == [
        "admin", "admin_context", "insert_record", "query_table", "users", "users_context",
    ]  # fmt: skip
    assert loop.call("users").startswith("Use one of these tools directly:")


def test_a_renamed_facade_and_its_guides_go_by_its_new_name():
    loop = Loop(database().with_name("db").with_note("Carefully."))
    loop.call("db")
    assert list(loop.tools) == ["db", "db_context", "query_table", "insert_record", "delete_record"]
    assert loop.call("db").startswith("Use one of these tools directly:")


def test_what_is_round_a_facade_stays_round_its_further_choices():
    asking = ConfirmedTool(by_category(), lambda given: f"Look at {given['category']}?")
    reviewer = ScriptedReviewer([Continue(), Reject("no")])
    loop = Loop(asking.with_name("my_files"), reviewer=reviewer)
    loop.call("my_files", {"category": "read"})
    assert loop.call("my_files", {"category": "read"}).startswith("Use one of these tools directly:")
    assert loop.call("my_files").startswith("Use one of these tools directly:")
    assert loop.call("my_files", {"category": "write"}) == "Error: Rejected by reviewer: no"
    assert [request.text for request in reviewer.requests] == ["Look at read?", "Look at write?"]
    assert list(loop.tools) == ["my_files", "my_files_context", "query_table"]


def test_a_limit_of_calls_round_a_facade_counts_choices_and_no_guidance():
    loop = Loop(limited(by_category(), calls=2))
    texts = [loop.call("files", {"category": category})[:9] for category in ("read", "read", "write", "write")]
    assert texts == ["Tools now", "Use one o", "Tools now", "Use one o"]


def test_two_loops_over_one_facade_do_not_meet():
    facade = by_category()
    first, second = Loop(facade), Loop(facade)
    first.call("files", {"category": "read"})
    second.call("files", {"category": "write"})
    assert ("insert_record" in first.tools, "query_table" in second.tools) == (False, False)


def test_tools_that_are_none_are_refused_with_everything_that_is_wrong():
    with pytest.raises(InvalidTools) as caught:
        UnfoldingTool.of("bad", "Bad.", [object(), Files, query_table])
    assert [problem.code for problem in caught.value.problems] == ["TK003", "TK003"]
    with pytest.raises(InvalidTools, match=r"invalid tool name 'my\.tools'"):
        UnfoldingTool.of("my.tools", "Bad.", [])
    with pytest.raises(InvalidTools, match="the schema cannot be checked"):
        UnfoldingTool.selectable(
            "bad", "Bad.", {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}, connect
        )


@pytest.mark.parametrize("name", ["query_table", "database", "database_context"])
def test_a_name_that_is_needed_twice_is_refused(name):
    with pytest.raises(InvalidTools) as caught:
        database().with_tools(from_function(insert_record).with_name(name))
    [problem] = caught.value.problems
    assert (problem.code, problem.message.partition(",")[0]) == ("TK103", f"duplicate tool name '{name}'")


def test_what_stands_behind_a_wrapped_facade_can_be_asked_for():
    facade = database()
    assert facade_in(facade.with_note("x")) is facade
    assert facade_in(from_function(query_table)) is None
    assert isinstance(facade, ProgressiveTool)


def test_a_kind_of_facade_of_ones_own_reveals_by_the_run():
    class Growing(ProgressiveTool):
        async def reveal(self, arguments, context):
            return from_object(Files())[: context["level"]]

    growing = Growing("growing", "Grows.")
    assert growing.inner_tools == ()
    assert names(growing.run({}, ToolContext({"level": 1})).artifact.tools) == ["read"]
    assert names(growing.run({}, ToolContext({"level": 2})).artifact.tools) == ["read", "write"]
    assert unfolded_by(ToolResult("text", artifact=[1])) is None
    assert isinstance(growing, Tool)


def test_a_guide_shows_what_the_facade_behind_it_would_do():
    class Shelf(ProgressiveTool):
        async def reveal(self, arguments, context):
            return [from_function(lambda: "read", name=f"read_{arguments['kind']}", description="Reads.")]

    class Previewed(WrappedTool):
        def preview(self, parsed, context):
            return f"opens the shelf of {parsed['kind']}"

    kinds = {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}
    shelf = Previewed(Shelf("shelf", "Books.", kinds, requires_approval=True))
    reviewer = ScriptedReviewer([Continue(), Continue()])
    context = ToolContext(reviewer=reviewer)
    tools: dict[str, Tool] = {"shelf": shelf}
    for kind in ("prose", "verse"):
        result = tools["shelf"].run({"kind": kind}, context)
        unfolded = unfolded_by(result)
        assert unfolded is not None
        tools = offer(tools, "shelf", unfolded).tools
    assert sorted(tools) == ["read_prose", "read_verse", "shelf", "shelf_context"]
    assert [request.preview for request in reviewer.requests] == [
        "opens the shelf of prose",
        "opens the shelf of verse",
    ]


def test_a_tool_named_like_the_description_of_a_facade_stays_on_offer():
    loop = Loop(from_function(insert_record).with_name("db_context"), UnfoldingTool.of("db", "Data.", [query_table]))
    loop.call("db")
    assert list(loop.tools) == ["db_context", "db", "db_db_context", "query_table"]
    assert loop.tools["db_context"].description == from_function(insert_record).description
    assert loop.call("db_db_context").startswith("Tools for Data:")


def test_the_guides_list_tools_under_the_names_by_which_they_are_offered():
    other = from_function(insert_record).with_name("query_table")
    loop = Loop(other, UnfoldingTool.of("db", "Data.", [query_table]))
    assert loop.call("db").endswith("Renamed to avoid conflicts: 'query_table' is 'db_query_table'.")
    assert loop.tools["db"].description == "Call a specific tool instead: db_query_table."
    assert loop.call("db").splitlines()[1].startswith("- db_query_table: ")
    assert loop.tools["db_context"].description == "Data. Available: db_query_table"
    assert loop.call("db_context").splitlines()[1].startswith("- db_query_table: ")


def test_a_tool_that_is_given_twice_is_revealed_once():
    shared = from_function(query_table)
    facade = UnfoldingTool.of("db", "Data.", [shared, shared]).with_tools(shared)
    assert names(facade.run().artifact.tools) == ["query_table"]


@pytest.mark.parametrize("categories", [{}, {1: [query_table]}])
def test_categories_without_names_are_refused(categories):
    with pytest.raises(InvalidTools) as caught:
        UnfoldingTool.by_category("files", "Files.", categories)
    assert [problem.message for problem in caught.value.problems] == ["the categories of 'files' must be named"]


@pytest.mark.parametrize(("chosen", "kind"), [(None, "NoneType"), (from_function(query_table), "FunctionTool")])
def test_a_function_that_returns_no_list_of_tools_is_named_in_the_error(chosen, kind):
    facade = UnfoldingTool.selectable("db", "Data.", {"type": "object", "properties": {"at": {}}}, lambda _: chosen)
    assert facade.run({"at": 1}).error == f"'db' cannot reveal its tools: its function must return a list, not {kind}"


def test_blank_usage_notes_are_left_out():
    facade = UnfoldingTool.of("db", "Data.", [query_table], usage_notes=" \n")
    assert facade.run().output == "Tools now available: query_table. Call the one that you need."


@pytest.mark.parametrize("given", [{"category": "nonsense"}, {"category": 5}, '{"category": "nonsense"}'])
def test_an_open_facade_refuses_a_category_that_does_not_exist_and_lists_the_others(given):
    loop = Loop(by_category())
    loop.call("files", {"category": "read"})
    assert loop.call("files", given).startswith("Error: Invalid parameter 'category': should be 'read' or 'write'")
    assert loop.call("files", {}).startswith("Use one of these tools directly:")
