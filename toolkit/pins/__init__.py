"""What was agreed to of tools' definitions, and what of them is no longer that."""
