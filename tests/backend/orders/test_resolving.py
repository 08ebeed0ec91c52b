"""Decisions by staff about payments: their effects on order, stock and payment happen exactly once."""

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
    list_sessions,
    order_row,
    read_open_attention,
    read_order_status,
    read_stock,
    report_payment,
    resolve,
)
from tests.sold_order import SoldOrder
from tests.store_steps import get

S = ProviderState
REFUNDED = {"action": "refunded", "reference": "0012345678"}


@pytest.fixture
async def paying(shop: Shop, order_at_bank: SoldOrder) -> tuple[str, str]:
    """Return the ids of an order at the bank and of its payment session.

    The order has two units for 80 000 pesos; 3 units are stocked.
    """
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=3))
    return order_at_bank.order_id, order_at_bank.session_id


async def refunds(shop: Shop) -> list[tuple[int, str, str | None]]:
    async with shop.database.read() as session:
        rows = await session.execute(select(Refund.amount, Refund.reference, Refund.order_id))
        return [(amount, reference, order_id) for amount, reference, order_id in rows]


async def mails(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        return list((await session.execute(select(Mail.kind))).scalars())


async def list_open_kinds(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        return list(
            (await session.execute(select(Attention.kind).where(Attention.resolved_at.is_(None)))).scalars()
        )


async def sell_out(shop: Shop) -> None:
    """Sell every unit that is not reserved."""
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=InventoryLevel.reserved))


# approved late


@pytest.fixture
async def late(shop: Shop, paying: tuple[str, str]) -> tuple[str, str]:
    """Let the bank reject the payment, which cancels the order, then approve it. Return the ids of `paying`."""
    order_id, session_id = paying
    await report_payment(shop, session_id, S.REJECTED)
    assert await read_order_status(shop, order_id) == ("canceled", "canceled")
    await report_payment(shop, session_id, S.CAPTURED)
    assert await read_order_status(shop, order_id) == ("canceled", "canceled")
    return paying


async def test_accepted_late_payment_revives_the_order(
    shop: Shop, admin: httpx.AsyncClient, late: tuple[str, str]
) -> None:
    row = await read_open_attention(shop)
    assert (row.kind, row.amount) == ("approved_late", 80_000)
    assert (await resolve(admin, row, action="honor")).status_code == 200
    assert await read_order_status(shop, late[0]) == ("pending", "captured")
    assert await read_stock(shop) == (3, 2)
    order = (await get(admin, f"/admin/orders/{late[0]}"))["order"]
    assert (order["summary"]["paid_total"], order["summary"]["pending_difference"]) == (80_000, 0)
    async with shop.database.read() as session:
        promise = (await session.execute(select(Reservation))).scalar_one()
    assert promise.expires_at is None
    assert (await resolve(admin, row, action="honor")).status_code == 409


async def test_late_payment_cannot_be_accepted_while_units_are_missing(
    shop: Shop, admin: httpx.AsyncClient, late: tuple[str, str], order_at_bank: SoldOrder
) -> None:
    row = await read_open_attention(shop)
    await sell_out(shop)
    refused = await resolve(admin, row, action="honor")
    assert (refused.status_code, refused.json()["code"]) == (400, "insufficient_inventory")
    assert refused.json()["message"] == f"Units are missing: 2 of {order_at_bank.variant_id}"
    assert (await read_open_attention(shop)).id == row.id
    assert await read_order_status(shop, late[0]) == ("canceled", "canceled")
    assert [one.state for one in await list_sessions(shop, late[0])] == ["rejected"]


async def test_late_payment_can_be_refunded_instead_of_accepted(
    shop: Shop, admin: httpx.AsyncClient, late: tuple[str, str]
) -> None:
    assert (await resolve(admin, await read_open_attention(shop), **REFUNDED)).status_code == 200
    assert await read_order_status(shop, late[0]) == ("canceled", "refunded")
    assert await refunds(shop) == [(80_000, "0012345678", late[0])]
    assert await read_stock(shop) == (3, 0)
    order = (await get(admin, f"/admin/orders/{late[0]}"))["order"]
    assert (order["summary"]["paid_total"], order["summary"]["refunded_total"]) == (80_000, 80_000)
    (payment,) = order["payment_collections"][0]["payments"]
    assert [(one["amount"], one["reference"]) for one in payment["refunds"]] == [(80_000, "0012345678")]


