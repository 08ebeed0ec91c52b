"""Random tokens that are shown once, and the hashes that are kept of them."""

import hashlib
import secrets

MAX_LENGTH = 100


def new_token() -> str:
    """A token nobody can guess: 256 random bits."""
    return secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """What is kept of a token. As it is random, a fast hash is enough: there is nothing to guess from."""
    return hashlib.sha256(token[:MAX_LENGTH].encode("utf-8", "replace")).hexdigest()
