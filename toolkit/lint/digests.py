"""Short digests that identify data."""


def digest(data: bytes) -> str:
    """Return a digest of the data: 32 hexadecimal digits."""
    try:
        from _blake2 import blake2b  # `hashlib` loads OpenSSL, which takes as long as Python's start
    except ImportError:
        from hashlib import blake2b

    return blake2b(data, digest_size=16).hexdigest()
