"""An edit changes a paid order before it is packed: its lines, price, stock and money, in one transaction.

| fault | outcome |
|---|---|
| the edit is confirmed twice | it is applied once |
| two staff members edit the same order at once | one edit |
| the order is packed while it is edited | the confirmation is refused, nothing changes |
| the only unit of the added variant is sold in the meantime | refused, nothing changes |
| the total differs from the one that was seen | refused, nothing changes |
| nothing would remain | refused |
| a role without the right | refused |
| the order is not paid, was sent or has a return | refused |
"""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit.models import AuditEntry
from backend.catalog.models import Variant
from backend.core.clock import now
from backend.core.errors import Forbidden, InsufficientStock, InvalidData, NotFound, TotalChanged
from backend.fulfillment.commands import CreateFulfillment
from backend.fulfillment.packing import fulfill
from backend.inventory import service as inventory
from backend.order_edits.editability import NotEditable
from backend.order_edits.editing import (
    EditEnded,
    EditExists,
    add_variant,
    begin_edit,
    cancel_edit,
    change_action,
    change_variant,
    find_open_edit,
    open_edit,
    preview_edit,
    remove_action,
    request_edit,
    set_line_quantity,
)
from backend.orders.models import Fulfillment
from backend.orders.service import compute_order_totals, list_order_lines, lock_order, mark_canceled
from backend.payment.providers.base import ProviderState
from backend.pricing import tax_inside
from backend.returns.forms import UNITS_PREFIX
from backend.returns.requests import open_return
from backend.staff.rights import Actor
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.draft_orders.selling import OWNER, SELLER, STOCKROOM
from tests.backend.order_edits.editing_kit import (
    confirm,
    list_edits,
    place_paid_order,
    read_total,
    write_edit,
)
from tests.backend.rivals import run_against_rival


