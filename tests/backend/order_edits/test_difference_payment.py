"""A customer opens the link of a difference and pays it at the bank.

| fault | outcome |
|---|---|
| the link is forged, or of another order | not found, like an unknown one |
| the form is sent twice | one payment, the same bank page |
| the bank rejects the payment | the difference stays owed; it can be paid again |
| the order is edited while the customer is at the bank | refused |
| staff receive the money while the customer is at the bank | refused |
| the bank approves the payment after staff received the difference | staff decide about its money |
| the amount differs from the one that was seen | refused |
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from backend.core.errors import InvalidData, NotFound
from backend.order_edits.difference import DifferenceChanged, NothingOwed
from backend.order_edits.difference_payment import (
    OwedDifference,
    build_difference_url,
    find_difference,
    start_difference_payment,
)
from backend.order_edits.editability import DifferenceAtBank
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import CheckedPayer, ProviderState
from backend.payment.providers.pse.payer import parse_payer
from tests.backend.checkout.paying_kit import IP, PRICE, Till
from tests.backend.order_edits.editing_kit import (
    confirm,
    list_payments,
    place_paid_order,
    receive,
    write_edit,
)

BANK = {"bank": "1022", "doc_type": "CC", "doc_number": "52123456"}


@pytest.fixture
async def order(till: Till) -> Order:
    """Return a paid order to which a trompo was added, so that the customer owes its price."""
    trompo = await till.make_variant(stock=9)
    placed = await place_paid_order(till, trompo)
    return await confirm(till, await write_edit(till, placed, added={trompo: 1}), 2 * PRICE)


def token_of(till: Till, order: Order) -> str:
    return build_difference_url(till.checkout.settings, order.id).rpartition("/")[2]


async def find(till: Till, order: Order) -> OwedDifference:
    async with till.database.read() as session:
        return await find_difference(session, till.checkout.settings, token_of(till, order))


async def pay(till: Till, order: Order, amount: int = PRICE, typed: Mapping[str, str] = BANK) -> str:
    return await start_difference_payment(
        till.checkout.starter, token_of(till, order), typed, ip=IP, expected=amount
    )


async def newest_payment(till: Till, order: Order) -> PaymentSession:
    return (await list_payments(till, order))[0]


async def test_paid_difference_makes_the_order_fully_paid(till: Till, order: Order) -> None:
    shown = await find(till, order)
    assert (shown.number, shown.amount, shown.bank_url) == (order.number, PRICE, "")
    url = await pay(till, order)
    assert url.startswith("https://bank.example/")
    assert (await find(till, order)).bank_url == url
    payment = await newest_payment(till, order)
    assert (payment.amount, payment.state, till.bank.started[-1].amount) == (
        PRICE,
        "pending_authorization",
        PRICE,
    )
    assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
    paid = await till.read_order(order.id)
    assert (paid.status, paid.payment_status, paid.total) == ("pending", "captured", 2 * PRICE)
    assert (await find(till, order)).amount == 0
    assert await till.sold(order.id) == await till.sold(paid.id)
    with pytest.raises(NothingOwed):
        await pay(till, order)


async def test_form_that_is_sent_twice_starts_one_payment(till: Till, order: Order) -> None:
    assert await pay(till, order) == await pay(till, order)
    assert len(await list_payments(till, order)) == 2


async def test_rejected_payment_leaves_the_difference_owed(till: Till, order: Order) -> None:
    await pay(till, order)
    payment = await newest_payment(till, order)
    assert await till.decide(payment, ProviderState.REJECTED) == "rejected"
    kept = await till.read_order(order.id)
    assert (kept.status, kept.payment_status) == ("pending", "partially_captured")
    variant = next(iter(await till.sold(order.id)))
    assert await till.available(variant) == 7
    await pay(till, order)
    assert await till.decide(await newest_payment(till, order), ProviderState.CAPTURED) == "captured"


async def test_abandoned_payment_keeps_the_order_and_its_stock(till: Till, order: Order) -> None:
    await pay(till, order)
    await till.pass_time(timedelta(hours=1))
    await till.work()
    kept = await till.read_order(order.id)
    variant = next(iter(await till.sold(order.id)))
    assert (kept.status, await till.available(variant)) == ("pending", 7)


async def test_order_is_not_edited_while_its_difference_is_at_the_bank(till: Till, order: Order) -> None:
    await pay(till, order)
    variant = next(iter(await till.sold(order.id)))
    with pytest.raises(DifferenceAtBank):
        await write_edit(till, order, quantities={variant: 1})
    with pytest.raises(DifferenceAtBank):
        await receive(till, order, PRICE)


async def test_order_page_asks_the_bank_about_an_undecided_difference(till: Till, order: Order) -> None:
    await pay(till, order)
    payment = await newest_payment(till, order)
    till.bank.states[payment.invoice] = ProviderState.CAPTURED
    await till.placed_orders.get_order_page(order.id, till.token(order))
    assert (await till.read_order(order.id)).payment_status == "captured"


async def test_late_approval_of_a_difference_paid_by_other_means_raises_attention(
    till: Till, order: Order
) -> None:
    await pay(till, order)
    payment = await newest_payment(till, order)
    await till.decide(payment, ProviderState.REJECTED)
    await receive(till, order, PRICE)
    assert await till.decide(payment, ProviderState.CAPTURED) == "rejected"
    assert [kind for kind, subject, _amount in await till.attention() if subject == payment.id] == [
        "approved_after_cancel"
    ]
    assert (await till.read_order(order.id)).payment_status == "captured"


async def test_forged_link_is_not_found(till: Till, order: Order) -> None:
    async with till.database.read() as session:
        for token in (f"{order.id}.x", f"order_x.{token_of(till, order).partition('.')[2]}", ".", "x" * 500):
            with pytest.raises(NotFound):
                await find_difference(session, till.checkout.settings, token)


async def test_payment_of_another_amount_than_the_difference_is_refused(till: Till, order: Order) -> None:
    with pytest.raises(DifferenceChanged):
        await pay(till, order, PRICE - 1)
    assert len(await list_payments(till, order)) == 1


async def test_payment_without_a_valid_bank_choice_is_refused(
    till: Till, order: Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def check(answers: Mapping[str, Any]) -> CheckedPayer:
        return CheckedPayer(parse_payer(answers, banks={BANK["bank"]}).model_dump())

    monkeypatch.setattr(till.bank, "check_payer", check)
    without_bank = {name: text for name, text in BANK.items() if name != "bank"}
    for typed in (without_bank, {**without_bank, "bank": "9999"}):
        with pytest.raises(InvalidData) as refused:
            await pay(till, order, typed=typed)
        assert set(refused.value.fields) == {"bank"}
    assert len(await list_payments(till, order)) == 1
    assert (await pay(till, order)).startswith("https://bank.example/")
