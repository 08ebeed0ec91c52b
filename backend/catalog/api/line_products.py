"""Products and variants of cart and order lines, for API clients that request them (`*items.product`).

The data is the catalogue's current data, also for products that are no longer for sale. Rows that were removed from
the database are missing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.api.product_wire import ProductWriter
from backend.edge.query import Fields
from backend.edge.wire import JsonDict

RELATIONS = ("images", "categories", "collection", "options", "tags", "type", "variants")
_PRODUCT_FIELDS = ("items.product", "items.variant.product")


@dataclass(frozen=True, slots=True)
class LineProducts:
    """The lines' products and variants as JSON, by id. Parts that were not requested are missing."""

    products: Mapping[str, JsonDict]
    variants: Mapping[str, JsonDict]


NO_PRODUCTS = LineProducts({}, {})


def wants_products(fields: Fields, *, by_default: bool = False) -> bool:
    """Return True if the query requests the lines' products or variants."""
    return any(fields.wants(name, by_default=by_default) for name in ("items.product", "items.variant"))


async def line_products(
    session: AsyncSession, product_ids: Collection[str], fields: Fields, base_url: str
) -> LineProducts:
    """Return the products with these ids and their variants, with the requested relations."""
    requested = {
        name: any(fields.wants(f"{product}.{name}") for product in _PRODUCT_FIELDS) for name in RELATIONS
    }
    writer = ProductWriter(session, _writer_fields(fields, requested), base_url=base_url)
    shown = await writer.write(sorted(product_ids))
    variants: dict[str, Mapping[str, Any]] = {
        variant["id"]: variant for product in shown for variant in product["variants"]
    }
    products = {
        product["id"]: {
            **{name: part for name, part in product.items() if name not in RELATIONS or requested[name]},
            "collection": product["collection"]
            if requested["collection"]
            else _id_reference(product["collection_id"]),
            "type": product["type"] if requested["type"] else _id_reference(product["type_id"]),
            "external_id": None,
            "deleted_at": None,
        }
        for product in shown
    }
    if not fields.wants("items.variant.options"):
        variants = {id_: _without_key(variant, "options") for id_, variant in variants.items()}
    return LineProducts(
        products,
        {id_: {**one, "product": products[one["product_id"]]} for id_, one in variants.items()},
    )


def _writer_fields(fields: Fields, requested: Mapping[str, bool]) -> Fields:
    """Return the fields of products, such as `images`, to request from the `ProductWriter` for these lines."""
    names = ["+status", "+metadata", "*variants"]
    names += [
        f"*{name}" if requested[name] else f"-{name}"
        for name in ("images", "categories", "collection", "tags", "type")
    ]
    names += [
        f"+variants.{name}"
        for name in ("calculated_price", "inventory_quantity")
        if fields.wants(f"items.variant.{name}")
    ]
    return Fields(",".join(names))


def _id_reference(related: str | None) -> JsonDict | None:
    return {"id": related} if related else None


def _without_key(value: Mapping[str, Any], name: str) -> JsonDict:
    return {key: part for key, part in value.items() if key != name}
