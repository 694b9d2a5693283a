"""TK107: a parameter whose name some provider refuses."""

from toolkit.codes import INVALID_PARAMETER_NAME
from toolkit.lint.clues.provider_objections import ProviderRule


class InvalidParameterName(ProviderRule):
    """The name of a parameter has characters that some provider refuses.

    ## Why

    Gemini requires a letter or an underscore first, then letters, digits and underscores, and at most 64 characters. A
    request with any other name fails as a whole. Such names are not valid function parameters in most languages either.

    ## Example

    ```json
    [
      {
        "name": "forecast",
        "description": "Forecast tomorrow's weather in a city.",
        "parameters": {"type": "object", "properties": {"city-name": {"type": "string", "description": "The city."}}}
      }
    ]
    ```

    ## Instead

    ```json
    [
      {
        "name": "forecast",
        "description": "Forecast tomorrow's weather in a city.",
        "parameters": {"type": "object", "properties": {"city_name": {"type": "string", "description": "The city."}}}
      }
    ]
    ```

    ## Source

    - Gemini, `FunctionDeclaration.parameters`: "must start with a letter or an underscore, and must only contain chars a-z,
      A-Z, 0-9, or underscores with a maximum length of 64" (`google-genai` 3.4.0, `types.py`, checked 2026-11-22)
    """

    code = INVALID_PARAMETER_NAME
    severity = "error"
