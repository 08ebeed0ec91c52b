"""Record the tokens that a running shop makes, and search its log for them.

A shop under test runs with its token makers wrapped: each token is appended to a file. When the shop is stopped, its
log must hold none of them, no query of an address, and no datum of the people who bought there.
"""

import json
import os
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import itsdangerous
from joserfc import jwt

TOKEN_FILE = "TOKEN_RECORD"
"""Environment variable: the file that a shop's tokens are appended to."""
MIN_LENGTH = 16
"""Characters. Shorter texts are no tokens, and may be parts of words."""
MIN_PERSONAL_LENGTH = 6
QUERY = re.compile(r"[\w/.~%-]\?[\w.~%-]+=(?!\[hidden\])\S")
SECRET = re.compile(
    r"\beyJ[\w-]{10,}\.[\w-]{10,}\.|\bsk_[0-9a-f]{64}|cart_[0-9A-Z]{26}|[\w.+%-]+@[\w-]+\.[a-z]{2,}"
)
"""Bearer tokens, secret keys, ids of carts and e-mail addresses."""
PERSONAL = frozenset({"address_1", "doc_number", "document", "email", "last_name", "phone"})
TABLES_OF_PEOPLE = {
    "customer": ("email", "phone", "last_name"),
    "order": ("email", "shipping_address", "billing_address"),
}


def record_tokens() -> None:
    """Wrap what makes tokens, where `TOKEN_FILE` names a file; otherwise do nothing."""
    if not (file := os.environ.get(TOKEN_FILE)):
        return
    secrets.token_urlsafe = _recorded(secrets.token_urlsafe, file)
    jwt.encode = _recorded(jwt.encode, file)
    itsdangerous.Signer.get_signature = _recorded(itsdangerous.Signer.get_signature, file)  # type: ignore[method-assign]


def _recorded(make: Callable[..., Any], file: str) -> Callable[..., Any]:
    @wraps(make)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        token = make(*args, **kwargs)
        text = token.decode() if isinstance(token, bytes) else token
        with Path(file).open("a") as tokens:
            tokens.write(text + "\n")
        return token

    return recorded


def find_leaks(log: str, tokens: Iterable[str], people: Iterable[str] = ()) -> list[str]:
    """Return the lines of the log that hold a token, a query or a personal datum."""
    known = [text for text in {*tokens, *people} if text in log]
    return [
        line
        for line in log.splitlines()
        if any(text in line for text in known) or QUERY.search(line) or SECRET.search(line)
    ]


def recorded_tokens(file: Path) -> set[str]:
    """Return the tokens that were recorded."""
    lines = file.read_text().splitlines() if file.exists() else []
    return {line for line in lines if len(line) >= MIN_LENGTH}


def people_in(database: Path) -> set[str]:
    """Return what tells of a person in the customers and orders of an SQLite database."""
    found: set[str] = set()
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        for table, columns in TABLES_OF_PEOPLE.items():
            for row in connection.execute(f'SELECT {", ".join(columns)} FROM "{table}"'):
                found.update(
                    text for name, value in zip(columns, row, strict=True) for text in _data(name, value)
                )
    finally:
        connection.close()
    return {text for text in found if len(text) >= MIN_PERSONAL_LENGTH}


def _data(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, str) and value.startswith("{"):
        value = json.loads(value)
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _data(key, inner)
    elif isinstance(value, str) and name in PERSONAL:
        yield value
