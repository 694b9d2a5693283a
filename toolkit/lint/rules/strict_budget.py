"""TK306: strict tools that exceed the limits of one request together."""

from toolkit.codes import STRICT_BUDGET
from toolkit.lint.clues.provider_objections import ToolsetRule, limited_in


class StrictBudget(ToolsetRule):
    """The strict tools of one source exceed a limit on tools, optional parameters or parameters with several types.

    ## Why

    Anthropic turns the schemas of all strict tools into one grammar. It rejects a request with more than 20 strict
    tools, or with more than 24 optional parameters or 16 parameters with several types in all of them together.

    ## Example

    ```json
    [
      {
        "name": "register",
        "description": "Register a guest with everything that is known.",
        "input_schema": {
          "type": "object",
          "properties": {
            "title": {"type": "string"}, "name": {"type": "string"}, "birth_name": {"type": "string"},
            "street": {"type": "string"}, "number": {"type": "string"}, "city": {"type": "string"},
            "code": {"type": "string"}, "country": {"type": "string"}, "phone": {"type": "string"},
            "mail": {"type": "string"}, "birthday": {"type": "string"}, "birthplace": {"type": "string"},
            "passport": {"type": "string"}, "nationality": {"type": "string"}, "language": {"type": "string"},
            "company": {"type": "string"}, "car": {"type": "string"}, "arrival": {"type": "string"},
            "departure": {"type": "string"}, "room": {"type": "string"}, "breakfast": {"type": "string"},
            "parking": {"type": "string"}, "payment": {"type": "string"}, "newsletter": {"type": "string"},
            "notes": {"type": "string"}
          }
        }
      }
    ]
    ```

    ## Instead

    ```json
    [
      {
        "name": "register",
        "description": "Register a guest by name.",
        "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
      }
    ]
    ```

    ## Source

    - Anthropic, [structured outputs](https://platform.claude.com/docs/en/build-with-claude/structured-outputs): limits of
      strict tools (checked 2026-11-22)
    """

    code = STRICT_BUDGET
    severity = "error"
    providers = limited_in("strict_tools")
    advice = "make fewer tools strict, or require more of their parameters"
