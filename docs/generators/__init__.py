"""What writes pages of the docs from the code, so that they say what the code does: `python -m docs`."""

from docs.generators import commands, configuration, library, limits, pipelines, policies, rules


def pages() -> dict[str, str]:
    """Return the text of every page that is generated, or has a part that is, by its place in the docs."""
    return {
        **commands.pages(),
        **configuration.pages(),
        **policies.pages(),
        **library.pages(),
        **limits.pages(),
        **pipelines.pages(),
        **rules.pages(),
    }
