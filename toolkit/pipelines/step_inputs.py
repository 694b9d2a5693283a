"""Decides how a step passes the previous output to its tool, and checks that all arguments fit.

The decision depends on the kind of the tool, never on the data: a text tool receives the output as text, a typed tool
as its JSON arguments, and a plain function in its only required text parameter that is not set under `with`.
"""

import re
from collections.abc import Sequence

from toolkit import documents
from toolkit.codes import AMBIGUOUS_PIPE, MISSING_ARGUMENT, TYPE_MISMATCH, UNKNOWN_ARGUMENT, UNKNOWN_REFERENCE
from toolkit.documents import Node
from toolkit.documents.nodes import Word
from toolkit.errors import ToolArgumentsError
from toolkit.pipelines.expression_scopes import Scope, schema_of_value
from toolkit.pipelines.plans import Feed
from toolkit.pipelines.schema_relations import Schema, is_text_only, misfit, part_of
from toolkit.pipelines.step_definitions import Use
from toolkit.pipelines.step_edits import with_key
from toolkit.pipelines.templated_data import ConstantValue, UnreadableValue, is_constant, written_in
from toolkit.problems import Location, Problem, Severity, did_you_mean
from toolkit.tools.base import Tool
from toolkit.tools.shapes.argument_schemas import unknown_members


