"""Asking for a return: what a buyer may ask for, when, and what it takes out of the order."""

import asyncio
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.core.business_days import due_after
from backend.core.errors import Forbidden, InvalidData, NotAllowed, NotFound
from backend.mail.messages import message_of
from backend.mail.models import Mail
from backend.orders.models import OrderLine
from backend.orders.service import read_order
from backend.returns.deadlines import days_left, pay_until, warranty_until, withdraw_until
from backend.returns.models import Return, ReturnAccount, ReturnKind
from backend.returns.requests import ask, offers
from backend.staff.rights import Actor, Role
from tests.backend.orders.paying import at_the_bank, stands, stock
from tests.backend.returns.steps import (
    Sold,
    approved,
    asked,
    deliver,
    opened,
    received,
    send,
    state_of,
    with_shipping,
)
from tests.store_steps import get


async def offered(shop: Shop, of: Sold) -> dict[str, int]:
    """What the buyer may ask for, with how many units."""
    async with shop.database.read() as session:
        found = await offers(session, await read_order(session, of.order_id))
    return {one.kind.value: sum(one.units.values()) for one in found}


def test_the_days_of_the_law_are_colombias() -> None:
    night = datetime(2026, 11, 24, 4, 59, tzinfo=UTC)  # Monday the 23rd, a minute before midnight
    assert withdraw_until(night) == datetime(
        2026, 12, 1, 5, tzinfo=UTC
    )  # five business days: Monday the 30th
    assert pay_until(night) == datetime(2026, 12, 9, 5, tzinfo=UTC)
    assert warranty_until(night) == datetime(2027, 11, 24, 5, tzinfo=UTC)
    assert warranty_until(datetime(2028, 2, 29, 15, tzinfo=UTC)) == datetime(2029, 3, 1, 5, tzinfo=UTC)
    assert withdraw_until(None) is warranty_until(None) is None
    last = datetime(2026, 12, 9, 4, 59, tzinfo=UTC)
    due = pay_until(night)
    assert [days_left(due, moment) for moment in (night, last, last + timedelta(minutes=1))] == [15, 0, -1]


async def test_what_may_be_asked_for(shop: Shop, admin: httpx.AsyncClient, paid: Sold) -> None:
    assert await offered(shop, paid) == {"not_sent": 2}
    await send(admin, paid, 1)
    assert await offered(shop, paid) == {"withdrawal": 1, "warranty": 1}  # its time has not begun to run
    await send(admin, paid, 1)
    await deliver(shop, paid)
    assert await offered(shop, paid) == {"withdrawal": 2, "warranty": 2}
    await deliver(shop, paid, days_ago=30)
    assert await offered(shop, paid) == {"warranty": 2}
    with pytest.raises(NotAllowed):
        await asked(shop, paid)
    await deliver(shop, paid, days_ago=400)
    assert await offered(shop, paid) == {}


async def test_an_order_without_money_has_nothing_to_give_back(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, paid: Sold
) -> None:
    toy = (await get(admin, f"/admin/orders/{paid.order_id}"))["order"]["items"][0]["variant_id"]
    order_id, _session = await at_the_bank(shop, store, toy, 1)
    assert await offered(shop, Sold(order_id, "")) == {}
    with pytest.raises(NotAllowed):
        await ask(shop.database, order_id, paid.asked("not_sent"))
    with pytest.raises(NotFound):
        await ask(shop.database, "order_none", paid.asked("withdrawal"))


async def test_a_retracto_is_stored_with_its_deadline_and_account(shop: Shop, delivered: Sold) -> None:
    row = await asked(shop, delivered, reason=" Llegó\r\ntarde.\x00 ")
    assert (row.state, row.amount, row.reason, row.asked_by) == ("requested", None, "Llegó\ntarde.", "")
    assert row.due_at == pay_until(row.asked_at)
    async with shop.database.read() as session:
        account = await session.get_one(ReturnAccount, row.id)
        assert (account.account_number, account.document) == ("12345678900", "1020304050")
        mails = {mail.kind: mail for mail in (await session.execute(select(Mail))).scalars()}
        message = await message_of(session, shop.settings, mails["return_requested"])
    assert message is not None
    assert (message.to, message.values["what"]) == ("ana@example.com", "retracto")
    assert not [word for word in ("tarde", "12345678900") if word in str(message.values)]
    assert await stock(shop) == (3, 0)  # nothing has arrived yet
    claim = await asked(shop, delivered, "warranty", reason="No gira.")
    assert claim.due_at == due_after(claim.asked_at, 15)


async def test_no_unit_is_in_two_returns(shop: Shop, delivered: Sold) -> None:
    done = await asyncio.gather(*(asked(shop, delivered, units=2) for _n in range(3)), return_exceptions=True)
    assert sorted(type(one).__name__ for one in done) == ["NotAllowed", "NotAllowed", "Return"]
    with pytest.raises(InvalidData) as refused:
        await opened(shop, delivered, "warranty", 1)
    assert list(refused.value.fields) == [f"units-{delivered.line_id}"]


async def test_what_was_not_sent_back_may_be_asked_for_again(shop: Shop, delivered: Sold) -> None:
    """One return was granted for the toy that arrived: the other is still the buyer's, and has its warranty."""
    row = await asked(shop, delivered, units=2)
    await received(shop, row, delivered, good=1)
    assert await offered(shop, delivered) == {}
    await approved(shop, row, 40_000)
    assert await offered(shop, delivered) == {"withdrawal": 1, "warranty": 1}
    kept = await asked(shop, delivered, "warranty", reason="No gira.")
    assert await offered(shop, delivered) == {}
    await approved(shop, kept, 40_000)
    assert await offered(shop, delivered) == {}
    assert await stock(shop) == (4, 0)


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


