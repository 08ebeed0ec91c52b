"""Requests of returns: the possible kinds, their deadlines, and the changes of the order."""

import asyncio
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.core.business_days import due_date_after
from backend.core.errors import Forbidden, InvalidData, NotAllowed, NotFound
from backend.core.web.contact import read_form
from backend.mail.messages import compose_message
from backend.mail.models import Mail
from backend.orders.models import OrderLine
from backend.orders.service import read_order
from backend.returns.deadlines import (
    compute_payment_deadline,
    compute_warranty_deadline,
    compute_withdrawal_deadline,
    count_days_left,
)
from backend.returns.forms import AccountForm
from backend.returns.models import Return, ReturnAccount, ReturnKind
from backend.returns.requests import list_offers, store_customer_request
from backend.staff.rights import Actor, Role
from tests.backend.orders.paying import place_order_at_bank, read_order_status, read_stock
from tests.backend.returns.steps import (
    ACCOUNT,
    Sold,
    add_shipping,
    approve_return,
    deliver_order,
    open_by_staff,
    pack_units,
    read_state,
    receive_units,
    request_return,
)
from tests.store_steps import get


async def list_offered_units(shop: Shop, of: Sold) -> dict[str, int]:
    """Return how many units the customer can return, by kind of return."""
    async with shop.database.read() as session:
        found = await list_offers(session, await read_order(session, of.order_id))
    return {one.kind.value: sum(one.units.values()) for one in found}


def test_deadlines_of_returns_are_counted_in_colombian_days() -> None:
    night = datetime(2026, 11, 24, 4, 59, tzinfo=UTC)  # Monday the 23rd, a minute before midnight
    assert compute_withdrawal_deadline(night) == datetime(
        2026, 12, 1, 5, tzinfo=UTC
    )  # five business days: Monday the 30th
    assert compute_payment_deadline(night) == datetime(2026, 12, 9, 5, tzinfo=UTC)
    assert compute_warranty_deadline(night) == datetime(2027, 11, 24, 5, tzinfo=UTC)
    assert compute_warranty_deadline(datetime(2028, 2, 29, 15, tzinfo=UTC)) == datetime(
        2029, 3, 1, 5, tzinfo=UTC
    )
    assert compute_withdrawal_deadline(None) is compute_warranty_deadline(None) is None
    last = datetime(2026, 12, 9, 4, 59, tzinfo=UTC)
    due = compute_payment_deadline(night)
    assert [count_days_left(due, moment) for moment in (night, last, last + timedelta(minutes=1))] == [
        15,
        0,
        -1,
    ]


