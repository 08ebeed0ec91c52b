"""Payments outside the shop, such as bank transfers: the customer gets instructions, and staff confirm the money."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.modules import SYSTEM_PAYMENT
from backend.orders.models import Order
from backend.orders.service import has_active_fulfillments
from backend.orders.states import OrderStatus
from backend.payment.models import PaymentSession
from backend.payment.payments import find_open_instructions
from backend.payment.sessions import find_decisive_session, list_offered_providers


async def find_instructed_payment(session: AsyncSession, order: Order) -> PaymentSession | None:
    """Return the order's unpaid payment with instructions, if the customer may still cancel it.

    Return None if there is none, or if the order is already packed.
    """
    payment = await find_decisive_session(session, order.cart_id)
    return payment if await _may_cancel(session, order, payment) else None


async def can_pay_in_another_way(session: AsyncSession, order: Order, payment: PaymentSession | None) -> bool:
    """Return True if the customer may cancel a payment with instructions, and the shop offers another way to pay.

    `payment` is the session that `find_decisive_session` returns for the order.
    """
    if payment is None or not await _may_cancel(session, order, payment):
        return False
    offered = await list_offered_providers(session, order.region_id)
    return bool(offered - {payment.provider_id, SYSTEM_PAYMENT})


async def _may_cancel(session: AsyncSession, order: Order, payment: PaymentSession | None) -> bool:
    if order.status != OrderStatus.PENDING or find_open_instructions(payment) is None:
        return False
    return not await has_active_fulfillments(session, order.id)
