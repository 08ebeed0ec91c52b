"""The merchant feed: valid XML for any names, the facts of the pages, and a copy that is revalidated."""

from collections.abc import AsyncIterator
from dataclasses import replace
from xml.etree import ElementTree

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from backend.app import Shop
from backend.catalog.importer.formats.convert import convert_table
from backend.catalog.importer.formats.models import SourceFormat
from backend.catalog.importer.formats.recognition import recognise
from backend.catalog.merchant_facts import SuggestedAges
from backend.catalog.models import Product, Variant
from backend.catalog.storefront.merchant_feed import FeedItem
from backend.edge.errors import register_error_handlers
from storefront.documents.merchant_feed import (
    DOWNLOADS,
    MAX_DESCRIPTION_LENGTH,
    MAX_TITLE_LENGTH,
    PATH,
    build_item_id,
    router,
    write_feed,
    write_item,
)
from tests.backend.catalog.importer.formats.tables import list_cells, read_table

G = "{http://base.google.com/ns/1.0}"
ITEM = FeedItem(
    variant_id="variant_1",
    product_id="prod_1",
    handle="trompo",
    title="Trompo",
    variant_title="",
    description="Baila.",
    sku="TRO-1",
    bar_code="",
    brand="Rayuela",
    price=89_900,
    sale_price=None,
    is_available=True,
    ages=SuggestedAges(6, 8),
    pictures=["/demo/Trompo%20%28frente%29.webp", "https://cdn.example/a.webp"],
    category_path=["Juguetes tradicionales", "Trompos & más"],
)
VARIANTS = [
    replace(
        ITEM,
        variant_id=f"v_{color}",
        sku=f"T-{color}",
        title="Gorra",
        variant_title=color,
        attributes={"color": color},
    )
    for color in ("Rojo", "Azul")
]


def parse_item(item: FeedItem) -> dict[str, str | list[str]]:
    """Return the item's elements by name; repeated elements are a list."""
    prefix = '<rss xmlns:g="http://base.google.com/ns/1.0">'
    (element,) = ElementTree.fromstring(f"{prefix}{write_item(item)}</rss>")
    texts: dict[str, list[str]] = {}
    for child in element:
        texts.setdefault(child.tag.removeprefix(G), []).append(child.text or "")
    return {name: found[0] if len(found) == 1 else found for name, found in texts.items()}


