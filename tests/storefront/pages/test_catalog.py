"""Tests of the catalogue's choices: from the URL, and from the browser after validation."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import reflex as rx
from reflex.istate.data import RouterData
from sqlalchemy import select, update

from backend.app import Shop, current_shop
from backend.catalog.collections import change_collection
from backend.catalog.models import Category, Collection, Product, ProductCategory
from backend.catalog.schemas.admin import CollectionChange
from backend.catalog.search.query_intents import parse_search
from backend.catalog.search.query_words import search_words
from backend.core.clock import now
from backend.core.errors import InvalidData
from backend.staff.rights import COMMAND_LINE
from storefront.documents.markup import further_tags
from storefront.pages import catalog, catalog_filters, catalog_list
from storefront.pages.catalog import CatalogState
from storefront.pages.catalog_landing import LandingList
from storefront.pages.catalog_list import (
    HEAD_SIZES,
    MAX_CHOICES,
    MAX_PAGE,
    MAX_PRICE,
    MAX_SHOWN,
    PAGE_SIZE,
    Choices,
    choices_from_params,
    load,
    parse_choices,
)
from storefront.pages.page_loader import PageData, PageParams
from storefront.state.frame import FrameState
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product

NO_SEARCH = parse_search("", search_words())
SENT = {
    "categories": ["peluches"],
    "brands": [],
    "ages": ["3-5"],
    "on_sale": True,
    "sort": "new",
    "shown": 48,
}


@pytest.fixture
async def products(shop: Shop, defaults: Defaults) -> None:
    """Create three bears in a category, and a spinning top."""
    async with shop.database.transaction() as session:
        root = Category(name="Juguetes", handle="juguetes")
        session.add(root)
        await session.flush()
        plush = Category(name="Peluches", handle="peluches", description="Para abrazar.", parent_id=root.id)
        session.add(plush)
        await session.flush()
        for number in range(3):
            await add_product(session, defaults, f"oso-{number}", brand="Nido Andino", age_range="0-2")
        await add_product(session, defaults, "trompo", brand="Rayuela", age_range="6-8")
        bears = await session.execute(select(Product).where(Product.brand == "Nido Andino"))
        for bear in bears.scalars():
            session.add(ProductCategory(product_id=bear.id, category_id=plush.id))


def test_url_parameters_set_the_filters() -> None:
    params = PageParams.from_url("/age/3-5?category=peluches&sale=1")
    assert choices_from_params(params, LandingList(age="3-5"), NO_SEARCH) == Choices(
        categories=["peluches"], ages=["3-5"], on_sale=True
    )
    assert choices_from_params(PageParams.from_url("/catalog"), LandingList(), NO_SEARCH) == Choices()


def test_valid_choices_of_filters_are_parsed() -> None:
    assert parse_choices(SENT) == Choices(["peluches"], [], ["3-5"], on_sale=True, sort="new", shown=48)


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "everything",
        {},
        {**SENT, "categories": "peluches"},
        {**SENT, "brands": [1]},
        {**SENT, "ages": ["x" * 101]},
        {**SENT, "sort": None},
        {**SENT, "shown": "48"},
        {**SENT, "shown": True},
        {**SENT, "shown": 0},
        {**SENT, "shown": MAX_SHOWN + 1},
        {**SENT, "lowest": -1},
        {**SENT, "highest": "50000"},
        {**SENT, "highest": MAX_PRICE + 1},
        {**SENT, "start": -1},
        {**SENT, "start": "24"},
        {**SENT, "start": MAX_PAGE * PAGE_SIZE + 1},
    ],
)
def test_invalid_choices_of_filters_are_refused(sent: object) -> None:
    with pytest.raises(InvalidData):
        parse_choices(sent)


def test_number_of_values_of_a_filter_is_limited() -> None:
    assert len(parse_choices({**SENT, "brands": [str(n) for n in range(500)]}).brands) == MAX_CHOICES


def test_filters_start_with_age_and_price_and_age_chips_show_years() -> None:
    controls = str(catalog.filter_controls().render())
    order = re.findall(r"filter-(?:age|price|sale|category|brand)\b", controls)
    assert list(dict.fromkeys(order)) == [
        "filter-age",
        "filter-price",
        "filter-sale",
        "filter-category",
        "filter-brand",
    ]
    assert re.search(r"a\\+u00f1os", str(catalog_filters.filter_chips().render()))


async def test_category_name_is_the_title_of_its_list(products: None) -> None:
    data = await load(PageParams.from_url("/catalog?category=peluches"))
    assert data.content.title == "Peluches"
    assert data.content.lead == "Para abrazar."
    assert data.content.page.total == 3
    assert not data.content.is_custom
    assert data.meta.status == 200
    assert data.meta.canonical == "http://localhost:3000/catalog?category=peluches"
    assert '"name":"Peluches"' in data.meta.structured_data


async def test_page_of_the_only_root_category_lists_the_whole_catalogue(products: None) -> None:
    data = await load(PageParams.from_url("/catalog?category=juguetes"))
    assert (data.meta.status, data.content.title, data.content.page.total) == (200, "Juguetes", 4)
    assert data.meta.canonical == "http://localhost:3000/catalog?category=juguetes"
    assert data.content.choices.categories == []
    assert [facet.value for facet in data.content.page.categories] == ["peluches"]


async def test_each_of_several_root_categories_has_its_page(shop: Shop, products: None) -> None:
    async with shop.database.transaction() as session:
        session.add(Category(name="Libros", handle="libros"))
    books = await load(PageParams.from_url("/catalog?category=libros"))
    assert (books.meta.status, books.content.title, books.content.page.total) == (200, "Libros", 0)
    plush = await load(PageParams.from_url("/catalog?category=peluches"))
    assert '"name":"Juguetes","item":"http://localhost:3000/catalog?category=juguetes"' in (
        plush.meta.structured_data
    )
    unknown = await load(PageParams.from_url("/catalog?category=nada"))
    assert unknown.meta.status == 404


async def test_chosen_filters_replace_the_filters_of_the_url(products: None) -> None:
    data = await load(PageParams.from_url("/catalog?category=peluches"), Choices(brands=["Rayuela"]))
    assert [card.handle for card in data.content.page.cards] == ["trompo"]
    assert data.content.title == "Todos los juguetes"
    assert data.content.is_custom


async def test_list_loads_only_the_chosen_number_of_products(products: None) -> None:
    data = await load(PageParams.from_url("/catalog"), Choices(shown=2))
    assert (len(data.content.page.cards), data.content.page.total) == (2, 4)
    assert Choices().shown == PAGE_SIZE


@pytest.fixture
def two_products_per_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the page size to two, so that four products make two pages."""
    monkeypatch.setattr(catalog_list, "PAGE_SIZE", 2)


