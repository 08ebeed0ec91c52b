"""Labels of returns. No fulfillment provider creates any, so a request is refused (spec: createReturnFulfillment)."""

from typing import NoReturn

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import NotImplementedByProvider
from backend.fulfillment.parcels import find_order_option
from backend.orders.service import read_order
from backend.staff.rights import Actor, Right


async def refuse_return_label(session: AsyncSession, actor: Actor, order_id: str) -> NoReturn:
    """Refuse to request a return label from the provider that shipped the order.

    Raises:
        NotFound: there is no such order.
        NotAllowed: the order's shipping option was deleted.
        NotImplementedByProvider: in all other cases. The message names the provider.
    """
    actor.require(Right.FULFILL)
    option = await find_order_option(session, await read_order(session, order_id))
    raise NotImplementedByProvider(f"createReturnFulfillment is not implemented by {option.provider_id}")
