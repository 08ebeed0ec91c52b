"""Search: every word, as a prefix, accents and case ignored, small typos forgiven, best first (spec: view rules 2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.catalog import browse
from backend.catalog.search import remains, typo_distance, within, words_of
from backend.database import Database
from backend.settings import Settings
from backend.words import fold
from tests.shop_floor import make_toy, open_floor


@pytest.fixture
async def shop(database: Database, settings: Settings) -> Database:
    floor = await open_floor(database, settings)
    async with database.transaction() as session:
        await make_toy(
            session, floor, "trompo", title="Trompo de madera", brand="Rayuela", description="Gira y gira."
        )
        await make_toy(session, floor, "lampara", title="Lámpara de noche", brand="Nido Andino")
        await make_toy(
            session, floor, "caja", title="Caja de música", description="Con un trompo pintado en la tapa."
        )
        await make_toy(session, floor, "rompe", title="Rompecabezas de Colombia", brand="Rayuela")
        await make_toy(session, floor, "oculto", title="Trompo en borrador", status="draft")
    return database


async def _titles(database: Database, text: str) -> list[str]:
    async with database.read() as session:
        return [hit.title for hit in await browse.search(session, text)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("trompo", "Trompo de madera"),
        ("tro", "Trompo de madera"),
        ("LAMPARA", "Lámpara de noche"),
        ("lámp", "Lámpara de noche"),
        ("noche lamp", "Lámpara de noche"),
        ("tronpo", "Trompo de madera"),
        ("rompecavesas", "Rompecabezas de Colombia"),
        ("rayuela rompe", "Rompecabezas de Colombia"),
        ("sku-caja", "Caja de música"),
    ],
)
async def test_finds(shop: Database, text: str, first: str) -> None:
    assert (await _titles(shop, text))[:1] == [first]


async def test_the_title_counts_more_than_the_description(shop: Database) -> None:
    assert await _titles(shop, "trompo") == ["Trompo de madera", "Caja de música"]


@pytest.mark.parametrize(
    "text", ["", " ", "t", "zz", "trompo inexistente", "%", "_____", "'; drop table product; --"]
)
async def test_finds_nothing(shop: Database, text: str) -> None:
    assert await _titles(shop, text) == []


@given(st.text(max_size=60))
def test_any_text_folds_to_plain_words(text: str) -> None:
    assert all(word.isascii() and word == fold(word) and word for word in words_of(text))


@given(st.text("abcde", min_size=4, max_size=9), st.data())
def test_a_word_with_one_letter_dropped_shares_remains_with_itself(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word) - 1))
    shorter = word[:place] + word[place + 1 :]
    assert within(word, shorter, 1)
    assert shorter in remains(word)


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_the_distance_is_symmetric_and_zero_only_for_equals(one: str, other: str) -> None:
    assert within(one, other, 2) == within(other, one, 2)
    assert within(one, other, 0) == (one == other)


def test_short_words_must_be_spelt_right() -> None:
    assert [typo_distance(word) for word in ("oso", "tren", "rompecabezas")] == [0, 1, 2]
