"""Passwords and random tokens: what is stored of them is a hash.

Comparing a password takes the same time whether or not there is one to compare with.
"""

import asyncio
import hashlib
import os
import secrets
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MIN_LENGTH, MAX_LENGTH = 8, 200

_hasher = PasswordHasher()


@cache
def _workers(process_id: int) -> ThreadPoolExecutor:  # noqa: ARG001 - the key
    """This process's threads: those of the process that forked it are not there.

    Each hashing takes 64 MB and most of a core: a crowd of logins waits here, not the whole shop.
    """
    return ThreadPoolExecutor(max_workers=2, thread_name_prefix="passwords")


async def hash_password(password: str) -> str:
    """The hash to keep."""
    return await asyncio.get_running_loop().run_in_executor(_workers(os.getpid()), _hasher.hash, password)


async def is_password(password: str, kept: str | None) -> bool:
    """Whether it is the password of this hash. None takes as long, and is never right."""
    verify = partial(_verify, password[:MAX_LENGTH], kept)
    return await asyncio.get_running_loop().run_in_executor(_workers(os.getpid()), verify)


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