def handles(data: PageData[catalog_list.CatalogContent]) -> list[str]:
    """Return the handles of the displayed products."""
    return [card.handle for card in data.content.page.cards]


async def load_url(address: str) -> PageData[catalog_list.CatalogContent]:
    """Load the list at this URL as a document does."""
    return await load(PageParams.from_url(address))


@pytest.mark.usefixtures("products", "two_products_per_page")
class TestPages:
    async def test_each_page_of_a_list_has_its_own_products_and_links_to_its_neighbours(
        self,
    ) -> None:
        first, second = await load_url("/catalog"), await load_url("/catalog?page=2")
        assert len(handles(first)) == len(handles(second)) == 2
        assert not set(handles(first)) & set(handles(second))
        assert (first.content.earlier, first.content.further) == ("", "/catalog?page=2")
        assert (second.content.earlier, second.content.further) == ("/catalog", "")
        assert first.meta.canonical.endswith("/catalog")
        assert second.meta.canonical.endswith("/catalog?page=2")
        assert second.meta.title == "Todos los juguetes, página 2"
        assert '<link rel="next" href="http://localhost:3000/catalog?page=2"/>' in further_tags(
            first.meta, ""
        )
        assert '<link rel="prev" href="http://localhost:3000/catalog"/>' in further_tags(second.meta, "")
        assert (first.meta.previous, second.meta.following) == ("", "")

    async def test_links_between_pages_retain_the_filters(self) -> None:
        data = await load_url("/age/0-2?category=peluches&q=oso")
        assert data.content.further == "/age/0-2?category=peluches&q=oso&page=2"
        assert data.meta.canonical.endswith("/age/0-2")
        data = await load_url("/brand/nido-andino?page=2")
        assert (len(handles(data)), data.content.earlier) == (1, "/brand/nido-andino")
        assert data.meta.canonical.endswith("/brand/nido-andino?page=2")

    @pytest.mark.parametrize("page", ["0", "-1", "x", "1.5", "٢", "9" * 30, ""])
    async def test_invalid_page_number_shows_the_first_page(self, page: str) -> None:
        data = await load_url(f"/catalog?page={page}")
        assert data.content.choices.start == 0
        assert data.meta.canonical.endswith("/catalog")

    async def test_page_number_after_the_end_shows_the_last_page(self) -> None:
        data = await load_url("/catalog?page=40000")
        assert data.content.choices.start == 2
        assert len(handles(data)) == 2
        assert data.meta.canonical.endswith("/catalog?page=2")

    async def test_list_with_chosen_filters_has_no_links_to_other_pages(self) -> None:
        data = await load(PageParams.from_url("/catalog?page=2"), Choices(ages=["0-2"], shown=2, start=2))
        assert len(handles(data)) == 1
        assert (data.content.earlier, data.content.further) == ("", "")
        assert data.meta.canonical.endswith("/catalog")


