"""Creation, change and deletion of products and their variants by staff."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.events import publish_product_changes
from backend.catalog.handles import make_handle, require_free_handle
from backend.catalog.models import Picture, Product, ProductCategory
from backend.catalog.products.commands import ChangeProduct, CreateProduct, WritePicture, WriteVariant
from backend.catalog.products.options import (
    replace_values,
    require_different_variants,
    set_options,
)
from backend.catalog.products.preorders import set_incoming_units
from backend.catalog.products.sales_channels import require_known_channels
from backend.catalog.products.tags_and_types import set_tags_and_type
from backend.catalog.products.variant_pictures import require_own_values, update_thumbnails
from backend.catalog.products.variants import (
    find_variant,
    insert_variant,
    read_variants,
    remove_variants,
    set_variant,
    set_variants,
)
from backend.catalog.schemas.product_fields import METADATA_FIELDS, PREORDER_FIELDS
from backend.core.clock import now
from backend.core.commands import UNCHANGED
from backend.core.db.database import lock_rows
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.media.picture_widths import parse_uploaded_picture
from backend.staff.rights import Actor, Right


async def create_product(session: AsyncSession, actor: Actor, new: CreateProduct) -> str:
    """Create a product with its variants and pictures. With a `price` and no variants, create one variant.

    Returns:
        The id of the product.

    Raises:
        InvalidData: the handle or a code is taken, a variant has no price, options and values do not match, or a
            collection or category is given.
        NotFound: a tag, the type, a sales channel or the shipping profile does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    await require_known_channels(session, new)
    title, handle = new.fields["title"], new.fields.get("handle", UNCHANGED)
    handle = make_handle(title) if handle is UNCHANGED else handle
    product = Product(title=title, handle=handle, status=new.fields["status"])
    product.id = new.id or product.id
    await record(session, actor, "created", Subject(SubjectType.PRODUCT, product.id))
    await _set_fields(session, product, new)
    await _require_same_assignments(session, product, new)
    if product.thumbnail is None and new.pictures:
        product.thumbnail = new.pictures[0].url
    session.add(product)
    await session.flush()
    if new.pictures is not None:
        await _set_pictures(session, product, new.pictures)
    await set_tags_and_type(session, product, tag_ids=new.tag_ids, type_id=new.type_id)
    await _set_options(session, product, new)
    if new.variants is not None:
        _require_all_options(new)
        await set_variants(session, product, new.variants)
    elif new.price is not None:
        only = WriteVariant(price=new.price, compare_at_price=new.compare_at_price)
        await insert_variant(session, product, only)
    await _finish_options(session, product, new)
    await update_thumbnails(session, product.id)
    await _set_preorder(session, product, new)
    await publish_product_changes(session, [product.id], created_ids=[product.id])
    return product.id


async def change_product(session: AsyncSession, actor: Actor, product_id: str, change: ChangeProduct) -> None:
    """Change a product: set the values that the command contains.

    Raises:
        NotFound: the product, a tag, the type, a sales channel or the shipping profile does not exist.
        InvalidData: the handle or a code is taken; a price is given but the product has several variants;
            options and values do not match; or the command changes the collection or the categories.
        NotAllowed: an omitted variant has reserved units, or a variant has an omitted value.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await lock_product(session, product_id)
    await record(session, actor, "changed", Subject(SubjectType.PRODUCT, product_id))
    await require_known_channels(session, change)
    await _require_same_assignments(session, product, change)
    with session.no_autoflush:
        await _set_fields(session, product, change)
    product.updated_at = now()
    await session.flush()
    if change.pictures is not None:
        await _set_pictures(session, product, change.pictures)
    await set_tags_and_type(session, product, tag_ids=change.tag_ids, type_id=change.type_id)
    await _set_options(session, product, change)
    if change.variants is not None:
        await set_variants(session, product, change.variants)
    await _finish_options(session, product, change)
    if any(part is not None for part in (change.pictures, change.variants, change.options)):
        await update_thumbnails(session, product_id)
    await _set_preorder(session, product, change)
    if change.price is not None or change.compare_at_price is not UNCHANGED:
        await _price_only_variant(session, product, change)
    await publish_product_changes(session, [product_id])


async def delete_product(session: AsyncSession, actor: Actor, product_id: str) -> None:
    """Mark the product as deleted; past orders still need its row. Its handle and SKUs can be used again.

    Raises:
        NotFound: the product does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await lock_product(session, product_id)
    await record(session, actor, "deleted", Subject(SubjectType.PRODUCT, product_id))
    product.deleted_at, product.status = now(), "draft"
    product.handle = f"{product.handle}-{product.id}"
    product.featured = False
    for variant in await read_variants(session, product_id):
        variant.sku = variant.ean = None
    await publish_product_changes(session, [product_id], deleted_ids=[product_id])


