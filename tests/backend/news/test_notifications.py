"""Change notifications: sent after a commit, never without one."""

from collections.abc import Iterator

import httpx
import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.attention import AttentionKind, close_attention, raise_attention
from backend.news import notifications
from backend.news.topics import Topic
from backend.payment.providers.base import ProviderState
from tests.backend.orders.paying import place_order_at_bank, report_payment
from tests.store_defaults import Defaults, add_product


@pytest.fixture
def notified() -> Iterator[list[frozenset[Topic]]]:
    """Yield a list with the topics of each notification that listeners get."""
    topics: list[frozenset[Topic]] = []
    end = notifications.listen(topics.append)
    yield topics
    end()


async def test_order_and_payment_notify_listeners(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient, notified: list[frozenset[Topic]]
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    _order_id, payment = await place_order_at_bank(shop, store, variant)
    assert {Topic.ORDERS, Topic.STOCK} <= frozenset().union(*notified)
    notified.clear()
    await report_payment(shop, payment, ProviderState.CAPTURED)
    assert Topic.ORDERS in frozenset().union(*notified)


async def test_opened_and_closed_attention_notifies_listeners(
    shop: Shop, notified: list[frozenset[Topic]]
) -> None:
    kind, subject = AttentionKind.APPROVED_LATE, "payses_1"
    async with shop.database.transaction() as session:
        await raise_attention(session, kind, subject_id=subject, message="It came late")
        assert notified == []
    async with shop.database.transaction() as session:
        await close_attention(session, kind, subject, note="it was paid")
    assert notified == [frozenset({Topic.ATTENTION})] * 2


async def roll_back_attention(shop: Shop) -> None:
    """Open an attention row, and roll it back by raising ZeroDivisionError."""
    async with shop.database.transaction() as session:
        await raise_attention(session, AttentionKind.APPROVED_LATE, subject_id="x", message="It came late")
        raise ZeroDivisionError


async def test_rolled_back_change_does_not_notify_listeners(
    shop: Shop, notified: list[frozenset[Topic]]
) -> None:
    with pytest.raises(ZeroDivisionError):
        await roll_back_attention(shop)
    assert notified == []


async def test_rolled_back_savepoint_neither_notifies_listeners_nor_discards_topics(
    shop: Shop, notified: list[frozenset[Topic]]
) -> None:
    async def raised(session: AsyncSession, subject: str) -> None:
        kind = AttentionKind.APPROVED_LATE
        await raise_attention(session, kind, subject_id=subject, message="It came late")

    async with shop.database.transaction() as session:
        await raised(session, "a")
        async with session.begin_nested():
            await raised(session, "b")
        assert notified == []
        undone = await session.begin_nested()
        await undone.rollback()
    assert notified == [frozenset({Topic.ATTENTION})]


async def test_failing_listener_does_not_stop_other_listeners(
    shop: Shop, notified: list[frozenset[Topic]]
) -> None:
    def failing(_topics: frozenset[Topic]) -> None:
        raise ZeroDivisionError

    later: list[frozenset[Topic]] = []
    ends = [notifications.listen(failing), notifications.listen(later.append)]
    async with shop.database.transaction() as session:
        await raise_attention(session, AttentionKind.APPROVED_LATE, subject_id="x", message="It came late")
    for end in ends:
        end()
    assert notified == later == [frozenset({Topic.ATTENTION})]
