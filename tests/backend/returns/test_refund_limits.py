"""Refund of a return: its maximum without a reason, and its numbers in the Admin API.

The order has 2 units of 40,000 each and 10,000 of shipping, 90,000 in total.

| case | maximum | more |
|---|---|---|
| retracto of 1 of 2, requested or arrived | 40,000 | with a reason, up to the paid amount |
| retracto of 2, 1 arrived | 40,000 | the same |
| retracto of 2, both arrived | 90,000: the shipping is due | never |
| retracto of the final unit, the other was granted before | 50,000 | never: it is all the remaining money |
| garantía in money, reversal | 90,000 | never |
| unsent order | 90,000 | never |
| payment of more than the approved amount | the approved amount, or the maximum | with a reason |
| manual refund for sent units | their price, shipping if due | with a reason |
| manual refund for unsent units | 90,000 | never |
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
from tests.amounts import cop
from tests.backend.returns.steps import (
    Sold,
    add_shipping,
    approve_return,
    open_by_staff,
    pack_units,
    read_state,
    receive_units,
    request_return,
)
from tests.store_steps import get, post

REASON = "El trompo llegó roto y el cliente perdió su regalo."


async def check_limit(shop: Shop, row: Return, bound: int, *, most: int = 90_000) -> None:
    """Approve the return with a refund of `bound` pesos.

    First check that one peso more needs a reason, and that no reason allows more than `most` pesos.
    """
    if bound < most:
        with pytest.raises(InvalidData) as refused:
            await approve_return(shop, row, bound + 1)
        assert "why" in refused.value.fields
        with pytest.raises(InvalidData):
            await approve_return(shop, row, bound + 1, why=" \n ")
    with pytest.raises(InvalidData) as refused:
        await approve_return(shop, row, most + 1, why=REASON)
    assert "amount" in refused.value.fields
    assert await read_state(shop, row) != "to_pay"
    async with shop.database.read() as session:
        shown = await return_detail(session, COMMAND_LINE, row.id)
    assert shown.max_label == cop(f"$ {bound:,}").replace(",", ".")
    await approve_return(shop, row, bound)


async def test_refund_is_limited_to_the_arrived_units(shop: Shop, delivered: Sold) -> None:
    await add_shipping(shop, 10_000)
    row = await request_return(shop, delivered, units=2)
    await receive_units(shop, row, delivered, good=0, damaged=1)
    await check_limit(shop, row, 40_000)


async def test_refund_may_include_the_shipping_if_all_units_arrived(shop: Shop, delivered: Sold) -> None:
    await add_shipping(shop, 10_000)
    row = await request_return(shop, delivered, units=2)
    await receive_units(shop, row, delivered, good=1, damaged=1)
    await check_limit(shop, row, 90_000)


async def test_refund_limit_of_the_last_returned_unit_includes_the_shipping(
    shop: Shop, delivered: Sold
) -> None:
    await add_shipping(shop, 10_000)
    first, second = await request_return(shop, delivered), await request_return(shop, delivered)
    await check_limit(shop, first, 40_000)
    await check_limit(shop, second, 50_000, most=50_000)


@pytest.mark.parametrize(("kind", "units"), [("warranty", 1), ("reversal", 0)])
async def test_warranty_and_reversal_refunds_are_limited_to_the_paid_amount(
    shop: Shop, delivered: Sold, kind: str, units: int
) -> None:
    await add_shipping(shop, 10_000)
    row = await open_by_staff(shop, delivered, kind, units, reason="No gira.")
    if units:
        await receive_units(shop, row, delivered, good=0, damaged=1)
    await check_limit(shop, row, 90_000)


async def test_refund_of_an_unsent_order_may_be_the_full_paid_amount(shop: Shop, paid: Sold) -> None:
    await add_shipping(shop, 10_000)
    row = await request_return(shop, paid, "not_sent", 2)
    assert row.amount == 90_000
    done = await pay(shop.database, COMMAND_LINE, row.id, 90_000, "A-1")
    assert (done.state, done.amount) == ("paid", 90_000)


async def test_refund_above_the_limit_is_stored_with_its_reason(shop: Shop, delivered: Sold) -> None:
    row = await request_return(shop, delivered)
    done = await approve_return(shop, row, 50_000, why=REASON)
    assert (done.amount, done.amount_reason) == (50_000, REASON)
    with pytest.raises(InvalidData) as refused:
        await pay(shop.database, COMMAND_LINE, row.id, 50_001, "A-1")
    assert "why" in refused.value.fields
    assert await read_state(shop, row) == "to_pay"
    paid = await pay(shop.database, COMMAND_LINE, row.id, 60_000, "A-1", why="También el envío de vuelta.")
    assert (paid.amount, paid.amount_reason) == (60_000, "También el envío de vuelta.")
    async with shop.database.read() as session:
        facts = dict((await return_detail(session, COMMAND_LINE, row.id)).facts)
    assert facts["Por qué es más"] == "También el envío de vuelta."


async def test_refund_up_to_the_unit_price_requires_no_reason(shop: Shop, delivered: Sold) -> None:
    row = await request_return(shop, delivered)
    await approve_return(shop, row, 10_000)
    done = await pay(shop.database, COMMAND_LINE, row.id, 40_000, "A-1")
    assert (done.amount, done.amount_reason) == (40_000, "")


async def test_manual_refund_above_the_price_of_sent_units_requires_a_reason(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold
) -> None:
    await add_shipping(shop, 10_000)
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
        await admin.post(path, json=body(50_001, 2, reason=REASON))
    ).status_code == 400  # never above the remaining money
    await post(admin, path, body(50_000, 2))  # the final unit includes the shipping


async def test_manual_refund_of_unsent_units_requires_no_reason(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    await add_shipping(shop, 10_000)
    await pack_units(admin, paid, 1)
    lines = [{"line_id": paid.line_id, "quantity": 1}]
    body = {"amount": 50_000, "reference": "A-1", "lines": lines}
    await post(admin, f"/admin/orders/{paid.order_id}/refunds", body)


async def read_line(admin: httpx.AsyncClient, of: Sold) -> tuple[int, int, int, int]:
    """Return the only line's requested units, received units, refundable total and requested total."""
    (line,) = (await get(admin, f"/admin/orders/{of.order_id}"))["order"]["items"]
    detail = line["detail"]
    return (
        detail["return_requested_quantity"],
        detail["return_received_quantity"],
        line["refundable_total"],
        line["return_requested_total"],
    )


async def test_admin_api_shows_requested_and_returned_units_of_a_line(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold
) -> None:
    assert await read_line(admin, delivered) == (0, 0, 80_000, 0)
    row = await request_return(shop, delivered, units=2)
    assert await read_line(admin, delivered) == (2, 0, 0, 80_000)
    await receive_units(shop, row, delivered, good=1)
    assert await read_line(admin, delivered) == (1, 1, 0, 40_000)
    await approve_return(shop, row, 40_000)
    assert await read_line(admin, delivered) == (0, 1, 40_000, 0)  # the other belongs to the customer
    again = await request_return(shop, delivered)
    await approve_return(shop, again, 40_000)  # without its arrival
    assert await read_line(admin, delivered) == (1, 1, 0, 40_000)


async def test_admin_api_does_not_count_unsent_units_as_requested_returns(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    await request_return(shop, paid, "not_sent", 2)
    assert await read_line(admin, paid) == (0, 0, 0, 0)
