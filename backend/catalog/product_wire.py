"""Products as the platform shows them. A few queries for a page, however long, and only for what was asked for."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Row, bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import (
    Category,
    Collection,
    Picture,
    ProductCategory,
    ProductOption,
    ProductOptionValue,
    Variant,
)
from backend.catalog.options import IMPLIED_TITLE, Option, options_of, values_of_variants
from backend.catalog.picture_addresses import absolute_address
from backend.catalog.places_of_products import every_channel, the_profile
from backend.catalog.product_fields import ALWAYS_SHOWN, METADATA_FIELDS, SHOWN_ON_REQUEST
from backend.catalog.stock_wire import levels_of, linked_item
from backend.catalog.tags_and_types import words_of
from backend.catalog.wire import category_fields, channel_wire, collection_wire, profile_wire
from backend.edge.query import Fields
from backend.edge.wire import JsonDict, exact, iso, price, sibling_id, stamps
from backend.inventory.models import InventoryLevel

NOTHING_KNOWN = dict.fromkeys(("hs_code", "origin_country", "mid_code", "material"))
"""Of a variant. A product has a country of origin and a material of its own."""

_WORDS = ("tags", "type", "type_id")

_OF_THESE: Any = bindparam("ids", expanding=True)
# built once: building a query takes longer than running it
_VARIANTS = (
    select(*(getattr(Variant, column.name) for column in Variant.__table__.columns))  # type: ignore[attr-defined]
    .where(Variant.product_id.in_(_OF_THESE))
    .order_by(Variant.rank, Variant.id)
)
_VARIANTS_IN_STOCK = (
    _VARIANTS.add_columns(
        func.coalesce(func.sum(InventoryLevel.stocked - InventoryLevel.reserved), 0).label("units")
    )
    .outerjoin(InventoryLevel, InventoryLevel.variant_id == Variant.id)
    .group_by(Variant.id)
)
_PICTURES = (
    select(
        Picture.id,
        Picture.product_id,
        Picture.url,
        Picture.alt,
        Picture.rank,
        Picture.created_at,
        Picture.updated_at,
    )
    .where(Picture.product_id.in_(_OF_THESE))
    .order_by(Picture.rank)
)
_COLLECTIONS: Any = select(
    Collection.id,
    Collection.title,
    Collection.handle,
    Collection.meta,
    Collection.created_at,
    Collection.updated_at,
).where(Collection.id.in_(_OF_THESE))
_CATEGORIES = (
    select(ProductCategory.product_id, Category)
    .join(Category, Category.id == ProductCategory.category_id)
    .where(ProductCategory.product_id.in_(_OF_THESE))
    .order_by(Category.rank, Category.name)
)

Grouped = dict[str, list[JsonDict]]


class ProductWriter:
    """Makes the platform's products of rows (`COLUMNS` in `listing.py`).

    `base_url` makes the addresses of the shop's own pictures whole, with what is special in them encoded; without it
    they are as they were stored, for staff. `as_staff` adds what only staff see. Where it is known that none of the
    products has options of its own, or tags or a type, these are not read.
    """

    def __init__(
        self,
        session: AsyncSession,
        fields: Fields,
        *,
        base_url: str = "",
        as_staff: bool = False,
        has_options: bool = True,
        has_words: bool = True,
    ) -> None:
        self._session = session
        self._fields = fields
        self._base_url = base_url
        self._as_staff = as_staff
        self._has_options = has_options
        self._has_words = has_words

    async def write(self, rows: Sequence[Row[Any]]) -> list[JsonDict]:
        """The products, in the same order."""
        ids = [row.id for row in rows]
        wants = self._fields.wants
        shows_variants = wants("variants", by_default=True) or wants("options", by_default=True)
        has_options = self._has_options and shows_variants and ids
        options = await options_of(self._session, ids) if has_options else {}
        titles = {row.id: row.title for row in rows}
        variants = await self._variants(titles, options) if shows_variants and ids else {}
        of_variants = wants("variants.images", by_default=self._as_staff)
        images = await self._images(ids) if ids and (of_variants or self._shows("images")) else {}
        collections = await self._collections(rows) if wants("collection", by_default=True) else {}
        categories = (
            await self._categories(ids) if ids and wants("categories", by_default=self._as_staff) else None
        )
        has_words = self._has_words and ids and any(map(self._shows, _WORDS))
        words = await words_of(self._session, ids) if has_words else {}
        places = await self._places()
        pick = self._fields.pick
        products = []
        for row in rows:
            product = self._product(row) | places
            if own := words.get(row.id):
                product |= {"tags": own.tags, "type": own.type, "type_id": own.type and own.type["id"]}
            product["collection"] = collections.get(row.collection_id)
            product["variants"] = variants.get(row.id, [])
            stored = options.get(row.id)
            product["options"] = (
                [option_wire(option) for option in stored]
                if stored
                else [_implied(row, product["variants"])]
                if shows_variants
                else []
            )
            product["images"] = images.get(row.id, [])
            if of_variants:  # a picture shows the product, in all its variants
                product["variants"] = [{**one, "images": product["images"]} for one in product["variants"]]
            if categories is not None:
                product["categories"] = categories.get(row.id, [])
            products.append(pick(product))
        return products

    async def _places(self) -> JsonDict:
        """Where the products are sold and how they are shipped, for staff: alike for all."""
        places: JsonDict = {}
        if self._as_staff and self._shows("sales_channels"):
            places["sales_channels"] = [*map(channel_wire, await every_channel(self._session))]
        if self._as_staff and self._fields.wants("shipping_profile"):
            profile = await the_profile(self._session)
            places["shipping_profile"] = profile and profile_wire(profile)
        return places

    def _shows(self, name: str) -> bool:
        return self._fields.wants(name, by_default=True)

    def _product(self, row: Row[Any]) -> JsonDict:
        wants = self._fields.wants
        product: JsonDict = {
            "id": row.id,
            **NOTHING_KNOWN,
            **{name: getattr(row, name) for name in ALWAYS_SHOWN},
            "thumbnail": self._address(row.thumbnail),
            "is_giftcard": False,
            "discountable": True,
            "collection_id": row.collection_id,
            "type_id": None,
            "type": None,
            **stamps(row.created_at, row.updated_at),
            "tags": [],
        }
        for name in SHOWN_ON_REQUEST:
            if self._as_staff or wants(name):
                product[name] = getattr(row, name)
        if self._as_staff or wants("metadata"):
            own = {key: getattr(row, field.column) for key, field in METADATA_FIELDS.items()}
            product["metadata"] = row.extra_metadata | own
        if self._as_staff:
            product |= {"external_id": None, "deleted_at": iso(row.deleted_at)}
        return product

    async def _variants(self, titles: dict[str, str], options: dict[str, list[Option]]) -> Grouped:
        """The variants of the products with these ids and titles."""
        wants = self._fields.wants
        shows_price, shows_units = wants("variants.calculated_price"), wants("variants.inventory_quantity")
        query = _VARIANTS_IN_STOCK if shows_units else _VARIANTS
        values = await values_of_variants(self._session, options) if options else {}
        found = (await self._session.execute(query, {"ids": list(titles)})).all()
        shows_items = self._as_staff and wants("variants.inventory_items")
        levels = await levels_of(self._session, [row.id for row in found]) if shows_items else {}
        grouped: Grouped = defaultdict(list)
        for row in found:
            variant = _variant(row)
            if shows_items:
                variant["inventory_items"] = [
                    linked_item(row, titles[row.product_id], levels.get(row.id, ()))
                ]
            if row.product_id in options:
                has = values.get(row.id, {})
                variant["options"] = [
                    {**value_wire(has[option.row.id]), "option": _beside_values(option.row)}
                    for option in options[row.product_id]
                    if option.row.id in has
                ]
            if shows_price:
                variant["calculated_price"] = price(
                    sibling_id("pset", row.id), row.price, row.compare_at_price
                )
            if shows_units:
                variant["inventory_quantity"] = int(row.units)
            if self._as_staff:
                variant["prices"] = [_price_row(row)]
                variant["compare_at_price"] = row.compare_at_price
            grouped[row.product_id].append(variant)
        return grouped

    async def _images(self, product_ids: Sequence[str]) -> Grouped:
        grouped: Grouped = defaultdict(list)
        for row in await self._session.execute(_PICTURES, {"ids": product_ids}):
            grouped[row.product_id].append(
                {
                    "id": row.id,
                    "url": self._address(row.url),
                    "rank": row.rank,
                    "product_id": row.product_id,
                    "metadata": {"alt": row.alt} if row.alt else None,
                    **stamps(row.created_at, row.updated_at),
                    "deleted_at": None,
                }
            )
        return grouped

    async def _collections(self, rows: Iterable[Row[Any]]) -> dict[str, JsonDict]:
        ids = {row.collection_id for row in rows if row.collection_id}
        if not ids:
            return {}
        found = await self._session.execute(_COLLECTIONS, {"ids": sorted(ids)})
        return {row.id: collection_wire(row) for row in found}

    async def _categories(self, product_ids: Sequence[str]) -> Grouped:
        grouped: Grouped = defaultdict(list)
        for product_id, category in await self._session.execute(_CATEGORIES, {"ids": product_ids}):
            grouped[product_id].append(category_fields(category))
        return grouped

    def _address(self, url: str | None) -> str | None:
        """A picture's address. File names may hold spaces and parentheses (spec: Entities, Product)."""
        return absolute_address(url, self._base_url)


