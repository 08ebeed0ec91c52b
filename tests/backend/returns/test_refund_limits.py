"""Money of a return: how much goes back without a reason, and what programs read of it.

The order is for 2 toys of 40,000 each and 10,000 of shipping, 90,000 in all.

| what | bound | more |
|---|---|---|
| retracto of 1 of 2, asked or arrived | 40,000 | with a reason, up to what was paid |
| retracto of 2, 1 arrived | 40,000 | the same |
| retracto of 2, both arrived | 90,000: the shipping is due | never |
| retracto of the last unit, the other was granted before | 50,000 | never: it is all that is left |
| garantía in money, reversal | 90,000 | never |
| nothing was sent | 90,000 | never |
| paid with more than was approved | what was approved, or the bound | with a reason |
| refund by hand for units that were sent | what they cost, shipping where due | with a reason |
| refund by hand for units that were never sent | 90,000 | never |
"""

from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.core.errors import InvalidData
from backend.office.returns.detail import return_detail
from backend.returns.models import Return
from backend.returns.processing import pay
from backend.staff.rights import COMMAND_LINE
from tests.backend.returns.steps import Sold, approved, asked, opened, received, send, state_of, with_shipping
from tests.store_steps import get, post

WHY = "El trompo llegó roto y el cliente perdió su regalo."


async def within(shop: Shop, row: Return, bound: int, *, most: int = 90_000) -> None:
    """Check that one peso above the bound needs a reason, and that none helps above `most`."""
    if bound < most:
        with pytest.raises(InvalidData) as refused:
            await approved(shop, row, bound + 1)
        assert "why" in refused.value.fields
        with pytest.raises(InvalidData):
            await approved(shop, row, bound + 1, why=" \n ")
    with pytest.raises(InvalidData) as refused:
        await approved(shop, row, most + 1, why=WHY)
    assert "amount" in refused.value.fields
    assert await state_of(shop, row) != "to_pay"
    async with shop.database.read() as session:
        shown = await return_detail(session, COMMAND_LINE, row.id)
    assert shown.most_label == f"$ {bound:,}".replace(",", ".")
    await approved(shop, row, bound)


async def test_units_that_come_back_are_bounded_by_what_arrived(shop: Shop, delivered: Sold) -> None:
    await with_shipping(shop, 10_000)
    row = await asked(shop, delivered, units=2)
    await received(shop, row, delivered, good=0, damaged=1)
    await within(shop, row, 40_000)


async def test_the_shipping_is_due_once_all_arrived(shop: Shop, delivered: Sold) -> None:
    await with_shipping(shop, 10_000)
    row = await asked(shop, delivered, units=2)
    await received(shop, row, delivered, good=1, damaged=1)
    await within(shop, row, 90_000)


async def test_the_last_unit_brings_the_shipping(shop: Shop, delivered: Sold) -> None:
    await with_shipping(shop, 10_000)
    first, second = await asked(shop, delivered), await asked(shop, delivered)
    await within(shop, first, 40_000)
    await within(shop, second, 50_000, most=50_000)


@pytest.mark.parametrize(("kind", "units"), [("warranty", 1), ("reversal", 0)])
async def test_a_warranty_and_a_reversal_are_bounded_by_what_was_paid(
    shop: Shop, delivered: Sold, kind: str, units: int
) -> None:
    await with_shipping(shop, 10_000)
    row = await opened(shop, delivered, kind, units, reason="No gira.")
    if units:
        await received(shop, row, delivered, good=0, damaged=1)
    await within(shop, row, 90_000)


async def test_an_order_of_which_nothing_was_sent_is_bounded_by_what_was_paid(shop: Shop, paid: Sold) -> None:
    await with_shipping(shop, 10_000)
    row = await asked(shop, paid, "not_sent", 2)
    assert row.amount == 90_000
    done = await pay(shop.database, COMMAND_LINE, row.id, 90_000, "A-1")
    assert (done.state, done.amount) == ("paid", 90_000)


