"""Known names: the models that pydantic-ai knows, to suggest one for a mistyped name."""

from toolkit.problems import nearest

_MOST = 3


def near_models(name: str) -> str | None:
    """Return a hint that names models like one whose provider is mistyped or left out, or the providers if none is."""
    provider, _, model = name.rpartition(":")
    known = _known_models()
    providers = sorted({one.partition(":")[0] for one in known})
    if provider:
        near = [f"{one}:{model}" for one in nearest(provider, providers)] if provider not in providers else []
        if not near and provider not in providers and providers:
            return f"write PROVIDER:NAME with a provider such as {', '.join(providers)}"
    else:
        likes = set(nearest(model, {one.partition(":")[2] for one in known}, most=1))
        near = [one for one in known if one.partition(":")[2] in likes]
    return f"did you mean {' or '.join(repr(one) for one in near[:_MOST])}?" if near else None


def _known_models() -> list[str]:
    """Return what is known; the ways that lead through somebody else's gateway are nobody's typing error."""
    try:
        from pydantic_ai.models import known_model_names
    except ImportError:
        return []
    return [name for name in known_model_names() if "/" not in name.partition(":")[0]]