async def test_only_one_of_four_concurrent_decisions_about_a_payment_is_executed(
    shop: Shop, admin: httpx.AsyncClient, late: tuple[str, str]
) -> None:
    row = await read_open_attention(shop)
    answers = await asyncio.gather(
        resolve(admin, row, action="honor"),
        resolve(admin, row, **REFUNDED),
        resolve(admin, row, action="honor"),
        resolve(admin, row, **REFUNDED),
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    is_paid = await read_order_status(shop, late[0]) == ("pending", "captured")
    assert (await refunds(shop) == []) == is_paid
    assert await read_stock(shop) == (3, 2 if is_paid else 0)


async def test_dismissing_a_late_payment_changes_neither_the_order_nor_refunds(
    shop: Shop, admin: httpx.AsyncClient, late: tuple[str, str]
) -> None:
    decision = {"action": "dismissed", "note": "The gateway took it back itself"}
    assert (await resolve(admin, await read_open_attention(shop), **decision)).status_code == 200
    assert await read_order_status(shop, late[0]) == ("canceled", "canceled")
    assert await refunds(shop) == []


# another amount


@pytest.mark.parametrize(
    ("amount", "status"), [(79_999, "partially_captured"), (80_001, "captured"), (1, "partially_captured")]
)
async def test_accepting_a_different_amount_sets_the_matching_payment_status(
    *, shop: Shop, admin: httpx.AsyncClient, paying: tuple[str, str], amount: int, status: str
) -> None:
    await report_payment(shop, paying[1], S.CAPTURED, amount)
    assert await read_order_status(shop, paying[0]) == ("pending", "awaiting")
    row = await read_open_attention(shop)
    assert (row.kind, row.amount) == ("amount_differs", amount)
    assert (await resolve(admin, row, action="honor")).status_code == 200
    assert await read_order_status(shop, paying[0]) == ("pending", status)
    order = (await get(admin, f"/admin/orders/{paying[0]}"))["order"]
    assert order["summary"]["paid_total"] == amount
    assert order["summary"]["pending_difference"] == 80_000 - amount
    assert await read_stock(shop) == (3, 2)
    to_pack = (await get(admin, "/admin/orders", to_pack="true"))["orders"]
    assert [one["id"] for one in to_pack] == [paying[0]]
    assert "order_paid" in await mails(shop)


async def test_approval_pays_the_order_once_its_amount_is_reported_later(
    shop: Shop, paying: tuple[str, str]
) -> None:
    async with shop.database.read() as session:
        payment = await session.get_one(PaymentSession, paying[1])
    without_amount = ProviderReport(state=S.CAPTURED, invoice=payment.invoice)
    await apply_report(shop.database, payment.id, without_amount)
    row = await read_open_attention(shop)
    assert row.kind == "amount_differs"
    await report_payment(shop, payment.id, S.CAPTURED)
    assert await read_order_status(shop, paying[0]) == ("pending", "captured")
    async with shop.database.read() as session:
        settled = await session.get_one(Attention, row.id)
    assert (settled.resolution, settled.resolved_by) == ("dismissed", "shop")


@pytest.mark.parametrize(
    ("reports", "amount", "told"),
    [([S.HELD], None, ["order_unconfirmed"]), ([S.CAPTURED], 79_999, [])],
    ids=["held", "another amount"],
)
async def test_dismissing_a_held_payment_cancels_its_order(
    *,
    shop: Shop,
    admin: httpx.AsyncClient,
    paying: tuple[str, str],
    reports: list[ProviderState],
    amount: int | None,
    told: list[str],
) -> None:
    for state in reports:
        await report_payment(shop, paying[1], state, amount)
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
    assert (await resolve(admin, await read_open_attention(shop), **note)).status_code == 200
    assert await read_order_status(shop, paying[0]) == ("canceled", "canceled")
    assert await read_stock(shop) == (3, 0)
    assert [kind for kind in await mails(shop) if kind not in before] == told
    if amount is not None:  # the same money is reported again
        await report_payment(shop, paying[1], S.CAPTURED, amount)
        assert await list_open_kinds(shop) == []
    await report_payment(shop, paying[1], S.CAPTURED)  # if it arrives later, attention is raised
    assert await list_open_kinds(shop) == ["approved_late"]


async def test_dismissed_approval_needs_attention_again_when_its_amount_is_reported(
    shop: Shop, admin: httpx.AsyncClient, paying: tuple[str, str]
) -> None:
    async with shop.database.read() as session:
        payment = await session.get_one(PaymentSession, paying[1])
    without_amount = ProviderReport(state=S.CAPTURED, invoice=payment.invoice)
    await apply_report(shop.database, payment.id, without_amount)
    before = await mails(shop)
    note = {"action": "dismissed", "note": "it never came"}
    assert (await resolve(admin, await read_open_attention(shop), **note)).status_code == 200
    assert await read_order_status(shop, paying[0]) == ("canceled", "canceled")
    assert await mails(shop) == before
    await apply_report(shop.database, payment.id, without_amount)
    assert await list_open_kinds(shop) == []
    await report_payment(shop, payment.id, S.CAPTURED)
    row = await read_open_attention(shop)
    assert (row.kind, row.amount) == ("approved_late", 80_000)
    assert (await resolve(admin, row, **note)).status_code == 200
    await report_payment(shop, payment.id, S.CAPTURED)
    assert await list_open_kinds(shop) == []


async def test_held_payment_that_the_bank_rejects_cancels_the_order(
    shop: Shop, paying: tuple[str, str]
) -> None:
    await report_payment(shop, paying[1], S.HELD)
    await report_payment(shop, paying[1], S.REJECTED)
    assert await read_order_status(shop, paying[0]) == ("canceled", "canceled")
    assert "order_lost" in await mails(shop)


async def test_refunding_a_different_amount_cancels_the_order(
    shop: Shop, admin: httpx.AsyncClient, paying: tuple[str, str]
) -> None:
    await report_payment(shop, paying[1], S.CAPTURED, 800_000)
    assert (await resolve(admin, await read_open_attention(shop), **REFUNDED)).status_code == 200
    assert await read_order_status(shop, paying[0]) == ("canceled", "refunded")
    assert await refunds(shop) == [(800_000, "0012345678", paying[0])]
    assert await read_stock(shop) == (3, 0)


# paid twice


@pytest.fixture
async def twice(shop: Shop, paying: tuple[str, str]) -> tuple[str, str]:
    await report_payment(shop, paying[1], S.CAPTURED)
    await report_payment(shop, paying[1], S.CAPTURED, second=True)
    return paying


async def test_second_payment_of_an_order_is_refunded_once(
    shop: Shop, admin: httpx.AsyncClient, twice: tuple[str, str]
) -> None:
    row = await read_open_attention(shop)
    assert (row.kind, row.amount) == ("paid_twice", 80_000)
    assert (await resolve(admin, row, **REFUNDED)).status_code == 200
    assert await read_order_status(shop, twice[0]) == ("pending", "captured")
    order = (await get(admin, f"/admin/orders/{twice[0]}"))["order"]
    summary = order["summary"]
    assert (summary["paid_total"], summary["refunded_total"]) == (160_000, 80_000)
    assert summary["pending_difference"] == 0
    assert await read_stock(shop) == (3, 2)


async def test_second_payment_of_a_paid_order_cannot_be_accepted(
    shop: Shop, admin: httpx.AsyncClient, twice: tuple[str, str]
) -> None:
    refused = await resolve(admin, await read_open_attention(shop), action="honor")
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    assert "is already paid" in refused.json()["message"]


# unresolved


@pytest.fixture
async def unresolved(shop: Shop, paying: tuple[str, str]) -> tuple[str, str]:
    """Close the payment and cancel the order, as after 48 hours without report. Return the ids of `paying`."""
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
    assert await read_order_status(shop, paying[0]) == ("canceled", "canceled")
    return paying


@pytest.mark.parametrize(
    ("decision", "status", "reserved"),
    [
        ({"action": "honor"}, ("pending", "captured"), 2),
        (REFUNDED, ("canceled", "refunded"), 0),
        ({"action": "dismissed", "note": "nothing came"}, ("canceled", "canceled"), 0),
    ],
)
async def test_staff_decision_about_an_unresolved_payment_sets_order_status_and_stock(
    *,
    shop: Shop,
    admin: httpx.AsyncClient,
    unresolved: tuple[str, str],
    decision: dict[str, str],
    status: tuple[str, str],
    reserved: int,
) -> None:
    assert (await resolve(admin, await read_open_attention(shop), **decision)).status_code == 200
    assert await read_order_status(shop, unresolved[0]) == status
    assert await read_stock(shop) == (3, reserved)


@pytest.mark.parametrize(
    ("state", "status"),
    [(S.CAPTURED, ("pending", "captured")), (S.REJECTED, ("canceled", "canceled"))],
)
async def test_late_gateway_report_resolves_an_unresolved_payment(
    *, shop: Shop, unresolved: tuple[str, str], state: ProviderState, status: tuple[str, str]
) -> None:
    row = await read_open_attention(shop)
    await report_payment(shop, unresolved[1], state)
    assert await read_order_status(shop, unresolved[0]) == status
    async with shop.database.read() as session:
        settled = await session.get_one(Attention, row.id)
    assert (settled.resolved_by, settled.resolution) == ("shop", "dismissed")


# no order


async def test_payment_without_an_order_or_snapshot_can_be_refunded(
    shop: Shop, admin: httpx.AsyncClient, paying: tuple[str, str]
) -> None:
    """Check an old payment, which has no snapshot of the cart."""
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
    assert (await resolve(admin, await read_open_attention(shop), **REFUNDED)).status_code == 200
    assert [amount for amount, *_ in await refunds(shop)] == [80_000]


# stock


@pytest.fixture
async def short(shop: Shop, paying: tuple[str, str]) -> str:
    """Delete the order's reservations, leave one unit in stock, and then approve the payment. Return the order's id."""
    order_id, session_id = paying
    async with shop.database.transaction() as session:
        cart_id = (await order_row(shop, order_id)).cart_id
        await session.execute(update(InventoryLevel).values(stocked=1, reserved=0))
        for promise in (await session.execute(select(Reservation))).scalars():
            assert promise.holder == cart_id
            await session.delete(promise)
    await report_payment(shop, session_id, S.CAPTURED)
    assert await read_order_status(shop, order_id) == ("pending", "captured")
    assert (await read_open_attention(shop)).kind == "stock_short"
    return order_id


async def test_units_that_arrived_are_reserved_for_the_order_that_lacks_them(
    shop: Shop, admin: httpx.AsyncClient, short: str, order_at_bank: SoldOrder
) -> None:
    row = await read_open_attention(shop)
    refused = await resolve(admin, row, action="honor")
    assert (refused.status_code, refused.json()["code"]) == (400, "insufficient_inventory")
    assert refused.json()["message"] == f"Units are missing: 1 of {order_at_bank.variant_id}"
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=2))
    assert (await resolve(admin, row, action="honor")).status_code == 200
    assert await read_stock(shop) == (2, 2)


async def test_refund_of_an_order_with_missing_units_cancels_it(
    shop: Shop, admin: httpx.AsyncClient, short: str
) -> None:
    assert (await resolve(admin, await read_open_attention(shop), **REFUNDED)).status_code == 200
    assert await read_order_status(shop, short) == ("canceled", "refunded")
    assert await refunds(shop) == [(80_000, "0012345678", short)]
    assert await read_stock(shop) == (1, 0)
    async with shop.database.read() as session:
        kinds = (await session.execute(select(Mail.kind))).scalars().all()
        row = (await session.execute(select(Attention))).scalar_one()
    assert (row.resolution, row.reference) == ("refunded", "0012345678")
    assert "refunded" in kinds
    assert "order_lost" not in kinds
