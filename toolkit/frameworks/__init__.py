"""Converts tools of other libraries to Tools, and Tools to those of other libraries.

Each framework has a module here, and a row in `toolkit.tools.foreign.frameworks`. All code about a framework is in
its module: `MARKS` describes how source defines such tools, `CLASSES` converts objects, and `to_…` exports one of our
Tools. No framework is ever imported: its objects are recognized by the names of their classes. Other packages add
frameworks as plugins, with an entry point of the group `toolkit.frameworks`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.frameworks.anthropic_sdk import to_anthropic_sdk as to_anthropic_sdk
    from toolkit.frameworks.claude_agent_sdk import to_claude_agent_sdk as to_claude_agent_sdk
    from toolkit.frameworks.fastmcp import to_fastmcp as to_fastmcp
    from toolkit.frameworks.foreign_tools import ForeignTool as ForeignTool
    from toolkit.frameworks.langchain import to_langchain as to_langchain
    from toolkit.frameworks.mcp_sdk import to_mcp_sdk as to_mcp_sdk
    from toolkit.frameworks.openai_agents import to_openai_agents as to_openai_agents
    from toolkit.frameworks.pydantic_ai import to_pydantic_ai as to_pydantic_ai
    from toolkit.frameworks.recognised import ForeignClass as ForeignClass, Versions as Versions
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "anthropic_sdk": "to_anthropic_sdk",
            "claude_agent_sdk": "to_claude_agent_sdk",
            "fastmcp": "to_fastmcp",
            "foreign_tools": "ForeignTool",
            "langchain": "to_langchain",
            "mcp_sdk": "to_mcp_sdk",
            "openai_agents": "to_openai_agents",
            "pydantic_ai": "to_pydantic_ai",
            "recognised": "ForeignClass Versions",
        },
    )