async def test_what_is_wrong_is_said_beside_it(shop: Shop, delivered: Sold) -> None:
    """Nothing is stored of it."""
    typed = delivered.asked("withdrawal")
    name = f"units-{delivered.line_id}"
    wrong = [
        *WRONG,
        *(({name: units}, field.format(line=delivered.line_id)) for units, field in WRONG_UNITS),
    ]
    for changes, field in wrong:
        with pytest.raises(InvalidData) as refused:
            await ask(shop.database, delivered.order_id, {**typed, **changes})
        assert list(refused.value.fields) == [field], changes
    async with shop.database.read() as session:
        assert (await session.execute(select(Return.id))).first() is None


class TestCancelling:
    async def test_all_of_it_before_it_is_sent(
        self, shop: Shop, admin: httpx.AsyncClient, paid: Sold
    ) -> None:
        done = await asyncio.gather(
            *(asked(shop, paid, "not_sent") for _n in range(3)), return_exceptions=True
        )
        rows = [one for one in done if isinstance(one, Return)]
        assert [(row.state, row.amount) for row in rows] == [("to_pay", 80_000)]
        assert {type(one) for one in done} == {Return, NotAllowed}
        assert await stands(shop, paid.order_id) == ("canceled", "captured")
        assert await stock(shop) == (5, 0)
        assert await offered(shop, paid) == {}
        waiting = await get(admin, "/admin/orders", to_pack="true")
        assert waiting["count"] == 0
        body = {"items": [{"id": paid.line_id, "quantity": 1}]}
        refused = await admin.post(f"/admin/orders/{paid.order_id}/fulfillments", json=body)
        assert refused.status_code == 400

    async def test_not_once_it_is_packed(self, shop: Shop, admin: httpx.AsyncClient, paid: Sold) -> None:
        """Whoever is first wins: a label that is made, or the buyer."""
        body = {"items": [{"id": paid.line_id, "quantity": 2}]}
        path = f"/admin/orders/{paid.order_id}/fulfillments"
        label, cancelled = await asyncio.gather(
            admin.post(path, json=body), asked(shop, paid, "not_sent"), return_exceptions=True
        )
        assert isinstance(label, httpx.Response)
        if isinstance(cancelled, Return):
            assert label.status_code == 400
            assert await stands(shop, paid.order_id) == ("canceled", "captured")
        else:
            assert isinstance(cancelled, NotAllowed)
            assert label.status_code == 200
            assert await stands(shop, paid.order_id) == ("pending", "captured")

    async def test_a_part_of_it_by_the_shop(self, shop: Shop, admin: httpx.AsyncClient, paid: Sold) -> None:
        await send(admin, paid, 1)
        row = await opened(shop, paid, "not_sent", 1)
        assert (row.state, row.amount) == ("to_pay", 40_000)
        assert await stands(shop, paid.order_id) == ("pending", "captured")
        assert await stock(shop) == (4, 0)
        with pytest.raises(InvalidData):
            await opened(shop, paid, "not_sent", 1)
        async with shop.database.read() as session:
            line = await session.get_one(OrderLine, paid.line_id)
            assert (line.withdrawn, line.fulfilled) == (1, 1)

    @pytest.mark.parametrize("by_the_buyer", [False, True])
    async def test_in_parts_all_that_was_paid_goes_back(
        self, *, shop: Shop, admin: httpx.AsyncClient, paid: Sold, by_the_buyer: bool
    ) -> None:
        """Shipping too, as nothing is sent: Ley 1480 of 2011, art. 50 h."""
        await with_shipping(shop, 10_000)
        first = await opened(shop, paid, "not_sent", 1)
        assert await offered(shop, paid) == {"not_sent": 1}
        assert (await get(admin, "/admin/orders", to_pack="true"))["count"] == 1
        second = await (asked(shop, paid, "not_sent") if by_the_buyer else opened(shop, paid, "not_sent", 1))
        assert [(row.state, row.amount) for row in (first, second)] == [
            ("to_pay", 40_000),
            ("to_pay", 50_000),
        ]
        assert await stands(shop, paid.order_id) == ("canceled", "captured")
        assert await stock(shop) == (5, 0)
        assert await offered(shop, paid) == {}

    async def test_what_cost_nothing_has_no_money_to_go_back(self, shop: Shop, paid: Sold) -> None:
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
            await opened(shop, Sold(paid.order_id, free.id), "not_sent", 1)
        assert list(refused.value.fields) == ["units"]
        assert (await asked(shop, paid, "not_sent")).amount == 80_000  # with the rest it can


async def test_the_shop_opens_what_is_late_and_only_who_may(shop: Shop, delivered: Sold) -> None:
    await deliver(shop, delivered, days_ago=500)
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        with pytest.raises(Forbidden):
            await opened(shop, delivered, "withdrawal", actor=Actor("x", role))
    row = await opened(shop, delivered, "withdrawal", actor=Actor("user_1", Role.SHOP))
    assert (row.asked_by, await state_of(shop, row)) == ("user_1", "requested")
    nothing_came = await opened(shop, delivered, ReturnKind.REVERSAL, 0)
    assert await state_of(shop, nothing_came) == "requested"
