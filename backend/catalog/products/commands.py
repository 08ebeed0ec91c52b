"""Commands of the product services. The Admin API makes them from its bodies, the office from its forms.

`None` leaves a value as it is, unless the field's default is `UNCHANGED`: then None clears the value.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.catalog.products.options import SaidOption
from backend.core.commands import UNCHANGED
from backend.core.db.tables import JsonObject
from backend.core.money import Cop


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePicture:
    """A picture of a product, known by its address."""

    url: str
    alt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteVariant:
    """A change of the variant with this id, or a new variant.

    Attributes:
        price, compare_at_price: whole pesos, IVA included.
        options: the value of each of the product's options, by its title.
    """

    id: str | None = None
    title: str | None = None
    sku: str | None = UNCHANGED
    ean: str | None = UNCHANGED
    price: Cop | None = None
    compare_at_price: Cop | None = UNCHANGED
    is_free: bool | None = None
    rank: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeProduct:
    """A change of a product.

    Attributes:
        fields: the values of columns, by the names of `ProductFields`.
        metadata: is merged; an empty text or None takes a key out.
        price, compare_at_price: those of its only variant, in whole pesos, IVA included.
        pictures, variants, options, tag_ids: all that the product has from now on, in this order.
        sales_channel_ids, shipping_profile_id: must exist; every product has them all.
        collection_id, category_ids: must be those that the product has.
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    metadata: JsonObject = field(default_factory=dict)
    price: Cop | None = None
    compare_at_price: Cop | None = UNCHANGED
    pictures: Sequence[WritePicture] | None = None
    variants: Sequence[WriteVariant] | None = None
    options: Sequence[SaidOption] | None = None
    tag_ids: Collection[str] | None = None
    type_id: str | None = UNCHANGED
    sales_channel_ids: Collection[str] = ()
    shipping_profile_id: str | None = None
    collection_id: str | None = UNCHANGED
    category_ids: Collection[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateProduct(ChangeProduct):
    """A new product; its `fields` have `title` and `status`. Without a handle it gets one from its title.

    Attributes:
        id: None for a new one.
    """

    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeProducts:
    """Products to create, to change (by their ids) and to delete."""

    create: Sequence[CreateProduct] = ()
    update: Sequence[tuple[str, ChangeProduct]] = ()
    delete: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeVariants:
    """Variants of a product to create, to change (they have ids) and to delete."""

    create: Sequence[WriteVariant] = ()
    update: Sequence[WriteVariant] = ()
    delete: Sequence[str] = ()
