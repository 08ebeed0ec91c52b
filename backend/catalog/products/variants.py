"""Writing the variants of a product that is locked: what is said of them, and what must not be twice."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.events import VariantsDeleted
from backend.catalog.models import Product, Variant
from backend.catalog.products.commands import WriteVariant
from backend.catalog.products.options import set_values
from backend.core.commands import UNCHANGED
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.core.events import publish
from backend.inventory.levels import lock_levels
from backend.inventory.models import InventoryLevel

CODES = frozenset({"sku", "ean"})
"""What a variant is known by in the stockroom: no two have the same."""


async def variants_of(session: AsyncSession, product_id: str) -> Sequence[Variant]:
    """The product's variants in their order."""
    query = select(Variant).where(Variant.product_id == product_id).order_by(Variant.rank, Variant.id)
    return (await session.execute(query)).scalars().all()


async def set_variants(session: AsyncSession, product: Product, said: Sequence[WriteVariant]) -> None:
    """The product's variants: those with an id are changed, those without are new, those left out are gone."""
    known = {variant.id: variant for variant in await variants_of(session, product.id)}
    wanted = {entry.id for entry in said}
    await remove_variants(session, [known.pop(one) for one in list(known) if one not in wanted])
    for entry in said:  # two that exchange their codes: both let go of them first
        variant_now = known.get(entry.id or "")
        for name in _codes_in(entry) if variant_now else ():
            if getattr(variant_now, name) != getattr(entry, name):
                setattr(variant_now, name, None)
    await session.flush()
    for entry in said:
        if entry.id is None:
            await add_to_product(session, product, entry)
        elif entry.id in known:
            await set_variant(session, product, known.pop(entry.id), entry)
        else:
            raise NotFound(f"Product variant with id: {entry.id} was not found")


async def add_to_product(session: AsyncSession, product: Product, said: WriteVariant) -> Variant:
    """Create a variant, the last of the product's.

    Raises:
        InvalidData: it has no price, its values do not fit, or another variant has one of its codes.
    """
    if said.price is None:
        raise InvalidData("Invalid request: Field 'variants, prices' is required")
    last = (
        await session.execute(select(func.max(Variant.rank)).where(Variant.product_id == product.id))
    ).scalar_one()
    variant = Variant(product_id=product.id, price=said.price, rank=0 if last is None else last + 1)
    await _write(session, product, variant, said)
    return variant


async def set_variant(session: AsyncSession, product: Product, variant: Variant, said: WriteVariant) -> None:
    """Change the values of the variant that the command has.

    Raises:
        InvalidData: its values do not fit, or another variant has one of its codes.
    """
    await _write(session, product, variant, said)


async def _write(session: AsyncSession, product: Product, variant: Variant, said: WriteVariant) -> None:
    variant.title = said.title or variant.title
    for name in _codes_in(said):
        setattr(variant, name, getattr(said, name) or None)
    variant.price = variant.price if said.price is None else said.price
    if said.compare_at_price is not UNCHANGED:
        variant.compare_at_price = said.compare_at_price
    variant.is_free = variant.is_free if said.is_free is None else said.is_free
    variant.rank = variant.rank if said.rank is None else said.rank
    with session.no_autoflush:
        for name in _codes_in(said):
            code = getattr(variant, name)
            taken = select(Variant.id).where(getattr(Variant, name) == code, Variant.id != variant.id)
            if code is not None and (await session.execute(taken)).first():
                raise InvalidData(f"Product variant with {name}: {code}, already exists.")
    session.add(variant)
    await session.flush()
    if said.options:
        await set_values(session, product, variant, said.options)


async def remove_variants(session: AsyncSession, variants: Sequence[Variant]) -> None:
    """Delete these variants. They leave every cart, where the shopper is informed of it.

    Raises:
        NotAllowed: units of one of them are reserved.
    """
    # all levels at once, in their one order: a buyer who reserves at this moment comes before or after
    gone = InventoryLevel.variant_id.in_([variant.id for variant in variants])
    for level in await lock_levels(session, gone):
        if level.reserved:
            raise NotAllowed(
                f"Units of variant {level.variant_id} are promised to a buyer: it cannot be deleted now"
            )
    if not variants:
        return
    await publish(session, VariantsDeleted([variant.id for variant in variants]))
    for variant in variants:
        await session.delete(variant)
    await session.flush()


async def find_variant(session: AsyncSession, product_id: str, variant_id: str) -> Variant:
    """The product's variant.

    Raises:
        NotFound: it has none with this id.
    """
    variant = await session.get(Variant, variant_id, populate_existing=True)
    if variant is None or variant.product_id != product_id:
        raise NotFound(f"Product variant with id: {variant_id} was not found")
    return variant


def _codes_in(said: WriteVariant) -> list[str]:
    return [name for name in sorted(CODES) if getattr(said, name) is not UNCHANGED]
