"""LangChain: `@tool`, `StructuredTool`, and subclasses of `BaseTool`."""
