"""CAMEL: functions of agents; see `camel/toolkits/function_tool.py` and `camel/agents/chat_agent.py` of 0.2.

Their tools are read in the source: nothing but an agent, with its model, runs them.
"""

from toolkit.tools.foreign.source_marks import Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="CAMEL",
    packages=("camel",),
    registrations=(
        Registration(
            ("camel.*FunctionTool", "camel.*OpenAIFunction"),
            "function",
            function=("func", 0),
            name=(),
            schema=("openai_tool_schema", 1),
        ),
        Registration(("camel.*ChatAgent",), "holder", function=("tools",)),
        Registration(("camel.*ChatAgent().add_tool",), "function", function=("tool", 0), name=()),
        Registration(("camel.*ChatAgent().add_tools",), "holder", function=("tools", 0)),
    ),
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring"),
)
