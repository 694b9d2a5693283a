"""Collects tools in processes of their own, applies the rules to them, and keeps what was found."""