def _variant(row: Row[Any]) -> JsonDict:
    times = stamps(row.created_at, row.updated_at)
    option = {
        "id": sibling_id("opt", row.product_id),
        "title": IMPLIED_TITLE,
        "is_exclusive": False,
        "metadata": None,
        **times,
        "deleted_at": None,
    }
    return {
        "id": row.id,
        "title": row.title,
        "sku": row.sku,
        "barcode": None,
        "ean": row.ean,
        "upc": None,
        "allow_backorder": False,
        "manage_inventory": True,
        **NOTHING_KNOWN,
        "weight": None,
        "length": None,
        "height": None,
        "width": None,
        "metadata": None,
        "thumbnail": None,
        "variant_rank": row.rank,
        "product_id": row.product_id,
        **times,
        "deleted_at": None,
        "options": [
            {
                "id": sibling_id("optval", row.id),
                "value": row.title,
                "option_id": option["id"],
                "rank": None,
                "option": option,
                "metadata": None,
                **times,
                "deleted_at": None,
            }
        ],
    }


def option_wire(option: Option) -> JsonDict:
    """An option with its values."""
    return {**_beside_values(option.row), "values": [value_wire(value) for value in option.values]}


def _beside_values(option: ProductOption) -> JsonDict:
    return {
        "id": option.id,
        "title": option.title,
        "is_exclusive": False,
        "metadata": option.meta or None,
        **stamps(option.created_at, option.updated_at),
        "deleted_at": None,
    }


def value_wire(value: ProductOptionValue) -> JsonDict:
    """A value of an option."""
    return {
        "id": value.id,
        "value": value.value,
        "option_id": value.option_id,
        "rank": value.rank,
        "metadata": None,
        **stamps(value.created_at, value.updated_at),
        "deleted_at": None,
    }


def _implied(row: Row[Any], variants: Iterable[JsonDict]) -> JsonDict:
    """The option of a product that was given none: which of its variants."""
    times = stamps(row.created_at, row.updated_at)
    values = [
        {name: value for name, value in variant["options"][0].items() if name != "option"}
        for variant in variants
    ]
    return {
        "id": sibling_id("opt", row.id),
        "title": IMPLIED_TITLE,
        "is_exclusive": False,
        "metadata": None,
        **times,
        "deleted_at": None,
        "values": values,
    }


def _price_row(row: Row[Any]) -> JsonDict:
    return {
        "id": sibling_id("price", row.id),
        "currency_code": "cop",
        "amount": row.price,
        "raw_amount": exact(row.price),
        "variant_id": row.id,
        "min_quantity": None,
        "max_quantity": None,
        "rules": {},
        **stamps(row.created_at, row.updated_at),
    }
