"""Measures how fast toolkit is, as ratios to a baseline: `python -m bench` prints the table.

Every ratio is measured in one run on one machine, alternating between ours and the baseline. The baseline, called the
floor, is the same work in plain Python with pydantic, in `floors.py`. Installed peers (`requirements-peers.txt`) are
measured in the same run.
"""
