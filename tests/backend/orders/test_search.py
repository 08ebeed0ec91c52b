"""Search of orders by what staff know about them, on both databases, over the Admin API and page by page."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, text, update

from backend.app import Shop
from backend.core.db.database import Database
from backend.core.errors import Forbidden, InvalidData
from backend.orders.models import Order, OrderTerm
from backend.orders.search import TO_PACK, OrderFilter, read_orders_page, with_date_range
from backend.payment.providers.base import ProviderState
from backend.staff.rights import RIGHTS, Actor, Role
from tests.backend.orders.paying import list_sessions, order_row, place_order_at_bank, report_payment
from tests.store_defaults import Defaults, add_product
from tests.store_steps import MANUAL, complete_purchase, get, post

OWNER = Actor("user_1", Role.OWNER)


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=50, price=40_000)


async def find_numbers(admin: httpx.AsyncClient, **asked: Any) -> list[int]:
    answer = await get(admin, "/admin/orders", **asked)
    assert answer["count"] == len(answer["orders"])
    return [order["display_id"] for order in answer["orders"]]


async def test_orders_are_found_by_number_name_phone_document_tracking_and_payment(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id, payment = await place_order_at_bank(shop, store, trompo, 1)
    await report_payment(shop, payment, ProviderState.CAPTURED)
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
    (paid,) = await list_sessions(shop, order_id)
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
        assert await find_numbers(admin, q=said_by) == [order.number], said_by
    for nobody in ("gomez pedro", "omez", "301", "999999", "%", "'; --", "x@y", "9" * 200, "\U0010ffff"):
        assert await find_numbers(admin, q=nobody) == [], nobody


async def test_search_by_a_frequent_word_finds_the_same_orders_as_by_a_rare_one(
    shop: Shop,
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    trompo: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await complete_purchase(store, trompo)
    before = await find_numbers(admin, q="ana gomez")
    monkeypatch.setattr("backend.orders.search.MAX_RARE_MATCHES", 0)
    assert await find_numbers(admin, q="ana gomez") == before != []
    assert await find_numbers(admin, q="ana pedro") == []


async def test_orders_are_filtered_by_colombian_day_or_by_time(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    for _order in range(3):
        await complete_purchase(store, trompo)
    moments = ("2026-11-20T04:59:59+00:00", "2026-11-20T05:00:00+00:00", "2026-11-21T05:00:00+00:00")
    async with shop.database.transaction() as session:
        for number, moment in enumerate(moments, 1):
            placed = update(Order).where(Order.number == number)
            await session.execute(placed.values(created_at=datetime.fromisoformat(moment)))
    day = "2026-11-20"
    for operator, numbers in (("$gte", [3, 2]), ("$gt", [3]), ("$lte", [2, 1]), ("$lt", [1])):
        assert await find_numbers(admin, **{f"created_at[{operator}]": day}) == numbers, operator
    assert await find_numbers(admin, **{"created_at[$gte]": day, "created_at[$lte]": day}) == [2]
    at = "2026-11-20T05:00:00Z"
    for operator, numbers in (("$gte", [3, 2]), ("$gt", [3]), ("$lte", [2, 1]), ("$lt", [1])):
        assert await find_numbers(admin, **{f"created_at[{operator}]": at}) == numbers, operator
    for no_date in ("ayer", "2026-13-01", "9999-12-31T23:59:59.999999-23:59", "0001-01-01"):
        answer = await admin.get("/admin/orders", params={"created_at[$lte]": no_date})
        assert answer.status_code in {200, 400}, no_date
    assert (await admin.get("/admin/orders", params={"created_at[$gte]": "ayer"})).status_code == 400


async def test_orders_are_filtered_by_payment_fulfillment_and_pickup(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    await complete_purchase(store, trompo, provider=MANUAL, price_type="flat")
    await complete_purchase(store, trompo, provider=MANUAL, price_type="calculated")
    assert await find_numbers(admin, pickup="true") == [1]
    assert await find_numbers(admin, pickup="false") == [2]
    assert await find_numbers(admin, payment_status="authorized") == [2, 1]
    assert await find_numbers(admin, **{"payment_status[]": ["captured", "awaiting"]}) == []
    assert await find_numbers(admin, fulfillment_status="not_fulfilled", q="ana", pickup="true") == [1]


async def test_pages_of_the_order_list_are_consistent_while_orders_arrive(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    for _order in range(5):
        await complete_purchase(store, trompo)
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    async with shop.database.transaction() as session:  # orders of the same time are sorted by number
        await session.execute(update(Order).where(Order.number.in_([3, 4])).values(created_at=moment))
    seen: list[int | None] = []
    cursor = ""
    for _page in range(3):
        async with shop.database.read() as session:
            orders, cursor = await read_orders_page(session, OWNER, OrderFilter(text="ana"), 2, cursor)
        seen += [order.number for order in orders]
        await complete_purchase(store, trompo)
    assert (seen, cursor) == ([5, 2, 1, 4, 3], "")
    for forged in ("x", "2026-01-01|1", "2026-01-01T00:00:00+00:00|-1", "2026-01-01T00:00:00+00:00|x", "|"):
        async with shop.database.read() as session:
            with pytest.raises(InvalidData):
                await read_orders_page(session, OWNER, OrderFilter(), 2, forged)


async def test_search_terms_are_deleted_with_the_order(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    await place_order_at_bank(shop, store, trompo, 1)
    assert await find_numbers(admin, q="1020304050") == [1]  # even before it is paid
    async with shop.database.transaction() as session:
        await session.execute(text("DELETE FROM order_line"))
        await session.execute(text('DELETE FROM "order"'))
    async with shop.database.read() as session:
        assert (await session.execute(select(OrderTerm))).all() == []


async def test_order_search_without_the_right_is_refused(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RIGHTS, Role.STOCKROOM, frozenset())
    async with shop.database.read() as session:
        with pytest.raises(Forbidden):
            await read_orders_page(session, Actor("user_3", Role.STOCKROOM), OrderFilter(text="ana"), 5)


def test_date_range_that_ends_before_it_begins_matches_no_order() -> None:
    wanted = with_date_range(OrderFilter(), since="2026-11-21", until="2026-11-20")
    assert wanted.since is not None
    assert wanted.until is not None
    assert wanted.since == wanted.until == datetime(2026, 11, 21, 5, tzinfo=UTC)
    day = with_date_range(OrderFilter(), since="2026-11-20", until="2026-11-20")
    assert day.until is not None
    assert day.since is not None
    assert day.until - day.since == timedelta(days=1)


async def test_query_for_orders_to_pack_uses_its_partial_index(database: Database) -> None:
    query = select(Order.number).where(TO_PACK).order_by(Order.paid_at, Order.number).limit(1)
    async with database.transaction() as session:
        if not database.is_sqlite:
            await session.execute(text("SET LOCAL enable_seqscan = off"))
        compiled = str(query.compile(session.get_bind(), compile_kwargs={"literal_binds": True}))
        explain = "EXPLAIN QUERY PLAN" if database.is_sqlite else "EXPLAIN"
        plan = (await session.execute(text(f"{explain} {compiled}"))).all()
    assert "ix_order_to_pack" in str(plan)