@pytest.fixture
async def reader(toyshop: Shop) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    app.include_router(router)
    register_error_handlers(app)
    transport = httpx.ASGITransport(app, client=("190.24.1.1", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="https://trompo.example") as client:
        yield client


def test_feed_item_contains_every_attribute_of_its_product(shop: Shop) -> None:
    assert parse_item(ITEM) == {
        "id": "TRO-1",
        "title": "Trompo",
        "description": "Baila.",
        "link": "http://localhost:3000/product/trompo",
        "image_link": "http://localhost:3000/demo/Trompo%20%28frente%29.webp",
        "additional_image_link": "https://cdn.example/a.webp",
        "availability": "in_stock",
        "price": "89900.00 COP",
        "brand": "Rayuela",
        "mpn": "TRO-1",
        "condition": "new",
        "product_type": "Juguetes tradicionales > Trompos & más",
        "age_group": "kids",
    }


def test_feed_item_of_one_of_several_variants_names_its_variant(shop: Shop) -> None:
    item = replace(VARIANTS[0], is_available=False, sale_price=70_000, bar_code="7701234567897", weight=0.35)
    found = parse_item(replace(item, length=20, width=5.5, height=10))
    assert found["item_group_id"] == "prod_1"
    assert found["title"] == "Gorra – Rojo"
    assert found["link"] == "http://localhost:3000/product/trompo?variant=v_Rojo"
    assert (found["price"], found["sale_price"]) == ("89900.00 COP", "70000.00 COP")
    assert (found["availability"], found["gtin"], found["color"]) == ("out_of_stock", "7701234567897", "Rojo")
    measures = {name: text for name, text in found.items() if name.startswith("shipping_")}
    assert measures == {
        "shipping_weight": "0.35 kg",
        "shipping_length": "20 cm",
        "shipping_width": "5.5 cm",
        "shipping_height": "10 cm",
    }


def test_feed_item_of_a_product_without_optional_data_has_the_required_elements(shop: Shop) -> None:
    bare = replace(ITEM, description="", sku="", brand="", ages=None, pictures=(), category_path=())
    assert parse_item(bare) == {
        "id": "variant_1",
        "title": "Trompo",
        "description": "Trompo",
        "link": "http://localhost:3000/product/trompo",
        "availability": "in_stock",
        "price": "89900.00 COP",
        "condition": "new",
        "identifier_exists": "no",
    }


@given(st.text(), st.text(min_size=1), st.text())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_feed_item_with_any_characters_is_valid_xml(shop: Shop, title: str, variant: str, text: str) -> None:
    written = write_item(replace(ITEM, title=title, variant_title=variant, description=text, brand=text))
    element = ElementTree.fromstring(f'<rss xmlns:g="http://base.google.com/ns/1.0">{written}</rss>')
    assert len(element.findtext(f"item/{G}title") or "") <= MAX_TITLE_LENGTH
    assert len(element.findtext(f"item/{G}description") or "") <= MAX_DESCRIPTION_LENGTH


def test_special_characters_are_escaped_and_control_characters_removed(shop: Shop) -> None:
    name = 'Nave «X<Y» & "amigos" 🚀 de O\'Neill'
    found = parse_item(replace(ITEM, title=f"{name}\x00\x1b\ufffe", brand="A&B", sku="A<1>"))
    assert (found["title"], found["brand"], found["id"]) == (name, "A&B", "A<1>")


def test_long_texts_of_a_feed_item_are_cut(shop: Shop) -> None:
    found = parse_item(replace(ITEM, title="a" * 200, variant_title="b" * 20, description="c" * 6_000))
    assert found["title"] == "a" * (MAX_TITLE_LENGTH - 24) + "… – " + "b" * 20
    assert found["description"] == "c" * 4_999 + "…"


def test_too_long_sku_is_not_sent_as_a_part_number(shop: Shop) -> None:
    assert parse_item(replace(ITEM, sku="x" * 70))["mpn"] == "x" * 70
    found = parse_item(replace(ITEM, sku="x" * 71))
    assert (found["identifier_exists"], "mpn" in found) == ("no", False)


@pytest.mark.parametrize("sku", ["", "x" * 51, "A\tB", " A", "A\u2028"])
def test_sku_that_a_feed_cannot_contain_is_replaced_by_the_variants_id(sku: str) -> None:
    assert build_item_id(replace(ITEM, sku=sku)) == "variant_1"
    assert build_item_id(replace(ITEM, sku="x" * 50)) == "x" * 50


async def test_feed_lists_the_products_for_sale(reader: httpx.AsyncClient) -> None:
    answer = await reader.get(PATH)
    assert answer.headers["content-type"] == "application/xml; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    channel = ElementTree.fromstring(answer.content)[0]
    assert (channel.findtext("title"), channel.findtext("link")) == ("Trompo", "https://trompo.example/")
    items = {item.findtext(f"{G}id"): item for item in channel.iter("item")}
    assert set(items) == {"SKU-oso", "SKU-trompo", "SKU-pingüino-ñandú"}
    oso = items["SKU-oso"]
    assert oso.findtext(f"{G}title") == "Oso Tomás & Cía"
    assert oso.findtext(f"{G}description") == "Un oso\u2028 de peluche."
    assert oso.findtext(f"{G}image_link") == "https://trompo.example/demo/Oso%20%281%29-960.webp"
    assert oso.findtext(f"{G}product_type") == "Peluches"
    assert items["SKU-trompo"].findtext(f"{G}availability") == "out_of_stock"
    link = items["SKU-pingüino-ñandú"].findtext(f"{G}link")
    assert link == "https://trompo.example/product/ping%C3%BCino-%C3%B1and%C3%BA"


async def test_feed_of_an_empty_shop_is_valid(shop: Shop) -> None:
    written = "".join([part async for part in write_feed("Ñandú & <Cía>")])
    channel = ElementTree.fromstring(written)[0]
    assert channel.findtext("title") == channel.findtext("description") == "Ñandú & <Cía>"
    assert list(channel.iter("item")) == []


async def test_feed_is_written_in_pages(toyshop: Shop) -> None:
    parts = [part async for part in write_feed("Trompo", page_size=1)]
    assert [part.count("<item>") for part in parts] == [0, 1, 1, 1, 0, 0]
    assert "".join(parts) == "".join([part async for part in write_feed("Trompo")])


async def test_unchanged_feed_is_answered_with_304(reader: httpx.AsyncClient, toyshop: Shop) -> None:
    first = await reader.get(PATH)
    known = {"if-none-match": first.headers["etag"]}
    assert (await reader.get(PATH, headers=known)).status_code == 304
    async with toyshop.database.transaction() as session:
        await session.execute(update(Product).where(Product.handle == "oso").values(status="draft"))
    second = await reader.get(PATH, headers=known)
    assert (second.status_code, "SKU-oso" in second.text) == (200, False)


async def test_new_price_and_sold_units_are_in_the_next_feed(
    reader: httpx.AsyncClient, toyshop: Shop
) -> None:
    known = {"if-none-match": (await reader.get(PATH)).headers["etag"]}
    async with toyshop.database.transaction() as session:
        variant = (await session.execute(select(Variant).where(Variant.sku == "SKU-oso"))).scalar_one()
        variant.price = 77_000
    answer = await reader.get(PATH, headers=known)
    assert (answer.status_code, "77000.00 COP" in answer.text) == (200, True)


async def test_feed_is_compressed_if_accepted(reader: httpx.AsyncClient) -> None:
    packed = await reader.get(PATH, headers={"accept-encoding": "gzip"})
    plain = await reader.get(PATH, headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    assert packed.headers["etag"] == plain.headers["etag"]


async def test_head_request_for_the_feed_reads_no_products(reader: httpx.AsyncClient) -> None:
    head = await reader.head(PATH)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["etag"] == (await reader.get(PATH)).headers["etag"]
    assert "content-length" not in head.headers


async def test_downloads_of_a_client_are_limited(reader: httpx.AsyncClient) -> None:
    for _time in range(DOWNLOADS.per_pair):
        assert (await reader.get(PATH)).status_code == 200
    refused = await reader.get(PATH)
    assert (refused.status_code, int(refused.headers["retry-after"]) > 0) == (429, True)
    etag = (await reader.head(PATH)).headers["etag"]
    assert (await reader.get(PATH, headers={"if-none-match": etag})).status_code == 304


def test_importer_reads_the_attributes_of_the_feed(shop: Shop) -> None:
    """Import the items of the feed as a TSV table, because the importer reads no XML."""
    items = [parse_item(item) for item in (*VARIANTS, replace(ITEM, sale_price=70_000))]
    columns = list(dict.fromkeys(name for item in items for name in item))
    rows = [[to_cell(item.get(name, "")) for name in columns] for item in items]
    table = read_table("\n".join("\t".join(row) for row in [columns, *rows]), "\t")
    assert recognise(table.headings) is SourceFormat.GOOGLE
    source = convert_table(table, SourceFormat.GOOGLE)
    red, blue, single = list_cells(source)
    assert (red["title"], red["sku"], red["option_1"], red["value_1"]) == ("Gorra", "T-Rojo", "Color", "Rojo")
    assert (blue["title"], blue["sku"], blue["value_1"]) == ("Gorra", "T-Azul", "Azul")
    assert single == {
        "title": "Trompo",
        "description": "Baila.",
        "sku": "TRO-1",
        "price": "70000.00 COP",
        "compare_at_price": "89900.00 COP",
        "brand": "Rayuela",
        "categories": "Juguetes tradicionales > Trompos & más",
        "pictures": "http://localhost:3000/demo/Trompo%20%28frente%29.webp|https://cdn.example/a.webp",
        "old_addresses": "/product/trompo",
    }


def to_cell(value: str | list[str]) -> str:
    return value if isinstance(value, str) else ",".join(value)
