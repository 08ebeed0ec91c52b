"""Labels of returns. No current provider creates any (spec: createReturnFulfillment)."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.settings import Settings
from backend.fulfillment.parcels import find_order_option
from backend.office_settings import read_effective_settings
from backend.orders.service import lock_order
from backend.shipping.addresses import build_recipient, build_sender
from backend.shipping.locations import find_location_of_option
from backend.shipping.packages import limit_content_value, pack_items
from backend.shipping.providers.base import FulfillmentProviders, LabelRequest, get_provider
from backend.staff.rights import Actor, Right


async def request_return(
    session: AsyncSession, actor: Actor, settings: Settings, providers: FulfillmentProviders, order_id: str
) -> None:
    """Request a return label for the order from the provider. No provider of the shop can create one.

    Raises:
        NotFound: there is no such order.
        NotImplementedByProvider: always.
    """
    actor.require(Right.FULFILL)
    order = await lock_order(session, order_id)
    option = await find_order_option(session, order)
    provider = get_provider(providers, option.provider_id)
    start = await find_location_of_option(session, option)
    await provider.create_return_fulfillment(
        LabelRequest(
            reference=f"{order.number}-R",
            origin=build_recipient(order.shipping_address, order.email),
            destination=build_sender(start.address, await read_effective_settings(session, settings)),
            packages=pack_items(()),
            content_value=limit_content_value(order.item_total),
        )
    )