@pytest.mark.parametrize("sent", [SENT, {"shown": 0}])
async def test_list_stays_and_a_notice_appears_if_filtering_fails(
    shop: Shop, products: None, shopper: Callable[[], rx.State], monkeypatch: pytest.MonkeyPatch, sent: Any
) -> None:
    root = shopper()
    state = await root.get_state(CatalogState)
    root.router = RouterData.from_router_data({"pathname": "/catalog", "asPath": "/catalog"})
    await state.browse(None)
    before = state.content

    async def fail(*_arguments: object) -> None:
        raise RuntimeError("the list cannot be read")

    monkeypatch.setattr(catalog, "load", fail)
    await state.browse(sent)
    assert state.content.number > before.number  # the page waits for another number
    assert replace(state.content, number=before.number) == before
    assert (await root.get_state(FrameState)).notice.text


async def test_unknown_category_is_not_found(products: None) -> None:
    data = await load(PageParams.from_url("/catalog?category=naves"))
    assert data.meta.status == 404
    assert data.meta.robots.startswith("noindex")
    assert data.content.title == "Esta categoría no existe"
    assert data.content.choices.categories == []  # no chip displays an unknown name
    assert data.content.page.total == (await load(PageParams.from_url("/catalog"))).content.page.total > 0


@pytest.mark.usefixtures("products")
class TestOwnLists:
    async def test_each_age_group_has_its_own_list_of_products(self) -> None:
        data = await load_url("/age/0-2")
        assert (data.content.title, data.content.page.total) == ("Juguetes de 0 a 2 años", 3)
        assert data.content.choices.ages == ["0-2"]
        assert data.meta.description.startswith("Juguetes de 0 a 2 años, escogidos")
        empty = await load_url("/age/12+")
        assert (empty.content.title, empty.content.page.total) == ("Juguetes desde los 12 años", 0)
        assert (empty.meta.status, empty.meta.canonical) == (200, "http://localhost:3000/age/12+")

    async def test_brands_that_differ_only_in_accents_and_case_share_a_list(
        self, shop: Shop, defaults: Defaults
    ) -> None:
        async with shop.database.transaction() as session:
            await add_product(session, defaults, "pato", brand="NIDO ANDÍNO")
        data = await load_url("/brand/nido-andino")
        assert (data.content.title, data.content.page.total) == ("Nido Andino", 4)
        assert data.meta.moved_to == ""
        assert sorted(data.content.choices.brands) == ["NIDO ANDÍNO", "Nido Andino"]

    @pytest.mark.parametrize(
        ("address", "title"),
        [
            ("/brand/secreta", "Esta marca no existe"),
            ("/brand/nido", "Esta marca no existe"),
            ("/brand/%E2%98%85", "Esta marca no existe"),
            ("/age/99", "No tenemos nada para esta edad"),
            ("/catalog?age=99", "No tenemos nada para esta edad"),
        ],
    )
    async def test_unknown_age_or_brand_is_not_found_and_shows_all_products(
        self, shop: Shop, defaults: Defaults, address: str, title: str
    ) -> None:
        async with shop.database.transaction() as session:
            await add_product(session, defaults, "oculto", brand="Secreta", status="draft")
        data = await load_url(address)
        assert (data.content.title, data.meta.status, data.meta.moved_to) == (title, 404, "")
        assert data.meta.robots.startswith("noindex")
        assert (data.content.page.total, data.content.choices) == (4, Choices())

    async def test_chosen_filters_replace_the_brand_of_the_url(self) -> None:
        data = await load(PageParams.from_url("/brand/rayuela"), Choices(ages=["0-2"]))
        assert (data.content.title, data.content.page.total) == ("Todos los juguetes", 3)
        assert data.meta.moved_to == ""

    @pytest.mark.parametrize("other", [{"highest": 1}, {"ages": ["0-2"]}])
    async def test_brand_without_a_product_for_the_other_filters_keeps_its_title(
        self, other: dict[str, Any]
    ) -> None:
        data = await load(PageParams.from_url("/brand/rayuela"), Choices(brands=["Rayuela"], **other))
        assert (data.content.title, data.content.page.total) == ("Rayuela", 0)

    async def test_price_range_is_shown_as_text(self) -> None:
        contents = [
            (await load(PageParams.from_url("/catalog"), Choices(lowest=low, highest=high))).content
            for low, high in ((0, 0), (20_000, 0), (0, 49_999), (50_000, 60_000))
        ]
        assert [one.prices for one in contents] == [
            "",
            cop("Desde $ 20.000"),
            cop("Hasta $ 49.999"),
            cop("De $ 50.000 a $ 60.000"),
        ]
        assert [one.page.total for one in contents] == [4, 4, 0, 4]


