"""Helpers for sales at the counter."""

from collections.abc import Mapping

from sqlalchemy import select

from backend.cart.views import read_cart_view
from backend.draft_orders.contact import SaleContact
from backend.draft_orders.counter_sale import ReceivedMoney, sell
from backend.draft_orders.drafts import add_units, open_current_draft
from backend.draft_orders.models import DraftOrder
from backend.orders.models import Fulfillment, Order
from backend.payment.manual_methods import ManualMethod
from backend.staff.rights import Actor, Role
from tests.backend.checkout.paying_kit import Till

OWNER = Actor("staff_owner", Role.OWNER, has_second_factor=True)
SELLER = Actor("staff_seller", Role.SHOP)
OTHER_SELLER = Actor("staff_other", Role.SHOP)
STOCKROOM = Actor("staff_stockroom", Role.STOCKROOM)


async def prepare(till: Till, units: Mapping[str, int], actor: Actor = SELLER) -> DraftOrder:
    """Return the actor's current draft with these units by variant id."""
    async with till.database.transaction() as session:
        draft = await open_current_draft(session, actor)
        for variant, count in units.items():
            await add_units(session, actor, draft.id, variant, count)
        return draft


async def take_money(
    till: Till,
    draft: DraftOrder,
    total: int,
    method: ManualMethod = ManualMethod.CASH,
    *,
    actor: Actor = SELLER,
    contact: SaleContact | None = None,
) -> Order:
    async with till.database.transaction() as session:
        reference = "" if method is ManualMethod.CASH else "R-1"
        received = ReceivedMoney(total, method, reference)
        return await sell(
            session, actor, till.checkout.settings, draft.id, received=received, contact=contact
        )


async def read_total(till: Till, draft: DraftOrder) -> int:
    async with till.database.read() as session:
        return (await read_cart_view(session, draft.cart_id)).total


async def read_fulfillments(till: Till, order: Order) -> list[Fulfillment]:
    async with till.database.read() as session:
        found = await session.execute(select(Fulfillment).where(Fulfillment.order_id == order.id))
        return list(found.scalars())
