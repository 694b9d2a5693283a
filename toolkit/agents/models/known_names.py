"""Suggests models that pydantic-ai knows for a mistyped name."""

from toolkit.problems import nearest

_MOST = 3


def near_models(name: str) -> str | None:
    """Return a hint with similar models if the provider is mistyped or missing, or else with the known providers."""
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
    """Return the known models, without those behind a gateway, which are unlikely to be meant."""
    try:
        from pydantic_ai.models import known_model_names
    except ImportError:
        return []
    return [name for name in known_model_names() if "/" not in name.partition(":")[0]]
