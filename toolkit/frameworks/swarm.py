"""Swarm: functions of agents; see `swarm/types.py`, `swarm/core.py` and `swarm/util.py` of OpenAI's repository.

A model sees the docstring as a whole, with what it says about parameters. The tools are plain functions, so nothing
shows them once they are imported.
"""

from toolkit.tools.foreign.source_marks import Injected, Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="Swarm",
    packages=("swarm",),
    registrations=(Registration(("swarm.*Agent",), "holder", function=("functions",)),),
    injected=Injected(names=("context_variables",)),
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring"),
)
