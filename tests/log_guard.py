"""Recording of the tokens that a running shop creates, and a search for them in its log.

In a shop under test the functions that create tokens are wrapped: each token is appended to a file. When the shop
stops, its log must contain no token, no query string, and no personal data of its customers.
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
"""Environment variable: the file to which a shop's tokens are appended."""
MIN_TOKEN_LENGTH = 16
"""Characters. Shorter texts are not tokens and may be parts of words."""
MIN_PERSONAL_LENGTH = 6
QUERY = re.compile(r"[\w/.~%-]\?[\w.~%-]+=(?!\[hidden\])\S")
SECRET = re.compile(
    r"\beyJ[\w-]{10,}\.[\w-]{10,}\.|\bsk_[0-9a-f]{64}|cart_[0-9A-Z]{26}|[\w.+%-]+@[\w-]+\.[a-z]{2,}"
)
"""Bearer tokens, secret keys, ids of carts and e-mail addresses."""
PERSONAL_FIELDS = frozenset({"address_1", "doc_number", "document", "email", "last_name", "phone"})
PERSONAL_COLUMNS = {
    "customer": ("email", "phone", "last_name"),
    "order": ("email", "shipping_address", "billing_address"),
}


def record_tokens() -> None:
    """Wrap the functions that create tokens if `TOKEN_FILE` names a file; otherwise do nothing."""
    if not (file := os.environ.get(TOKEN_FILE)):
        return
    secrets.token_urlsafe = _record_results(secrets.token_urlsafe, file)
    jwt.encode = _record_results(jwt.encode, file)
    itsdangerous.Signer.get_signature = _record_results(itsdangerous.Signer.get_signature, file)  # type: ignore[method-assign]


def _record_results(make: Callable[..., Any], file: str) -> Callable[..., Any]:
    @wraps(make)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        token = make(*args, **kwargs)
        text = token.decode() if isinstance(token, bytes) else token
        with Path(file).open("a") as tokens:
            tokens.write(text + "\n")
        return token

    return recorded


def find_leaks(log: str, tokens: Iterable[str], personal_data: Iterable[str] = ()) -> list[str]:
    """Return the log lines that contain a token, a query string or personal data."""
    found = [text for text in {*tokens, *personal_data} if text in log]
    return [
        line
        for line in log.splitlines()
        if any(text in line for text in found) or QUERY.search(line) or SECRET.search(line)
    ]


def read_recorded_tokens(file: Path) -> set[str]:
    """Return the tokens in the file that are long enough to search for."""
    lines = file.read_text().splitlines() if file.exists() else []
    return {line for line in lines if len(line) >= MIN_TOKEN_LENGTH}


def find_personal_data(database: Path) -> set[str]:
    """Return the personal data in the customers and orders of an SQLite database."""
    found: set[str] = set()
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        for table, columns in PERSONAL_COLUMNS.items():
            for row in connection.execute(f'SELECT {", ".join(columns)} FROM "{table}"'):
                found.update(
                    text
                    for name, value in zip(columns, row, strict=True)
                    for text in _find_personal_values(name, value)
                )
    finally:
        connection.close()
    return {text for text in found if len(text) >= MIN_PERSONAL_LENGTH}


def _find_personal_values(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, str) and value.startswith("{"):
        value = json.loads(value)
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _find_personal_values(key, inner)
    elif isinstance(value, str) and name in PERSONAL_FIELDS:
        yield value
