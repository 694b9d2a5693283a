from agents import function_tool


@function_tool(strict_mode=False)
def save(settings: dict[str, str]) -> str:
    """Save the settings of the user.

    Args:
        settings: The values, by their names.
    """
    return str(settings)
