"""Saved payment data of customers: document and bank. It is saved only at the customer's request.

This is personal data. It is used only to fill the form of the next purchase. It is deleted when the customer
withdraws the request, or with the account.
"""

from collections.abc import Mapping

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.customers.models import CustomerPayer

KEEP_PAYER = "keep_payer"
"""Field of the checkbox that requests to save the data: `on` if ticked. It is not ticked by default."""
FIELDS = ("person_type", "doc_type", "doc_number", "bank")
"""Names of the checkout form's fields whose values are saved."""


async def save_payer(session: AsyncSession, customer_id: str, typed: Mapping[str, str]) -> None:
    """Save the customer's payment data, if the box is ticked and all fields are filled in. Replace earlier data."""
    fields = {name: typed.get(name, "").strip() for name in FIELDS}
    if typed.get(KEEP_PAYER) == "on" and all(fields.values()):
        try:
            async with session.begin_nested():
                await session.merge(CustomerPayer.model_validate({"customer_id": customer_id, **fields}))
        except IntegrityError:  # a concurrent purchase saved its data first, or the account was deleted
            return


async def read_saved_payer(session: AsyncSession, customer_id: str) -> dict[str, str]:
    """Return the customer's saved payment data by field name; empty if none is saved."""
    saved = await session.get(CustomerPayer, customer_id, populate_existing=True)
    return {name: getattr(saved, name) for name in FIELDS} if saved is not None else {}


async def delete_saved_payer(session: AsyncSession, customer_id: str) -> None:
    """Delete the customer's saved payment data."""
    saved = await session.get(CustomerPayer, customer_id)
    if saved is not None:
        await session.delete(saved)
