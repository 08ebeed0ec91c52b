"""Products as the platform shows them: one statement for a page, however long, and only for what was asked for."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import orjson
from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import TypedDict

from backend.catalog.answers import (
    ImageOut,
    OptionFields,
    OptionValueOut,
    PriceOut,
    ProductOptionOut,
    ProductOut,
    ProductOwnFields,
    ProductRelations,
    VariantOut,
)
from backend.catalog.api.category_wire import category_fields, collection_wire
from backend.catalog.api.product_rows import (
    Among,
    CategoryRow,
    CollectionRow,
    OptionRow,
    Part,
    PictureRow,
    ValueRow,
    VariantRow,
    WordRow,
    options_from,
    read_products,
)
from backend.catalog.models import ProductOption, ProductOptionValue
from backend.catalog.products.options import IMPLIED_TITLE, Option
from backend.catalog.products.sales_channels import every_channel, the_profile
from backend.catalog.products.tags_and_types import TAGS, TYPES
from backend.catalog.schemas.admin import IS_FREE
from backend.catalog.schemas.product_fields import METADATA_FIELDS, SHOWN_ON_REQUEST
from backend.channels.answers import ChannelOut, ProfileOut
from backend.channels.wire import channel_wire, profile_wire
from backend.core.db.json_rows import rows_from
from backend.edge.query import Fields
from backend.edge.wire import JsonDict, exact, price, sibling_id, stamps
from backend.inventory.models import InventoryLevel
from backend.inventory.wire import levels_of, linked_item
from backend.media.picture_urls import absolute_address

Levels = Mapping[str, Sequence[InventoryLevel]]


class Places(TypedDict, total=False):
    """Sales channels and shipping profile of the products."""

    sales_channels: list[ChannelOut]
    shipping_profile: ProfileOut | None


class ProductWriter:
    """Makes the platform's products, by their ids.

    `base_url` makes the addresses of the shop's own pictures whole, with what is special in them encoded; without it
    they are as they were stored, for staff. `as_staff` adds what only staff see.
    """

    def __init__(
        self, session: AsyncSession, fields: Fields, *, base_url: str = "", as_staff: bool = False
    ) -> None:
        wants = fields.wants
        self._session = session
        self._fields = fields
        self._base_url = base_url
        self._as_staff = as_staff
        self._shows_variants = wants("variants", by_default=True) or wants("options", by_default=True)
        self._shows_pictures_of_variants = wants("variants.images", by_default=as_staff)
        self._shows_price = wants("variants.calculated_price")
        self._shows_items = as_staff and wants("variants.inventory_items")
        self._names_on_request = [name for name in SHOWN_ON_REQUEST if as_staff or wants(name)]
        self._parts = self._parts_to_read()

    def _parts_to_read(self) -> frozenset[Part]:
        wants, shows = self._fields.wants, self._shows
        parts = {
            Part.VARIANTS: self._shows_variants,
            Part.UNITS: self._shows_variants and wants("variants.inventory_quantity"),
            Part.OPTIONS: self._shows_variants,
            Part.PICTURES: self._shows_pictures_of_variants or shows("images"),
            Part.TAGS: shows("tags"),
            Part.TYPE: shows("type") or shows("type_id"),
            Part.COLLECTION: shows("collection"),
            Part.CATEGORIES: wants("categories", by_default=self._as_staff),
            Part.METADATA: self._as_staff or wants("metadata"),
        }
        return frozenset(part for part, is_read in parts.items() if is_read)

    async def write(self, ids: Sequence[str], among: Among = Among.ALL) -> list[ProductOut]:
        """The products with these ids, in the same order; those that do not count, or are unknown, are left out."""
        rows = await read_products(self._session, ids, self._parts, among)
        variants = {row.id: rows_from(VariantRow, row.variants) for row in rows}
        levels: Levels = {}
        if self._shows_items:
            levels = await levels_of(self._session, [one.id for some in variants.values() for one in some])
        places = await self._places()
        pick = self._fields.pick
        return [pick(self._product(row, places, variants[row.id], levels)) for row in rows]

    async def _places(self) -> Places:
        """Where the products are sold and how they are shipped, for staff: alike for all."""
        places: Places = {}
        if self._as_staff and self._shows("sales_channels"):
            places["sales_channels"] = [*map(channel_wire, await every_channel(self._session))]
        if self._as_staff and self._fields.wants("shipping_profile"):
            profile = await the_profile(self._session)
            places["shipping_profile"] = profile_wire(profile) if profile else None
        return places

    def _shows(self, name: str) -> bool:
        return self._fields.wants(name, by_default=True)

    def _product(
        self, row: Row[Any], places: Places, variants: Sequence[VariantRow], levels: Levels
    ) -> ProductOut:
        kind = next(map(TYPES.wire, rows_from(WordRow, row.type)), None)
        options = options_from(row.options)
        pictures = [self._picture(row, picture) for picture in rows_from(PictureRow, row.pictures)]
        written = [self._variant(row, variant, options, levels) for variant in variants]
        if self._shows_pictures_of_variants:  # a picture shows the product, in all its variants
            for variant in written:
                variant["images"] = pictures
        implied = [] if options or not self._shows_variants else [_implied(row, written)]
        own: ProductOwnFields = {
            "id": row.id,
            "hs_code": None,
            "origin_country": row.origin_country,
            "mid_code": None,
            "material": row.material,
            "handle": row.handle,
            "title": row.title,
            "subtitle": row.subtitle,
            "description": row.description,
            "thumbnail": self._address(row.thumbnail),
            "weight": row.weight,
            "length": row.length,
            "height": row.height,
            "width": row.width,
            "is_giftcard": False,
            "discountable": True,
            "collection_id": row.collection_id,
            "type_id": kind["id"] if kind else None,
            "type": kind,
            **stamps(row.created_at, row.updated_at),
            "tags": [TAGS.wire(tag) for tag in rows_from(WordRow, row.tags)],
        }
        relations: ProductRelations = {
            "collection": next(map(collection_wire, rows_from(CollectionRow, row.collection)), None),
            "variants": written,
            "options": [*map(option_wire, options), *implied],
            "images": pictures,
        }
        product = cast(ProductOut, {**own, **self._on_request(row), **places, **relations})
        if Part.CATEGORIES in self._parts:
            product["categories"] = [*map(category_fields, rows_from(CategoryRow, row.categories))]
        return product

    def _on_request(self, row: Row[Any]) -> JsonDict:
        """Return the fields that the Store API shows only on request, and those that only staff see."""
        shown = {name: getattr(row, name) for name in self._names_on_request}
        if Part.METADATA in self._parts:
            own = {key: getattr(row, field.column) for key, field in METADATA_FIELDS.items()}
            shown["metadata"] = orjson.loads(row.extra_metadata) | own
        if self._as_staff:
            shown |= {"external_id": None, "deleted_at": row.deleted_at}
        return shown

    def _variant(
        self, product: Row[Any], row: VariantRow, options: Sequence[OptionRow], levels: Levels
    ) -> VariantOut:
        variant = _variant(row, product.id)
        if self._shows_items:
            variant["inventory_items"] = [linked_item(row, product.title, levels.get(row.id, ()))]
        if options:
            variant["options"] = [
                {**value_wire(option.of_variants[row.id]), "option": _without_values(option)}
                for option in options
                if row.id in option.of_variants
            ]
        if self._shows_price:
            variant["calculated_price"] = price(sibling_id("pset", row.id), row.price, row.compare_at_price)
        if row.units is not None:
            variant["inventory_quantity"] = row.units if self._as_staff or row.has_price else 0
        if self._as_staff:
            variant["prices"] = [_price_row(row)]
            variant["compare_at_price"] = row.compare_at_price
        return variant

    def _picture(self, product: Row[Any], row: PictureRow) -> ImageOut:
        return {
            "id": row.id,
            "url": self._address(row.url),
            "rank": row.rank,
            "product_id": product.id,
            "metadata": {"alt": row.alt} if row.alt else None,
            **stamps(row.created_at, row.updated_at),
            "deleted_at": None,
        }

    def _address(self, url: str | None) -> str | None:
        """A picture's address. File names may hold spaces and parentheses (spec: Entities, Product)."""
        return absolute_address(url, self._base_url)


