"""The blackboard: what the tools of one run know in common."""

from dataclasses import dataclass

from hypothesis import given, strategies as st

from toolkit.runs import Blackboard


@dataclass
class Person:
    name: str


@dataclass
class Singer(Person):
    voice: str = "alto"


def things(board):
    return list(board)


def test_objects_come_back_in_the_order_they_came():
    board = Blackboard()
    board.add("one")
    board.add(2, name="two")
    assert things(board) == ["one", 2]
    assert (len(board), board.get("two"), board.get("three", "none")) == (2, 2, "none")
    assert ("two" in board, "one" in board, None in board) == (True, False, False)


def test_types_are_matched_by_class_by_name_and_by_qualified_name_of_any_supertype():
    board = Blackboard()
    ada, cora = Person("Ada"), Singer("Cora")
    board.add(ada)
    board.add(cora)
    board.add("Person")
    assert board.all(Person) == [ada, cora]
    assert board.all("Person") == [ada, cora]
    assert board.all(f"{__name__}.Person") == [ada, cora]
    assert board.last("Singer") is cora
    assert (board.count("Person"), board.count("object"), board.last("Dancer", "nobody")) == (2, 0, "nobody")


def test_a_name_bound_again_means_the_newer_object_and_the_older_one_stays():
    board = Blackboard()
    board.add("old", name="it")
    board.add("new", name="it")
    assert board.get("it") == "new"
    assert [(one.thing, one.name) for one in board.entries()] == [("old", None), ("new", "it")]


def test_what_is_hidden_is_not_seen():
    board, ada = Blackboard(), Person("Ada")
    board.add(ada, name="ada")
    board.hide(ada)
    assert (things(board), board.get("ada"), board.count(Person)) == ([], None, 0)


def test_an_inner_blackboard_sees_the_outer_one_and_keeps_to_itself_until_it_is_absorbed():
    outer = Blackboard()
    outer.add("first", name="it")
    inner = outer.spawn()
    inner.add("second", name="it")
    outer.add("third")
    assert (inner.get("it"), things(inner)) == ("second", ["first", "third", "second"])
    assert (outer.get("it"), things(outer)) == ("first", ["first", "third"])
    outer.absorb(inner)
    assert (outer.get("it"), things(outer)) == ("second", ["first", "third", "second"])
    assert (inner.get("it"), things(inner)) == ("second", ["first", "third", "second"])
    outer.absorb(inner)
    assert things(outer) == ["first", "third", "second"]


def test_what_an_inner_blackboard_hides_is_hidden_outside_only_once_absorbed():
    outer = Blackboard()
    ada = Person("Ada")
    outer.add(ada)
    inner = outer.spawn()
    inner.hide(ada)
    assert (things(inner), things(outer)) == ([], [ada])
    outer.absorb(inner)
    assert things(outer) == []


@given(st.lists(st.tuples(st.integers(), st.sampled_from([None, "a", "b"]))))
def test_whatever_is_added_each_name_means_what_was_bound_last(entries):
    board = Blackboard()
    for value, name in entries:
        board.add(value, name=name)
    assert things(board) == [value for value, _ in entries]
    for name in ("a", "b"):
        bound = [value for value, given in entries if given == name]
        assert board.get(name) == (bound[-1] if bound else None)
        assert sum(one.name == name for one in board.entries()) == bool(bound)