async def test_every_list_of_a_shop_without_products_shows_that_the_shop_is_empty(products: None) -> None:
    for address in (
        "/catalog",
        "/catalog?q=nave%20espacial",
        "/catalog?category=naves",
        "/age/99",
        "/brand/x",
    ):
        assert not (await load_url(address)).content.is_bare
    async with current_shop().database.transaction() as session:
        await session.execute(update(Product).values(deleted_at=now()))
    assert [
        (await load_url(address)).content.is_bare
        for address in ("/catalog", "/catalog?q=nave", "/age/99", "/age/3-5", "/catalog?sale=1")
    ] == [True] * 5


async def test_empty_category_chosen_by_the_url_keeps_its_name(products: None) -> None:
    async with current_shop().database.transaction() as session:
        session.add(Category(name="Música", handle="musica"))
    content = (await load_url("/catalog?category=musica")).content
    assert (content.page.total, content.is_bare) == (0, False)
    assert "musica" not in {facet.value for facet in content.page.categories}
    assert content.names == {"musica": "Música"}


async def test_search_results_are_not_indexed_by_search_engines(products: None) -> None:
    data = await load(PageParams.from_url("/catalog?q=Oso"))
    assert data.content.title == "Resultados para «Oso»"
    assert data.content.page.total == 3
    assert data.meta.robots.startswith("noindex")
    assert data.meta.status == 200


