"""Tools whose artifacts go to a sink."""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from toolkit.errors import ConfigurationError, Signal, ToolExecutionError
from toolkit.tools.base import Tool, Unfolded, WrappedTool
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import checked_kind, plain


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


Test = Callable[[Any], bool]


class ArtifactSinkingTool(WrappedTool):
    """Sends the artifacts of a tool to a sink; the result of the tool does not change.

    Each element of a list, tuple or set is an artifact; a mapping or a string is a single one. Failed calls have none.
    """

    def __init__(
        self,
        inner: Tool,
        sink: AnySink,
        kind: type = object,
        *,
        where: Test | None = None,
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        """Wrap a tool.

        Args:
            inner: The tool that creates the artifacts.
            sink: Receives the artifacts: a `Sink` or a function.
            kind: Send only artifacts of this type.
            where: Send only artifacts for which this returns true; it is called only for artifacts of type `kind`.
            transform: Converts each artifact before it is sent.

        Raises:
            ConfigurationError: If `kind` is not a class, or `sink` is neither a `Sink` nor a function.
        """
        super().__init__(inner)
        self._sink = as_sink(sink)
        self._kind = checked_kind(kind)
        self._where = where
        self._transform = transform

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Reject a call that the inner tool rejects, or whose artifacts the sink could not receive."""
        super().check(parsed, context)
        self._sink.check(context)

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Run the inner tool and send its artifacts to the sink."""
        result = await self.result_from_inner(parsed, context)
        try:
            for artifact in artifacts_of(result):
                if isinstance(artifact, self._kind) and self._is_wanted(artifact):
                    self._sink.take(artifact if self._transform is None else self._transform(artifact), context)
        except Signal:
            raise
        except Exception as error:
            message = f"the tool succeeded, but its artifacts could not be stored: {error}"
            raise ToolExecutionError(message) from error
        return result

    def _is_wanted(self, artifact: Any) -> bool:
        return self._where is None or bool(plain(self._where(artifact), "the condition of a sink"))


def artifacts_of(result: ToolResult) -> Sequence[Any]:
    """Return the artifacts of a result, one for each element of a collection; tools that it reveals do not count."""
    artifact = result.artifact
    if result.error is not None or artifact is None or isinstance(artifact, Unfolded):
        return ()
    return list(artifact) if isinstance(artifact, list | tuple | set | frozenset) else (artifact,)


def sink_artifacts(tool: Tool, sink: AnySink, kind: type = object, **options: Any) -> Tool:
    """Return a tool that also sends its artifacts of a type to a sink; for the options see `ArtifactSinkingTool`."""
    return ArtifactSinkingTool(tool, sink, kind, **options)


def publish_to_blackboard(tool: Tool, kind: type = object, *, name: str | None = None, **options: Any) -> Tool:
    """Return a tool that also adds its artifacts to the run's blackboard; for the options see `ArtifactSinkingTool`."""
    return ArtifactSinkingTool(tool, BlackboardSink(name), kind, **options)


def track_assets(
    tracker: AssetTracker, tools: Iterable[Tool], kind: type = object, *, where: Test | None = None
) -> list[Tool]:
    """Return tools that also add their artifacts with an `id` to a tracker.

    Args:
        tracker: The tracker.
        tools: The tools that create the artifacts.
        kind: Add only artifacts of this type.
        where: Add only artifacts for which this returns true; it is called only for artifacts with an `id`.
    """

    def is_wanted(artifact: Any) -> bool:
        return getattr(artifact, "id", None) is not None and (where is None or where(artifact))

    return [ArtifactSinkingTool(tool, tracker, kind, where=is_wanted) for tool in tools]
