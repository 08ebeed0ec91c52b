"""Money that a person decides about: each decision does what it says to order, stock and payment, once."""

import asyncio

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.attention import AttentionKind, raise_attention
from backend.attention.models import Attention
from backend.inventory.models import InventoryLevel, Reservation
from backend.mail.models import Mail
from backend.payment.models import PaymentSession, Refund
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.transitions import CloseReason, apply_report, close, lock_session
from tests.backend.orders.paying import (
    at_the_bank,
    order_row,
    resolve,
    said,
    sessions_of,
    stands,
    stock,
    to_settle,
)
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import get

S = ProviderState
BACK = {"action": "refunded", "reference": "0012345678"}


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, shop_defaults, "trompo", stock=3, price=40_000)


@pytest.fixture
async def paying(shop: Shop, store: httpx.AsyncClient, trompo: str) -> tuple[str, str]:
    """An order of two toys for 80 000 pesos at the bank, and its payment session."""
    return await at_the_bank(shop, store, trompo)


async def refunds(shop: Shop) -> list[tuple[int, str, str | None]]:
    async with shop.database.read() as session:
        rows = await session.execute(select(Refund.amount, Refund.reference, Refund.order_id))
        return [(amount, reference, order_id) for amount, reference, order_id in rows]


async def mails(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        return list((await session.execute(select(Mail.kind))).scalars())


async def kinds_to_settle(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        return list(
            (await session.execute(select(Attention.kind).where(Attention.resolved_at.is_(None)))).scalars()
        )


async def sell_out(shop: Shop) -> None:
    """Somebody else got every unit that nobody is promised."""
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=InventoryLevel.reserved))


# approved late


@pytest.fixture
async def late(shop: Shop, paying: tuple[str, str]) -> tuple[str, str]:
    """The bank has said no, the order is cancelled, and then the bank says yes."""
    order_id, session_id = paying
    await said(shop, session_id, S.REJECTED)
    assert await stands(shop, order_id) == ("canceled", "canceled")
    await said(shop, session_id, S.CAPTURED)
    assert await stands(shop, order_id) == ("canceled", "canceled")
    return paying


async def test_late_money_pays_and_the_order_stands_again(
    shop: Shop, admin: httpx.AsyncClient, late: tuple[str, str]
) -> None:
    row = await to_settle(shop)
    assert (row.kind, row.amount) == ("approved_late", 80_000)
    assert (await resolve(admin, row, action="honor")).status_code == 200
    assert await stands(shop, late[0]) == ("pending", "captured")
    assert await stock(shop) == (3, 2)
    order = (await get(admin, f"/admin/orders/{late[0]}"))["order"]
    assert (order["summary"]["paid_total"], order["summary"]["pending_difference"]) == (80_000, 0)
    async with shop.database.read() as session:
        promise = (await session.execute(select(Reservation))).scalar_one()
    assert promise.expires_at is None
    assert (await resolve(admin, row, action="honor")).status_code == 409


async def test_late_money_is_refused_while_units_are_missing(
    shop: Shop, admin: httpx.AsyncClient, late: tuple[str, str], trompo: str
) -> None:
    row = await to_settle(shop)
    await sell_out(shop)
    refused = await resolve(admin, row, action="honor")
    assert (refused.status_code, refused.json()["code"]) == (400, "insufficient_inventory")
    assert refused.json()["message"] == f"Units are missing: 2 of {trompo}"
    assert (await to_settle(shop)).id == row.id
    assert await stands(shop, late[0]) == ("canceled", "canceled")
    assert [one.state for one in await sessions_of(shop, late[0])] == ["rejected"]


async def test_late_money_goes_back(shop: Shop, admin: httpx.AsyncClient, late: tuple[str, str]) -> None:
    assert (await resolve(admin, await to_settle(shop), **BACK)).status_code == 200
    assert await stands(shop, late[0]) == ("canceled", "refunded")
    assert await refunds(shop) == [(80_000, "0012345678", late[0])]
    assert await stock(shop) == (3, 0)
    order = (await get(admin, f"/admin/orders/{late[0]}"))["order"]
    assert (order["summary"]["paid_total"], order["summary"]["refunded_total"]) == (80_000, 80_000)
    (payment,) = order["payment_collections"][0]["payments"]
    assert [(one["amount"], one["reference"]) for one in payment["refunds"]] == [(80_000, "0012345678")]


