"""Check, when the shop starts, that it runs with every provider that an open order still needs."""

from collections.abc import Mapping

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import QueryableAttribute

from backend.core.config.modules import FULFILLMENT, INVOICES, PAYMENT, SETTING_NAMES
from backend.core.errors import CannotStart
from backend.invoices.models import Invoice
from backend.invoices.states import InvoiceState
from backend.orders.models import Fulfillment, Order
from backend.orders.states import FulfillmentStatus, LabelState, OrderStatus, PaymentStatus
from backend.payment.models import PaymentSession
from backend.payment.states import OPEN_STATES, SessionState
from backend.shipping.models import ShippingOption

UNSENT = (FulfillmentStatus.NOT_FULFILLED, FulfillmentStatus.PARTIALLY_FULFILLED)
LOST = (PaymentStatus.CANCELED, PaymentStatus.REFUNDED)
UNDECIDED = (*OPEN_STATES, SessionState.AUTHORIZED)
ON_THE_WAY = (LabelState.CREATING, LabelState.CREATED, LabelState.UNKNOWN)


async def require_used_providers(session: AsyncSession, registered: Mapping[str, Mapping[str, str]]) -> None:
    """Check that all providers in use are registered: those of open payments, orders, parcels and invoices.

    Args:
        session: a database session.
        registered: the providers of each service, from `backend.core.config.modules.registered_providers`.

    Raises:
        CannotStart: a provider is missing. The message names the setting, the provider and the number of uses.
    """
    payments = _count(PaymentSession.provider_id, PaymentSession.state.in_(UNDECIDED))
    orders = (
        _count(ShippingOption.provider_id, Order.status == OrderStatus.PENDING)
        .join(Order, Order.shipping_option_id == ShippingOption.id)
        .where(Order.fulfillment_status.in_(UNSENT), Order.payment_status.not_in(LOST))
    )
    parcels = _count(Fulfillment.provider_id, Fulfillment.state.in_(ON_THE_WAY)).where(
        Fulfillment.delivered_at.is_(None), Fulfillment.canceled_at.is_(None)
    )
    invoices = _count(Invoice.provider_id, Invoice.state == InvoiceState.PENDING).where(
        Invoice.provider_id != ""
    )
    uses = (
        (PAYMENT, "open payments", payments),
        (FULFILLMENT, "unsent orders", orders),
        (FULFILLMENT, "parcels on their way", parcels),
        (INVOICES, "pending invoices", invoices),
    )
    for service, noun, query in uses:
        for provider_id, count in await session.execute(query):
            if provider_id not in registered[service]:
                raise CannotStart(
                    f"Trompo cannot start: {SETTING_NAMES[service]} leaves out {provider_id}, which is used by"
                    f" {count} {noun}: add it until they are finished"
                )


def _count(provider_id: QueryableAttribute[str], condition: ColumnElement[bool]) -> Select[str, int]:
    return select(provider_id, func.count()).where(condition).group_by(provider_id).order_by(provider_id)