async def test_offered_kinds_of_return_depend_on_the_state_of_the_order(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    assert await list_offered_units(shop, paid) == {"not_sent": 2}
    await pack_units(admin, paid, 1)
    assert await list_offered_units(shop, paid) == {
        "withdrawal": 1,
        "warranty": 1,
    }  # its period has not begun
    await pack_units(admin, paid, 1)
    await deliver_order(shop, paid)
    assert await list_offered_units(shop, paid) == {"withdrawal": 2, "warranty": 2}
    await deliver_order(shop, paid, days_ago=30)
    assert await list_offered_units(shop, paid) == {"warranty": 2}
    with pytest.raises(NotAllowed):
        await request_return(shop, paid)
    await deliver_order(shop, paid, days_ago=400)
    assert await list_offered_units(shop, paid) == {}


async def test_no_return_is_offered_for_an_unpaid_order(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, paid: Sold
) -> None:
    variant_id = (await get(admin, f"/admin/orders/{paid.order_id}"))["order"]["items"][0]["variant_id"]
    order_id, _session = await place_order_at_bank(shop, store, variant_id, 1)
    assert await list_offered_units(shop, Sold(order_id, "")) == {}
    with pytest.raises(NotAllowed):
        await store_customer_request(shop.database, order_id, paid.form_fields("not_sent"))
    with pytest.raises(NotFound):
        await store_customer_request(shop.database, "order_none", paid.form_fields("withdrawal"))


async def test_withdrawal_request_is_stored_with_its_deadline_and_bank_account(
    shop: Shop, delivered: Sold
) -> None:
    row = await request_return(shop, delivered, reason=" Llegó\r\ntarde.\x00 ")
    assert (row.state, row.amount, row.reason, row.asked_by) == ("requested", None, "Llegó\ntarde.", "")
    assert row.due_at == compute_payment_deadline(row.asked_at)
    async with shop.database.read() as session:
        account = await session.get_one(ReturnAccount, row.id)
        assert (account.account_number, account.document) == ("12345678900", "1020304050")
        mails = {mail.kind: mail for mail in (await session.execute(select(Mail))).scalars()}
        message = await compose_message(session, shop.settings, mails["return_requested"])
    assert message is not None
    assert (message.to, message.values["what"]) == ("ana@example.com", "retracto")
    assert not [word for word in ("tarde", "12345678900") if word in str(message.values)]
    assert await read_stock(shop) == (3, 0)  # nothing has arrived yet
    claim = await request_return(shop, delivered, "warranty", reason="No gira.")
    assert claim.due_at == due_date_after(claim.asked_at, 15)


async def test_unit_can_be_in_only_one_open_return(shop: Shop, delivered: Sold) -> None:
    done = await asyncio.gather(
        *(request_return(shop, delivered, units=2) for _n in range(3)), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in done) == ["NotAllowed", "NotAllowed", "Return"]
    with pytest.raises(InvalidData) as refused:
        await open_by_staff(shop, delivered, "warranty", 1)
    assert list(refused.value.fields) == [f"units-{delivered.line_id}"]


async def test_requested_unit_that_was_not_sent_back_can_be_requested_again(
    shop: Shop, delivered: Sold
) -> None:
    """Request a return of two units, and send only one. After the approval, the other can be requested."""
    row = await request_return(shop, delivered, units=2)
    await receive_units(shop, row, delivered, good=1)
    assert await list_offered_units(shop, delivered) == {}
    await approve_return(shop, row, 40_000)
    assert await list_offered_units(shop, delivered) == {"withdrawal": 1, "warranty": 1}
    kept = await request_return(shop, delivered, "warranty", reason="No gira.")
    assert await list_offered_units(shop, delivered) == {}
    await approve_return(shop, kept, 40_000)
    assert await list_offered_units(shop, delivered) == {}
    assert await read_stock(shop) == (4, 0)


WRONG: tuple[tuple[dict[str, str], str], ...] = (
    ({"kind": "gift"}, "kind"),
    ({"kind": "warranty", "reason": ""}, "reason"),
    ({"reason": "x" * 2001}, "reason"),
    ({"bank": ""}, "bank"),
    ({"account_type": "gold"}, "account_type"),
    ({"account_number": "12-34"}, "account_number"),
    ({"account_number": "\uff11\uff12\uff13\uff14\uff15\uff16"}, "account_number"),
    ({"holder": "<b>"}, "holder"),
    ({"document": "1"}, "document"),
)
WRONG_UNITS = (("0", "units"), ("3", "units-{line}"), ("-1", "units-{line}"), ("²", "units-{line}"))


async def test_invalid_return_form_reports_its_fields(shop: Shop, delivered: Sold) -> None:
    """Check also that nothing is stored."""
    typed = delivered.form_fields("withdrawal")
    name = f"units-{delivered.line_id}"
    wrong = [
        *WRONG,
        *(({name: units}, field.format(line=delivered.line_id)) for units, field in WRONG_UNITS),
    ]
    for changes, field in wrong:
        with pytest.raises(InvalidData) as refused:
            await store_customer_request(shop.database, delivered.order_id, {**typed, **changes})
        assert list(refused.value.fields) == [field], changes
    async with shop.database.read() as session:
        assert (await session.execute(select(Return.id))).first() is None


class TestCancelling:
    async def test_unsent_order_is_cancelled_completely(
        self, shop: Shop, admin: httpx.AsyncClient, paid: Sold
    ) -> None:
        done = await asyncio.gather(
            *(request_return(shop, paid, "not_sent") for _n in range(3)), return_exceptions=True
        )
        rows = [one for one in done if isinstance(one, Return)]
        assert [(row.state, row.amount) for row in rows] == [("to_pay", 80_000)]
        assert {type(one) for one in done} == {Return, NotAllowed}
        assert await read_order_status(shop, paid.order_id) == ("canceled", "captured")
        assert await read_stock(shop) == (5, 0)
        assert await list_offered_units(shop, paid) == {}
        waiting = await get(admin, "/admin/orders", to_pack="true")
        assert waiting["count"] == 0
        body = {"items": [{"id": paid.line_id, "quantity": 1}]}
        refused = await admin.post(f"/admin/orders/{paid.order_id}/fulfillments", json=body)
        assert refused.status_code == 400

    async def test_only_one_of_concurrent_packing_and_cancellation_succeeds(
        self, shop: Shop, admin: httpx.AsyncClient, paid: Sold
    ) -> None:
        """Run both concurrently: the first one wins, the label or the cancellation."""
        body = {"items": [{"id": paid.line_id, "quantity": 2}]}
        path = f"/admin/orders/{paid.order_id}/fulfillments"
        label, cancelled = await asyncio.gather(
            admin.post(path, json=body), request_return(shop, paid, "not_sent"), return_exceptions=True
        )
        assert isinstance(label, httpx.Response)
        if isinstance(cancelled, Return):
            assert label.status_code == 400
            assert await read_order_status(shop, paid.order_id) == ("canceled", "captured")
        else:
            assert isinstance(cancelled, NotAllowed)
            assert label.status_code == 200
            assert await read_order_status(shop, paid.order_id) == ("pending", "captured")

    async def test_staff_can_cancel_a_part_of_the_order(
        self, shop: Shop, admin: httpx.AsyncClient, paid: Sold
    ) -> None:
        await pack_units(admin, paid, 1)
        row = await open_by_staff(shop, paid, "not_sent", 1)
        assert (row.state, row.amount) == ("to_pay", 40_000)
        assert await read_order_status(shop, paid.order_id) == ("pending", "captured")
        assert await read_stock(shop) == (4, 0)
        with pytest.raises(InvalidData):
            await open_by_staff(shop, paid, "not_sent", 1)
        async with shop.database.read() as session:
            line = await session.get_one(OrderLine, paid.line_id)
            assert (line.withdrawn, line.fulfilled) == (1, 1)

    @pytest.mark.parametrize("by_the_buyer", [False, True])
    async def test_order_cancelled_in_parts_is_refunded_completely(
        self, *, shop: Shop, admin: httpx.AsyncClient, paid: Sold, by_the_buyer: bool
    ) -> None:
        """Include the shipping, as nothing is sent: Ley 1480 of 2011, art. 50 h."""
        await add_shipping(shop, 10_000)
        first = await open_by_staff(shop, paid, "not_sent", 1)
        assert await list_offered_units(shop, paid) == {"not_sent": 1}
        assert (await get(admin, "/admin/orders", to_pack="true"))["count"] == 1
        second = await (
            request_return(shop, paid, "not_sent")
            if by_the_buyer
            else open_by_staff(shop, paid, "not_sent", 1)
        )
        assert [(row.state, row.amount) for row in (first, second)] == [
            ("to_pay", 40_000),
            ("to_pay", 50_000),
        ]
        assert await read_order_status(shop, paid.order_id) == ("canceled", "captured")
        assert await read_stock(shop) == (5, 0)
        assert await list_offered_units(shop, paid) == {}

    async def test_free_order_line_cannot_be_refunded(self, shop: Shop, paid: Sold) -> None:
        async with shop.database.transaction() as session:
            free = OrderLine(
                order_id=paid.order_id,
                product_id="prod_1",
                variant_id="variant_1",
                title="Yoyo",
                product_handle="yoyo",
                quantity=1,
                unit_price=0,
            )
            session.add(free)
        with pytest.raises(InvalidData) as refused:
            await open_by_staff(shop, Sold(paid.order_id, free.id), "not_sent", 1)
        assert list(refused.value.fields) == ["units"]
        assert (
            await request_return(shop, paid, "not_sent")
        ).amount == 80_000  # together with the rest it can


async def test_staff_with_the_right_can_open_a_late_return(shop: Shop, delivered: Sold) -> None:
    await deliver_order(shop, delivered, days_ago=500)
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        with pytest.raises(Forbidden):
            await open_by_staff(shop, delivered, "withdrawal", actor=Actor("x", role))
    row = await open_by_staff(shop, delivered, "withdrawal", actor=Actor("user_1", Role.SHOP))
    assert (row.asked_by, await read_state(shop, row)) == ("user_1", "requested")
    nothing_came = await open_by_staff(shop, delivered, ReturnKind.REVERSAL, 0)
    assert await read_state(shop, nothing_came) == "requested"


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("C.C. Nº 1.020.304.050", "CC 1020304050"),
        ("ce 412345", "CE 412345"),
        ("Cédula 1020304050", "1020304050"),
        ("ab123456", "AB123456"),
    ],
)
def test_document_of_a_bank_account_keeps_the_typed_kind_of_document(typed: str, stored: str) -> None:
    assert read_form(AccountForm, {**ACCOUNT, "document": typed}).document == stored
