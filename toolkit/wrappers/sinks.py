"""Sinks: where the artifacts of tools go, besides to the caller."""

import threading
from collections.abc import Callable
from typing import Any

from toolkit.errors import ConfigurationError
from toolkit.tools.context import ToolContext


class Sink:
    """Takes artifacts; a kind of one's own overrides `take`, and `check` where it needs something of the context."""

    def check(self, context: ToolContext) -> None:
        """Refuse a call before its work is done, by raising, since it could not take what comes of it."""

    def take(self, artifact: Any, context: ToolContext) -> None:
        raise NotImplementedError


AnySink = Sink | Callable[[Any], None]
"""A sink, or any function that takes an artifact."""


class BlackboardSink(Sink):
    """Puts artifacts on the blackboard of the run that the call belongs to, under a name if one is given."""

    def __init__(self, name: str | None = None) -> None:
        """Keep the name; a later artifact takes it over."""
        self._name = name

    def check(self, context: ToolContext) -> None:
        """Refuse a call that belongs to no run.

        Raises:
            ConfigurationError: If the context has no run.
        """
        if context.run is None:
            message = "there is no run whose blackboard could take the tool's artifacts"
            raise ConfigurationError(f"{message}; give the context one: ToolContext(run=Run())")

    def take(self, artifact: Any, context: ToolContext) -> None:
        """Put it there."""
        self.check(context)
        if context.run is not None:
            context.run.blackboard.add(artifact, name=self._name)


class ListSink(Sink):
    """Collects artifacts in a list."""

    def __init__(self, artifacts: list[Any] | None = None) -> None:
        """Collect into a list of the caller's, or into one of its own."""
        self.artifacts = artifacts if artifacts is not None else []

    def take(self, artifact: Any, context: ToolContext) -> None:  # noqa: ARG002 - it needs none
        """Append it."""
        self.artifacts.append(artifact)


class CompositeSink(Sink):
    """Passes artifacts to several sinks, in order."""

    def __init__(self, *sinks: AnySink) -> None:
        """Keep them."""
        self._sinks = tuple(map(as_sink, sinks))

    def check(self, context: ToolContext) -> None:
        """Refuse what one of them refuses."""
        for sink in self._sinks:
            sink.check(context)

    def take(self, artifact: Any, context: ToolContext) -> None:
        """Hand it on."""
        for sink in self._sinks:
            sink.take(artifact, context)


class FunctionSink(Sink):
    """Hands artifacts to a function."""

    def __init__(self, function: Callable[[Any], None]) -> None:
        self._function = function

    def take(self, artifact: Any, context: ToolContext) -> None:  # noqa: ARG002 - it needs none
        self._function(artifact)


class AssetTracker(Sink):
    """Keeps assets, which are artifacts with an `id`; one whose id is known is not added again."""

    def __init__(self) -> None:
        """Begin with none."""
        self._assets: dict[Any, Any] = {}
        self._lock = threading.Lock()

    @property
    def assets(self) -> list[Any]:
        """The assets, the oldest first."""
        with self._lock:
            return list(self._assets.values())

    def add(self, asset: Any) -> bool:
        """Add an asset; return whether it is new.

        Raises:
            AttributeError: If it has no `id`.
        """
        with self._lock:
            is_new = asset.id not in self._assets
            self._assets.setdefault(asset.id, asset)
            return is_new

    def take(self, artifact: Any, context: ToolContext) -> None:  # noqa: ARG002 - it needs none
        """Add it if it is an asset."""
        if getattr(artifact, "id", None) is not None:
            self.add(artifact)


def as_sink(sink: AnySink) -> Sink:
    """Return a sink as it is, and a function as one."""
    return sink if isinstance(sink, Sink) else FunctionSink(sink)
