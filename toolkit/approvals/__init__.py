"""Approvals: who is asked before a call runs, what they see, and what their answer does.

The room judges a described call (its risk, who chose it, its arguments) and never sees a Tool.
"""
