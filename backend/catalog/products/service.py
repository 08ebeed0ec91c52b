"""Creating, changing and deleting products and their variants, as staff do."""

from collections.abc import Iterable, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.events import products_changed
from backend.catalog.handles import handle_from, require_free_handle
from backend.catalog.models import Picture, Product, ProductCategory
from backend.catalog.products.commands import ChangeProduct, CreateProduct, WritePicture, WriteVariant
from backend.catalog.products.options import (
    keep_values,
    require_different_variants,
    set_options,
)
from backend.catalog.products.sales_channels import require_known_places
from backend.catalog.products.tags_and_types import set_words
from backend.catalog.products.variants import (
    add_to_product,
    find_variant,
    remove_variants,
    set_variant,
    set_variants,
    variants_of,
)
from backend.catalog.schemas.product_fields import METADATA_FIELDS
from backend.core.clock import now
from backend.core.commands import UNCHANGED
from backend.core.db.database import locked
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.media.picture_widths import uploaded_at
from backend.staff.rights import Actor, Right


async def create_product(session: AsyncSession, actor: Actor, new: CreateProduct) -> str:
    """Create a product with its variants and pictures; with a `price` and no variants, one variant is made.

    Returns:
        Its id.

    Raises:
        InvalidData: its handle or a SKU is taken, a variant has no price, or options and values do not fit.
        NotFound: there is no such tag, type, sales channel or shipping profile.
    """
    actor.require(Right.CHANGE_CATALOG)
    await require_known_places(session, new)
    title, handle = new.fields["title"], new.fields.get("handle", UNCHANGED)
    handle = handle_from(title) if handle is UNCHANGED else handle
    product = Product(title=title, handle=handle, status=new.fields["status"])
    product.id = new.id or product.id
    await record(session, actor, "created", Subject(Thing.PRODUCT, product.id))
    await _set_fields(session, product, new)
    await _require_same_places(session, product, new)
    if product.thumbnail is None and new.pictures:
        product.thumbnail = new.pictures[0].url
    session.add(product)
    await session.flush()
    if new.pictures is not None:
        await _set_pictures(session, product, new.pictures)
    await set_words(session, product, tag_ids=new.tag_ids, type_id=new.type_id)
    await _set_options(session, product, new)
    if new.variants is not None:
        _require_all_options(new)
        await set_variants(session, product, new.variants)
    elif new.price is not None:
        only = WriteVariant(price=new.price, compare_at_price=new.compare_at_price)
        await add_to_product(session, product, only)
    await _settle_options(session, product, new)
    await products_changed(session, [product.id])
    return product.id


async def change_product(session: AsyncSession, actor: Actor, product_id: str, change: ChangeProduct) -> None:
    """Change the values that the command has; the others stay.

    Raises:
        NotFound: there is no such product, tag, type, sales channel or shipping profile.
        InvalidData: its handle or a SKU is taken; or a price is given and it has several variants; or options and
            values do not fit.
        NotAllowed: a variant that is left out has units that are reserved, or one has a value that is left out.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await lock_product(session, product_id)
    await record(session, actor, "changed", Subject(Thing.PRODUCT, product_id))
    await require_known_places(session, change)
    await _require_same_places(session, product, change)
    with session.no_autoflush:
        await _set_fields(session, product, change)
    product.updated_at = now()
    await session.flush()
    if change.pictures is not None:
        await _set_pictures(session, product, change.pictures)
    await set_words(session, product, tag_ids=change.tag_ids, type_id=change.type_id)
    await _set_options(session, product, change)
    if change.variants is not None:
        await set_variants(session, product, change.variants)
    await _settle_options(session, product, change)
    if change.price is not None or change.compare_at_price is not UNCHANGED:
        await _price_only_variant(session, product, change)
    await products_changed(session, [product_id])


async def delete_product(session: AsyncSession, actor: Actor, product_id: str) -> None:
    """Delete the product: its row stays for the orders that sold it; its handle and SKUs can be used again.

    Raises:
        NotFound: there is no such product.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await lock_product(session, product_id)
    await record(session, actor, "deleted", Subject(Thing.PRODUCT, product_id))
    product.deleted_at, product.status = now(), "draft"
    product.handle = f"{product.handle}-{product.id}"
    product.featured = False
    for variant in await variants_of(session, product_id):
        variant.sku = variant.ean = None
    await products_changed(session, [product_id])


async def add_variant(session: AsyncSession, actor: Actor, product_id: str, new: WriteVariant) -> None:
    """Add a variant to the product.

    Raises:
        NotFound: there is no such product.
        InvalidData: its SKU is taken.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await lock_product(session, product_id)
    await record(session, actor, "variant added", Subject(Thing.PRODUCT, product_id))
    await add_to_product(session, product, new)
    await require_different_variants(session, product_id)
    product.updated_at = now()
    await products_changed(session, [product_id])


async def change_variant(
    session: AsyncSession, actor: Actor, product_id: str, variant_id: str, change: WriteVariant
) -> None:
    """Change the values that the command has; the others stay.

    Raises:
        NotFound: there is no such product, or it has no such variant.
        InvalidData: its SKU is taken.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await lock_product(session, product_id)
    await record(session, actor, "variant changed", Subject(Thing.PRODUCT, product_id))
    await set_variant(session, product, await find_variant(session, product_id, variant_id), change)
    await require_different_variants(session, product_id)
    product.updated_at = now()
    await products_changed(session, [product_id])