class Feeder:
    """Decides how one step passes the previous output to its tool, and checks the step's arguments."""

    def __init__(self, use: Use, tool: Tool, scope: Scope, problems: list[Problem], node: Node | None = None) -> None:
        """Create the feeder of a step.

        Args:
            use: The step's action.
            tool: The tool that the step calls.
            scope: What expressions of the step can read, including `item` in `for_each`.
            problems: The list to which problems are added.
            node: The whole step as written.
        """
        self._use = use
        self._tool = tool
        self._spec = tool.spec
        self._scope = scope
        self._node = node
        self._problems = problems
        self._given = use.arguments.entries if use.arguments is not None else {}

    def feed(self) -> Feed | None:
        """Check all arguments, and return how the previous output is passed, or `None` if it is not."""
        feed = self._by_kind() if self._use.pipe is None else self._named(self._use.pipe)
        self._check_names(feed)
        self._check_values()
        if feed is not None:
            self._check_piped(feed)
        return feed

    @property
    def _piped(self) -> Schema | None:
        if "item" in self._scope.extra:
            return self._scope.extra["item"]
        return self._scope.previous.schema if self._scope.previous is not None else None

    @property
    def _has_input(self) -> bool:
        return "item" in self._scope.extra or self._scope.previous is not None

    def _report(self, code: str, place: Location, message: str, hint: str | None = None) -> None:
        self._problems.append(Problem(code, message, place, hint=hint))

    # ------------------------------------------------------------------------------------------------- how it is fed

    def _named(self, pipe: Word) -> Feed | None:
        if pipe.text in self._given:
            self._report(
                AMBIGUOUS_PIPE,
                pipe.location,
                f"{pipe.text!r} is set under 'with' and also receives the pipe",
                "remove one of the two",
            )
            return None
        if not self._has_input:
            self._report(
                UNKNOWN_REFERENCE,
                pipe.location,
                "there is nothing to pipe: no step has run before",
                self._inputs_hint(),
            )
            return None
        if pipe.text in self._spec.properties:
            return self._feed(pipe.text)
        if self._is_open():
            return Feed(pipe.text, as_text=False)
        self._report(
            UNKNOWN_ARGUMENT,
            pipe.location,
            f"tool {self._spec.name!r} has no parameter {pipe.text!r}",
            self._nearest(pipe.text),
        )
        return None

    def _feed(self, parameter: str) -> Feed:
        return Feed(parameter, as_text=is_text_only(part_of(self._spec.parameters, self._spec.properties[parameter])))

    def _by_kind(self) -> Feed | None:
        if not self._has_input:
            return None
        if self._tool.pipe == "json":
            return Feed(None) if self._use.arguments is None else None
        if self._tool.pipe == "text":
            return next((Feed(name) for name in self._spec.properties if name not in self._given), None)
        open_names = self._open_text_parameters()
        if len(open_names) > 1:
            names = " and ".join(repr(name) for name in open_names)
            hint = f"choose one with 'pipe: {open_names[0]}', and set the other under 'with'"
            message = f"{names} of tool {self._spec.name!r} could both receive the pipe"
            fix = with_key(self._node, "pipe", open_names[0], is_safe=False)
            self._problems.append(Problem(AMBIGUOUS_PIPE, message, self._use.tool.location, hint=hint, fix=fix))
        return self._feed(open_names[0]) if len(open_names) == 1 else None

    def _open_text_parameters(self) -> Sequence[str]:
        return [
            name
            for name in self._spec.required
            if name not in self._given and is_text_only(part_of(self._spec.parameters, self._spec.properties.get(name)))
        ]

    # ----------------------------------------------------------------------------------------------- what is checked

    def _check_names(self, feed: Feed | None) -> None:
        name = self._spec.name
        if not self._is_open():
            for given in self._given:
                if given not in self._spec.properties:
                    place = self._place_of_key(given)
                    self._report(
                        UNKNOWN_ARGUMENT, place, f"tool {name!r} has no parameter {given!r}", self._nearest(given)
                    )
        self._check_names_inside()
        if feed is not None and feed.parameter is None:
            return
        fed = feed.parameter if feed is not None else self._use.pipe.text if self._use.pipe is not None else None
        could_be_fed = (
            set(self._open_text_parameters()) if self._has_input and self._tool.pipe == "parameter" else set()
        )
        missing = [one for one in self._spec.required if one not in self._given and one not in {fed, *could_be_fed}]
        if missing:
            names = ", ".join(repr(one) for one in missing)
            self._report(
                MISSING_ARGUMENT, self._use.tool.location, f"tool {name!r} needs {names}", self._missing_hint(missing)
            )

    def _check_names_inside(self) -> None:
        """Report literal keys of nested mappings that the tool would ignore."""
        if not self._tool.ignores_unknown:
            return
        written = {name: written_in(value) for name, value in self._given.items()}
        for one in unknown_members(self._spec.parameters, written):
            if one.around:
                message = f"{one.around!r} of tool {self._spec.name!r} has no key {one.name!r}"
                around = self._node_of(one.around)
                entry = around.entries.get(one.name) if isinstance(around, documents.Mapping) else None
                place = around.location if entry is None else entry.key.location
                self._report(UNKNOWN_ARGUMENT, place, message, one.meant or f"its keys are {', '.join(one.known)}")

    def _missing_hint(self, missing: Sequence[str]) -> str:
        if self._has_input and self._use.pipe is None and len(missing) == 1:
            return f"write 'pipe: {missing[0]}', or set it under 'with'"
        return f"set it under 'with', as in 'with: {{{missing[0]}: …}}'"

    def _check_values(self) -> None:
        wrong = self._check_literals()
        for name, value in self._given.items():
            wanted = part_of(self._spec.parameters, self._spec.properties.get(name))
            if name in wrong or isinstance(value, ConstantValue | UnreadableValue):
                continue
            found = misfit(schema_of_value(value, self._scope), wanted)
            if found is not None:
                self._report_misfit(
                    value.node.location, f"{name!r} of tool {self._spec.name!r}", found.reason, found.is_certain
                )

    def _check_literals(self) -> set[str]:
        """Let the tool parse the constant arguments, and report and return those that it refuses."""
        literals = {name: value.render({}) for name, value in self._given.items() if is_constant(value)}
        if not literals:
            return set()
        try:
            self._tool.parse(literals)
        except ToolArgumentsError as error:
            faults = {path: reason for path, reason in error.faults.items() if _top(path) in literals}
            for path, reason in faults.items():
                self._report(TYPE_MISMATCH, self._place_of(path), f"{path!r} of tool {self._spec.name!r}: {reason}")
            return {_top(path) for path in faults}
        return set()

    def _check_piped(self, feed: Feed) -> None:
        if feed.parameter is not None and feed.as_text:
            return
        place = self._use.pipe.location if self._use.pipe is not None else self._use.tool.location
        if feed.parameter is None:
            wanted, what = self._spec.parameters, f"the arguments of tool {self._spec.name!r}"
            if (piped := self._piped) is not None and is_text_only(piped):
                return
        else:
            wanted = self._spec.properties.get(feed.parameter, {})
            what = f"{feed.parameter!r} of tool {self._spec.name!r}"
        found = misfit(self._piped, part_of(self._spec.parameters, wanted))
        if found is not None:
            self._report_misfit(place, what, f"the piped value is {found.reason}", found.is_certain)

    def _report_misfit(self, place: Location, what: str, reason: str, is_certain: bool) -> None:  # noqa: FBT001
        severity: Severity = "error" if is_certain else "warning"
        self._problems.append(Problem(TYPE_MISMATCH, f"{what}: {reason}", place, severity))

    # ------------------------------------------------------------------------------------------------------- places

    def _is_open(self) -> bool:
        """Return whether the tool accepts parameters that are not in its schema."""
        return bool(self._spec.parameters.get("additionalProperties"))

    def _nearest(self, name: str) -> str | None:
        known = list(self._spec.properties)
        listed = f"its parameters are {', '.join(known)}" if known else "it takes no arguments"
        return did_you_mean(name, known, otherwise=listed)

    def _inputs_hint(self) -> str | None:
        names = [f"inputs.{name}" for name in self._scope.inputs]
        return f"set it under 'with': {', '.join(names)}" if names else None

    def _place_of_key(self, name: str) -> Location:
        arguments = self._use.arguments
        return arguments.keys[name].location if arguments is not None else self._use.tool.location

    def _place_of(self, path: str) -> Location:
        return self._node_of(path).location

    def _node_of(self, path: str) -> Node:
        """Return the node at a path such as `orders[0].price`, or the innermost node around it that is literal."""
        node = self._given[_top(path)].node
        for name, index in re.findall(_PART, path)[1:]:
            inner: Node | None = None
            if index and isinstance(node, documents.Sequence) and int(index) < len(node.items):
                inner = node.items[int(index)]
            elif name and isinstance(node, documents.Mapping):
                inner = node.get(name)
            if inner is None:
                break
            node = inner
        return node


_PART = r"([^.\[\]]+)|\[(\d+)\]"


def _top(path: str) -> str:
    return path.replace("[", ".").partition(".")[0]
