"""Azure AI Agents: functions of agents; see `azure/ai/agents/models/_patch.py` of 1.1 and `azure/ai/projects` of 2.10.

Their tools are read in the source: nothing but the service, with its model, decides about their calls.
"""

from toolkit.tools.foreign.source_marks import Demands, Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="Azure AI Agents",
    packages=("azure.ai",),
    registrations=(
        Registration(("azure.ai.*FunctionTool", "azure.ai.*AsyncFunctionTool"), "holder", function=("functions", 0)),
        Registration(
            ("azure.ai.*FunctionTool().add_functions", "azure.ai.*AsyncFunctionTool().add_functions"),
            "holder",
            function=("extra_functions", 0),
        ),
        Registration(("azure.ai.*.enable_auto_function_calls",), "holder", function=("tools", 0)),
        Registration(("azure.ai.*FunctionDefinition",), "definition", function=(), schema=("parameters",)),
    ),
    terms=Terms(parameter="':param NAME: …' in the docstring"),
    demands=Demands(variadic=("*", "**")),
)
