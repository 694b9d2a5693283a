"""TK307: a schema that refers to itself."""

from toolkit.codes import RECURSIVE_SCHEMA
from toolkit.lint.clues.provider_objections import ProviderRule, limited_in


class RecursiveSchema(ProviderRule):
    '''A schema refers to itself, which the provider does not support.

    ## Why

    Strict modes and Gemini replace references by what they refer to, which never ends for a tree of any depth.
    Anthropic's strict mode rejects such a tool; elsewhere, the inner part arrives without a type. Use a list of nodes
    that refer to their parent, or a fixed number of levels.

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
    providers = limited_in("recursion")
