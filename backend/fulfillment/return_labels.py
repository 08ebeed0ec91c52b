"""Labels of returns. None of today's providers makes any (spec: createReturnFulfillment)."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.settings import Settings
from backend.fulfillment.parcels import option_of
from backend.office_settings import read_effective_settings
from backend.orders.service import lock_order
from backend.shipping.addresses import recipient, sender
from backend.shipping.locations import location_of
from backend.shipping.packages import content_value, packages_for
from backend.shipping.providers.base import FulfillmentProviders, LabelRequest, provider_of
from backend.staff.rights import Actor, Right


async def request_return(
    session: AsyncSession, actor: Actor, settings: Settings, providers: FulfillmentProviders, order_id: str
) -> None:
    """Ask the provider for the label of a return.

    Raises:
        NotFound: there is no such order.
        NotImplementedByProvider: always.
    """
    actor.require(Right.FULFILL)
    order = await lock_order(session, order_id)
    option = await option_of(session, order)
    provider = provider_of(providers, option.provider_id)
    start = await location_of(session, option)
    await provider.create_return_fulfillment(
        LabelRequest(
            reference=f"{order.number}-R",
            origin=recipient(order.shipping_address, order.email),
            destination=sender(start.address, await read_effective_settings(session, settings)),
            packages=packages_for(()),
            content_value=content_value(order.item_total),
        )
    )
