"""Assign a draft order to a customer or a guest whom the shop already knows, or remove the customer."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.cart.models import Cart
from backend.cart.owners import assign_customer
from backend.customers.directory import find_person
from backend.customers.models import Customer
from backend.draft_orders.drafts import lock_draft
from backend.staff.rights import Actor, Right


async def choose_customer(session: AsyncSession, actor: Actor, draft_id: str, customer_id: str) -> None:
    """Assign the draft to a customer or a guest of the shop, with their e-mail address.

    Raises:
        NotFound, NotAllowed, Conflict: see `backend.draft_orders.drafts.lock_draft`.
        NotFound: there is no such customer.
    """
    actor.require(Right.READ_CUSTOMERS)
    locked = await lock_draft(session, actor, draft_id)
    await record(session, actor, "changed", Subject(SubjectType.DRAFT_ORDER, draft_id))
    await assign_person(session, locked.cart, customer_id)


async def remove_customer(session: AsyncSession, actor: Actor, draft_id: str) -> None:
    """Remove the customer from the draft.

    Raises:
        NotFound, NotAllowed, Conflict: see `backend.draft_orders.drafts.lock_draft`.
    """
    locked = await lock_draft(session, actor, draft_id)
    await record(session, actor, "changed", Subject(SubjectType.DRAFT_ORDER, draft_id))
    locked.cart.customer_id = locked.cart.guest_id = locked.cart.email = None
    await session.flush()


async def assign_person(session: AsyncSession, cart: Cart, customer_id: str) -> None:
    """Assign the (locked) cart to a customer or a guest. The caller checks the actor's rights.

    Raises:
        NotFound: there is no such customer.
    """
    person = await find_person(session, customer_id)
    if isinstance(person, Customer):
        await assign_customer(session, cart, person.id)
    else:
        cart.customer_id, cart.guest_id, cart.email = None, person.id, person.email
    await session.flush()
