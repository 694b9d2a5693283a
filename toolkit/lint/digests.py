"""Digests: a short text that stands for much data, and that other data does not have."""


def digest(data: bytes) -> str:
    """Return 32 hexadecimal digits for the data."""
    try:
        from _blake2 import blake2b  # noqa: PLC0415 - `hashlib` loads OpenSSL, which takes as long as Python's start
    except ImportError:
        from hashlib import blake2b  # noqa: PLC0415

    return blake2b(data, digest_size=16).hexdigest()
