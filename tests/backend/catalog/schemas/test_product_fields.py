"""Every field of a product: staff change it, a file imports it, and both APIs return it."""

import csv
import io
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.catalog.answers import ProductOut
from backend.catalog.importer.pictures import PictureFolder
from backend.catalog.importer.whole_file.command import import_file
from backend.catalog.models import Product
from backend.catalog.schemas.product_fields import CELLS, FIELDS, METADATA_FIELDS
from backend.core.config.settings import Settings
from backend.imports.rows.losses import count_losses
from backend.media.picture_store import open_picture_store
from tests.store_defaults import Defaults
from tests.store_steps import get, post

VALUES: dict[str, Any] = {
    "handle": "trompo-rojo",
    "title": "Trompo rojo",
    "subtitle": "De guayacán",
    "description": "Gira y gira.",
    "featured": True,
    "status": "published",
    "tax_rate": 0,
    "tax_excluded": True,
    "thumbnail": "/demo/trompo.webp",
    "material": "Guayacán",
    "origin_country": "co",
    "warnings": "Tiene piezas pequeñas.",
    "weight": 0.3,
    "length": 9.0,
    "height": 8.0,
    "width": 7.0,
    "preorder_day": "2999-12-15",
    "preorder_units": 5,
}
METADATA = {"brand": "Artesanos", "ageRange": "6-8"}


def test_every_product_field_is_a_column_and_is_covered_by_these_tests() -> None:
    assert set(VALUES) == set(FIELDS)
    assert set(METADATA) == set(METADATA_FIELDS)
    columns = set(Product.__table__.columns.keys())  # type: ignore[attr-defined]
    assert {*FIELDS, *CELLS} <= columns
    assert set(FIELDS) <= ProductOut.__annotations__.keys()


@pytest.mark.parametrize("as_new", [True, False])
async def test_product_fields_set_by_staff_are_returned(admin: httpx.AsyncClient, *, as_new: bool) -> None:
    said = {**VALUES, "metadata": METADATA}
    if as_new:
        made = (await post(admin, "/admin/products", said))["product"]
    else:
        first = (await post(admin, "/admin/products", {"title": "Yoyo"}))["product"]
        made = (await post(admin, f"/admin/products/{first['id']}", said))["product"]
    assert {name: made[name] for name in VALUES} == VALUES
    assert made["metadata"] == METADATA


async def test_null_clears_only_optional_product_fields(admin: httpx.AsyncClient) -> None:
    made = (await post(admin, "/admin/products", VALUES))["product"]
    path = f"/admin/products/{made['id']}"
    changed = (await post(admin, path, dict.fromkeys(VALUES)))["product"]
    assert {name: changed.get(name) for name in VALUES} == {
        **VALUES,
        **dict.fromkeys(("subtitle", "description", "warnings"), ""),
        **dict.fromkeys(("material", "origin_country", "thumbnail", "weight", "length", "height", "width")),
        **dict.fromkeys(("preorder_day", "preorder_units")),
    }


async def test_product_fields_of_an_imported_file_are_returned(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient, tmp_path: Path
) -> None:
    wanted = VALUES | {field.column: METADATA[key] for key, field in METADATA_FIELDS.items()}
    cells = {name: {True: "yes"}.get(wanted[name], str(wanted[name])) for name in CELLS}
    text = io.StringIO()
    writer = csv.DictWriter(text, [*cells, "price"])
    writer.writeheader()
    writer.writerow({**cells, "price": "18900"})
    file = tmp_path / "toys.csv"
    file.write_text(text.getvalue(), "utf-8")
    pictures = PictureFolder(tmp_path, open_picture_store(Settings(data_dir=tmp_path)))
    await import_file(
        shop.database,
        file,
        pictures,
        shop_defaults.location_id,
        lambda _total, _title: nullcontext(lambda _steps: None),
        count_losses=count_losses,
    )
    fields = ",".join(f"+{name}" for name in (*FIELDS, "metadata"))
    (found,) = (await get(store, "/store/products", handle=VALUES["handle"], fields=fields))["products"]
    imported = [name for name in FIELDS if name in CELLS]
    assert {name: found[name] for name in imported} == {name: VALUES[name] for name in imported}
    assert found["metadata"] == METADATA
