"""Conversion of products to the platform's JSON: one SQL statement per page, which reads only the requested parts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, cast

import orjson
from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import TypedDict

from backend.catalog.answers import (
    CollectionOut,
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
    CategoryRow,
    CollectionRow,
    OptionRow,
    PictureRow,
    ProductPart,
    ProductScope,
    ValueRow,
    VariantRow,
    WordRow,
    options_from,
    read_products,
)
from backend.catalog.category_tree import hidden_category_ids
from backend.catalog.models import ProductOption, ProductOptionValue
from backend.catalog.products.options import IMPLIED_TITLE, Option
from backend.catalog.products.sales_channels import list_channels, read_shipping_profile
from backend.catalog.products.tags_and_types import TAGS, TYPES
from backend.catalog.schemas.admin import ALT, COST, IS_FREE, OPTION_VALUE_ID
from backend.catalog.schemas.product_fields import METADATA_FIELDS, PREORDER_FIELDS, SHOWN_ON_REQUEST
from backend.channels.answers import ChannelOut, ProfileOut
from backend.channels.wire import channel_wire, profile_wire
from backend.core.db.json_rows import parse_rows
from backend.edge.query import Fields
from backend.edge.wire import JsonDict, derive_sibling_id, exact_value, price_view, stamps
from backend.inventory.models import InventoryLevel
from backend.inventory.wire import linked_item_wire, read_levels
from backend.media.picture_urls import to_absolute_picture_url

Levels = Mapping[str, Sequence[InventoryLevel]]
PREORDER_DAY = "preorder_day"


class ChannelsAndProfile(TypedDict, total=False):
    """The sales channels and the shipping profile of the products."""

    sales_channels: list[ChannelOut]
    shipping_profile: ProfileOut | None


class ProductWriter:
    """Reads products by id and converts them to the platform's JSON.

    With `base_url`, addresses of the shop's own pictures become absolute and percent-encoded. Without it (for
    staff), they are returned as they are stored. `as_staff` adds the staff-only fields.
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
        self._hidden_ids: frozenset[str] = frozenset()
        """Ids of the categories that the Store API leaves out."""

    def _parts_to_read(self) -> frozenset[ProductPart]:
        wants, shows = self._fields.wants, self._is_shown
        parts = {
            ProductPart.VARIANTS: self._shows_variants,
            ProductPart.UNITS: self._shows_variants and wants("variants.inventory_quantity"),
            ProductPart.OPTIONS: self._shows_variants,
            ProductPart.PICTURES: self._shows_pictures_of_variants or shows("images"),
            ProductPart.TAGS: shows("tags"),
            ProductPart.TYPE: shows("type") or shows("type_id"),
            ProductPart.COLLECTION: shows("collection"),
            ProductPart.CATEGORIES: wants("categories", by_default=self._as_staff),
            ProductPart.METADATA: self._as_staff or wants("metadata"),
        }
        return frozenset(part for part, is_read in parts.items() if is_read)

    async def write(self, ids: Sequence[str], scope: ProductScope = ProductScope.ALL) -> list[ProductOut]:
        """Return the products with these ids as JSON, in this order.

        Unknown products and those that `scope` excludes are left out.
        """
        rows = await read_products(self._session, ids, self._parts, scope)
        if ProductPart.CATEGORIES in self._parts and not self._as_staff:
            hidden = await self._session.execute(hidden_category_ids())
            self._hidden_ids = frozenset(hidden.scalars())
        variants = {row.id: parse_rows(VariantRow, row.variants) for row in rows}
        levels: Levels = {}
        if self._shows_items:
            levels = await read_levels(self._session, [one.id for some in variants.values() for one in some])
        shared_fields = await self._channels_and_profile()
        pick = self._fields.pick
        return [pick(self._product_json(row, shared_fields, variants[row.id], levels)) for row in rows]

    async def _channels_and_profile(self) -> ChannelsAndProfile:
        """Return the sales channels and the shipping profile, for staff; they are the same for all products."""
        shared_fields: ChannelsAndProfile = {}
        if self._as_staff and self._is_shown("sales_channels"):
            shared_fields["sales_channels"] = [*map(channel_wire, await list_channels(self._session))]
        if self._as_staff and self._fields.wants("shipping_profile"):
            profile = await read_shipping_profile(self._session)
            shared_fields["shipping_profile"] = profile_wire(profile) if profile else None
        return shared_fields

    def _is_shown(self, name: str) -> bool:
        return self._fields.wants(name, by_default=True)

    def _product_json(
        self, row: Row[Any], shared_fields: ChannelsAndProfile, variants: Sequence[VariantRow], levels: Levels
    ) -> ProductOut:
        kind = next(map(TYPES.to_wire, parse_rows(WordRow, row.type)), None)
        options = options_from(row.options)
        rows = parse_rows(PictureRow, row.pictures)
        pictures = [self._picture_json(row, picture) for picture in rows]
        written = [self._full_variant_json(row, variant, options, levels) for variant in variants]
        if self._shows_pictures_of_variants:
            values = list_values_of_variants(options)
            for variant in written:
                shown_values = values.get(variant["id"], set())
                variant["images"] = [
                    image
                    for image, picture in zip(pictures, rows, strict=True)
                    if picture.value_id is None or picture.value_id in shown_values
                ]
        implied = [] if options or not self._shows_variants else [_implied_option_json(row, written)]
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
            "thumbnail": self._picture_url(row.thumbnail),
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
            "tags": [TAGS.to_wire(tag) for tag in parse_rows(WordRow, row.tags)],
        }
        relations: ProductRelations = {
            "collection": self._collection_json(row),
            "variants": written,
            "options": [*map(option_wire, options), *implied],
            "images": pictures,
        }
        product = cast(ProductOut, {**own, **self._requested_fields(row), **shared_fields, **relations})
        if ProductPart.CATEGORIES in self._parts:
            categories = parse_rows(CategoryRow, row.categories)
            product["categories"] = [
                category_fields(one) for one in categories if one.id not in self._hidden_ids
            ]
        return product

    def _collection_json(self, row: Row[Any]) -> CollectionOut | None:
        """Return the product's collection. Return None if it has none or, for the Store API, if it is hidden."""
        collections = parse_rows(CollectionRow, row.collection)
        return next((collection_wire(one) for one in collections if self._as_staff or one.is_active), None)

    def _requested_fields(self, row: Row[Any]) -> JsonDict:
        """Return the requested fields that are left out by default and, for staff, the staff-only fields."""
        shown = {name: getattr(row, name) for name in self._names_on_request}
        shown = {
            name: value for name, value in shown.items() if value is not None or name not in PREORDER_FIELDS
        }
        if isinstance(shown.get(PREORDER_DAY), date):
            shown[PREORDER_DAY] = shown[PREORDER_DAY].isoformat()
        if ProductPart.METADATA in self._parts:
            own = {key: getattr(row, field.column) for key, field in METADATA_FIELDS.items()}
            shown["metadata"] = orjson.loads(row.extra_metadata) | own
        if self._as_staff:
            shown |= {"external_id": None, "deleted_at": row.deleted_at}
        return shown

    def _full_variant_json(
        self, product: Row[Any], row: VariantRow, options: Sequence[OptionRow], levels: Levels
    ) -> VariantOut:
        variant = _base_variant_json(row, product.id)
        variant["allow_backorder"] = product.preorder_day is not None
        variant["thumbnail"] = self._picture_url(row.thumbnail)
        if self._shows_items:
            variant["inventory_items"] = [linked_item_wire(row, product.title, levels.get(row.id, ()))]
        if options:
            variant["options"] = [
                {**value_wire(option.of_variants[row.id]), "option": _option_fields(option)}
                for option in options
                if row.id in option.of_variants
            ]
        if self._shows_price:
            variant["calculated_price"] = price_view(
                derive_sibling_id("pset", row.id), row.price, row.compare_at_price
            )
        if row.units is not None:
            variant["inventory_quantity"] = row.units if self._as_staff or row.has_price else 0
        if self._as_staff:
            variant["prices"] = [_price_json(row)]
            variant["compare_at_price"] = row.compare_at_price
            if row.cost is not None:
                variant["metadata"] = {**(variant["metadata"] or {}), COST: row.cost}
        return variant

    def _picture_json(self, product: Row[Any], row: PictureRow) -> ImageOut:
        return {
            "id": row.id,
            "url": self._picture_url(row.url),
            "rank": row.rank,
            "product_id": product.id,
            "metadata": picture_metadata(row) or None,
            **stamps(row.created_at, row.updated_at),
            "deleted_at": None,
        }

    def _picture_url(self, url: str | None) -> str | None:
        """Return a picture's address: absolute and percent-encoded if there is a base URL, else as it is stored."""
        return to_absolute_picture_url(url, self._base_url)


