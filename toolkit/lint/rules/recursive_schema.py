"""TK307: a schema that refers to itself."""

from toolkit.codes import RECURSIVE_SCHEMA
from toolkit.lint.provider_objections import ProviderRule


class RecursiveSchema(ProviderRule):
    '''A schema refers to itself, and the provider cannot follow.

    ## Why

    A tree of any depth has no end when its schema is written out, and strict modes and Gemini write it out. Anthropic's
    strict mode refuses such a tool; elsewhere the inner part arrives without a type. Take a list of nodes that name their
    parent, or a fixed number of levels.

    ## Example

    ```python
    from pydantic import BaseModel

    from toolkit import tool


    class Folder(BaseModel):
        name: str
        folders: list["Folder"]


    @tool
    def create(folder: Folder) -> str:
        """Create a folder with all the folders in it."""
        return folder.name
    ```

    ## Instead

    ```python
    from pydantic import BaseModel

    from toolkit import tool


    class Folder(BaseModel):
        name: str
        parent: str


    @tool
    def create(folders: list[Folder]) -> str:
        """Create folders, each in another one or at the top."""
        return f"{len(folders)} folders"
    ```

    ## Source

    - Anthropic, [structured outputs](https://platform.claude.com/docs/en/build-with-claude/structured-outputs): recursive
      schemas are not supported (checked 2026-11-22)
    - Gemini, `google-genai` 3.4.0, `types.py`: `Schema` has no references (checked 2026-11-22)
    '''

    code = RECURSIVE_SCHEMA
    severity = "error"
    providers = ("anthropic-strict", "gemini", "ollama")
