"""Agents in files: YAML that declares an agent's instructions, its tools and the order of its calls."""
