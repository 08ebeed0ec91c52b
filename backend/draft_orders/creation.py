"""Create and change a draft order with the values of a request of the Admin API."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.cart.access import Caller
from backend.cart.lines import add_units
from backend.cart.promotion_codes import set_codes
from backend.channels.models import Region, SalesChannel
from backend.checkout.carts.changes import change_cart, create_cart
from backend.checkout.schemas import CartChange, NewCart
from backend.core.db.tables import get_or_404
from backend.draft_orders.customers import assign_person
from backend.draft_orders.drafts import lock_draft
from backend.draft_orders.edits import NewUnits, require_price
from backend.draft_orders.models import DraftOrder
from backend.orders.origins import OrderOrigin
from backend.staff.rights import Actor, Right


async def create_draft(  # noqa: PLR0917
    session: AsyncSession,
    actor: Actor,
    new: NewCart,
    items: Sequence[NewUnits],
    region: Region,
    customer_id: str | None = None,
) -> DraftOrder:
    """Create a draft order with a cart of these values. Its origin is a sale by phone, so the customer may withdraw.

    `items` become its lines; the items of `new` are ignored. With `customer_id`, `email` of `new` is ignored.

    Raises:
        NotFound: there is no such customer or sales channel.
        InvalidData, InsufficientStock: see `backend.checkout.carts.changes.create_cart`.
        InvalidData: an expected price is not the catalogue's price.
    """
    actor.require(Right.SELL)
    empty = NewCart(currency_code=new.currency_code)
    cart = await create_cart(session, empty, region, await _find_channel(session, new.sales_channel_id), None)
    cart.origin = OrderOrigin.PHONE
    draft = DraftOrder(id=cart.order_id, cart_id=cart.id, created_by=actor.id)
    session.add(draft)
    await record(session, actor, "created", Subject(SubjectType.DRAFT_ORDER, draft.id))
    await session.flush()
    change = new.model_copy(update={"items": None, "promo_codes": None})
    await change_draft(session, actor, draft.id, change, customer_id)
    for item in items:
        await add_units(session, cart.id, item.variant_id, item.quantity, item.meta)
        await require_price(session, item.variant_id, item.unit_price)
    if new.promo_codes:
        await set_codes(session, cart, new.promo_codes)
    return draft


async def change_draft(
    session: AsyncSession, actor: Actor, draft_id: str, change: CartChange, customer_id: str | None = None
) -> None:
    """Change values of the draft order's cart.

    Raises:
        NotFound, NotAllowed, Conflict: see `backend.draft_orders.drafts.lock_draft`.
        NotFound: there is no such customer.
        InvalidData: see `backend.checkout.carts.changes.change_cart`.
    """
    locked = await lock_draft(session, actor, draft_id)
    await record(session, actor, "changed", Subject(SubjectType.DRAFT_ORDER, draft_id))
    if customer_id is not None:
        actor.require(Right.READ_CUSTOMERS)
        await assign_person(session, locked.cart, customer_id)
        change = change.model_copy(update={"email": None})
    await change_cart(session, locked.cart.id, change, Caller(locked.cart.customer_id))


async def _find_channel(session: AsyncSession, channel_id: str | None) -> str:
    """Return the id of the sales channel, or of the first channel if `channel_id` is None.

    Raises:
        NotFound: there is no such sales channel.
    """
    if channel_id is not None:
        query = select(SalesChannel).where(SalesChannel.id == channel_id)
        return (await get_or_404(session, query, "Sales channel", channel_id)).id
    first = select(SalesChannel.id).order_by(SalesChannel.id).limit(1)
    return (await session.execute(first)).scalar_one()