async def add_variant(session: AsyncSession, actor: Actor, product_id: str, new: WriteVariant) -> None:
    """Add a variant to the product.

    Raises:
        NotFound: the product does not exist.
        InvalidData: another variant of the product has the same option values, or as in `insert_variant`.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await lock_product(session, product_id)
    await record(session, actor, "variant added", Subject(SubjectType.PRODUCT, product_id))
    await insert_variant(session, product, new)
    await require_different_variants(session, product_id)
    await update_thumbnails(session, product_id)
    product.updated_at = now()
    await publish_product_changes(session, [product_id])


async def change_variant(
    session: AsyncSession, actor: Actor, product_id: str, variant_id: str, change: WriteVariant
) -> None:
    """Change a variant: set the values that the command contains.

    Raises:
        NotFound: the product or the variant does not exist.
        InvalidData: another variant of the product has the same option values, or as in `set_variant`.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await lock_product(session, product_id)
    await record(session, actor, "variant changed", Subject(SubjectType.PRODUCT, product_id))
    await set_variant(session, product, await find_variant(session, product_id, variant_id), change)
    await require_different_variants(session, product_id)
    await update_thumbnails(session, product_id)
    product.updated_at = now()
    await publish_product_changes(session, [product_id])


async def _require_same_assignments(session: AsyncSession, product: Product, command: ChangeProduct) -> None:
    """Check that the command does not move the product to another collection or to other categories.

    Raises:
        InvalidData: the command moves the product. Collections and categories have their own routes (spec: Errors).
    """
    moved = []
    if command.collection_id is not UNCHANGED:
        moved += ["collection_id"] if command.collection_id != product.collection_id else []
    if command.category_ids is not None:
        query = select(ProductCategory.category_id).where(ProductCategory.product_id == product.id)
        current_category_ids = set((await session.execute(query)).scalars())
        moved += ["categories"] if set(command.category_ids) != current_category_ids else []
    if moved:
        raise InvalidData(f"Invalid request: Unrecognized fields: '{', '.join(moved)}'")


async def delete_variant(session: AsyncSession, actor: Actor, product_id: str, variant_id: str) -> None:
    """Delete a variant. It is removed from every cart.

    Raises:
        NotFound: the product or the variant does not exist.
        NotAllowed: it is the product's only variant, or has reserved units.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await lock_product(session, product_id)
    variant = await find_variant(session, product_id, variant_id)
    if len(await read_variants(session, product_id)) == 1:
        raise NotAllowed("A product keeps at least one variant")
    await record(session, actor, "variant deleted", Subject(SubjectType.PRODUCT, product_id))
    await remove_variants(session, [variant])
    product.updated_at = now()
    await publish_product_changes(session, [product_id])


async def _set_fields(session: AsyncSession, product: Product, command: ChangeProduct) -> None:
    for name, value in _complete_tax(command.fields).items():
        if value is not UNCHANGED:
            setattr(product, name, value)
    if command.metadata:
        _merge_metadata(product, command.metadata)
    await require_free_handle(session, product)


def _complete_tax(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields with consistent taxes: a product that is excluded from IVA has the rate 0.

    Raises:
        InvalidData: the fields exclude the product and give it another rate than 0.
    """
    rate, is_excluded = fields.get("tax_rate", UNCHANGED), fields.get("tax_excluded", UNCHANGED)
    if is_excluded is True:
        if rate not in (UNCHANGED, 0):
            raise InvalidData("A product that is excluded from IVA has the tax_rate 0")
        return {**fields, "tax_rate": 0}
    return {**fields, "tax_excluded": False} if rate not in (UNCHANGED, 0) else fields


def _merge_metadata(product: Product, command: JsonObject) -> None:
    """Merge the values into the product's metadata; an empty value removes its key (spec: Entities)."""
    rest = dict(product.extra_metadata)
    for name, value in command.items():
        if field := METADATA_FIELDS.get(name):
            text = "" if value is None else value
            if not isinstance(text, str) or len(text) > 100:
                raise InvalidData(f"Invalid request: Expected type: 'string' for field 'metadata, {name}'")
            setattr(product, field.column, text.strip())
        elif value in (None, ""):
            rest.pop(name, None)
        else:
            rest[name] = value
    product.extra_metadata = rest