async def test_two_who_decide_at_once_are_one_decision(
    shop: Shop, admin: httpx.AsyncClient, late: tuple[str, str]
) -> None:
    row = await to_settle(shop)
    answers = await asyncio.gather(
        resolve(admin, row, action="honor"),
        resolve(admin, row, **BACK),
        resolve(admin, row, action="honor"),
        resolve(admin, row, **BACK),
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    is_paid = await stands(shop, late[0]) == ("pending", "captured")
    assert (await refunds(shop) == []) == is_paid
    assert await stock(shop) == (3, 2 if is_paid else 0)


async def test_dismissed_it_is_a_note_and_nothing_else(
    shop: Shop, admin: httpx.AsyncClient, late: tuple[str, str]
) -> None:
    decision = {"action": "dismissed", "note": "The gateway took it back itself"}
    assert (await resolve(admin, await to_settle(shop), **decision)).status_code == 200
    assert await stands(shop, late[0]) == ("canceled", "canceled")
    assert await refunds(shop) == []


# another amount


@pytest.mark.parametrize(
    ("amount", "status"), [(79_999, "partially_captured"), (80_001, "captured"), (1, "partially_captured")]
)
async def test_another_amount_pays_what_it_pays(
    *, shop: Shop, admin: httpx.AsyncClient, paying: tuple[str, str], amount: int, status: str
) -> None:
    await said(shop, paying[1], S.CAPTURED, amount)
    assert await stands(shop, paying[0]) == ("pending", "awaiting")
    row = await to_settle(shop)
    assert (row.kind, row.amount) == ("amount_differs", amount)
    assert (await resolve(admin, row, action="honor")).status_code == 200
    assert await stands(shop, paying[0]) == ("pending", status)
    order = (await get(admin, f"/admin/orders/{paying[0]}"))["order"]
    assert order["summary"]["paid_total"] == amount
    assert order["summary"]["pending_difference"] == 80_000 - amount
    assert await stock(shop) == (3, 2)
    to_pack = (await get(admin, "/admin/orders", to_pack="true"))["orders"]
    assert [one["id"] for one in to_pack] == [paying[0]]
    assert "order_paid" in await mails(shop)


async def test_an_approval_whose_amount_is_told_later_pays_and_nobody_is_asked(
    shop: Shop, paying: tuple[str, str]
) -> None:
    async with shop.database.read() as session:
        payment = await session.get_one(PaymentSession, paying[1])
    without_amount = ProviderReport(state=S.CAPTURED, invoice=payment.invoice)
    await apply_report(shop.database, payment.id, without_amount)
    row = await to_settle(shop)
    assert row.kind == "amount_differs"
    await said(shop, payment.id, S.CAPTURED)
    assert await stands(shop, paying[0]) == ("pending", "captured")
    async with shop.database.read() as session:
        settled = await session.get_one(Attention, row.id)
    assert (settled.resolution, settled.resolved_by) == ("dismissed", "shop")


@pytest.mark.parametrize(
    ("reports", "amount", "told"),
    [([S.HELD], None, ["order_unconfirmed"]), ([S.CAPTURED], 79_999, [])],
    ids=["held", "another amount"],
)
async def test_money_that_nobody_waits_for_any_more_cancels_its_order(
    *,
    shop: Shop,
    admin: httpx.AsyncClient,
    paying: tuple[str, str],
    reports: list[ProviderState],
    amount: int | None,
    told: list[str],
) -> None:
    for state in reports:
        await said(shop, paying[1], state, amount)
    if amount is None:
        async with shop.database.transaction() as session:
            await raise_attention(
                session,
                AttentionKind.PAYMENT_UNRESOLVED,
                message="48 hours held",
                amount=80_000,
                payment_session_id=paying[1],
                order_id=paying[0],
            )
    note = {"action": "dismissed", "note": "it never came"}
    before = await mails(shop)
    assert (await resolve(admin, await to_settle(shop), **note)).status_code == 200
    assert await stands(shop, paying[0]) == ("canceled", "canceled")
    assert await stock(shop) == (3, 0)
    assert [kind for kind in await mails(shop) if kind not in before] == told
    if amount is not None:  # the same money, told of once more
        await said(shop, paying[1], S.CAPTURED, amount)
        assert await kinds_to_settle(shop) == []
    await said(shop, paying[1], S.CAPTURED)  # if it comes after all, a person hears of it
    assert await kinds_to_settle(shop) == ["approved_late"]


async def test_an_approval_without_an_amount_that_nobody_waits_for_is_settled_when_its_amount_is_told(
    shop: Shop, admin: httpx.AsyncClient, paying: tuple[str, str]
) -> None:
    async with shop.database.read() as session:
        payment = await session.get_one(PaymentSession, paying[1])
    without_amount = ProviderReport(state=S.CAPTURED, invoice=payment.invoice)
    await apply_report(shop.database, payment.id, without_amount)
    before = await mails(shop)
    note = {"action": "dismissed", "note": "it never came"}
    assert (await resolve(admin, await to_settle(shop), **note)).status_code == 200
    assert await stands(shop, paying[0]) == ("canceled", "canceled")
    assert await mails(shop) == before
    await apply_report(shop.database, payment.id, without_amount)
    assert await kinds_to_settle(shop) == []
    await said(shop, payment.id, S.CAPTURED)
    row = await to_settle(shop)
    assert (row.kind, row.amount) == ("approved_late", 80_000)
    assert (await resolve(admin, row, **note)).status_code == 200
    await said(shop, payment.id, S.CAPTURED)
    assert await kinds_to_settle(shop) == []


async def test_a_held_payment_that_the_bank_rejects_was_not_charged(
    shop: Shop, paying: tuple[str, str]
) -> None:
    await said(shop, paying[1], S.HELD)
    await said(shop, paying[1], S.REJECTED)
    assert await stands(shop, paying[0]) == ("canceled", "canceled")
    assert "order_lost" in await mails(shop)


async def test_another_amount_goes_back_and_the_order_is_cancelled(
    shop: Shop, admin: httpx.AsyncClient, paying: tuple[str, str]
) -> None:
    await said(shop, paying[1], S.CAPTURED, 800_000)
    assert (await resolve(admin, await to_settle(shop), **BACK)).status_code == 200
    assert await stands(shop, paying[0]) == ("canceled", "refunded")
    assert await refunds(shop) == [(800_000, "0012345678", paying[0])]
    assert await stock(shop) == (3, 0)


# paid twice


@pytest.fixture
async def twice(shop: Shop, paying: tuple[str, str]) -> tuple[str, str]:
    await said(shop, paying[1], S.CAPTURED)
    await said(shop, paying[1], S.CAPTURED, second=True)
    return paying


async def test_money_that_came_twice_goes_back_once(
    shop: Shop, admin: httpx.AsyncClient, twice: tuple[str, str]
) -> None:
    row = await to_settle(shop)
    assert (row.kind, row.amount) == ("paid_twice", 80_000)
    assert (await resolve(admin, row, **BACK)).status_code == 200
    assert await stands(shop, twice[0]) == ("pending", "captured")
    order = (await get(admin, f"/admin/orders/{twice[0]}"))["order"]
    summary = order["summary"]
    assert (summary["paid_total"], summary["refunded_total"]) == (160_000, 80_000)
    assert summary["pending_difference"] == 0
    assert await stock(shop) == (3, 2)


async def test_a_paid_order_is_not_paid_again(
    shop: Shop, admin: httpx.AsyncClient, twice: tuple[str, str]
) -> None:
    refused = await resolve(admin, await to_settle(shop), action="honor")
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    assert "is paid already" in refused.json()["message"]


# nobody knows


@pytest.fixture
async def unresolved(shop: Shop, paying: tuple[str, str]) -> tuple[str, str]:
    """48 hours without a word from the gateway."""
    async with shop.database.transaction() as session:
        payment, cart = await lock_session(session, paying[1])
        await close(session, payment, cart, CloseReason.UNRESOLVED)
        await raise_attention(
            session,
            AttentionKind.PAYMENT_UNRESOLVED,
            subject_id=payment.id,
            message="48 hours without a word",
            amount=payment.amount,
            payment_session_id=payment.id,
            order_id=paying[0],
        )
    assert await stands(shop, paying[0]) == ("canceled", "canceled")
    return paying


@pytest.mark.parametrize(
    ("decision", "status", "reserved"),
    [
        ({"action": "honor"}, ("pending", "captured"), 2),
        (BACK, ("canceled", "refunded"), 0),
        ({"action": "dismissed", "note": "nothing came"}, ("canceled", "canceled"), 0),
    ],
)
async def test_what_the_gateways_desk_says_settles_it(
    *,
    shop: Shop,
    admin: httpx.AsyncClient,
    unresolved: tuple[str, str],
    decision: dict[str, str],
    status: tuple[str, str],
    reserved: int,
) -> None:
    assert (await resolve(admin, await to_settle(shop), **decision)).status_code == 200
    assert await stands(shop, unresolved[0]) == status
    assert await stock(shop) == (3, reserved)


@pytest.mark.parametrize(
    ("state", "status"),
    [(S.CAPTURED, ("pending", "captured")), (S.REJECTED, ("canceled", "canceled"))],
)
async def test_what_the_gateway_says_after_all_settles_it_too(
    *, shop: Shop, unresolved: tuple[str, str], state: ProviderState, status: tuple[str, str]
) -> None:
    row = await to_settle(shop)
    await said(shop, unresolved[1], state)
    assert await stands(shop, unresolved[0]) == status
    async with shop.database.read() as session:
        settled = await session.get_one(Attention, row.id)
    assert (settled.resolved_by, settled.resolution) == ("shop", "dismissed")


# no order


async def test_money_without_an_order_goes_back(
    shop: Shop, admin: httpx.AsyncClient, paying: tuple[str, str]
) -> None:
    """What was paid for is not known: only old payments, from before it was written down."""
    async with shop.database.transaction() as session:
        values = {"state": "captured", "captured_amount": 80_000, "snapshot": {}}
        await session.execute(update(PaymentSession).values(**values))
        await raise_attention(
            session,
            AttentionKind.PAID_WITHOUT_ORDER,
            subject_id=paying[1],
            message="nothing is known",
            payment_session_id=paying[1],
        )
    assert (await resolve(admin, await to_settle(shop), **BACK)).status_code == 200
    assert [amount for amount, *_ in await refunds(shop)] == [80_000]


# stock


@pytest.fixture
async def short(shop: Shop, paying: tuple[str, str]) -> str:
    """The order is paid, and somebody else has its units."""
    order_id, session_id = paying
    async with shop.database.transaction() as session:
        cart_id = (await order_row(shop, order_id)).cart_id
        await session.execute(update(InventoryLevel).values(stocked=1, reserved=0))
        for promise in (await session.execute(select(Reservation))).scalars():
            assert promise.holder == cart_id
            await session.delete(promise)
    await said(shop, session_id, S.CAPTURED)
    assert await stands(shop, order_id) == ("pending", "captured")
    assert (await to_settle(shop)).kind == "stock_short"
    return order_id


async def test_units_that_came_are_reserved(
    shop: Shop, admin: httpx.AsyncClient, short: str, trompo: str
) -> None:
    row = await to_settle(shop)
    refused = await resolve(admin, row, action="honor")
    assert (refused.status_code, refused.json()["code"]) == (400, "insufficient_inventory")
    assert refused.json()["message"] == f"Units are missing: 1 of {trompo}"
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=2))
    assert (await resolve(admin, row, action="honor")).status_code == 200
    assert await stock(shop) == (2, 2)


async def test_where_none_came_the_money_goes_back_and_the_order_is_cancelled(
    shop: Shop, admin: httpx.AsyncClient, short: str
) -> None:
    assert (await resolve(admin, await to_settle(shop), **BACK)).status_code == 200
    assert await stands(shop, short) == ("canceled", "refunded")
    assert await refunds(shop) == [(80_000, "0012345678", short)]
    assert await stock(shop) == (1, 0)
    async with shop.database.read() as session:
        kinds = (await session.execute(select(Mail.kind))).scalars().all()
        row = (await session.execute(select(Attention))).scalar_one()
    assert (row.resolution, row.reference) == ("refunded", "0012345678")
    assert "refunded" in kinds
    assert "order_lost" not in kinds
