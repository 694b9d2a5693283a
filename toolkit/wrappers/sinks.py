"""Sinks, which receive the artifacts of tools besides the caller."""

import threading
from collections.abc import Callable
from typing import Any

from toolkit.errors import ConfigurationError
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import plain


class Sink:
    """Receives artifacts. Subclasses override `take`, and `check` if they need something from the context."""

    def check(self, context: ToolContext) -> None:
        """Raise an exception if this sink could not receive the artifacts of a call; called before the tool runs."""

    def take(self, artifact: Any, context: ToolContext) -> None:
        raise NotImplementedError


AnySink = Sink | Callable[[Any], None]
"""A sink, or a function that receives each artifact."""


class BlackboardSink(Sink):
    """Adds artifacts to the blackboard of the call's run."""

    def __init__(self, name: str | None = None) -> None:
        """Create the sink.

        Args:
            name: The name under which to add artifacts; a later artifact replaces an earlier one. Without it, they are
                added without a name.
        """
        self._name = name

    def check(self, context: ToolContext) -> None:
        """Check that the call belongs to a run.

        Raises:
            ConfigurationError: If the context has no run.
        """
        if context.run is None:
            message = "the call does not belong to a run, so there is no blackboard for the tool's artifacts"
            raise ConfigurationError(f"{message}; pass a context with a run: ToolContext(run=Run())")

    def take(self, artifact: Any, context: ToolContext) -> None:
        """Add an artifact to the blackboard."""
        self.check(context)
        if context.run is not None:
            context.run.blackboard.add(artifact, name=self._name)


class ListSink(Sink):
    """Collects artifacts in a list."""

    def __init__(self, artifacts: list[Any] | None = None) -> None:
        """Collect into the given list, or into a new one."""
        self.artifacts = artifacts if artifacts is not None else []

    def take(self, artifact: Any, context: ToolContext) -> None:
        """Append an artifact to the list."""
        self.artifacts.append(artifact)


class CompositeSink(Sink):
    """Passes artifacts to several sinks, in order."""

    def __init__(self, *sinks: AnySink) -> None:
        self._sinks = tuple(map(as_sink, sinks))

    def check(self, context: ToolContext) -> None:
        """Check every sink."""
        for sink in self._sinks:
            sink.check(context)

    def take(self, artifact: Any, context: ToolContext) -> None:
        """Pass an artifact to every sink."""
        for sink in self._sinks:
            sink.take(artifact, context)


class FunctionSink(Sink):
    """Passes artifacts to a function."""

    def __init__(self, function: Callable[[Any], None]) -> None:
        self._function = function

    def take(self, artifact: Any, context: ToolContext) -> None:
        plain(self._function(artifact), "a sink")


class AssetTracker(Sink):
    """Collects assets, which are artifacts with an `id`; a second asset with the same id is ignored."""

    def __init__(self) -> None:
        self._assets: dict[Any, Any] = {}
        self._lock = threading.Lock()

    @property
    def assets(self) -> list[Any]:
        """The assets in the order in which they were added."""
        with self._lock:
            return list(self._assets.values())

    def add(self, asset: Any) -> bool:
        """Add an asset; return whether it is new.

        Raises:
            AttributeError: If the asset has no `id`.
        """
        with self._lock:
            is_new = asset.id not in self._assets
            self._assets.setdefault(asset.id, asset)
            return is_new

    def take(self, artifact: Any, context: ToolContext) -> None:
        """Add an artifact if it has an `id`."""
        if getattr(artifact, "id", None) is not None:
            self.add(artifact)


def as_sink(sink: AnySink) -> Sink:
    """Return a sink unchanged, and a function as a sink.

    Raises:
        ConfigurationError: If it is neither.
    """
    if not isinstance(sink, Sink) and not callable(sink):
        raise ConfigurationError(f"a sink must be a Sink or a function, not {sink!r}")
    return sink if isinstance(sink, Sink) else FunctionSink(sink)
