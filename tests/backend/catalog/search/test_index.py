"""The search index: prefixes, typos, related words and the order of results (spec: view rules 2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import delete, select, update

from backend.catalog.derived_models import SearchTypo
from backend.catalog.models import Category, Collection, Product, ProductCategory, Variant
from backend.catalog.search.engine import find_matches
from backend.catalog.search.index import index_products
from backend.catalog.search.query_words import search_words, split_words
from backend.catalog.search.suggestions import find_suggestions, read_suggestion_source
from backend.catalog.search.typos import get_max_typos, is_within_distance, make_remainders
from backend.catalog.storefront import page_content, product_list
from backend.catalog.views import CatalogFilter
from backend.core.collation import fold
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.store_defaults import add_product, set_up_defaults


@pytest.fixture
async def shop(database: Database, settings: Settings) -> Database:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        await add_product(
            session, defaults, "trompo", title="Trompo de madera", brand="Rayuela", description="Gira y gira."
        )
        await add_product(session, defaults, "lampara", title="Lámpara de noche", brand="Nido Andino")
        await add_product(
            session, defaults, "caja", title="Caja de música", description="Con un trompo pintado en la tapa."
        )
        await add_product(session, defaults, "rompe", title="Rompecabezas de Colombia", brand="Rayuela")
        await add_product(session, defaults, "oculto", title="Trompo en borrador", status="draft")
    return database


async def _titles(database: Database, text: str) -> list[str]:
    async with database.read() as session:
        return [hit.title for hit in (await page_content.suggest_products(session, text)).hits]


FIRST_RESULTS = {
    "trompo": "Trompo de madera",
    "tro": "Trompo de madera",
    "LAMPARA": "Lámpara de noche",
    "lámp": "Lámpara de noche",
    "noche lamp": "Lámpara de noche",
    "tronpo": "Trompo de madera",
    "rompecavesas": "Rompecabezas de Colombia",
    "rayuela rompe": "Rompecabezas de Colombia",
    "sku-caja": "Caja de música",
}


async def test_expected_product_is_the_first_search_result(shop: Database) -> None:
    assert {text: (await _titles(shop, text))[:1] for text in FIRST_RESULTS} == {
        text: [title] for text, title in FIRST_RESULTS.items()
    }


async def test_match_in_the_title_ranks_above_one_in_the_description(shop: Database) -> None:
    assert await _titles(shop, "trompo") == ["Trompo de madera", "Caja de música"]


NOTHING = ("", " ", "t", "zz", "trompo inexistente", "%", "_____", "'; drop table product; --")


async def test_text_without_matching_products_finds_nothing(shop: Database) -> None:
    assert {text: await _titles(shop, text) for text in NOTHING} == {text: [] for text in NOTHING}


RELATED_WORDS = {
    "trompos": "Trompo de madera",
    "lamparita": "Lámpara de noche",
    "rompecabeza": "Rompecabezas de Colombia",
    "lamparo": "Lámpara de noche",
    "el trompo de la niña": "Trompo de madera",
    "peonza": "Trompo de madera",
    "puzzle de colombia": "Rompecabezas de Colombia",
    "juguete de madera para 7 años": "Trompo de madera",
    "lámpara bebé": "Lámpara de noche",
    "lámpara 18 meses": "Lámpara de noche",
    "rompecabezas de 5 a 10 años": "Rompecabezas de Colombia",
    "abrazos": "Rompecabezas de Colombia",
}
"""What is found by words that are in no text: plurals, small ones, the other gender, synonyms, ages, collections."""
WITHOUT_MATCH = ["trompo 4 años", "lámpara adolescente", "trompo bus", "100 años", "trompo 99 años"]


@pytest.fixture
async def stocked_shop(shop: Database) -> Database:
    async with shop.transaction() as session:
        ages = {"trompo": "6-8", "lampara": "0-2", "rompe": "9-12"}
        for handle, age in ages.items():
            await session.execute(update(Product).where(Product.handle == handle).values(age_range=age))
        hugs = Collection(title="Abrazos", handle="abrazos")
        session.add(hugs)
        await session.flush()
        await session.execute(update(Product).where(Product.handle == "rompe").values(collection_id=hugs.id))
        ids = (await session.execute(select(Product.id))).scalars().all()
        await index_products(session, ids)
    return shop


async def test_related_words_find_products_and_unrelated_words_find_none(stocked_shop: Database) -> None:
    found = {text: await _titles(stocked_shop, text) for text in (*RELATED_WORDS, *WITHOUT_MATCH)}
    both = ["Trompo de madera", "Caja de música"]
    by_name = {"trompos": both, "el trompo de la niña": both, "peonza": both}
    assert (
        found
        == {text: [title] for text, title in RELATED_WORDS.items()}
        | {key: [] for key in WITHOUT_MATCH}
        | by_name
    )


async def test_synonyms_added_by_the_shop_find_products(stocked_shop: Database) -> None:
    async with stocked_shop.read() as session:
        own = search_words("peón, lámpara; zumbador, trompo")
        hits = [
            (await page_content.suggest_products(session, text, own)).hits[:1]
            for text in ("zumbador", "peones", "peonza")
        ]
    assert [[hit.handle for hit in found] for found in hits] == [["trompo"], ["lampara"], ["trompo"]]


async def _page(
    database: Database, text: str, **wanted: str | tuple[str, ...]
) -> tuple[list[str], int, int | None]:
    async with database.read() as session:
        page = await product_list.catalog_page(session, CatalogFilter(text=text, **wanted))  # type: ignore[arg-type]
    return [card.handle for card in page.cards], page.total, page.near


async def test_search_without_a_match_lists_all_products_nearest_first(
    stocked_shop: Database,
) -> None:
    whole = ["trompo", "lampara", "caja", "rompe"]
    handles, total, near = await _page(stocked_shop, "trompo de lata para 6 años")
    assert (handles[:2], sorted(handles), total, near) == (["trompo", "caja"], sorted(whole), 4, 2)
    handles, total, near = await _page(stocked_shop, "submarino nuclear")
    assert (sorted(handles), total, near) == (sorted(whole), 4, 0)
    assert await _page(stocked_shop, "trompo de lata", ages=("0-2",)) == (["lampara"], 1, 0)


@pytest.mark.parametrize("sort", ["new", "price_asc", "price_desc", "title"])
async def test_near_matches_come_first_under_every_sort_option(stocked_shop: Database, sort: str) -> None:
    handles, total, near = await _page(stocked_shop, "trompo de lata", sort=sort)
    assert (set(handles[:2]), total, near) == ({"trompo", "caja"}, 4, 2)


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("price_asc", ["caja", "trompo", "otro", "rompe", "lampara"]),
        ("price_desc", ["trompo", "caja", "otro", "lampara", "rompe"]),
        ("title", ["caja", "trompo", "otro", "lampara", "rompe"]),
    ],
)
async def test_near_matches_and_then_the_others_are_in_the_wanted_order(
    stocked_shop: Database, settings: Settings, sort: str, expected: list[str]
) -> None:
    """Check also that sold-out products end both parts, and that pages have no gaps."""
    prices = {"trompo": 40_000, "caja": 30_000, "rompe": 10_000, "lampara": 20_000}
    async with stocked_shop.transaction() as session:
        defaults = await set_up_defaults(stocked_shop, settings)
        await add_product(session, defaults, "otro", title="Trompo rojo", price=35_000, stock=0)
        for handle, price in prices.items():
            await session.execute(update(Variant).where(Variant.sku == f"SKU-{handle}").values(price=price))
    assert await _page(stocked_shop, "trompo de lata", sort=sort) == (expected, 5, 3)
    async with stocked_shop.read() as session:
        for size in (1, 2, 3, 4):
            pages = [
                await product_list.catalog_page(
                    session, CatalogFilter(text="trompo de lata", sort=sort), offset=offset, limit=size
                )
                for offset in range(0, 7, size)
            ]
            assert [card.handle for page in pages for card in page.cards] == expected, size


async def test_general_words_such_as_toys_find_all_products(stocked_shop: Database) -> None:
    _handles, total, near = await _page(stocked_shop, "juguetes para niñas")
    assert (total, near) == (4, None)


async def test_categories_and_brands_are_suggested(stocked_shop: Database) -> None:
    async with stocked_shop.transaction() as session:
        root = Category(name="Juguetes", handle="juguetes")
        session.add(root)
        await session.flush()
        for handle, name in {"luz": "Luces y lámparas", "vacia": "Lámparas de mesa"}.items():
            session.add(Category(name=name, handle=handle, parent_id=root.id))
        await session.flush()
        lit = (await session.execute(select(Category.id).where(Category.handle == "luz"))).scalar_one()
        lamp = (await session.execute(select(Product.id).where(Product.handle == "lampara"))).scalar_one()
        session.add(ProductCategory(product_id=lamp, category_id=lit))
        await session.execute(update(Product).where(Product.status == "draft").values(brand="Secreta"))
    async with stocked_shop.read() as session:
        places = await read_suggestion_source(session)
    meant = {
        text: [place.handle for place in find_suggestions(places, text, search_words())]
        for text in ("lampara", "luz", "RAYU", "nido andino", "nido rayuela", "secreta", "r", "5 años", "")
    }
    nothing: list[str] = []
    assert meant == {
        "lampara": ["luz"],
        "luz": ["luz"],
        "RAYU": ["rayuela"],
        "nido andino": ["nido-andino"],
        "nido rayuela": nothing,
        "secreta": nothing,
        "r": nothing,
        "5 años": nothing,
        "": nothing,
    }


async def test_typos_are_forgiven_only_in_titles_brands_and_categories(
    database: Database, settings: Settings
) -> None:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        await add_product(
            session, defaults, "frailejon", title="Frailejones", description="De madera de pino."
        )
        await add_product(session, defaults, "cocina", title="Cocina", brand="Fogones", description="Cosida.")
    assert await _titles(database, "piano") == []
    assert await _titles(database, "pino") == ["Frailejones"]
    assert await _titles(database, "cosina") == await _titles(database, "fogomes") == ["Cocina"]
    assert await _titles(database, "antialergico") == []
    async with database.transaction() as session:
        await session.execute(
            update(Product).where(Product.handle == "cocina").values(title="Trompo", brand="")
        )
        await index_products(session, list((await session.execute(select(Product.id))).scalars()))
    assert await _titles(database, "cosina") == []


SOUND_ALIKES = {
    "rompekavesas": ["Rompecabezas"],
    "ronpecavesas": ["Rompecabezas"],
    "kometas": ["Cometa"],
    "bolantin": ["Cometa"],
    "girafa": ["Jirafa"],
    "ula ula": ["Hula hula"],
    "sapatos": ["Zapatos de muñeca"],
    "cavayito": ["Caballo"],
    "pisina": ["Piscina"],
    "abion": ["Avión"],
    "sapato": ["Zapatos de muñeca"],
    "vac": [],
    "ola": [],
    "bida": [],
}
"""Misspelled words, and the titles that sound like them: in Spanish b is v, s is z, h is silent, and so on."""


async def test_misspelled_words_find_titles_that_sound_alike(database: Database, settings: Settings) -> None:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        for title in sorted({title for titles in SOUND_ALIKES.values() for title in titles}):
            await add_product(session, defaults, title.replace(" ", "-").lower(), title=title)
        await add_product(session, defaults, "frailejon", title="Frailejones", description="Con hola y vida.")
        await add_product(session, defaults, "vasitos", title="Vasitos y bases")  # not "vac" with an ending
    assert {text: await _titles(database, text) for text in SOUND_ALIKES} == SOUND_ALIKES


async def test_indexing_again_stores_missing_sound_keys(database: Database, settings: Settings) -> None:
    """Check an index that a version without sound keys filled, before an upgrade or from another process."""
    defaults = await set_up_defaults(database, settings)
    is_sound_key = SearchTypo.remains.startswith("~")
    async with database.transaction() as session:
        await add_product(session, defaults, "quezavio", title="Quezavio")
        stored = set((await session.execute(select(SearchTypo.term).where(is_sound_key))).scalars())
        await session.execute(delete(SearchTypo).where(is_sound_key))
    assert stored == {"quezavio"}
    assert await _titles(database, "kesabio") == []
    async with database.transaction() as session:
        await index_products(session, list((await session.execute(select(Product.id))).scalars()))
        assert set((await session.execute(select(SearchTypo.term).where(is_sound_key))).scalars()) == stored
    assert await _titles(database, "kesabio") == ["Quezavio"]


async def test_number_that_is_the_code_of_a_product_is_not_searched_as_a_price(
    database: Database, settings: Settings
) -> None:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        await add_product(session, defaults, "tren", title="Tren", price=90_000)
        await add_product(session, defaults, "caja", title="Caja", price=90_000, stock=0)
        await add_product(session, defaults, "trompo", title="Trompo", price=10_000)
        await add_product(session, defaults, "borrador", title="Borrador", status="draft")
        codes = {"SKU-tren": ("42000", "7701234567897"), "SKU-caja": ("42000123", "15000")}
        for sku, (code, ean) in {**codes, "SKU-borrador": ("77000", "88000")}.items():
            await session.execute(update(Variant).where(Variant.sku == sku).values(sku=code, ean=ean))
    found = {text: await _titles(database, text) for text in ("42000", " 15000", "7701234567897", "16000")}
    assert found == {"42000": ["Tren"], " 15000": ["Caja"], "7701234567897": ["Tren"], "16000": ["Trompo"]}
    assert await _titles(database, "77000") == await _titles(database, "menos de 42000") == ["Trompo"]
    assert await _page(database, "42000") == (["tren"], 1, None)


async def test_code_is_found_with_other_leading_zeros_and_in_groups_of_digits(
    database: Database, settings: Settings
) -> None:
    """Check the forms of the UPC-A 036000291452 that scanners report: EAN-13 and GTIN-14."""
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        for handle, sku, ean in (
            ("tren", "0042000", "036000291452"),
            ("caja", "550-120", "7701234567897"),
            ("trompo", "S", "0012345678905"),
        ):
            await add_product(session, defaults, handle, title=handle.title(), price=90_000)
            values = {"sku": sku, "ean": ean}
            await session.execute(update(Variant).where(Variant.sku == f"SKU-{handle}").values(values))
    expected = {
        "036000291452": ["Tren"],
        "0036000291452": ["Tren"],
        "00036000291452": ["Tren"],
        "0 36000 29145 2": ["Tren"],
        "0-36000-29145-2": ["Tren"],
        "012345678905": ["Trompo"],
        "7701 2345-67897 ": ["Caja"],
        "550-120": ["Caja"],
        "0042000": ["Tren"],
        "42000": [],  # another SKU: a price
        "36000291452": [],
    }
    assert {text: await _titles(database, text) for text in expected} == expected


async def test_word_for_an_accessory_alone_is_searched_for_only_in_titles(
    database: Database, settings: Settings
) -> None:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        await add_product(session, defaults, "muneca", title="Muñeca", description="Con zapatos y vestido.")
        await add_product(session, defaults, "ropa", title="Zapatos de muñeca")
    assert await _titles(database, "zapatos") == ["Zapatos de muñeca"]
    assert await _titles(database, "muñeca con zapatos") == ["Zapatos de muñeca", "Muñeca"]


async def test_match_in_the_material_ranks_above_one_in_the_description(
    database: Database, settings: Settings
) -> None:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        await add_product(session, defaults, "a", title="Tejo", description="Con mechas de cartón.")
        await add_product(session, defaults, "b", title="Bingo", material="Cartón")
    assert await _titles(database, "carton") == ["Bingo", "Tejo"]


async def test_sold_out_products_come_last_under_every_sort_option(
    database: Database, settings: Settings
) -> None:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        await add_product(session, defaults, "tren", title="Tren", price=10_000, stock=0)
        await add_product(session, defaults, "pista", title="Pista para tren", price=30_000)
        await add_product(session, defaults, "caja", title="Caja", price=20_000, description="Para un tren.")
    assert await _titles(database, "tren") == ["Pista para tren", "Caja", "Tren"]
    assert await _titles(database, "tren barato") == ["Caja", "Pista para tren", "Tren"]
    assert await _titles(database, "baratos") == ["Caja", "Pista para tren", "Tren"]
    assert (await _page(database, "tren nuclear"))[0] == ["pista", "caja", "tren"]


async def test_gift_words_alone_find_gifts_and_are_not_required_with_other_words(
    database: Database, settings: Settings
) -> None:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        await add_product(session, defaults, "tren", title="Tren")
        await add_product(session, defaults, "caja", title="Caja de regalo")
        await add_product(session, defaults, "otra", title="Caja de música")
    assert await _titles(database, "regalos") == ["Caja de regalo"]
    assert await _titles(database, "regalo para niña") == ["Caja de regalo"]
    assert await _titles(database, "tren de regalo") == ["Tren"]
    assert await _titles(database, "caja de regalo") == ["Caja de regalo", "Caja de música"]


async def test_search_without_batteries_finds_products_that_need_no_batteries(
    database: Database, settings: Settings
) -> None:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        await add_product(session, defaults, "robot", title="Tren robot", description="Usa tres pilas AA.")
        await add_product(session, defaults, "tren", title="Tren", description="Rueda sin pilas.")
        await add_product(session, defaults, "trompo", title="Trompo")
    assert await _titles(database, "tren sin pilas") == ["Tren"]
    assert sorted(await _titles(database, "juguetes sin pilas")) == ["Tren", "Trompo"]
    assert (await _page(database, "sin pilas"))[1] == 2


async def test_api_search_requires_a_match_of_every_word(database: Database, settings: Settings) -> None:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        await add_product(session, defaults, "tren", title="Tren")
    async with database.read() as session:
        for text, count in {
            "tren": 1,
            "tren de regalo": 0,
            "tren de menos de 90 mil": 0,
            "tren azul": 0,
            "trenes": 1,
            "tron": 0,
            "trem": 0,
        }.items():
            found = await find_matches(session, text)
            assert found is not None
            assert len((await session.execute(select(found.c.product_id))).all()) == count, text


def test_word_that_names_all_products_does_not_narrow_a_search() -> None:
    words = search_words()
    assert not words.parse_query("libros").is_anything
    books = words.with_general_words("libro", "libros")
    assert books.parse_query("libros").is_anything
    assert [term.word for term in books.parse_query("libro de cocina").query_terms] == ["cocina"]


@given(st.text(max_size=60))
def test_any_search_text_is_parsed_without_an_error(text: str) -> None:
    understood = search_words().parse_query(text)
    assert all(asked.word or asked.ages for asked in understood.query_terms)
    assert bool(understood.query_terms) == bool(split_words(text))


@given(st.text(max_size=60))
def test_any_text_is_split_into_ascii_words(text: str) -> None:
    assert all(word.isascii() and word == fold(word) and word for word in split_words(text))


@given(st.text("abcde", min_size=4, max_size=9), st.data())
def test_word_with_a_missing_letter_is_within_distance_one(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word) - 1))
    shorter = word[:place] + word[place + 1 :]
    assert is_within_distance(word, shorter, 1)
    assert shorter in make_remainders(word)


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_word_distance_is_symmetric_and_zero_only_for_equal_words(one: str, other: str) -> None:
    assert is_within_distance(one, other, 2) == is_within_distance(other, one, 2)
    assert is_within_distance(one, other, 0) == (one == other)


def test_short_search_words_must_match_without_a_typo() -> None:
    assert [get_max_typos(word) for word in ("oso", "tren", "rompecabezas")] == [0, 1, 2]
