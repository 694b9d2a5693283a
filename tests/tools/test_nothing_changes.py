"""What was handed in stays as it was: contexts, specifications, earlier results and records never change."""

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given, strategies as st

from toolkit import Tool, ToolContext, ToolSpec, from_function, load_pipeline
from toolkit.runs import Run
from toolkit.tools import NO_CONTEXT

SETTINGS = {"limits": {"rows": 5, "tags": ["a", {"b": [1]}]}, "roles": {"reader"}}

CHANGES = [
    lambda context: context.values.update(evil=1),
    lambda context: context.values.setdefault("evil", 1),
    lambda context: context.values.__setitem__("limits", 1),
    lambda context: context.values.pop("limits"),
    lambda context: context.values.clear(),
    lambda context: context["limits"].update(evil=1),
    lambda context: context["limits"].__ior__({"evil": 1}),
    lambda context: context["limits"]["tags"].append("evil"),
    lambda context: context["limits"]["tags"].__iadd__(["evil"]),
    lambda context: context["limits"]["tags"][1]["b"].sort(),
    lambda context: context["limits"]["tags"].__delitem__(0),
    lambda context: context["roles"].add("admin"),
    lambda context: setattr(context, "memory_id", "eve"),
    lambda context: delattr(context, "memory_id"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_no_tool_changes_a_context(change):
    def probe(context: ToolContext) -> str:
        """Probe."""
        change(context)
        return "changed"

    context = ToolContext(SETTINGS, memory_id="ada")
    assert not from_function(probe).run({}, context).succeeded
    assert (context.values, context.memory_id) == ({**SETTINGS, "roles": frozenset({"reader"})}, "ada")


def test_a_call_leaves_nothing_for_the_next_in_the_shared_context():
    def probe(context: ToolContext) -> str:
        """Probe."""
        context.values.update(seen=True)  # type: ignore[attr-defined]
        return "changed"

    result = from_function(probe).run({})
    assert result.error == "this dict is frozen; change a copy instead: copy.deepcopy(…)"
    assert NO_CONTEXT.values == {}


def test_what_the_caller_does_with_its_values_afterwards_changes_no_context():
    values: dict[str, Any] = {"limits": {"rows": [5]}}
    made = [ToolContext(values), ToolContext().replace(values=values), ToolContext().merge(ToolContext(values))]
    values["limits"]["rows"].append(6)
    values["evil"] = 1
    assert [context.values for context in made] == [{"limits": {"rows": [5]}}] * 3


def test_objects_of_other_types_stay_what_they_are():
    class Connection:
        pass

    connection = Connection()
    assert ToolContext({"connection": [connection]})["connection"][0] is connection


def test_values_that_contain_themselves_or_are_very_deep_stay_so():
    values: dict[str, Any] = {"pair": ([1],)}
    values["again"] = values
    context = ToolContext(values)
    assert context["again"]["again"] is context["again"]
    with pytest.raises(TypeError, match="is frozen"):
        context["again"]["pair"][0].append(2)
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"x": deep}
    assert list(ToolContext(deep)["x"]) == ["x"]


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), DATA))
def test_frozen_data_reads_and_compares_and_is_written_like_any_other(data):
    kept = ToolContext(data).values
    assert kept == data
    assert json.dumps(kept) == json.dumps(data)
    assert repr(kept) == repr(data)
    assert pickle.loads(pickle.dumps(kept)) == data  # noqa: S301 - its own
    thawed: Any = copy.deepcopy(kept)
    assert (thawed, type(thawed)) == (data, dict)
    thawed["new"] = 1
    assert "new" not in kept or data == kept


def test_a_specification_keeps_copies():
    parameters: dict[str, Any] = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
    metadata: dict[str, Any] = {"openai": {"strict": True}}
    example: dict[str, Any] = {"key": "k"}
    by_hand = Tool.create("probe", "Probe.", parameters, lambda key: key, metadata=metadata, examples=[example])
    spec = ToolSpec("probe", "Probe.", parameters, output_schema=parameters, metadata=metadata, examples=(example,))
    before = [by_hand.spec.to_json(), spec.to_json()]
    parameters["properties"]["key"]["type"] = "integer"
    parameters["required"].append("evil")
    metadata["openai"]["strict"] = False
    example["key"] = "evil"
    assert [by_hand.spec.to_json(), spec.to_json()] == before
    assert by_hand.run({"key": "k"}).output == "k"
    assert by_hand.run({}).error == "Missing required parameter(s): key"


