"""Change notifications for open pages: after a commit, listeners get the kinds of things that it changed.

Products are no topic: `backend.outbox` reports their changes by id.

It is told at most once and to this process alone; whoever listens passes it on. Nothing depends on it but how soon a
screen shows what the database holds.
"""

import logging
from collections.abc import Callable
from typing import Any

from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from backend.attention.models import Attention
from backend.attention.service import AttentionRaised
from backend.catalog.bulk.events import BulkChangeMoved
from backend.channels.models import Region
from backend.content.models import ContentTurn, ContentVersion
from backend.core.events import subscribe
from backend.exports.models import DataExport
from backend.imports.events import ImportMoved
from backend.inventory.events import StockChanged
from backend.invoices.models import Invoice
from backend.news.topics import Topic
from backend.office_settings.models import StoredSetting
from backend.orders.events import OrderPlaced
from backend.orders.models import Fulfillment, Order
from backend.pqrs.models import Pqrs
from backend.returns.models import Return
from backend.reviews.models import Review
from backend.shipping.models import ProviderSwitch
from backend.staff.models import Staff, StaffInvite, StaffSession

log = logging.getLogger(__name__)

Listener = Callable[[frozenset[Topic]], None]
_BY_TABLE: dict[type[Any], Topic] = {
    Order: Topic.ORDERS,
    Fulfillment: Topic.ORDERS,
    Attention: Topic.ATTENTION,
    Invoice: Topic.INVOICES,
    Pqrs: Topic.PQRS,
    Return: Topic.RETURNS,
    Review: Topic.REVIEWS,
    Staff: Topic.STAFF,
    StaffInvite: Topic.STAFF,
    StaffSession: Topic.STAFF,
    DataExport: Topic.EXPORTS,
    ContentVersion: Topic.CONTENT,
    ContentTurn: Topic.CONTENT,
    StoredSetting: Topic.SETTINGS,
    ProviderSwitch: Topic.SETTINGS,
    Region: Topic.SETTINGS,
}
_CHANGED = "news.changed"
_listeners: list[Listener] = []


def listen(listener: Listener) -> Callable[[], None]:
    """Call the listener with the topics of every commit from now on; it must return at once.

    Returns:
        What ends it.
    """
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


@event.listens_for(Session, "after_flush")
def _note_rows(session: Session, _context: object) -> None:
    for row in (*session.new, *session.dirty, *session.deleted):
        topic = _BY_TABLE.get(type(row))
        if topic is not None:
            _note(session, topic)


@subscribe(OrderPlaced)
async def _order_placed(session: AsyncSession, _event: OrderPlaced) -> None:
    _note(session.sync_session, Topic.ORDERS)  # its row is inserted by a statement, which no flush tells of


@subscribe(AttentionRaised)
async def _attention_raised(session: AsyncSession, _event: AttentionRaised) -> None:
    _note(session.sync_session, Topic.ATTENTION)


@subscribe(StockChanged)
async def _stock_changed(session: AsyncSession, _event: StockChanged) -> None:
    _note(session.sync_session, Topic.STOCK)


@subscribe(BulkChangeMoved)
async def _bulk_change_moved(session: AsyncSession, _event: BulkChangeMoved) -> None:
    _note(session.sync_session, Topic.BULK_CHANGES)


@subscribe(ImportMoved)
async def _import_moved(session: AsyncSession, _event: ImportMoved) -> None:
    _note(session.sync_session, Topic.IMPORTS)


def _note(session: Session, topic: Topic) -> None:
    session.info.setdefault(_CHANGED, set()).add(topic)


@event.listens_for(Session, "after_commit")
def _tell(session: Session) -> None:
    if session.in_nested_transaction():
        return  # a savepoint's end is no commit
    topics = frozenset(session.info.pop(_CHANGED, ()))
    if not topics:
        return
    for listener in _listeners:
        try:
            listener(topics)
        except Exception:
            log.exception("news could not be passed on")


@event.listens_for(Session, "after_rollback")
def _forget(session: Session) -> None:
    if session.in_nested_transaction():
        return  # what went before a savepoint stands
    session.info.pop(_CHANGED, None)