async def test_edit_changes_lines_stock_and_total(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    yoyo = await till.make_variant("yoyo", stock=5, price=15_000)
    order = await place_paid_order(till, trompo, 2)
    edit = await write_edit(till, order, added={yoyo: 3}, quantities={trompo: 1})
    assert await read_total(till, edit) == PRICE + 45_000
    assert (await till.read_order(order.id)).total == 2 * PRICE  # before the confirmation nothing changes
    assert (await till.available(trompo), await till.available(yoyo)) == (3, 5)
    order = await confirm(till, edit, PRICE + 45_000)
    assert (order.total, order.item_total, order.payment_status) == (85_000, 85_000, "partially_captured")
    assert await till.sold(order.id) == {trompo: 1, yoyo: 3}
    assert (await till.available(trompo), await till.available(yoyo)) == (4, 2)
    async with till.database.read() as session:
        totals = compute_order_totals(order, await list_order_lines(session, order.id))
        assert totals.tax_total == tax_inside(PRICE, 19) + tax_inside(45_000, 19)
        entries = select(AuditEntry.action).where(AuditEntry.subject_id == order.id)
        actions = set((await session.execute(entries)).scalars())
    assert {"order edit written", "order edited"} <= actions
    (stored,) = await list_edits(till)
    assert (stored.status, stored.total_before, stored.total_after) == ("confirmed", 2 * PRICE, 85_000)
    assert [(one["title"], one["before"], one["after"]) for one in stored.changes] == [
        ("Trompo", 2, 1),
        ("Yoyo", 0, 3),
    ]


async def test_line_keeps_its_price_and_added_units_have_the_current_one(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    order = await place_paid_order(till, trompo)
    async with till.database.transaction() as session:
        await session.execute(update(Variant).values(price=50_000))
    edit = await write_edit(till, order, quantities={trompo: 2})
    assert await read_total(till, edit) == 2 * PRICE
    edit = await write_edit(till, order, added={trompo: 1}, quantities={trompo: 1})
    order = await confirm(till, edit)
    assert order.total == PRICE + 50_000
    async with till.database.read() as session:
        lines = await list_order_lines(session, order.id)
        assert [(line.unit_price, line.quantity) for line in lines] == [(PRICE, 1), (50_000, 1)]


async def test_added_units_of_a_sold_variant_join_its_line(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    order = await place_paid_order(till, trompo)
    edit = await write_edit(till, order, added={trompo: 2})
    await confirm(till, edit, 3 * PRICE)
    assert await till.sold(order.id) == {trompo: 3}
    assert await till.available(trompo) == 2


async def test_variant_is_replaced_by_the_same_number_of_units(till: Till) -> None:
    red = await till.make_variant("rojo", stock=5)
    blue = await till.make_variant("azul", stock=5)
    order = await place_paid_order(till, red, 2)
    async with till.database.transaction() as session:
        edit = await open_edit(session, SELLER, order.id)
        (line,) = await list_order_lines(session, order.id)
        with pytest.raises(InvalidData):
            await change_variant(session, SELLER, edit.id, line.id, red)
        await change_variant(session, SELLER, edit.id, line.id, blue)
    order = await confirm(till, edit, 2 * PRICE)
    assert await till.sold(order.id) == {blue: 2}
    assert order.payment_status == "captured"
    assert await till.attention() == []
    assert (await till.available(red), await till.available(blue)) == (5, 3)


async def test_variant_change_replaces_only_the_units_left_in_the_line(till: Till) -> None:
    red, blue = await till.make_variant("rojo", stock=5), await till.make_variant("azul", stock=5)
    order = await place_paid_order(till, red, 3)
    async with till.database.transaction() as session:
        edit = await open_edit(session, SELLER, order.id)
        [line] = await list_order_lines(session, order.id)
        await set_line_quantity(session, SELLER, edit.id, line.id, 2)
        added = await change_variant(session, SELLER, edit.id, line.id, blue)
        assert (added.variant_id, added.quantity) == (blue, 2)


async def test_actions_of_an_order_edit_are_changed_and_removed(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    yoyo = await till.make_variant("yoyo", stock=5, price=15_000)
    order = await place_paid_order(till, trompo)
    edit = await write_edit(till, order, added={yoyo: 1})
    async with till.database.transaction() as session:
        action = await add_variant(session, SELLER, edit.id, yoyo, 1)
        await change_action(session, SELLER, edit.id, action.id, 4)
        edited = await preview_edit(session, SELLER, edit.id)
        assert (edited.totals.total, edited.owed, edited.surplus) == (PRICE + 60_000, 60_000, 0)
        with pytest.raises(InvalidData):
            await change_action(session, SELLER, edit.id, action.id, 100)
        with pytest.raises(NotFound):
            await change_action(session, SELLER, edit.id, "ordchact_x", 1)
        await remove_action(session, SELLER, edit.id, action.id)
        assert not (await preview_edit(session, SELLER, edit.id)).is_changed
        with pytest.raises(InvalidData):
            await request_edit(session, SELLER, edit.id)
        await add_variant(session, SELLER, edit.id, yoyo, 1)
        assert (await request_edit(session, SELLER, edit.id)).status == "requested"
    order = await confirm(till, edit)
    assert order.total == PRICE + 15_000


async def test_repeated_confirmation_is_applied_once(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    order = await place_paid_order(till, trompo)
    edit = await write_edit(till, order, added={trompo: 1})
    await asyncio.gather(*(confirm(till, edit, 2 * PRICE) for _ in range(3)))
    assert await till.sold(order.id) == {trompo: 2}
    assert await till.available(trompo) == 3
    with pytest.raises(EditEnded):
        async with till.database.transaction() as session:
            await cancel_edit(session, SELLER, edit.id)


async def test_two_staff_members_who_edit_an_order_concurrently_share_one_edit(till: Till) -> None:
    order = await place_paid_order(till, await till.make_variant())

    async def rival(session: AsyncSession) -> None:
        await open_edit(session, SELLER, order.id)

    async def act() -> str:
        async with till.database.transaction() as session:
            return (await open_edit(session, OWNER, order.id)).id

    edit_id = await run_against_rival(till.database, rival, act)
    assert [edit.id for edit in await list_edits(till)] == [edit_id]
    with pytest.raises(EditExists):
        async with till.database.transaction() as session:
            await begin_edit(session, OWNER, order.id)


async def test_cancelled_edit_changes_nothing(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    order = await place_paid_order(till, trompo)
    edit = await write_edit(till, order, added={trompo: 1})
    async with till.database.transaction() as session:
        await cancel_edit(session, SELLER, edit.id)
        assert await find_open_edit(session, SELLER, order.id) is None
    with pytest.raises(EditEnded):
        await confirm(till, edit)
    assert await till.sold(order.id) == {trompo: 1}
    again = await write_edit(till, order, added={trompo: 1})
    assert again.id != edit.id


async def test_edit_is_refused_if_the_order_was_packed_first(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    order = await place_paid_order(till, trompo)
    edit = await write_edit(till, order, added={trompo: 1})

    async def pack(session: AsyncSession) -> None:
        await lock_order(session, order.id)
        session.add(
            Fulfillment(
                order_id=order.id,
                reference="1-1",
                location_id=till.defaults.location_id,
                provider_id="manual_manual",
                state="creating",
            )
        )

    with pytest.raises(NotEditable):
        await run_against_rival(till.database, pack, lambda: confirm(till, edit))
    assert await till.sold(order.id) == {trompo: 1}
    assert await till.available(trompo) == 4


async def test_edited_order_is_packed_with_its_new_units(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    yoyo = await till.make_variant("yoyo", stock=5)
    order = await place_paid_order(till, trompo)
    await confirm(till, await write_edit(till, order, added={yoyo: 1}, quantities={trompo: 0}), PRICE)
    async with till.database.read() as session:
        (line,) = await list_order_lines(session, order.id)
    await fulfill(
        till.database,
        SELLER,
        till.checkout.settings,
        till.checkout.fulfillment_providers,
        order.id,
        CreateFulfillment(units={line.id: 1}),
    )
    assert (await till.read_order(order.id)).fulfillment_status == "fulfilled"
    assert (await till.available(trompo), await till.available(yoyo)) == (5, 4)
    with pytest.raises(NotEditable):
        await write_edit(till, order)


async def test_edit_is_refused_if_an_added_unit_was_sold_first(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    yoyo = await till.make_variant("yoyo", stock=1)
    order = await place_paid_order(till, trompo)
    web_cart = await till.cart(yoyo)
    edit = await write_edit(till, order, added={yoyo: 1}, quantities={trompo: 0})

    async def hold(session: AsyncSession) -> None:
        await inventory.reserve(session, web_cart, {yoyo: 1}, until=now() + timedelta(hours=1))

    with pytest.raises(InsufficientStock):
        await run_against_rival(till.database, hold, lambda: confirm(till, edit, PRICE))
    assert await till.sold(order.id) == {trompo: 1}
    assert await till.available(trompo) == 4
    async with till.database.read() as session:
        assert (await preview_edit(session, SELLER, edit.id)).missing == {yoyo: 1}


async def test_edit_is_not_confirmed_with_an_unexpected_total(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    order = await place_paid_order(till, trompo)
    edit = await write_edit(till, order, added={trompo: 1})
    with pytest.raises(TotalChanged):
        await confirm(till, edit, PRICE)
    assert (await till.read_order(order.id)).total == PRICE


async def test_edit_that_removes_all_units_or_changes_nothing_is_refused(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    order = await place_paid_order(till, trompo)
    with pytest.raises(InvalidData):
        await confirm(till, await write_edit(till, order, quantities={trompo: 0}))
    with pytest.raises(InvalidData):
        await confirm(till, await write_edit(till, order, quantities={trompo: 1}))


async def test_variant_that_is_not_for_sale_is_refused(till: Till) -> None:
    order = await place_paid_order(till, await till.make_variant())
    with pytest.raises(InvalidData):
        await write_edit(till, order, added={"variant_unknown": 1})


@pytest.mark.parametrize("actor", [STOCKROOM], ids=["stockroom"])
async def test_stockroom_role_can_neither_write_nor_confirm_an_edit(till: Till, actor: Actor) -> None:
    trompo = await till.make_variant()
    order = await place_paid_order(till, trompo)
    with pytest.raises(Forbidden):
        await write_edit(till, order, actor=actor)
    edit = await write_edit(till, order, added={trompo: 1})
    with pytest.raises(Forbidden):
        await confirm(till, edit, actor=actor)


async def test_unpaid_order_is_not_edited(till: Till) -> None:
    order, _payment = await till.order(await till.make_variant())
    with pytest.raises(NotEditable):
        await write_edit(till, order)


async def test_order_with_an_open_return_is_not_edited(till: Till) -> None:
    trompo = await till.make_variant()
    order = await place_paid_order(till, trompo, 2)
    edit = await write_edit(till, order, added={trompo: 1})
    async with till.database.transaction() as session:
        (line,) = await list_order_lines(session, order.id)
        await open_return(session, OWNER, order.id, {"kind": "not_sent", f"{UNITS_PREFIX}{line.id}": "1"})
    with pytest.raises(NotEditable):
        await confirm(till, edit)


async def test_line_of_another_order_is_not_changed(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    mine, other = await place_paid_order(till, trompo), await place_paid_order(till, trompo)
    edit = await write_edit(till, mine)
    async with till.database.transaction() as session:
        (line,) = await list_order_lines(session, other.id)
        with pytest.raises(NotFound):
            await set_line_quantity(session, SELLER, edit.id, line.id, 2)


async def test_sold_out_line_is_replaced_before_packing(till: Till) -> None:
    """Replace the missing units of a paid order by units that can be packed."""
    trompo = await till.make_variant(stock=1)
    yoyo = await till.make_variant("yoyo", stock=2)
    order, payment = await till.order(trompo)
    async with till.database.transaction() as session:
        await inventory.release(session, order.cart_id)
        await inventory.reserve(session, "cart_other", {trompo: 1}, until=None)
    await till.decide(payment, ProviderState.CAPTURED)
    assert [kind for kind, *_ in await till.attention()] == ["stock_short"]
    await confirm(till, await write_edit(till, order, added={yoyo: 1}, quantities={trompo: 0}), PRICE)
    async with till.database.read() as session:
        assert await inventory.read_reserved_units(session, order.cart_id) == {yoyo: 1}


@pytest.mark.parametrize("rival_kind", ["return", "cancellation"])
async def test_edit_is_refused_if_the_order_was_returned_or_cancelled_first(
    till: Till, rival_kind: str
) -> None:
    trompo = await till.make_variant(stock=5)
    order = await place_paid_order(till, trompo, 2)
    edit = await write_edit(till, order, added={trompo: 1})

    async def rival(session: AsyncSession) -> None:
        locked = await lock_order(session, order.id)
        if rival_kind == "cancellation":
            await mark_canceled(session, locked)
            return
        (line,) = await list_order_lines(session, order.id)
        await open_return(session, OWNER, order.id, {"kind": "not_sent", f"{UNITS_PREFIX}{line.id}": "1"})

    with pytest.raises(NotEditable):
        await run_against_rival(till.database, rival, lambda: confirm(till, edit))
    assert await till.sold(order.id) == {trompo: 2}
