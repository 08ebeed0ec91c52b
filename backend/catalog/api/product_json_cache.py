"""Products as JSON, written again only when the database has something else of them than when they were written.

This is no cache by time or tag (spec: Storefront view rules 5): an answer reads its products from the database, and a
product's JSON is given again only where every column and part that was read is the same as then.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson
from cachetools import LRUCache
from sqlalchemy import Row

MAX_BYTES = 16 * 1024 * 1024
"""How much memory the products of a process may take; the least recently used go first."""
OVERHEAD = 3_000
"""What a product takes beside its JSON and its texts, in bytes."""

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Written:
    row: tuple[Any, ...]
    json: orjson.Fragment
    size: int


class WrittenProducts:
    """The products, by their ids and by how they were written."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._products: LRUCache[Key, _Written] = LRUCache(max_bytes, getsizeof=lambda written: written.size)

    @property
    def size(self) -> int:
        """Bytes that the products take."""
        return int(self._products.currsize)

    def json(
        self, row: Row[Any], fields: str, base_url: str, write: Callable[[Row[Any]], object]
    ) -> orjson.Fragment:
        """The product's JSON: what `write` makes of the row, which depends on nothing but these arguments."""
        key = (row.id, fields, base_url)
        read = tuple(row)
        known = self._products.get(key)
        if known is not None and known.row == read:
            return known.json
        body = orjson.dumps(write(row))
        texts = sum(len(value) for value in read if isinstance(value, str))
        written = _Written(read, orjson.Fragment(body), len(body) + texts + len(fields) + OVERHEAD)
        if written.size <= self._products.maxsize:
            self._products[key] = written
        return written.json