@pytest.mark.parametrize(
    "change",
    [
        lambda spec: spec.parameters.update(type="array"),
        lambda spec: spec.parameters["properties"].clear(),
        lambda spec: spec.properties["key"].update(type="integer"),
        lambda spec: spec.parameters["required"].append("evil"),
        lambda spec: spec.definition["parameters"].pop("required"),
        lambda spec: spec.output_schema.clear(),
        lambda spec: spec.metadata.update(evil=1),
        lambda spec: spec.examples[0].update(key="evil"),
    ],
)
def test_what_is_read_from_a_specification_cannot_be_changed(change):
    parameters = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
    spec = ToolSpec("probe", "Probe.", parameters, output_schema={"type": "string"}, examples=({"key": "k"},))
    before = spec.to_json()
    with pytest.raises(TypeError, match="is frozen"):
        change(spec)
    assert spec.to_json() == before


def test_a_specification_made_of_a_function_cannot_be_changed_either():
    def probe(keys: list[str]) -> str:
        """Probe."""
        return str(keys)

    with pytest.raises(TypeError, match="is frozen"):
        from_function(probe).spec.parameters["properties"]["keys"]["type"] = "string"


CHAIN = """\
name: chain
description: Chain.
tools: [./changing.py]
inputs: {given: {type: object}}
steps:
  - {id: made, use: make}
  - {use: change, with: {data: "${{ steps.made.output }}"}}
  - {use: change_any, with: {data: "${{ steps.made.output }}"}}
  - {use: change_any, with: {data: "${{ inputs.given }}"}}
  - {use: show, with: {data: ["${{ steps.made.output }}", "${{ inputs.given }}"]}}
"""
CHANGING = '''\
import json
from typing import Any

from toolkit import tool


@tool(read_only=True)
def make() -> dict[str, Any]:
    """Make data."""
    return {"items": [1]}


@tool(read_only=True)
def change(data: dict[str, Any]) -> str:
    """Change what it is given."""
    data["items"].append("changed")
    return json.dumps(data)


@tool(read_only=True)
def change_any(data: Any) -> str:
    """Change what it is given."""
    data["items"].append("changed")
    return json.dumps(data)


@tool(read_only=True)
def show(data: list) -> str:
    """Show what it is given."""
    shown = json.dumps(data)
    data[0]["items"].append("changed")
    return shown
'''


def test_a_step_that_changes_what_it_is_given_changes_nothing_for_the_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "changing.py").write_text(CHANGING, "utf-8")
    (tmp_path / "chain.yaml").write_text(CHAIN, "utf-8")
    run, events, given = Run(), [], {"given": {"items": []}}
    result = load_pipeline("chain.yaml").run(given, ToolContext(run=run, listener=events.append))
    assert result.output == '[{"items": [1]}, {"items": []}]'
    assert given == {"given": {"items": []}}
    made, empty = {"items": [1]}, {"items": []}
    assert [call.arguments for call in run.calls] == [
        {},
        {"data": made},
        {"data": made},
        {"data": empty},
        {"data": [made, empty]},
        {"given": empty},
    ]
    started = [event.arguments for event in events if event.kind == "tool_started"]
    assert [arguments.get("data") for arguments in started[-4:]] == [made, made, empty, [made, empty]]


def test_a_record_keeps_what_the_call_was_made_with():
    def show(data: Any) -> str:
        """Show."""
        return str(data)

    run, arguments = Run(), {"data": {"items": [1]}}
    from_function(show).run(arguments, ToolContext(run=run))
    arguments["data"]["items"].append(2)
    [record] = run.calls
    assert record.arguments == {"data": {"items": [1]}}
    with pytest.raises(TypeError, match="is frozen"):
        record.arguments["data"]["items"].append(3)
    assert json.dumps(record.as_record()["arguments"]) == '{"data": {"items": [1]}}'


def test_equal_frozen_values_have_the_same_hash():
    data = {"limits": {"rows": [5, {"tags": ("a", {"b": [1]})}]}, "roles": {"reader"}}
    one, other = ToolContext(data), ToolContext(copy.deepcopy(data))
    assert len({one.values, other.values, one["limits"], other["limits"]}) == 2
    assert {one["limits"]["rows"]: "found"}[other["limits"]["rows"]] == "found"
    assert hash(ToolContext({"a": 1, "b": 2}).values) == hash(ToolContext({"b": 2, "a": 1}).values)
    with pytest.raises(TypeError, match="unhashable"):
        hash(ToolContext({"inside": bytearray(b"x")}).values)
