"""Artifacts: what tools make, as objects, captured on the way and sent somewhere else as well."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from toolkit.errors import Signal, ToolExecutionError
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.context import ToolContext
from toolkit.tools.results import ToolResult
from toolkit.tools.revealing import Unfolded
from toolkit.wrappers.sinks import AnySink, AssetTracker, BlackboardSink, as_sink

Test = Callable[[Any], bool]


class ArtifactSinkingTool(WrappedTool):
    """A tool whose artifacts go to a sink as well; its result stays as it is.

    Of a list, tuple or set each element counts; a mapping and a text are one artifact. Failed calls have none.
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
        """Keep where artifacts go, and which.

        Args:
            inner: The tool that makes them.
            sink: Takes them: a Sink, or a function.
            kind: Only artifacts of this type are taken.
            where: Only artifacts of which this is true are taken; it is asked after the type.
            transform: What is really taken is what this makes of an artifact.
        """
        super().__init__(inner)
        self._sink = as_sink(sink)
        self._kind = kind
        self._where = where
        self._transform = transform

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Refuse what the inner tool refuses, and what the sink could not take."""
        super().check(parsed, context)
        self._sink.check(context)

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Do the work, and send what came of it to the sink."""
        result = await self.result_from_inner(parsed, context)
        try:
            for artifact in artifacts_of(result):
                if isinstance(artifact, self._kind) and (self._where is None or self._where(artifact)):
                    self._sink.take(artifact if self._transform is None else self._transform(artifact), context)
        except Signal:
            raise
        except Exception as error:
            message = f"the tool has done its work, but what it made could not be kept: {error}"
            raise ToolExecutionError(message) from error
        return result


def artifacts_of(result: ToolResult) -> Sequence[Any]:
    """Return the artifacts of a result, those of a collection one by one; tools that it reveals are none."""
    artifact = result.artifact
    if result.error is not None or artifact is None or isinstance(artifact, Unfolded):
        return ()
    return list(artifact) if isinstance(artifact, list | tuple | set | frozenset) else (artifact,)


def sink_artifacts(tool: Tool, sink: AnySink, kind: type = object, **options: Any) -> Tool:
    """Return a tool whose artifacts of a type go to a sink as well; for the options see `ArtifactSinkingTool`."""
    return ArtifactSinkingTool(tool, sink, kind, **options)


def publish_to_blackboard(tool: Tool, kind: type = object, *, name: str | None = None, **options: Any) -> Tool:
    """Return a tool whose artifacts go to the run's blackboard as well; for the options see `ArtifactSinkingTool`."""
    return ArtifactSinkingTool(tool, BlackboardSink(name), kind, **options)


def track_assets(
    tracker: AssetTracker, tools: Iterable[Tool], kind: type = object, *, where: Test | None = None
) -> list[Tool]:
    """Return tools whose artifacts with an `id` are kept by a tracker as well.

    Args:
        tracker: Keeps them.
        tools: The tools that make them.
        kind: Only those of this type are kept.
        where: Only those of which this is true are kept; it sees nothing without an `id`.
    """

    def is_wanted(artifact: Any) -> bool:
        return getattr(artifact, "id", None) is not None and (where is None or where(artifact))

    return [ArtifactSinkingTool(tool, tracker, kind, where=is_wanted) for tool in tools]
