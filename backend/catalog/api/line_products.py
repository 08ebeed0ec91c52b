"""Products and variants of the lines of carts and orders, for programs that ask for them (`*items.product`).

They are as the catalogue has them now, for sale or not; what is deleted for good is missing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.api.product_wire import ProductWriter
from backend.edge.query import Fields
from backend.edge.wire import JsonDict

RELATIONS = ("images", "categories", "collection", "options", "tags", "type", "variants")
_OF_PRODUCTS = ("items.product", "items.variant.product")


@dataclass(frozen=True, slots=True)
class LineProducts:
    """What is shown of the lines' products and variants, by their ids; nothing of those that were not asked for."""

    products: Mapping[str, JsonDict]
    variants: Mapping[str, JsonDict]


NO_PRODUCTS = LineProducts({}, {})


def wants_products(fields: Fields, *, by_default: bool = False) -> bool:
    """Whether the lines' products or variants are to be read for this."""
    return any(fields.wants(name, by_default=by_default) for name in ("items.product", "items.variant"))


async def line_products(
    session: AsyncSession, product_ids: Collection[str], fields: Fields, base_url: str
) -> LineProducts:
    """The products with these ids and their variants, with the relations that are asked for."""
    asked = {name: any(fields.wants(f"{product}.{name}") for product in _OF_PRODUCTS) for name in RELATIONS}
    writer = ProductWriter(session, _fields_of_writer(fields, asked), base_url=base_url)
    shown = await writer.write(sorted(product_ids))
    variants: dict[str, Mapping[str, Any]] = {
        variant["id"]: variant for product in shown for variant in product["variants"]
    }
    products = {
        product["id"]: {
            **{name: part for name, part in product.items() if name not in RELATIONS or asked[name]},
            "collection": product["collection"]
            if asked["collection"]
            else _only_id(product["collection_id"]),
            "type": product["type"] if asked["type"] else _only_id(product["type_id"]),
            "external_id": None,
            "deleted_at": None,
        }
        for product in shown
    }
    if not fields.wants("items.variant.options"):
        variants = {id_: _without(variant, "options") for id_, variant in variants.items()}
    return LineProducts(
        products,
        {id_: {**one, "product": products[one["product_id"]]} for id_, one in variants.items()},
    )


def _fields_of_writer(fields: Fields, asked: Mapping[str, bool]) -> Fields:
    """What has to be read of the products, by their own names."""
    names = ["+status", "+metadata", "*variants"]
    names += [
        f"*{name}" if asked[name] else f"-{name}"
        for name in ("images", "categories", "collection", "tags", "type")
    ]
    names += [
        f"+variants.{name}"
        for name in ("calculated_price", "inventory_quantity")
        if fields.wants(f"items.variant.{name}")
    ]
    return Fields(",".join(names))


def _only_id(related: str | None) -> JsonDict | None:
    return {"id": related} if related else None


def _without(value: Mapping[str, Any], name: str) -> JsonDict:
    return {key: part for key, part in value.items() if key != name}
