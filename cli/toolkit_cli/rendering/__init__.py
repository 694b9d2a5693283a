"""How things look: problems, tools, schemas and events as text, JSON and annotations. Nothing here writes anywhere."""