def _base_variant_json(row: VariantRow, product_id: str) -> VariantOut:
    times = stamps(row.created_at, row.updated_at)
    option: OptionFields = {
        "id": derive_sibling_id("opt", product_id),
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
                "id": derive_sibling_id("optval", row.id),
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


def list_values_of_variants(options: Iterable[OptionRow]) -> Mapping[str, set[str]]:
    """Return the ids of each variant's option values, by the variant's id."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for option in options:
        for variant_id, value in option.of_variants.items():
            found[variant_id].add(value.id)
    return found


def picture_metadata(row: PictureRow) -> JsonDict:
    """Return a picture's alternative text and the id of the option value that it shows, if it has them."""
    values = {ALT: row.alt, OPTION_VALUE_ID: row.value_id}
    return {name: value for name, value in values.items() if value}


def option_wire(option: Option | OptionRow) -> ProductOptionOut:
    """Return an option with its values in the platform's shape."""
    row = option.row if isinstance(option, Option) else option
    return {**_option_fields(row), "values": [value_wire(value) for value in option.values]}


def _option_fields(option: ProductOption | OptionRow) -> OptionFields:
    return {
        "id": option.id,
        "title": option.title,
        "is_exclusive": False,
        "metadata": option.meta or None,
        **stamps(option.created_at, option.updated_at),
        "deleted_at": None,
    }


def value_wire(value: ProductOptionValue | ValueRow) -> OptionValueOut:
    """Return an option value in the JSON format of the platform's API."""
    return {
        "id": value.id,
        "value": value.value,
        "option_id": value.option_id,
        "rank": value.rank,
        "metadata": value.meta or None,
        **stamps(value.created_at, value.updated_at),
        "deleted_at": None,
    }


def _implied_option_json(row: Row[Any], variants: Iterable[VariantOut]) -> ProductOptionOut:
    """Return the implied option of a product that has no stored options. Its values are the variants' titles."""
    of_variants = [variant["options"][0] for variant in variants]
    return {
        "id": derive_sibling_id("opt", row.id),
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


def _price_json(row: VariantRow) -> PriceOut:
    return {
        "id": derive_sibling_id("price", row.id),
        "currency_code": "cop",
        "amount": row.price,
        "raw_amount": exact_value(row.price),
        "variant_id": row.id,
        "min_quantity": None,
        "max_quantity": None,
        "rules": {},
        **stamps(row.created_at, row.updated_at),
    }