async def _set_preorder(session: AsyncSession, product: Product, command: ChangeProduct) -> None:
    """Announce the units of the product's preorder if the command changes the preorder.

    Raises:
        InvalidData: a preorder has a day but no number of units, or the other way round.
    """
    if command.fields.keys().isdisjoint(PREORDER_FIELDS):
        return
    if (product.preorder_day is None) != (product.preorder_units is None):
        raise InvalidData("A preorder has both preorder_day and preorder_units")
    await session.flush()
    await set_incoming_units(session, product)


async def _price_only_variant(session: AsyncSession, product: Product, command: ChangeProduct) -> None:
    variants = await read_variants(session, product.id)
    if len(variants) != 1:
        raise InvalidData("A price of the product is that of its only variant: change its variants instead")
    (variant,) = variants
    variant.price = variant.price if command.price is None else command.price
    if command.compare_at_price is not UNCHANGED:
        variant.compare_at_price = command.compare_at_price


async def _set_pictures(session: AsyncSession, product: Product, pictures: Sequence[WritePicture]) -> None:
    """Set the product's pictures in this order.

    If the product already has a picture with the same URL, that picture keeps its files. It also keeps its
    alternative text and its option value, unless new ones are given.

    Raises:
        InvalidData: an option value is not the product's.
    """
    found = await session.execute(select(Picture).where(Picture.product_id == product.id))
    current_pictures = {picture.url: picture for picture in found.scalars()}
    ordered: list[Picture] = []
    chosen = {one.value_id for one in pictures if one.value_id is not UNCHANGED and one.value_id}
    await require_own_values(session, product.id, chosen)
    for one in pictures:
        picture = current_pictures.pop(one.url, None) or _new_picture(product, one.url)
        picture.alt = picture.alt if one.alt is None else one.alt
        picture.value_id = picture.value_id if one.value_id is UNCHANGED else one.value_id
        ordered.append(picture)
    for picture in current_pictures.values():
        await session.delete(picture)
    await session.flush()
    # ranks are unique per product: first use negative ranks, then the final ones
    for place, picture in enumerate(ordered):
        picture.rank = -1 - place
        session.add(picture)
    await session.flush()
    for place, picture in enumerate(ordered):
        picture.rank = place
    await session.flush()


def _new_picture(product: Product, url: str) -> Picture:
    """Return a new picture of the product. If the URL is that of an uploaded picture, set its size and files too."""
    picture = Picture(product_id=product.id, url=url, alt=product.title)
    if prepared := parse_uploaded_picture(url):
        picture.width, picture.height = prepared.width, prepared.height
        picture.sources = prepared.to_sources_json()
    return picture


async def _set_options(session: AsyncSession, product: Product, command: ChangeProduct) -> None:
    if command.options is not None:
        await set_options(session, product, command.options)


async def _finish_options(session: AsyncSession, product: Product, command: ChangeProduct) -> None:
    """Delete omitted option values, and check that the variants differ. Call this after writing the variants."""
    if command.options is not None:
        await replace_values(session, product, command.options)
    if command.options is not None or command.variants is not None:
        await require_different_variants(session, product.id)


def _require_all_options(new: CreateProduct) -> None:
    """Check that each variant of a new product has a value for each option, as the platform requires.

    Raises:
        InvalidData: a variant lacks a value.
    """
    titles = [one.title for one in new.options or ()]
    if any(title not in one.options for one in new.variants or () for title in titles):
        raise InvalidData(
            f'Product "{new.fields["title"]}" has variants with missing options: [{", ".join(titles)}]'
        )


async def lock_product(session: AsyncSession, product_id: str) -> Product:
    """Return the product, locked for a change.

    Raises:
        NotFound: the product does not exist or was deleted.
    """
    (product,) = await lock_products(session, [product_id]) or (None,)
    if product is None:
        raise NotFound(f'Product with id "{product_id}" not found')
    return product


async def lock_products(session: AsyncSession, product_ids: Iterable[str]) -> list[Product]:
    """Return the existing products with these ids, locked in the order of their ids to avoid deadlocks."""
    query = select(Product).where(Product.id.in_(set(product_ids)), Product.deleted_at.is_(None))
    return list((await session.execute(lock_rows(query.order_by(Product.id)))).scalars())