async def _require_same_places(session: AsyncSession, product: Product, said: ChangeProduct) -> None:
    """Check that the command moves the product neither to another collection nor to other categories.

    Raises:
        InvalidData: it does: those are assigned by their own routes (spec: Errors).
    """
    moved = []
    if said.collection_id is not UNCHANGED:
        moved += ["collection_id"] if said.collection_id != product.collection_id else []
    if said.category_ids is not None:
        query = select(ProductCategory.category_id).where(ProductCategory.product_id == product.id)
        has = set((await session.execute(query)).scalars())
        moved += ["categories"] if set(said.category_ids) != has else []
    if moved:
        raise InvalidData(f"Invalid request: Unrecognized fields: '{', '.join(moved)}'")


async def delete_variant(session: AsyncSession, actor: Actor, product_id: str, variant_id: str) -> None:
    """Delete a variant. It leaves every cart.

    Raises:
        NotFound: there is no such product, or it has no such variant.
        NotAllowed: it is the last one, or units of it are reserved.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await lock_product(session, product_id)
    variant = await find_variant(session, product_id, variant_id)
    if len(await variants_of(session, product_id)) == 1:
        raise NotAllowed("A product keeps at least one variant")
    await record(session, actor, "variant deleted", Subject(Thing.PRODUCT, product_id))
    await remove_variants(session, [variant])
    product.updated_at = now()
    await products_changed(session, [product_id])


async def _set_fields(session: AsyncSession, product: Product, said: ChangeProduct) -> None:
    for name, value in said.fields.items():
        if value is not UNCHANGED:
            setattr(product, name, value)
    if said.metadata:
        _merge_metadata(product, said.metadata)
    await require_free_handle(session, product)


def _merge_metadata(product: Product, said: JsonObject) -> None:
    """Merge what was said into the metadata; an empty value removes a key (spec: Entities)."""
    rest = dict(product.extra_metadata)
    for name, value in said.items():
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


async def _price_only_variant(session: AsyncSession, product: Product, said: ChangeProduct) -> None:
    variants = await variants_of(session, product.id)
    if len(variants) != 1:
        raise InvalidData("A price of the product is that of its only variant: change its variants instead")
    (variant,) = variants
    variant.price = variant.price if said.price is None else said.price
    if said.compare_at_price is not UNCHANGED:
        variant.compare_at_price = said.compare_at_price


async def _set_pictures(session: AsyncSession, product: Product, pictures: Sequence[WritePicture]) -> None:
    """The product's pictures, in this order. A known one (by its address) keeps its files and its alt text."""
    found = await session.execute(select(Picture).where(Picture.product_id == product.id))
    known = {picture.url: picture for picture in found.scalars()}
    ordered: list[Picture] = []
    for one in pictures:
        picture = known.pop(one.url, None) or _new_picture(product, one.url)
        picture.alt = picture.alt if one.alt is None else one.alt
        ordered.append(picture)
    for picture in known.values():
        await session.delete(picture)
    await session.flush()
    # ranks are unique in a product: out of the way first, then to their places
    for place, picture in enumerate(ordered):
        picture.rank = -1 - place
        session.add(picture)
    await session.flush()
    for place, picture in enumerate(ordered):
        picture.rank = place
    await session.flush()


def _new_picture(product: Product, url: str) -> Picture:
    """A picture of the product; of one that was uploaded, its size and its files are known."""
    picture = Picture(product_id=product.id, url=url, alt=product.title)
    if prepared := uploaded_at(url):
        picture.width, picture.height = prepared.width, prepared.height
        picture.sources = prepared.sources_json()
    return picture


async def _set_options(session: AsyncSession, product: Product, said: ChangeProduct) -> None:
    if said.options is not None:
        await set_options(session, product, said.options)


async def _settle_options(session: AsyncSession, product: Product, said: ChangeProduct) -> None:
    """When the variants are as they were said to be: take the values away that were left out, and compare them."""
    if said.options is not None:
        await keep_values(session, product, said.options)
    if said.options is not None or said.variants is not None:
        await require_different_variants(session, product.id)


def _require_all_options(new: CreateProduct) -> None:
    """Refuse a new product with a variant that lacks one of its options, as the platform does.

    Raises:
        InvalidData: there is one.
    """
    titles = [one.title for one in new.options or ()]
    if any(title not in one.options for one in new.variants or () for title in titles):
        raise InvalidData(
            f'Product "{new.fields["title"]}" has variants with missing options: [{", ".join(titles)}]'
        )


async def lock_product(session: AsyncSession, product_id: str) -> Product:
    """The product, locked for a change.

    Raises:
        NotFound: there is none, or it was deleted.
    """
    (product,) = await lock_products(session, [product_id]) or (None,)
    if product is None:
        raise NotFound(f'Product with id "{product_id}" not found')
    return product


async def lock_products(session: AsyncSession, product_ids: Iterable[str]) -> list[Product]:
    """The products with these ids that exist, locked in the order of their ids, so that two changes never deadlock."""
    query = select(Product).where(Product.id.in_(set(product_ids)), Product.deleted_at.is_(None))
    return list((await session.execute(locked(query.order_by(Product.id)))).scalars())
