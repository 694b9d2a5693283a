"""How fast toolkit is, as ratios against the bare work: `python -m bench` prints the table.

Every ratio is taken in one run on one machine, ours and the floor in turns. The floor is the same work in plain Python
with pydantic, in `floors.py`. Peers that are installed (`requirements-peers.txt`) are measured beside them.
"""
