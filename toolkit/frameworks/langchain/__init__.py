"""LangChain: `@tool`, `StructuredTool`, and objects of classes derived from `BaseTool`."""
