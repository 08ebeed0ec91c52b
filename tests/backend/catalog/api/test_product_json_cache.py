"""A product's JSON is given again only where all that was read of the product is the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import orjson
import pytest
from sqlalchemy import Row

from backend.catalog.api.product_json_cache import WrittenProducts


class Read(NamedTuple):
    """A row that was read."""

    id: str
    title: str
    variants: str | None = None


@dataclass
class Writer:
    """Writes rows, and knows how many."""

    count: int = 0

    def __call__(self, row: Sequence[Any]) -> object:
        self.count += 1
        return {"of": list(row)}


def _json(known: WrittenProducts, writer: Writer, row: Read, fields: str = "", base: str = "") -> bytes:
    return orjson.dumps([known.json(cast("Row[Any]", row), fields, base, writer)])


def test_what_is_the_same_is_written_once() -> None:
    known, writer = WrittenProducts(), Writer()
    first = _json(known, writer, Read("a", "Aro"))
    assert _json(known, writer, Read("a", "Aro")) == first == b'[{"of":["a","Aro",null]}]'
    assert writer.count == 1


@pytest.mark.parametrize(
    ("row", "fields", "base"),
    [
        (Read("b", "Aro"), "", ""),
        (Read("a", "Oro"), "", ""),
        (Read("a", "Aro", "[1]"), "", ""),
        (Read("a", "Aro"), "+status", ""),
        (Read("a", "Aro"), "", "https://shop.test"),
    ],
)
def test_what_differs_is_written_again(row: Read, fields: str, base: str) -> None:
    known, writer = WrittenProducts(), Writer()
    _json(known, writer, Read("a", "Aro"))
    assert orjson.loads(_json(known, writer, row, fields, base)) == [{"of": list(row)}]
    assert writer.count == 2


def test_memory_is_bounded() -> None:
    known, writer = WrittenProducts(max_bytes=20_000), Writer()
    for number in range(100):
        _json(known, writer, Read(f"p{number}", "Aro"))
    assert 0 < known.size <= 20_000
    kept = known.size
    huge = Read("huge", "x" * 30_000)
    assert orjson.loads(_json(known, writer, huge)) == [{"of": list(huge)}]
    assert known.size == kept
