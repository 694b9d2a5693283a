"""The commands, one per module; the table below lets the command line find them without importing them."""

COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("toolkit_cli.commands.run:run", "Run a tool, a pipeline or an agent."),
    "agent": ("toolkit_cli.commands.agent:agent", "Let a model work on a task with tools."),
    "serve": ("toolkit_cli.commands.serve:serve", "Serve tools to clients of the Model Context Protocol."),
    "mcp": ("toolkit_cli.commands.mcp:SERVERS", "List and check MCP servers, sign in to them, and install them."),
    "runs": ("toolkit_cli.commands.runs:RUNS", "List and resume recorded runs, and answer pending approvals."),
    "worker": ("toolkit_cli.commands.worker:worker", "Process batch items from a store."),
    "list": ("toolkit_cli.commands.list:list_tools", "List the tools."),
    "show": ("toolkit_cli.commands.show:show", "Show everything about one tool, pipeline or agent."),
    "ui": ("toolkit_cli.commands.ui:ui", "Look at tools on a local page, and call them there."),
    "schema": ("toolkit_cli.commands.schema:schema", "Print tool definitions as a model receives them."),
    "lint": ("toolkit_cli.commands.lint:lint", "Check tools and pipelines for problems."),
    "test": ("toolkit_cli.commands.test:test", "Call tools with many inputs, and report what fails."),
    "policy": ("toolkit_cli.commands.policy:POLICY", "Show which rule decides about a call; list and test rules."),
    "lock": ("toolkit_cli.commands.lock:lock", "Pin tool definitions, and report changes."),
    "new": ("toolkit_cli.commands.new:new", "Create a tool, pipeline or agent to start from."),
}
"""Maps each command's name to its function, or its table of subcommands (`module:name`), and its line in the help."""
