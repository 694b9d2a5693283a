"""AutoGen 0.2 and AG2 below 1.0, which are imported as `autogen`: functions that an agent registers for its model.

See `autogen/agentchat/conversable_agent.py` and `autogen/tools/function_utils.py` of ag2 0.9. Their tools are read in
the source. They need two agents to run, one that asks for a call and one that makes it: they are not called from here.
"""

from toolkit.tools.foreign.source_marks import Demands, Injected, Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="autogen (AG2)",
    packages=("autogen",),
    registrations=(
        Registration(("autogen.*Agent().register_for_llm",)),
        Registration(("autogen.tools.tool", "autogen.tools.*.tool"), name=("name", 0), description=("description", 1)),
        Registration(("autogen.register_function", "autogen.*.register_function"), "function", function=(0, "f")),
        Registration(("autogen.tools.*Tool",), "function", function=("func_or_tool",)),
        Registration(("autogen.*Agent",), "holder", function=("functions",)),
    ),
    injected=Injected(types=("autogen.*ChatContext", "autogen.*Depends")),
    reads_docstrings=False,
    terms=Terms(description="description='…'", parameter="Annotated[…, '…']"),
    demands=Demands(types=True, types_of_defaults=False, variadic=("*", "**"), fields=True),
)
