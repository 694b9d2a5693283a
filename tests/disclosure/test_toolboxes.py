"""Toolboxes: classes marked as sets of tools become facades, nested ones too."""

import pytest

from toolkit import InvalidTools, ToolSpec, from_object, resolve_tools, tool, toolbox
from toolkit.disclosure import UnfoldingTool, dotted_names, fold, folded_tools, leaves_of, tool_at, tree_of


@toolbox(name="admin", description="Administrative operations.", usage_notes="Be careful.", exclusive=True)
class Admin:
    def __init__(self, system="main"):
        self.system = system

    @tool
    def get_status(self) -> str:
        """Get the system's status."""
        return f"{self.system} is healthy"

    @toolbox(name="users")
    class Users:
        """User management."""

        @tool
        def create_user(self, username: str) -> str:
            """Create a user."""
            return f"created {username}"

        @toolbox(name="permissions", description="User permissions.")
        class Permissions:
            @tool
            def grant(self, user: str, permission: str) -> str:
                """Grant a permission."""
                return f"{user} may {permission}"

    @toolbox(name="config", description="System configuration.")
    class Config:
        @staticmethod
        @tool
        def backup() -> str:
            """Back up the configuration."""
            return "backed up"


@toolbox(name="files", description="File operations.", category_parameter="kind")
class Files:
    @tool(category="read")
    def read_file(self, path: str) -> str:
        """Read a file."""
        return path

    @tool(category="write")
    def write_file(self, path: str) -> str:
        """Write a file."""
        return path

    @tool
    def list_roots(self) -> str:
        """List the roots."""
        return "/"


def names(tools):
    return [each.name for each in tools]


def outline(branch):
    return branch.name if not branch.branches else {branch.name: [outline(inner) for inner in branch.branches]}


def test_an_object_of_a_marked_class_becomes_a_facade_with_the_boxes_inside():
    facade = UnfoldingTool.from_instance(Admin())
    assert outline(tree_of(facade)) == {
        "admin": ["get_status", {"users": ["create_user", {"permissions": ["grant"]}]}, {"config": ["backup"]}]
    }
    assert (facade.description, facade.usage_notes, facade.exclusive) == (
        "Administrative operations.", "Be careful.", True,
    )  # fmt: skip
    assert names(facade.run().artifact.tools) == ["get_status", "users", "config"]
    assert tool_at([facade], "users") is None
    assert tool_at([facade], "admin.users").description == "User management."


def test_methods_of_the_facade_are_bound_to_the_object():
    assert tool_at([UnfoldingTool.from_instance(Admin("spare"))], "admin.get_status").run().output == "spare is healthy"


def test_categories_of_methods_make_a_facade_that_chooses():
    facade = UnfoldingTool.from_instance(Files())
    assert facade.spec.parameters["properties"]["kind"]["enum"] == ["read", "write", "all"]
    assert {name: names(tools) for name, tools in facade.categories.items()} == {
        "read": ["read_file", "list_roots"],
        "write": ["write_file", "list_roots"],
        "all": ["read_file", "write_file", "list_roots"],
    }
    assert names(facade.run({"kind": "read"}).artifact.tools) == ["read_file", "list_roots"]


def test_where_every_method_has_a_category_there_is_none_for_all():
    @toolbox(name="box", description="A box.")
    class Box:
        @tool(category="a")
        def one(self) -> str:
            """One."""
            return "1"

    assert list(UnfoldingTool.from_instance(Box()).categories) == ["a"]


def test_a_toolbox_stays_flat_where_its_tools_are_named_and_is_folded_for_a_model():
    flat = from_object(Files())
    assert [(each.name, each.spec.category) for each in flat] == [
        ("read_file", "read"),
        ("write_file", "write"),
        ("list_roots", "files"),
    ]
    assert list(resolve_tools([Files()])) == ["read_file", "write_file", "list_roots"]
    assert list(folded_tools([Files(), Admin()])) == ["files", "admin"]
    assert list(folded_tools([*flat, Admin()])) == ["files", "admin"]
    assert [spec.name for spec in ToolSpec.from_class(Files)] == ["read_file", "write_file", "list_roots"]


def test_some_tools_of_a_toolbox_stay_flat():
    assert list(folded_tools(from_object(Files())[:2])) == ["read_file", "write_file"]


def test_tools_are_folded_with_whatever_is_round_them():
    flat = [each.with_note("Local files only.") for each in from_object(Files())]
    facade = folded_tools(flat)["files"]
    assert facade.run({"kind": "write"}).structured["tools"][0] == {
        "name": "write_file",
        "description": "Write a file. Local files only.",
    }


def test_two_objects_of_one_toolbox_are_told_apart_by_nothing_but_their_name_and_clash():
    with pytest.raises(InvalidTools) as caught:
        folded_tools([Admin("one"), Admin("two")])
    assert [problem.message for problem in caught.value.problems] == ["duplicate tool name 'admin'"]


def test_the_same_names_in_two_toolboxes_do_not_clash():
    @toolbox(name="systems", description="Systems.")
    class Systems:
        @tool
        def get_status(self) -> str:
            """Get the status of all systems."""
            return "healthy"

    assert list(folded_tools([Admin(), Systems()])) == ["admin", "systems"]
    assert list(folded_tools([*from_object(Admin()), *from_object(Systems())])) == ["admin", "systems"]


def test_a_class_that_is_not_marked_is_no_toolbox():
    class Plain:
        @tool
        def one(self) -> str:
            """One."""
            return "1"

    with pytest.raises(InvalidTools) as caught:
        UnfoldingTool.from_instance(Plain())
    [problem] = caught.value.problems
    assert (problem.code, problem.hint) == ("TK003", "mark it with @toolbox")
    assert list(folded_tools([Plain()])) == ["one"]


def test_boxes_that_cannot_be_made_and_boxes_without_tools_are_told():
    @toolbox(name="outer", description="Outer.")
    class Outer:
        @toolbox(name="inner", description="Inner.")
        class Inner:
            def __init__(self, connection):
                self.connection = connection

    @toolbox(name="empty", description="Empty.")
    class Empty:
        pass

    with pytest.raises(InvalidTools) as caught:
        folded_tools([Outer(), Empty()])
    messages = [problem.message for problem in caught.value.problems]
    assert len(messages) == 2
    assert "Outer.Inner' inside" in messages[0]
    assert "cannot be created" in messages[0]
    assert messages[1].endswith("Empty' has no tools")


def test_dotted_names_lead_to_tools_behind_facades_and_to_nothing_else():
    tools = [*from_object(Files()), UnfoldingTool.from_instance(Admin())]
    assert dotted_names(tools) == [
        "files", "files.read_file", "files.list_roots", "files.write_file",
        "admin", "admin.get_status", "admin.users", "admin.users.create_user", "admin.users.permissions",
        "admin.users.permissions.grant", "admin.config", "admin.config.backup",
    ]  # fmt: skip
    assert tool_at(tools, "admin.users.permissions.grant").run({"user": "ada", "permission": "read"}).output == (
        "ada may read"
    )
    for path in ("admin.grant", "files.read_file.more", "nothing", "", "admin."):
        assert tool_at(tools, path) is None


def test_leaves_are_everything_that_can_be_reached():
    assert names(leaves_of(fold([UnfoldingTool.from_instance(Admin())]))) == [
        "admin", "get_status", "users", "config", "create_user", "permissions", "backup", "grant",
    ]  # fmt: skip
