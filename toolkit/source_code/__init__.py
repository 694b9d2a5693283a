"""Reads Python source without running it: what its names mean, the values of its expressions, and the tools in it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.source_code.tool_reader import ToolReader as ToolReader
    from toolkit.source_code.written_tools import WrittenTool as WrittenTool
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(__name__, {"tool_reader": "ToolReader", "written_tools": "WrittenTool"})
