"""Changes by staff to an order: a corrected address before it is sent, and notes that the customer never sees."""

import hashlib
import json

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import database_now
from backend.core.db.tables import JsonObject
from backend.core.errors import Conflict, InvalidData, NotAllowed
from backend.edge.address_changes import changed_address
from backend.orders.models import Order, OrderNote
from backend.orders.search import index_order
from backend.orders.service import has_active_fulfillments, lock_order
from backend.orders.states import OrderStatus
from backend.shipping.addresses import find_municipality, list_missing_label_parts, require_label_address
from backend.staff.rights import Actor, Right

MAX_NOTE_LENGTH = 1000


def hash_address(address: JsonObject) -> str:
    """Return a short hash of the address."""
    text = json.dumps(address, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


async def correct_address(
    session: AsyncSession, actor: Actor, order_id: str, address: JsonObject, seen_version: str | None = None
) -> Order:
    """Correct the shipping address of the order (see `changed_address`). A later payment does not change it back.

    Args:
        session: a transaction.
        actor: the staff member.
        order_id: the order.
        address: the changed fields, with the field names of the commerce platform's API.
        seen_version: `hash_address` of the address that the actor saw, if known.

    Raises:
        NotFound: there is no such order.
        NotAllowed: the order is cancelled, or already has a label.
        InvalidData: a label cannot be created for the address; `fields` lists the invalid or missing fields.
        Conflict: the address is no longer the one that the actor saw.
    """
    actor.require(Right.FULFILL)
    order = await lock_order(session, order_id)
    if seen_version is not None and seen_version != hash_address(order.shipping_address):
        raise Conflict("The address has changed: check it again")
    if order.status == OrderStatus.CANCELED:
        raise NotAllowed("The order was cancelled")
    if await has_active_fulfillments(session, order_id):
        raise NotAllowed("A label was made with this address: cancel it first")
    parts = {name: part for name, part in address.items() if name != "metadata"}
    corrected = changed_address(order.shipping_address, parts)
    corrected["metadata"] = {**(corrected.get("metadata") or {}), **(address.get("metadata") or {})}
    find_municipality(corrected)
    require_label_address(corrected)
    if missing := list_missing_label_parts(corrected):
        raise InvalidData(
            f"The shipping address lacks {', '.join(missing)}",
            fields={f"shipping_address.{name}": "Missing" for name in missing},
        )
    if corrected == order.shipping_address:
        return order
    await record(session, actor, "address corrected", Subject(SubjectType.ORDER, order_id))
    order.shipping_address, order.address_corrected_at = corrected, await database_now(session)
    await session.flush()
    await index_order(session, order)
    return order


async def add_note(session: AsyncSession, actor: Actor, order_id: str, text: str) -> OrderNote:
    """Add a note for staff to the order. The customer never sees it.

    Raises:
        NotFound: there is no such order.
        InvalidData: the text is empty or too long.
    """
    actor.require(Right.FULFILL)
    order = await lock_order(session, order_id)
    if not 0 < len(text.strip()) <= MAX_NOTE_LENGTH:
        raise InvalidData(
            f"A note has 1 to {MAX_NOTE_LENGTH} characters", fields={"text": "Too short or too long"}
        )
    await record(session, actor, "noted", Subject(SubjectType.ORDER, order_id))
    note = OrderNote(order_number=order.number or 0, text=text.strip(), created_by=actor.id)
    session.add(note)
    await session.flush()
    return note
