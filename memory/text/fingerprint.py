"""A short name for a statement: equal for exact repeats, and for nothing else."""

import hashlib

from .normalise import key


def fingerprint(*parts: str) -> str:
    """32 hex digits of SHA-256 over the keys of `parts`; ("ab", "c") and ("a", "bc") differ."""
    digest = hashlib.sha256()
    for part in parts:
        data = key(part).encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:32]
