"""Generates pages of the docs from the code, so that they match it: `python -m docs`."""

from docs.generators import commands, configuration, library, limits, pipelines, policies, rules


def pages() -> dict[str, str]:
    """Return the text of every page that is generated, completely or in part, by its path in the docs."""
    return {
        **commands.pages(),
        **configuration.pages(),
        **policies.pages(),
        **library.pages(),
        **limits.pages(),
        **pipelines.pages(),
        **rules.pages(),
    }
