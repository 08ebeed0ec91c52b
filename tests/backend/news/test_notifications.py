"""News: told after the commit, never without one."""

from collections.abc import Iterator

import httpx
import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.attention import AttentionKind, close_attention, raise_attention
from backend.news import notifications
from backend.news.topics import Topic
from backend.payment.providers.base import ProviderState
from tests.backend.orders.paying import at_the_bank, said
from tests.store_defaults import Defaults, make_toy


@pytest.fixture
def heard() -> Iterator[list[frozenset[Topic]]]:
    """What was told."""
    told: list[frozenset[Topic]] = []
    end = notifications.listen(told.append)
    yield told
    end()


async def test_an_order_and_its_payment_are_news(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient, heard: list[frozenset[Topic]]
) -> None:
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "trompo")
    _order_id, payment = await at_the_bank(shop, store, variant)
    assert {Topic.ORDERS, Topic.STOCK} <= frozenset().union(*heard)
    heard.clear()
    await said(shop, payment, ProviderState.CAPTURED)
    assert Topic.ORDERS in frozenset().union(*heard)


async def test_what_is_to_be_resolved_is_news_when_it_comes_and_when_it_goes(
    shop: Shop, heard: list[frozenset[Topic]]
) -> None:
    kind, subject = AttentionKind.APPROVED_LATE, "payses_1"
    async with shop.database.transaction() as session:
        await raise_attention(session, kind, subject_id=subject, message="It came late")
        assert heard == []
    async with shop.database.transaction() as session:
        await close_attention(session, kind, subject, note="it was paid")
    assert heard == [frozenset({Topic.ATTENTION})] * 2


async def undone(shop: Shop) -> None:
    """Raise a row, and take it back."""
    async with shop.database.transaction() as session:
        await raise_attention(session, AttentionKind.APPROVED_LATE, subject_id="x", message="It came late")
        raise ZeroDivisionError


async def test_what_is_undone_is_none(shop: Shop, heard: list[frozenset[Topic]]) -> None:
    with pytest.raises(ZeroDivisionError):
        await undone(shop)
    assert heard == []


async def test_a_savepoint_tells_nothing_and_takes_nothing_back(
    shop: Shop, heard: list[frozenset[Topic]]
) -> None:
    async def raised(session: AsyncSession, subject: str) -> None:
        kind = AttentionKind.APPROVED_LATE
        await raise_attention(session, kind, subject_id=subject, message="It came late")

    async with shop.database.transaction() as session:
        await raised(session, "a")
        async with session.begin_nested():
            await raised(session, "b")
        assert heard == []
        undone = await session.begin_nested()
        await undone.rollback()
    assert heard == [frozenset({Topic.ATTENTION})]


async def test_a_listener_that_fails_stops_nobody(shop: Shop, heard: list[frozenset[Topic]]) -> None:
    def failing(_topics: frozenset[Topic]) -> None:
        raise ZeroDivisionError

    notifications._listeners.insert(0, failing)
    async with shop.database.transaction() as session:
        await raise_attention(session, AttentionKind.APPROVED_LATE, subject_id="x", message="It came late")
    notifications._listeners.remove(failing)
    assert len(heard) == 1
