"""Change notifications for open pages: after a commit, listeners get the topics of the data that the commit changed.

Products are not a topic: `backend.outbox` reports their changes by id.

A change is reported at most once, and only in this process; a listener may send it to other processes. A lost
notification only delays the moment at which a screen shows the database's current data.
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
from backend.catalog.models import Category, Collection
from backend.channels.models import Region
from backend.content.models import ContentTurn, ContentVersion
from backend.core.events import subscribe
from backend.exports.models import DataExport
from backend.imports.events import ImportProgressed
from backend.inventory.events import StockChanged
from backend.invoices.models import Invoice
from backend.news.topics import Topic
from backend.office_settings.models import StoredSetting
from backend.orders.events import OrderPlaced
from backend.orders.models import Fulfillment, Order
from backend.pqrs.models import Pqrs
from backend.returns.models import Return
from backend.reviews.models import Review
from backend.shipping.models import ProviderSwitch, ServiceZone, ShippingOption
from backend.staff.models import Staff, StaffInvite, StaffRole, StaffSession
from backend.webhooks.models import WebhookDelivery, WebhookEndpoint

log = logging.getLogger(__name__)

Listener = Callable[[frozenset[Topic]], None]
_TOPIC_BY_MODEL: dict[type[Any], Topic] = {
    Order: Topic.ORDERS,
    Fulfillment: Topic.ORDERS,
    Attention: Topic.ATTENTION,
    Invoice: Topic.INVOICES,
    Pqrs: Topic.PQRS,
    Return: Topic.RETURNS,
    Review: Topic.REVIEWS,
    Staff: Topic.STAFF,
    StaffInvite: Topic.STAFF,
    StaffRole: Topic.STAFF,
    StaffSession: Topic.STAFF,
    DataExport: Topic.EXPORTS,
    Category: Topic.CATEGORIES,
    Collection: Topic.CATEGORIES,
    ContentVersion: Topic.CONTENT,
    ContentTurn: Topic.CONTENT,
    StoredSetting: Topic.SETTINGS,
    ProviderSwitch: Topic.SETTINGS,
    ServiceZone: Topic.SETTINGS,
    ShippingOption: Topic.SETTINGS,
    Region: Topic.SETTINGS,
    WebhookEndpoint: Topic.SETTINGS,
    WebhookDelivery: Topic.SETTINGS,
}
_CHANGED = "news.changed"
_listeners: list[Listener] = []


def listen(listener: Listener) -> Callable[[], None]:
    """Register a listener, which must return immediately. It is called with the topics of every later commit.

    Returns:
        A function that removes the listener.
    """
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


@event.listens_for(Session, "after_flush")
def _collect_row_topics(session: Session, _context: object) -> None:
    for row in (*session.new, *session.dirty, *session.deleted):
        topic = _TOPIC_BY_MODEL.get(type(row))
        if topic is not None:
            _add_topic(session, topic)


@subscribe(OrderPlaced)
async def _on_order_placed(session: AsyncSession, _event: OrderPlaced) -> None:
    _add_topic(
        session.sync_session, Topic.ORDERS
    )  # its row is inserted by a statement, which triggers no flush event


@subscribe(AttentionRaised)
async def _on_attention_raised(session: AsyncSession, _event: AttentionRaised) -> None:
    _add_topic(session.sync_session, Topic.ATTENTION)


@subscribe(StockChanged)
async def _on_stock_changed(session: AsyncSession, _event: StockChanged) -> None:
    _add_topic(session.sync_session, Topic.STOCK)


@subscribe(BulkChangeMoved)
async def _on_bulk_change_moved(session: AsyncSession, _event: BulkChangeMoved) -> None:
    _add_topic(session.sync_session, Topic.BULK_CHANGES)


@subscribe(ImportProgressed)
async def _on_import_moved(session: AsyncSession, _event: ImportProgressed) -> None:
    _add_topic(session.sync_session, Topic.IMPORTS)


def _add_topic(session: Session, topic: Topic) -> None:
    session.info.setdefault(_CHANGED, set()).add(topic)


@event.listens_for(Session, "after_commit")
def _notify_listeners(session: Session) -> None:
    if session.in_nested_transaction():
        return  # the end of a savepoint is not a commit
    topics = frozenset(session.info.pop(_CHANGED, ()))
    if not topics:
        return
    for listener in _listeners:
        try:
            listener(topics)
        except Exception:
            log.exception("a listener of change notifications failed")


@event.listens_for(Session, "after_rollback")
def _discard_topics(session: Session) -> None:
    if session.in_nested_transaction():
        return  # changes made before the savepoint are still valid
    session.info.pop(_CHANGED, None)
