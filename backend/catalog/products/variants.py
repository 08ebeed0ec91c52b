"""Writing of the variants of a locked product: their values, and the check that their codes are unique."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.events import VariantsDeleted
from backend.catalog.models import Product, Variant
from backend.catalog.products.commands import WriteVariant
from backend.catalog.products.options import set_variant_values
from backend.core.commands import UNCHANGED
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.core.events import publish
from backend.inventory.levels import lock_levels
from backend.inventory.models import InventoryLevel

CODES = frozenset({"sku", "ean"})
"""Unique codes of a variant in the stockroom."""


async def read_variants(session: AsyncSession, product_id: str) -> Sequence[Variant]:
    """Return the product's variants in order."""
    query = select(Variant).where(Variant.product_id == product_id).order_by(Variant.rank, Variant.id)
    return (await session.execute(query)).scalars().all()


async def set_variants(session: AsyncSession, product: Product, command: Sequence[WriteVariant]) -> None:
    """Set the product's variants: change those with an id, create those without one, and delete omitted ones.

    Raises:
        NotFound: the product has no variant with this id.
        NotAllowed: an omitted variant has reserved units.
    """
    current = {variant.id: variant for variant in await read_variants(session, product.id)}
    given_ids = {entry.id for entry in command}
    await remove_variants(session, [current.pop(one) for one in list(current) if one not in given_ids])
    for entry in command:  # clear changed codes first, so that two variants can exchange them
        variant_now = current.get(entry.id or "")
        for name in _given_codes(entry) if variant_now else ():
            if getattr(variant_now, name) != getattr(entry, name):
                setattr(variant_now, name, None)
    await session.flush()
    for entry in command:
        if entry.id is None:
            await insert_variant(session, product, entry)
        elif entry.id in current:
            await set_variant(session, product, current.pop(entry.id), entry)
        else:
            raise NotFound(f"Product variant with id: {entry.id} was not found")


async def insert_variant(session: AsyncSession, product: Product, command: WriteVariant) -> Variant:
    """Create a variant after the product's other variants.

    Raises:
        InvalidData: the command has no price, its option values are invalid, or one of its codes is taken.
    """
    if command.price is None:
        raise InvalidData("Invalid request: Field 'variants, prices' is required")
    last = (
        await session.execute(select(func.max(Variant.rank)).where(Variant.product_id == product.id))
    ).scalar_one()
    variant = Variant(product_id=product.id, price=command.price, rank=0 if last is None else last + 1)
    await _write_variant(session, product, variant, command)
    return variant


async def set_variant(
    session: AsyncSession, product: Product, variant: Variant, command: WriteVariant
) -> None:
    """Set those values of the variant that the command contains.

    Raises:
        InvalidData: the command's option values are invalid, or one of its codes is taken.
    """
    await _write_variant(session, product, variant, command)


async def _write_variant(
    session: AsyncSession, product: Product, variant: Variant, command: WriteVariant
) -> None:
    variant.title = command.title or variant.title
    for name in _given_codes(command):
        setattr(variant, name, getattr(command, name) or None)
    variant.price = variant.price if command.price is None else command.price
    if command.compare_at_price is not UNCHANGED:
        variant.compare_at_price = command.compare_at_price
    variant.cost = variant.cost if command.cost is UNCHANGED else command.cost
    variant.is_free = variant.is_free if command.is_free is None else command.is_free
    variant.rank = variant.rank if command.rank is None else command.rank
    with session.no_autoflush:
        for name in _given_codes(command):
            code = getattr(variant, name)
            taken = select(Variant.id).where(getattr(Variant, name) == code, Variant.id != variant.id)
            if code is not None and (await session.execute(taken)).first():
                raise InvalidData(f"Product variant with {name}: {code}, already exists.")
    session.add(variant)
    await session.flush()
    if command.options:
        await set_variant_values(session, product, variant, command.options)


async def remove_variants(session: AsyncSession, variants: Sequence[Variant]) -> None:
    """Delete these variants and remove them from every cart. Each of these carts shows a notice to its shopper.

    Raises:
        NotAllowed: one of the variants has reserved units.
    """
    # lock all levels together, in their global order, so that a concurrent reservation happens before or after
    levels_of_variants = InventoryLevel.variant_id.in_([variant.id for variant in variants])
    for level in await lock_levels(session, levels_of_variants):
        if level.reserved:
            raise NotAllowed(
                f"Units of variant {level.variant_id} are reserved by customers: it cannot be deleted now"
            )
    if not variants:
        return
    await publish(session, VariantsDeleted([variant.id for variant in variants]))
    for variant in variants:
        await session.delete(variant)
    await session.flush()


async def find_variant(session: AsyncSession, product_id: str, variant_id: str) -> Variant:
    """Return the variant with this id, if it belongs to the product.

    Raises:
        NotFound: the product has no such variant.
    """
    variant = await session.get(Variant, variant_id, populate_existing=True)
    if variant is None or variant.product_id != product_id:
        raise NotFound(f"Product variant with id: {variant_id} was not found")
    return variant


def _given_codes(command: WriteVariant) -> list[str]:
    return [name for name in sorted(CODES) if getattr(command, name) is not UNCHANGED]
