"""What staff write on an order: a better address before it is sent, and notes that its buyer never sees."""

import hashlib
import json

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.core.db.database import database_now
from backend.core.db.tables import JsonObject
from backend.core.errors import Conflict, InvalidData, NotAllowed
from backend.edge.address_changes import changed_address
from backend.orders.models import Order, OrderNote
from backend.orders.search import index_order
from backend.orders.service import has_active_fulfillments, lock_order
from backend.orders.states import OrderStatus
from backend.shipping.addresses import missing_for_a_label, municipality_of, require_label_address
from backend.staff.rights import Actor, Right

LONGEST_NOTE = 1000


def version_of(address: JsonObject) -> str:
    """A short text that changes with the address."""
    text = json.dumps(address, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


async def correct_address(
    session: AsyncSession, actor: Actor, order_id: str, address: JsonObject, seen: str | None = None
) -> Order:
    """Send the order to another address (see `changed_address`). It stays so when the order is paid.

    Args:
        actor: who corrects it.
        order_id: the order.
        address: the fields that change, as the platform names them.
        seen: `version_of` the address that the actor saw, where they did.

    Raises:
        NotFound: there is no such order.
        NotAllowed: the order is cancelled, or something of it has a label already.
        InvalidData: a label cannot be made for it; `fields` says what is wrong or missing.
        Conflict: it is not the address any more that the actor saw.
    """
    actor.require(Right.FULFILL)
    order = await lock_order(session, order_id)
    if seen is not None and seen != version_of(order.shipping_address):
        raise Conflict("The address was changed meanwhile: look at it again")
    if order.status == OrderStatus.CANCELED:
        raise NotAllowed("The order was cancelled")
    if await has_active_fulfillments(session, order_id):
        raise NotAllowed("A label was made with this address: cancel it first")
    parts = {name: part for name, part in address.items() if name != "metadata"}
    corrected = changed_address(order.shipping_address, parts)
    corrected["metadata"] = {**(corrected.get("metadata") or {}), **(address.get("metadata") or {})}
    municipality_of(corrected)
    require_label_address(corrected)
    if missing := missing_for_a_label(corrected):
        raise InvalidData(
            f"The shipping address lacks {', '.join(missing)}",
            fields={f"shipping_address.{name}": "Missing" for name in missing},
        )
    if corrected == order.shipping_address:
        return order
    await record(session, actor, "address corrected", Subject(Thing.ORDER, order_id))
    order.shipping_address, order.address_corrected_at = corrected, await database_now(session)
    await session.flush()
    await index_order(session, order)
    return order


async def add_note(session: AsyncSession, actor: Actor, order_id: str, text: str) -> OrderNote:
    """Write a note on the order, for the staff.

    Raises:
        NotFound: there is no such order.
        InvalidData: it is empty or too long.
    """
    actor.require(Right.FULFILL)
    order = await lock_order(session, order_id)
    if not 0 < len(text.strip()) <= LONGEST_NOTE:
        raise InvalidData(
            f"A note has 1 to {LONGEST_NOTE} characters", fields={"text": "Too short or too long"}
        )
    await record(session, actor, "noted", Subject(Thing.ORDER, order_id))
    note = OrderNote(order_number=order.number or 0, text=text.strip(), created_by=actor.id)
    session.add(note)
    await session.flush()
    return note