async def test_more_with_a_reason_is_kept_with_it(shop: Shop, delivered: Sold) -> None:
    row = await asked(shop, delivered)
    done = await approved(shop, row, 50_000, why=WHY)
    assert (done.amount, done.amount_reason) == (50_000, WHY)
    with pytest.raises(InvalidData) as refused:
        await pay(shop.database, COMMAND_LINE, row.id, 50_001, "A-1")
    assert "why" in refused.value.fields
    assert await state_of(shop, row) == "to_pay"
    paid = await pay(shop.database, COMMAND_LINE, row.id, 60_000, "A-1", why="También el envío de vuelta.")
    assert (paid.amount, paid.amount_reason) == (60_000, "También el envío de vuelta.")
    async with shop.database.read() as session:
        facts = dict((await return_detail(session, COMMAND_LINE, row.id)).facts)
    assert facts["Por qué es más"] == "También el envío de vuelta."


async def test_less_was_approved_and_what_the_units_cost_is_paid(shop: Shop, delivered: Sold) -> None:
    row = await asked(shop, delivered)
    await approved(shop, row, 10_000)
    done = await pay(shop.database, COMMAND_LINE, row.id, 40_000, "A-1")
    assert (done.amount, done.amount_reason) == (40_000, "")


async def test_a_refund_by_hand_for_sent_units_needs_a_reason_for_more(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold
) -> None:
    await with_shipping(shop, 10_000)
    path = f"/admin/orders/{delivered.order_id}/refunds"

    def body(amount: int, number: int, **more: Any) -> dict[str, Any]:
        lines = [{"line_id": delivered.line_id, "quantity": 1}]
        return {"amount": amount, "reference": f"A-{number}", "lines": lines, **more}

    for wrong in (body(40_001, 1), body(40_001, 1, reason=" ")):
        refused = await admin.post(path, json=wrong)
        assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
    assert (await get(admin, path))["count"] == 0
    await post(admin, path, body(40_000, 1))
    assert (
        await admin.post(path, json=body(50_001, 2, reason=WHY))
    ).status_code == 400  # never above what is left
    await post(admin, path, body(50_000, 2))  # the last unit brings the shipping


async def test_a_refund_by_hand_for_units_that_were_never_sent_needs_none(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    await with_shipping(shop, 10_000)
    await send(admin, paid, 1)
    lines = [{"line_id": paid.line_id, "quantity": 1}]
    body = {"amount": 50_000, "reference": "A-1", "lines": lines}
    await post(admin, f"/admin/orders/{paid.order_id}/refunds", body)


async def shown_line(admin: httpx.AsyncClient, of: Sold) -> tuple[int, int, int, int]:
    """Units asked back, units that came, what is still refundable, and the total of the units asked back."""
    (line,) = (await get(admin, f"/admin/orders/{of.order_id}"))["order"]["items"]
    detail = line["detail"]
    return (
        detail["return_requested_quantity"],
        detail["return_received_quantity"],
        line["refundable_total"],
        line["return_requested_total"],
    )


async def test_programs_read_what_is_asked_back_and_what_came(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold
) -> None:
    assert await shown_line(admin, delivered) == (0, 0, 80_000, 0)
    row = await asked(shop, delivered, units=2)
    assert await shown_line(admin, delivered) == (2, 0, 0, 80_000)
    await received(shop, row, delivered, good=1)
    assert await shown_line(admin, delivered) == (1, 1, 0, 40_000)
    await approved(shop, row, 40_000)
    assert await shown_line(admin, delivered) == (0, 1, 40_000, 0)  # the other is the buyer's
    again = await asked(shop, delivered)
    await approved(shop, again, 40_000)  # without waiting for it
    assert await shown_line(admin, delivered) == (1, 1, 0, 40_000)


async def test_programs_read_nothing_of_what_was_denied_or_never_sent(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    await asked(shop, paid, "not_sent", 2)
    assert await shown_line(admin, paid) == (0, 0, 0, 0)
