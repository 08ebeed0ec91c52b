"""Commands of the product services, created from Admin API bodies and from forms of the office.

`None` keeps a value, unless the field's default is `UNCHANGED`: then None clears the value.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.catalog.products.options import OptionInput
from backend.core.commands import UNCHANGED
from backend.core.db.tables import JsonObject
from backend.core.money import Cop


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePicture:
    """A picture of a product, identified by its address. `value_id` is the option value that it shows, if any."""

    url: str
    alt: str | None = None
    value_id: str | None = UNCHANGED


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteVariant:
    """A change of the variant with this id, or a new variant.

    Attributes:
        price, compare_at_price: whole pesos, IVA included.
        cost: cost of a unit in whole pesos, without IVA.
        options: option values by option title.
    """

    id: str | None = None
    title: str | None = None
    sku: str | None = UNCHANGED
    ean: str | None = UNCHANGED
    price: Cop | None = None
    compare_at_price: Cop | None = UNCHANGED
    cost: Cop | None = UNCHANGED
    is_free: bool | None = None
    rank: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeProduct:
    """A change of a product.

    Attributes:
        fields: column values, by the names of `ProductFields`.
        metadata: merged into the stored metadata; an empty text or None removes a key.
        price, compare_at_price: values for its only variant, in whole pesos, IVA included.
        pictures, variants, options, tag_ids: the complete new lists, in their new order.
        sales_channel_ids, shipping_profile_id: only checked for existence, because every product has all
            channels and the only profile.
        collection_id, category_ids: must equal the product's current ones.
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    metadata: JsonObject = field(default_factory=dict)
    price: Cop | None = None
    compare_at_price: Cop | None = UNCHANGED
    pictures: Sequence[WritePicture] | None = None
    variants: Sequence[WriteVariant] | None = None
    options: Sequence[OptionInput] | None = None
    tag_ids: Collection[str] | None = None
    type_id: str | None = UNCHANGED
    sales_channel_ids: Collection[str] = ()
    shipping_profile_id: str | None = None
    collection_id: str | None = UNCHANGED
    category_ids: Collection[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateProduct(ChangeProduct):
    """A new product; its `fields` include `title` and `status`. Without a handle, the handle is derived from the title.

    Attributes:
        id: the product's id; None to generate one.
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
    """Variants of a product to create, to change (with their ids) and to delete."""

    create: Sequence[WriteVariant] = ()
    update: Sequence[WriteVariant] = ()
    delete: Sequence[str] = ()
