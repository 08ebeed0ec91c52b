"""Guests: customers without an account, one for each e-mail address (wire: commerce-api, Guest checkout 3)."""

from collections.abc import Sequence

from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import insert_into, table_of, values_of
from backend.core.web.contact import tidy_email
from backend.customers.models import CustomerGroupMember, GuestCustomer
from backend.customers.search_index import forget_terms, index_guest

_KNOWN = (
    select(GuestCustomer.id)
    .where(GuestCustomer.email == bindparam("email"))
    .with_for_update(key_share=True, read=True)  # who is being deleted is waited for, and then made anew
)


_ADD = insert_into(table_of(GuestCustomer)).on_conflict_do_nothing(index_elements=["email"])


async def guest_with(session: AsyncSession, email: str) -> str:
    """The id of the guest with this address, who is made if there is none.

    Whether somebody has an account with the address makes no difference: who typed it has not proved to be them.
    """
    address = tidy_email(email)
    known = (await session.execute(_KNOWN, {"email": address})).scalar_one_or_none()
    if known is not None:
        return str(known)
    new = values_of(GuestCustomer(email=address))
    await session.execute(_ADD, new)
    guest_id = str(
        (await session.execute(_KNOWN, {"email": address})).scalar_one()
    )  # another cart's, if that was quicker
    await index_guest(session, guest_id, address)
    return guest_id


async def delete_guests(session: AsyncSession, guest_ids: Sequence[str]) -> None:
    """Delete these guests, of whom nothing is left."""
    guest, member = table_of(GuestCustomer), table_of(CustomerGroupMember)
    await forget_terms(session, guest_ids)
    await session.execute(delete(member).where(member.c.customer_id.in_(guest_ids)))
    await session.execute(delete(guest).where(guest.c.id.in_(guest_ids)))
