"""Swarm: functions of agents; see `swarm/types.py`, `swarm/core.py` and `swarm/util.py` of OpenAI's repository.

A model sees the docstring as a whole, and no descriptions of parameters. The tools are plain functions, so nothing
shows them once they are imported.
"""

from toolkit.tools.foreign.source_marks import Injected, Registration, SourceMarks

MARKS = SourceMarks(
    title="Swarm",
    packages=("swarm",),
    registrations=(Registration(("swarm.*Agent",), "holder", function=("functions",)),),
    injected=Injected(names=("context_variables",)),
    reads_docstrings=False,
)
