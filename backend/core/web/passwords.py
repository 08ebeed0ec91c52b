"""Passwords and random tokens, stored as hashes.

Checking a password takes the same time whether or not the account exists.
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

HASHER = PasswordHasher()


_THREADS = Threads("passwords", 2)
"""Threads for hashing. A hash takes 64 MB and most of a core. Further logins wait, so that the shop stays fast."""


@cache
def _common_passwords() -> frozenset[str]:
    lines = COMMON_PASSWORDS.read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("# "))


def is_common(password: str) -> bool:
    """Return True if the password is one of the 10,000 most frequent, in upper or lower case."""
    return password.strip().casefold() in _common_passwords()


async def hash_password(password: str) -> str:
    """Return the hash to store."""
    return await _THREADS.run(HASHER.hash, password)


async def is_password(password: str, stored_hash: str | None) -> bool:
    """Return True if the hash was made from this password.

    If `stored_hash` is None, return False after the same time, so that the time does not reveal whether an account
    exists.
    """
    return await _THREADS.run(_verify, password[:MAX_LENGTH], stored_hash)


def _verify(password: str, stored_hash: str | None) -> bool:
    dummy_hash = _get_dummy_hash()  # computed in both cases, so that the first check takes the same time too
    try:
        HASHER.verify(stored_hash if stored_hash is not None else dummy_hash, password)
    except (VerificationError, InvalidHashError):
        return False
    return stored_hash is not None


@cache
def _get_dummy_hash() -> str:
    return HASHER.hash(secrets.token_hex())


_MAX_TOKEN_LENGTH = 100


def new_token() -> str:
    """Return a random token of 256 bits, for URLs and cookies."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return the hash to store for a token. A fast hash is enough, because a random token cannot be guessed."""
    return hashlib.sha256(token[:_MAX_TOKEN_LENGTH].encode("utf-8", "replace")).hexdigest()
