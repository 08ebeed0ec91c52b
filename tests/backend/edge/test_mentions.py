"""Search in small tables by words: as stored and without accents, on both databases."""

import pytest
from sqlalchemy import select

from backend.catalog.models import ProductTag
from backend.core.collation import MAX_SEARCH_WORDS
from backend.core.db.database import Database
from backend.edge.query import search_clauses

STORED = (
    "Käthe Kruse",
    "N.º 3",
    "LEGO™",
    "François",
    "½ docena",
    "GÖKI",
    "Muñecas de Ámbar",
    "50% de descuento",
)
FOUND = {
    **{value: [value] for value in STORED},
    "kruse käthe": ["Käthe Kruse"],
    "lego™": ["LEGO™"],
    "munecas ambar": ["Muñecas de Ámbar"],
    "MUÑECAS ámbar": ["Muñecas de Ámbar"],
    "%": ["50% de descuento"],
    "_": [],
    "kruse lego": [],
    "": sorted(STORED),
}


@pytest.mark.parametrize(("text", "found"), FOUND.items(), ids=FOUND.keys())
async def test_search_in_a_small_table_finds_rows_by_words(
    database: Database, text: str, found: list[str]
) -> None:
    async with database.transaction() as session:
        session.add_all(ProductTag(value=value) for value in STORED)
    query = select(ProductTag.value).where(*search_clauses(text, ProductTag.value))
    async with database.read() as session:
        assert sorted((await session.execute(query)).scalars()) == found


def test_number_of_search_words_is_limited() -> None:
    assert len(search_clauses("a " * 100, ProductTag.value)) == MAX_SEARCH_WORDS