@pytest.mark.usefixtures("products")
class TestUnderstoodSearches:
    async def test_price_and_sorting_words_in_a_search_become_removable_choices(self) -> None:
        data = await load_url("/catalog?q=osos%20baratos%20de%20menos%20de%2060%20mil")
        assert data.content.choices == Choices(highest=60_000, sort="price_asc")
        assert (data.content.prices, data.content.asked_sort) == (cop("Hasta $ 60.000"), "price_asc")
        assert (data.content.page.total, data.content.is_custom) == (3, False)
        none = await load_url("/catalog?q=osos%20de%20menos%20de%2040%20mil")
        assert (none.content.page.total, none.content.page.near) == (0, None)
        removed = await load(PageParams.from_url("/catalog?q=osos%20de%20menos%20de%2040%20mil"), Choices())
        assert (removed.content.page.total, removed.content.prices) == (3, "")

    async def test_urls_of_further_search_pages_contain_the_search_text_and_no_filters(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(catalog_list, "PAGE_SIZE", 2)
        data = await load_url("/catalog?q=osos%20hasta%2060%20mil")
        assert data.content.further == "/catalog?q=osos%20hasta%2060%20mil&page=2"
        assert len(handles(await load_url(data.content.further))) == 1

    async def test_search_for_help_shows_the_help_page_and_all_products(self) -> None:
        data = await load_url("/catalog?q=cu%C3%A1nto%20cuesta%20el%20env%C3%ADo")
        assert data.content.title == "Ayuda sobre «cuánto cuesta el envío»"
        assert [link.path for link in data.content.help_links] == ["/legal/envios"]
        assert data.content.page.total == 4

    async def test_search_for_a_gift_links_to_the_finder_and_lists_all_if_no_product_matches(self) -> None:
        data = await load_url("/catalog?q=regalo")
        assert [link.path for link in data.content.help_links] == ["/gift"]
        assert (data.content.title, data.content.page.total) == ("Resultados para «regalo»", 4)


PICTURE = "/pictures/0123456789abcdef/foto-960x640-960.webp"


@pytest.fixture
async def collection(products: None) -> str:
    """Put two bears and the spinning top into a collection with a text and a picture, and return its id."""
    async with current_shop().database.transaction() as session:
        made = Collection(title="Hecho en Boyacá", handle="boyaca", description="A mano.", picture=PICTURE)
        session.add(made)
        await session.flush()
        inside = Product.handle.in_(("oso-0", "oso-1", "trompo"))
        await session.execute(update(Product).where(inside).values(collection_id=made.id))
        return made.id


class TestCollections:
    async def test_page_of_a_collection_shows_its_title_text_picture_and_products(
        self, collection: str
    ) -> None:
        data = await load_url("/collection/boyaca")
        assert (data.content.title, data.content.lead) == ("Hecho en Boyacá", "A mano.")
        assert sorted(handles(data)) == ["oso-0", "oso-1", "trompo"]
        assert data.content.picture is not None
        meta = data.meta
        assert (meta.status, meta.robots, meta.description) == (200, "index,follow", "A mano.")
        assert meta.canonical == "http://localhost:3000/collection/boyaca"
        assert meta.image == f"http://localhost:3000{PICTURE}"
        assert meta.first_picture is not None
        assert (meta.first_picture.url, meta.first_picture.sizes) == (PICTURE, HEAD_SIZES)
        assert '"name":"Hecho en Boyacá","item":"http://localhost:3000/collection/boyaca"' in (
            meta.structured_data
        )
        assert [(facet.label, facet.count) for facet in data.content.page.brands] == [
            ("Nido Andino", 2),
            ("Rayuela", 1),
        ]

    async def test_filters_and_search_stay_within_the_collection(self, collection: str) -> None:
        address = "/collection/boyaca"
        data = await load(PageParams.from_url(address), Choices(categories=["peluches"]))
        assert (data.content.title, sorted(handles(data))) == ("Hecho en Boyacá", ["oso-0", "oso-1"])
        data = await load_url(f"{address}?category=peluches&sale=1")
        assert (data.content.page.total, data.meta.canonical) == (0, f"http://localhost:3000{address}")
        data = await load_url(f"{address}?q=oso")
        assert (data.content.title, len(handles(data))) == ("Resultados para «oso»", 2)
        assert (data.content.picture, data.meta.robots) == (None, "noindex,follow")

    async def test_further_pages_of_a_collection_keep_its_path_in_the_url(
        self, collection: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(catalog_list, "PAGE_SIZE", 2)
        first, second = await load_url("/collection/boyaca"), await load_url("/collection/boyaca?page=2")
        assert (first.content.further, len(handles(second))) == ("/collection/boyaca?page=2", 1)
        assert second.meta.canonical == "http://localhost:3000/collection/boyaca?page=2"

    async def test_empty_collection_has_its_name_and_no_products(self, products: None) -> None:
        async with current_shop().database.transaction() as session:
            session.add(Collection(title="Navidad", handle="navidad"))
        data = await load_url("/collection/navidad")
        assert (data.content.title, data.content.page.total, data.meta.status) == ("Navidad", 0, 200)
        assert not data.content.is_bare
        assert data.meta.description.startswith("Todos los juguetes, con envío")

    async def test_hidden_or_unknown_collection_is_not_found(self, collection: str) -> None:
        async with current_shop().database.transaction() as session:
            (await session.get_one(Collection, collection)).is_active = False
        for address in (
            "/collection/boyaca",
            "/collection/nada",
            "/collection/Boyaca",
            "/collection/%F0%9F%8E%84",
        ):
            data = await load_url(address)
            assert (data.meta.status, data.meta.moved_to) == (404, ""), address
            assert (data.content.title, data.content.lead) == ("Esta colección no existe", "")
            assert data.content.page.total == 4

    async def test_former_handle_of_a_collection_redirects_to_its_page(self, collection: str) -> None:
        async with current_shop().database.transaction() as session:
            await change_collection(session, COMMAND_LINE, collection, CollectionChange(handle="de-boyaca"))
        moved = (await load_url("/collection/boyaca?page=2")).meta
        assert (moved.status, moved.moved_to) == (301, "/collection/de-boyaca")
        assert (await load_url("/collection/de-boyaca")).meta.status == 200
