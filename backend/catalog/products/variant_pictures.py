"""Pictures of option values: a variant shows the pictures of its values, and those of no value."""

from collections.abc import Collection

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Picture, ProductOption, ProductOptionValue, Variant, VariantOptionValue
from backend.core.db.tables import table_of
from backend.core.errors import InvalidData

_PICTURE, _LINK, _VARIANT = table_of(Picture), table_of(VariantOptionValue), table_of(Variant)
_FIRST_OWN = (
    select(_PICTURE.c.url)
    .join(_LINK, _LINK.c.value_id == _PICTURE.c.value_id)
    .where(_LINK.c.variant_id == _VARIANT.c.id)
    .order_by(_PICTURE.c.rank)
    .limit(1)
    .correlate(_VARIANT)
    .scalar_subquery()
)


async def update_thumbnails(session: AsyncSession, product_id: str) -> None:
    """Set the thumbnail of each variant to the first picture that shows one of its option values, else to None.

    Call this after each change of the product's pictures, variants or options.
    """
    await session.flush()
    of_product = (_VARIANT.c.product_id == product_id) & _VARIANT.c.thumbnail.is_distinct_from(_FIRST_OWN)
    changed = await session.execute(
        update(_VARIANT).where(of_product).values(thumbnail=_FIRST_OWN).returning(_VARIANT.c.id)
    )
    for variant_id in changed.scalars().all():
        variant = session.identity_map.get(session.identity_key(Variant, variant_id))
        if variant is not None:
            await session.refresh(variant, ["thumbnail"])


async def update_imported_thumbnails(session: AsyncSession, product_ids: Collection[str]) -> None:
    """Update the thumbnails of the products' variants.

    Products are skipped if none of their pictures shows an option value and none of their variants has a
    thumbnail.
    """
    await session.flush()
    pictured = select(_PICTURE.c.product_id).where(
        _PICTURE.c.product_id.in_(product_ids), _PICTURE.c.value_id.is_not(None)
    )
    shown = select(_VARIANT.c.product_id).where(
        _VARIANT.c.product_id.in_(product_ids), _VARIANT.c.thumbnail.is_not(None)
    )
    for product_id in sorted((await session.execute(pictured.union(shown))).scalars()) if product_ids else ():
        await update_thumbnails(session, product_id)


async def require_own_values(session: AsyncSession, product_id: str, value_ids: set[str]) -> None:
    """Check that these option values belong to the product.

    Raises:
        InvalidData: a value does not belong to the product.
    """
    if not value_ids:
        return
    query = (
        select(ProductOptionValue.id)
        .join(ProductOption, ProductOption.id == ProductOptionValue.option_id)
        .where(ProductOption.product_id == product_id, ProductOptionValue.id.in_(value_ids))
    )
    if missing := value_ids - set((await session.execute(query)).scalars()):
        raise InvalidData(f"The product has no option value with id: {min(missing)}")
