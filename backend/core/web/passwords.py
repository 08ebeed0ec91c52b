"""Passwords and random tokens: what is stored of them is a hash.

Comparing a password takes the same time whether or not there is one to compare with.
"""

import hashlib
import secrets
from functools import cache
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from backend.core.texts import _
from backend.core.threads import Threads

MIN_LENGTH, MIN_STAFF_LENGTH, MAX_LENGTH = 8, 12, 200
TOO_COMMON = _("Esta contraseña es de las más usadas y se adivina fácil. Escoge otra.")
COMMON_PASSWORDS = Path(__file__).with_name("common_passwords.txt")

_hasher = PasswordHasher()


_THREADS = Threads("passwords", 2)
"""Each hashing takes 64 MB and most of a core: a crowd of logins waits here, not the whole shop."""


@cache
def _common_passwords() -> frozenset[str]:
    lines = COMMON_PASSWORDS.read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("# "))


def is_common(password: str) -> bool:
    """Return whether the password is one of the 10,000 most frequent, whatever its case."""
    return password.strip().casefold() in _common_passwords()


async def hash_password(password: str) -> str:
    """The hash to keep."""
    return await _THREADS.run(_hasher.hash, password)


async def is_password(password: str, kept: str | None) -> bool:
    """Whether it is the password of this hash. None takes as long, and is never right."""
    return await _THREADS.run(_verify, password[:MAX_LENGTH], kept)


def _verify(password: str, kept: str | None) -> bool:
    nobodys = _nobodys()  # made in both cases, so that the first answer tells nothing either
    try:
        _hasher.verify(kept if kept is not None else nobodys, password)
    except (VerificationError, InvalidHashError):
        return False
    return kept is not None


@cache
def _nobodys() -> str:
    return _hasher.hash(secrets.token_hex())


_MAX_TOKEN = 100


def new_token() -> str:
    """A random token of 256 bits, for URLs and cookies."""
    return secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """What is kept of a token. As it is random, a fast hash is enough: there is nothing to guess from."""
    return hashlib.sha256(token[:_MAX_TOKEN].encode("utf-8", "replace")).hexdigest()