def _variant(row: VariantRow, product_id: str) -> VariantOut:
    times = stamps(row.created_at, row.updated_at)
    option: OptionFields = {
        "id": sibling_id("opt", product_id),
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
        "hs_code": None,
        "origin_country": None,
        "mid_code": None,
        "material": None,
        "weight": None,
        "length": None,
        "height": None,
        "width": None,
        "metadata": {IS_FREE: True} if row.is_free else None,
        "thumbnail": None,
        "variant_rank": row.rank,
        "product_id": product_id,
        "created_at": times["created_at"],
        "updated_at": times["updated_at"],
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


def option_wire(option: Option | OptionRow) -> ProductOptionOut:
    """An option with its values."""
    row = option.row if isinstance(option, Option) else option
    return {**_without_values(row), "values": [value_wire(value) for value in option.values]}


def _without_values(option: ProductOption | OptionRow) -> OptionFields:
    return {
        "id": option.id,
        "title": option.title,
        "is_exclusive": False,
        "metadata": option.meta or None,
        **stamps(option.created_at, option.updated_at),
        "deleted_at": None,
    }


def value_wire(value: ProductOptionValue | ValueRow) -> OptionValueOut:
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


def _implied(row: Row[Any], variants: Iterable[VariantOut]) -> ProductOptionOut:
    """The option of a product that was given none: which of its variants."""
    of_variants = [variant["options"][0] for variant in variants]
    return {
        "id": sibling_id("opt", row.id),
        "title": IMPLIED_TITLE,
        "is_exclusive": False,
        "metadata": None,
        **stamps(row.created_at, row.updated_at),
        "deleted_at": None,
        "values": [
            {
                "id": value["id"],
                "value": value["value"],
                "option_id": value["option_id"],
                "rank": value["rank"],
                "metadata": None,
                "created_at": value["created_at"],
                "updated_at": value["updated_at"],
                "deleted_at": None,
            }
            for value in of_variants
        ],
    }


def _price_row(row: VariantRow) -> PriceOut:
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
