"""Guests: customers without an account, one for each e-mail address (wire: commerce-api, Guest checkout 3)."""

from collections.abc import Sequence

from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import insert_into, table_of
from backend.core.web.contact import tidy_email
from backend.customers.models import CustomerGroupMember, GuestCustomer
from backend.customers.search_index import delete_terms, index_guest

_KNOWN = (
    select(GuestCustomer.id)
    .where(GuestCustomer.email == bindparam("email"))
    .with_for_update(
        key_share=True, read=True
    )  # waits for a concurrent delete, after which the guest is created again
)


_GUEST = table_of(GuestCustomer)
_ADD = insert_into(_GUEST).on_conflict_do_nothing(index_elements=["email"]).returning(_GUEST.c.id)


async def find_or_create_guest(session: AsyncSession, email: str) -> str:
    """Return the id of the guest with this address; create the guest if there is none.

    An account with the same address is not used, because anyone can type an address that is not their own.
    """
    address = tidy_email(email)
    known = (await session.execute(_KNOWN, {"email": address})).scalar_one_or_none()
    if known is not None:
        return str(known)
    guest_id = (await session.execute(_ADD, {"email": address})).scalar_one_or_none()
    if guest_id is None:  # another transaction has created the guest
        guest_id = (await session.execute(_KNOWN, {"email": address})).scalar_one()
    await index_guest(session, str(guest_id), address)
    return str(guest_id)


async def delete_guests(session: AsyncSession, guest_ids: Sequence[str]) -> None:
    """Delete these guests. The caller must have checked that no other data belongs to them."""
    guest, member = table_of(GuestCustomer), table_of(CustomerGroupMember)
    await delete_terms(session, guest_ids)
    await session.execute(delete(member).where(member.c.customer_id.in_(guest_ids)))
    await session.execute(delete(guest).where(guest.c.id.in_(guest_ids)))
