"""The demo catalogue is complete and consistent, and every named picture exists."""

import re
import tomllib
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

HOME = Path(__file__).parents[4]
CATALOG: dict[str, Any] = tomllib.loads(
    (HOME / "backend/operations/demo/catalog.toml").read_text(encoding="utf-8")
)
TOYS: list[dict[str, Any]] = CATALOG["toys"]
FILES: list[str] = [picture["file"] for toy in TOYS for picture in toy["pictures"]]

AGE_RANGES = ("0-2", "3-5", "6-8", "9-12", "12+")
WIDTHS = (160, 320, 640, 960)
FIELDS = {
    "handle": str,
    "title": str,
    "subtitle": str,
    "description": str,
    "sku": str,
    "price": int,
    "brand": str,
    "age_range": str,
    "categories": list,
    "featured": bool,
    "stock": int,
    "created_days_ago": int,
    "pictures": list,
}
OPTIONAL = {
    "compare_at_price": int,
    "collection": str,
    "material": str,
    "contents": str,
    "options": dict,
    "variants": list,
}


def list_handles(kind: str) -> list[str]:
    return [entry["handle"] for entry in CATALOG[kind]]


def test_demo_has_enough_products() -> None:
    assert len(TOYS) >= 48


def test_every_product_has_exactly_the_known_fields() -> None:
    for toy in TOYS:
        assert set(FIELDS) <= set(toy) <= set(FIELDS) | set(OPTIONAL), toy["handle"]
        for name, value in toy.items():
            assert type(value) is (FIELDS | OPTIONAL)[name], (toy["handle"], name)


@pytest.mark.parametrize("field", ["weight", "length", "width", "height", "size"])
def test_no_product_has_a_weight_or_a_size(field: str) -> None:
    assert [toy["handle"] for toy in TOYS if field in toy] == []


@pytest.mark.parametrize("kind", ["toys", "categories", "collections"])
def test_handles_are_unique_and_valid_in_a_url(kind: str) -> None:
    assert [handle for handle, times in Counter(list_handles(kind)).items() if times > 1] == []
    assert [
        handle for handle in list_handles(kind) if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", handle)
    ] == []


def test_skus_are_unique() -> None:
    skus = Counter(variant["sku"] for toy in TOYS for variant in toy.get("variants", [toy]))
    assert [sku for sku, times in skus.items() if times > 1] == []


def test_some_products_have_sizes_and_colours() -> None:
    families = [toy for toy in TOYS if "variants" in toy]
    assert {name for toy in families for name in toy["options"]} == {"Talla", "Color"}
    assert any(len(toy["options"]) > 1 for toy in families)
    for toy in families:
        variants, options = toy["variants"], [*toy["options"].values()]
        values = [tuple(variant["values"]) for variant in variants]
        assert sorted(values) == sorted(product(*options)), toy["handle"]
        assert variants[0]["sku"] == toy["sku"]
        assert toy["price"] == min(variant["price"] for variant in variants), toy["handle"]
        assert toy["stock"] == sum(variant["stock"] for variant in variants), toy["handle"]


def test_every_category_and_collection_of_a_product_exists() -> None:
    for toy in TOYS:
        assert toy["categories"], toy["handle"]
        assert set(toy["categories"]) <= set(list_handles("categories")), toy["handle"]
        assert toy.get("collection", "novedades") in list_handles("collections"), toy["handle"]


def test_all_categories_are_below_one_root() -> None:
    parents = {entry["handle"]: entry.get("parent") for entry in CATALOG["categories"]}
    assert [handle for handle, parent in parents.items() if parent is None] == ["juguetes"]
    seen: set[str] = set()
    for entry in CATALOG[
        "categories"
    ]:  # a parent comes before its children, so that the file can be read in order
        assert entry.get("parent") is None or entry["parent"] in seen
        seen.add(entry["handle"])
    children = Counter(parent for parent in parents.values() if parent)
    assert 7 <= children["juguetes"] <= 9
    assert sum(2 <= count <= 3 for parent, count in children.items() if parent != "juguetes") == 2


def test_every_category_has_products_in_it_or_below_it() -> None:
    parents = {entry["handle"]: entry.get("parent") for entry in CATALOG["categories"]}
    used = {handle for toy in TOYS for handle in toy["categories"]}
    reached = used | {parents[handle] for handle in used}
    assert set(parents) - reached - {"juguetes"} == set()


def test_collection_handle_is_derived_from_its_title() -> None:
    """Check for lower case, and hyphens for ' & ' and spaces (spec: Catalog-assignment procedure 4)."""
    for entry in CATALOG["collections"]:
        assert entry["handle"] == entry["title"].lower().replace(" & ", "-").replace(" ", "-")


def test_prices_are_plausible_whole_pesos() -> None:
    for toy in TOYS:
        assert 12_900 <= toy["price"] <= 389_900, toy["handle"]
        assert toy["price"] % 100 == 0, toy["handle"]
        assert toy.get("compare_at_price", 400_000) > toy["price"], toy["handle"]
    assert 10 <= sum("compare_at_price" in toy for toy in TOYS) <= 14


def test_brands_and_age_ranges_are_few_and_known() -> None:
    assert 6 <= len({toy["brand"] for toy in TOYS}) <= 9
    assert {toy["age_range"] for toy in TOYS} == set(AGE_RANGES)


def test_exactly_one_featured_product_is_sold_out() -> None:
    featured = [toy for toy in TOYS if toy["featured"]]
    assert 6 <= len(featured) <= 9
    assert [toy["handle"] for toy in featured if toy["stock"] == 0] == ["cocina-de-juguete"]


def test_demo_has_sold_out_and_nearly_sold_out_products() -> None:
    stocks = [toy["stock"] for toy in TOYS]
    assert min(stocks) == 0
    assert stocks.count(0) == 2
    assert sum(1 <= stock <= 3 for stock in stocks) >= 3


def test_demo_texts_are_complete_sentences() -> None:
    for toy in TOYS:
        assert 2 <= len(re.findall(r"[.!?](?=\s|$)", toy["description"])) <= 5, toy["handle"]
        assert not toy["subtitle"].endswith("."), toy["handle"]


def test_every_product_has_three_pictures_with_different_alt_texts() -> None:
    for toy in TOYS:
        alts = [picture["alt"] for picture in toy["pictures"]]
        assert len(alts) >= 3, toy["handle"]
        assert all(len(alt) >= 20 for alt in alts), toy["handle"]
        assert len(set(alts)) == len(alts), toy["handle"]
    assert len(set(FILES)) == len(FILES)


def test_picture_names_are_as_irregular_as_in_a_real_shop() -> None:
    assert len(FILES) / 4 <= sum(" " in name and "(" in name for name in FILES) <= len(FILES) / 2
    assert any("'" in name for name in FILES)
    assert any(not name.isascii() for name in FILES)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_picture_exists_as_a_square_in_each_width(width: int) -> None:
    for name in FILES:
        with Image.open(HOME / "assets/demo" / f"{name}-{width}.webp") as picture:
            assert (picture.format, picture.size) == ("WEBP", (width, width)), name


def test_no_picture_is_unused_and_the_total_size_is_small() -> None:
    found = sorted((HOME / "assets/demo").glob("*.webp"))
    assert {path.name for path in found} == {f"{name}-{width}.webp" for name in FILES for width in WIDTHS}
    assert sum(path.stat().st_size for path in found) < 9_000_000
