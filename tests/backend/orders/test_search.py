"""Orders are found by what staff know of them, on both databases, over the Admin API and page by page."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, text, update

from backend.app import Shop
from backend.core.db.database import Database
from backend.core.errors import Forbidden, InvalidData
from backend.orders.models import Order, OrderTerm
from backend.orders.search import TO_PACK, OrderFilter, orders_page, within
from backend.payment.providers.base import ProviderState
from backend.staff.rights import RIGHTS, Actor, Role
from tests.backend.orders.paying import at_the_bank, order_row, said, sessions_of
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import MANUAL, bought, get, post

OWNER = Actor("user_1", Role.OWNER)


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, shop_defaults, "trompo", stock=50, price=40_000)


async def found(admin: httpx.AsyncClient, **asked: Any) -> list[int]:
    answer = await get(admin, "/admin/orders", **asked)
    assert answer["count"] == len(answer["orders"])
    return [order["display_id"] for order in answer["orders"]]


async def test_by_number_name_mail_telephone_document_guide_and_cus(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id, payment = await at_the_bank(shop, store, trompo, 1)
    await said(shop, payment, ProviderState.CAPTURED)
    order = await order_row(shop, order_id)
    line = (await get(admin, f"/admin/orders/{order_id}"))["order"]["items"][0]["id"]
    sent = (
        await post(admin, f"/admin/orders/{order_id}/fulfillments", {"items": [{"id": line, "quantity": 1}]})
    )["order"]["fulfillments"][0]
    await post(
        admin,
        f"/admin/orders/{order_id}/fulfillments/{sent['id']}/shipments",
        {"labels": [{"tracking_number": "GUIA-77"}]},
    )
    guide = (await get(admin, f"/admin/orders/{order_id}"))["order"]["fulfillments"][0]["labels"][0][
        "tracking_number"
    ]
    (paid,) = await sessions_of(shop, order_id)
    for said_by in (
        str(order.number),
        f"#{order.number}",
        "gómez",
        "GOM an",
        "ana@exam",
        "ANA@EXAMPLE.COM",
        "300 123 4567",
        "+57 3001234567",
        "30012",
        "1020304050",
        "1.020.304",
        guide,
        paid.invoice,
        *filter(None, [paid.reference, paid.transaction_id]),
    ):
        assert await found(admin, q=said_by) == [order.number], said_by
    for nobody in ("gomez pedro", "omez", "301", "999999", "%", "'; --", "x@y", "9" * 200, "\U0010ffff"):
        assert await found(admin, q=nobody) == [], nobody


async def test_a_word_that_many_have_finds_the_same(
    shop: Shop,
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    trompo: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await bought(store, trompo)
    before = await found(admin, q="ana gomez")
    monkeypatch.setattr("backend.orders.search.MOST_RARE", 0)
    assert await found(admin, q="ana gomez") == before != []
    assert await found(admin, q="ana pedro") == []


async def test_by_day_in_colombia_or_by_moment(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    for _order in range(3):
        await bought(store, trompo)
    moments = ("2026-11-20T04:59:59+00:00", "2026-11-20T05:00:00+00:00", "2026-11-21T05:00:00+00:00")
    async with shop.database.transaction() as session:
        for number, moment in enumerate(moments, 1):
            placed = update(Order).where(Order.number == number)
            await session.execute(placed.values(created_at=datetime.fromisoformat(moment)))
    day = "2026-11-20"
    for operator, numbers in (("$gte", [3, 2]), ("$gt", [3]), ("$lte", [2, 1]), ("$lt", [1])):
        assert await found(admin, **{f"created_at[{operator}]": day}) == numbers, operator
    assert await found(admin, **{"created_at[$gte]": day, "created_at[$lte]": day}) == [2]
    at = "2026-11-20T05:00:00Z"
    for operator, numbers in (("$gte", [3, 2]), ("$gt", [3]), ("$lte", [2, 1]), ("$lt", [1])):
        assert await found(admin, **{f"created_at[{operator}]": at}) == numbers, operator
    for no_date in ("ayer", "2026-13-01", "9999-12-31T23:59:59.999999-23:59", "0001-01-01"):
        answer = await admin.get("/admin/orders", params={"created_at[$lte]": no_date})
        assert answer.status_code in {200, 400}, no_date
    assert (await admin.get("/admin/orders", params={"created_at[$gte]": "ayer"})).status_code == 400


async def test_by_payment_dispatch_and_pickup(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    await bought(store, trompo, provider=MANUAL, price_type="flat")
    await bought(store, trompo, provider=MANUAL, price_type="calculated")
    assert await found(admin, pickup="true") == [1]
    assert await found(admin, pickup="false") == [2]
    assert await found(admin, payment_status="authorized") == [2, 1]
    assert await found(admin, **{"payment_status[]": ["captured", "awaiting"]}) == []
    assert await found(admin, fulfillment_status="not_fulfilled", q="ana", pickup="true") == [1]


async def test_pages_follow_one_another_while_orders_come(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    for _order in range(5):
        await bought(store, trompo)
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    async with shop.database.transaction() as session:  # two of one moment are told apart by their number
        await session.execute(update(Order).where(Order.number.in_([3, 4])).values(created_at=moment))
    seen: list[int | None] = []
    cursor = ""
    for _page in range(3):
        async with shop.database.read() as session:
            orders, cursor = await orders_page(session, OWNER, OrderFilter(text="ana"), 2, cursor)
        seen += [order.number for order in orders]
        await bought(store, trompo)
    assert (seen, cursor) == ([5, 2, 1, 4, 3], "")
    for forged in ("x", "2026-01-01|1", "2026-01-01T00:00:00+00:00|-1", "2026-01-01T00:00:00+00:00|x", "|"):
        async with shop.database.read() as session:
            with pytest.raises(InvalidData):
                await orders_page(session, OWNER, OrderFilter(), 2, forged)


async def test_what_an_order_is_found_by_follows_it(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    await at_the_bank(shop, store, trompo, 1)
    assert await found(admin, q="1020304050") == [1]  # also before it is paid
    async with shop.database.transaction() as session:
        await session.execute(text("DELETE FROM order_line"))
        await session.execute(text('DELETE FROM "order"'))
    async with shop.database.read() as session:
        assert (await session.execute(select(OrderTerm))).all() == []


async def test_the_right_is_checked(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RIGHTS, Role.STOCKROOM, frozenset())
    async with shop.database.read() as session:
        with pytest.raises(Forbidden):
            await orders_page(session, Actor("user_3", Role.STOCKROOM), OrderFilter(text="ana"), 5)


def test_bounds_that_contradict_each_other_leave_nothing_between() -> None:
    wanted = within(OrderFilter(), since="2026-11-21", until="2026-11-20")
    assert wanted.since is not None
    assert wanted.until is not None
    assert wanted.since == wanted.until == datetime(2026, 11, 21, 5, tzinfo=UTC)
    day = within(OrderFilter(), since="2026-11-20", until="2026-11-20")
    assert day.until is not None
    assert day.since is not None
    assert day.until - day.since == timedelta(days=1)


async def test_what_is_to_be_packed_has_an_index_of_its_own(database: Database) -> None:
    query = select(Order.number).where(TO_PACK).order_by(Order.paid_at, Order.number).limit(1)
    async with database.transaction() as session:
        if not database.is_sqlite:
            await session.execute(text("SET LOCAL enable_seqscan = off"))
        compiled = str(query.compile(session.get_bind(), compile_kwargs={"literal_binds": True}))
        explain = "EXPLAIN QUERY PLAN" if database.is_sqlite else "EXPLAIN"
        plan = (await session.execute(text(f"{explain} {compiled}"))).all()
    assert "ix_order_to_pack" in str(plan)
