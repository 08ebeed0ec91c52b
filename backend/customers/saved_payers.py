"""With which document and at which bank a customer pays: kept because they asked for it, and until they say otherwise.

It is personal data. It fills in the form of the next purchase and nothing else, and goes with the account.
"""

from collections.abc import Mapping

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.customers.models import CustomerPayer

KEEP_PAYER = "keep_payer"
"""The box by which a customer asks for it: `on` where it is ticked. It begins empty at every purchase."""
FIELDS = ("person_type", "doc_type", "doc_number", "bank")
"""By the names of the checkout's fields."""


async def keep_payer(session: AsyncSession, customer_id: str, typed: Mapping[str, str]) -> None:
    """Keep this in the place of what was kept before, if the box is ticked and all is filled in."""
    fields = {name: typed.get(name, "").strip() for name in FIELDS}
    if typed.get(KEEP_PAYER) == "on" and all(fields.values()):
        try:
            async with session.begin_nested():
                await session.merge(CustomerPayer.model_validate({"customer_id": customer_id, **fields}))
        except IntegrityError:  # another purchase of the same moment was kept first, or the account is gone
            return


async def payer_of(session: AsyncSession, customer_id: str) -> dict[str, str]:
    """What is kept, by the names of the fields; empty when nothing is."""
    kept = await session.get(CustomerPayer, customer_id, populate_existing=True)
    return {name: getattr(kept, name) for name in FIELDS} if kept is not None else {}


async def forget_payer(session: AsyncSession, customer_id: str) -> None:
    """Keep nothing any more."""
    kept = await session.get(CustomerPayer, customer_id)
    if kept is not None:
        await session.delete(kept)
