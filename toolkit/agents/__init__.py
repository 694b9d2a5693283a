"""Agents: a model that is offered tools and calls them, in a loop with an end.

`toolkit.agents.agent` has `run_agent` and `AgentTool`, `toolkit.agents.loop` the loop itself, and
`toolkit.agents.models` what answers.
"""
