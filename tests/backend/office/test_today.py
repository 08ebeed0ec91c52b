"""The office's start screen: pending work and sales."""

from datetime import timedelta

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.attention import AttentionKind, raise_attention
from backend.attention.kinds import Action
from backend.attention.models import Attention
from backend.attention.service import Decision
from backend.catalog.models import Product
from backend.core.db.database import db_now
from backend.core.errors import Forbidden
from backend.office.orders.detail import order_detail
from backend.office.orders.listing import orders_view
from backend.office.today import TodayView, today_view
from backend.office_settings import LOW_STOCK as LOW
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.payment.states import SessionState
from backend.staff.rights import COMMAND_LINE, RIGHTS, Actor, Right, Role
from tests.amounts import cop
from tests.backend.orders.paying import (
    place_order_at_bank,
    read_open_attention,
    report_amount,
    report_payment,
)
from tests.store_defaults import Defaults, add_product

OWNER = Actor("user_1", Role.OWNER, has_second_factor=True)


async def read_today(shop: Shop, actor: Actor = OWNER) -> TodayView:
    async with shop.database.read() as session:
        return await today_view(session, actor, shop.settings)


async def toy(shop: Shop, defaults: Defaults, handle: str, stock: int = 10) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, defaults, handle, stock=stock)


async def test_all_setup_steps_of_an_empty_shop_are_open(shop: Shop) -> None:
    view = await read_today(shop)
    assert (view.to_pack, view.awaiting_bank, view.attention, view.low_stock, view.orders) == (0, 0, 0, 0, 0)
    assert view.is_quiet
    assert (view.sold_label, view.change) == (cop("$ 0"), None)
    assert [step.name for step in view.steps if step.is_done] == []


async def test_finished_setup_steps_are_ticked(shop: Shop, shop_defaults: Defaults) -> None:
    await toy(shop, shop_defaults, "trompo")
    assert [step.name for step in (await read_today(shop)).steps if step.is_done] == ["warehouse", "product"]


async def test_setup_steps_are_shown_only_to_roles_that_may_change_settings(shop: Shop) -> None:
    for role in Role:
        view = await read_today(shop, Actor("user_2", role))
        assert bool(view.steps) is (Right.CHANGE_SETTINGS in RIGHTS[role])


async def test_new_order_is_counted_as_awaiting_the_bank_and_then_as_to_be_packed(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient
) -> None:
    variant = await toy(shop, shop_defaults, "trompo")
    _order_id, payment = await place_order_at_bank(shop, store, variant)
    waiting = await read_today(shop)
    assert (waiting.awaiting_bank, waiting.to_pack, waiting.orders, waiting.is_quiet) == (1, 0, 0, False)
    await report_payment(shop, payment, ProviderState.CAPTURED)
    paid = await read_today(shop)
    assert (paid.awaiting_bank, paid.to_pack, paid.orders) == (0, 1, 1)
    assert paid.sold_label != cop("$ 0")
    assert paid.waits_since


@pytest.mark.parametrize(("amount", "currency"), [("50000", "COP"), ("20", "USD")])
async def test_order_paid_with_a_wrong_amount_or_currency_does_not_await_the_bank(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient, amount: str, currency: str
) -> None:
    """Let the bank approve another amount or currency: the order then awaits a decision of staff."""
    _order_id, payment = await place_order_at_bank(shop, store, await toy(shop, shop_defaults, "trompo"))
    await report_amount(shop, payment, amount, currency)
    view = await read_today(shop)
    async with shop.database.read() as session:
        waiting = await orders_view(session, OWNER, {"pago": "esperando"})
        (row,) = (await orders_view(session, OWNER, {})).rows
        detail = await order_detail(session, OWNER, row.id, "Trompo")
    assert (view.awaiting_bank, view.attention, len(waiting.rows)) == (0, 1, 0)
    assert [chip.text for chip in row.chips] == ["Pago por aceptar"]
    assert (detail.chips, detail.payment.chip) == (row.chips, row.chips[0])


async def test_order_awaits_the_bank_again_after_unaccepted_money_is_dismissed(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient
) -> None:
    """Let another payment of the order be at the bank while staff dismiss the money of the first one."""
    order_id, payment_id = await place_order_at_bank(shop, store, await toy(shop, shop_defaults, "trompo"))
    await report_amount(shop, payment_id, "20", "USD")
    async with shop.database.transaction() as session:
        first = await session.get_one(PaymentSession, payment_id)
        other = PaymentSession(
            collection_id=first.collection_id,
            provider_id=first.provider_id,
            state=SessionState.PENDING_AUTHORIZATION,
            amount=first.amount,
            currency_code=first.currency_code,
            invoice="TR-other",
            snapshot=first.snapshot,
        )
        session.add(other)
    decision = Decision(Action.DISMISSED, COMMAND_LINE, note="It was given back by hand")
    await shop.attention.resolve((await read_open_attention(shop)).id, decision)
    view = await read_today(shop)
    async with shop.database.read() as session:
        (row,) = (await orders_view(session, OWNER, {"pago": "esperando"})).rows
    assert (view.awaiting_bank, view.attention, row.id) == (1, 0, order_id)
    assert [chip.text for chip in row.chips] == ["Esperando al banco"]


async def test_sales_of_today_are_compared_with_those_a_week_ago(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient
) -> None:
    variant = await toy(shop, shop_defaults, "trompo")
    _order_id, payment = await place_order_at_bank(shop, store, variant)
    await report_payment(shop, payment, ProviderState.CAPTURED)
    view = await read_today(shop)
    assert (view.orders, view.orders_last_week, view.change) == (1, 0, None)
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(paid_at=db_now(-timedelta(days=7, minutes=1))))
        await session.execute(
            update(PaymentSession).values(captured_at=db_now(-timedelta(days=7, minutes=1)))
        )
    before = await read_today(shop)
    assert (before.orders, before.orders_last_week, before.change) in {(0, 1, -100), (0, 0, None)}
    assert {before.sold_last_week_label, before.sold_label} <= {view.sold_label, cop("$ 0")}


async def test_low_stock_products_are_sorted_by_units(shop: Shop, shop_defaults: Defaults) -> None:
    for handle, units in (("yoyo", LOW), ("trompo", 0), ("balero", LOW + 1), ("oculto", 0)):
        await toy(shop, shop_defaults, handle, units)
    async with shop.database.transaction() as session:
        await session.execute(update(Product).where(Product.handle == "oculto").values(status="draft"))
    view = await read_today(shop)
    assert view.low_stock == 2
    assert [(low.title, low.units) for low in view.low_products] == [("Trompo", 0), ("Yoyo", LOW)]


async def test_open_and_overdue_attention_is_counted(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        for number in range(2):
            await raise_attention(
                session, AttentionKind.APPROVED_LATE, subject_id=f"payses_{number}", message="It came late"
            )
        await session.execute(
            update(Attention)
            .where(Attention.subject_id == "payses_0")
            .values(due_at=db_now(-timedelta(minutes=1)))
        )
    view = await read_today(shop)
    assert (view.attention, view.attention_late) == (2, 1)


async def test_start_screen_is_not_readable_without_the_right(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RIGHTS, Role.STOCKROOM, frozenset())
    with pytest.raises(Forbidden):
        await read_today(shop, Actor("user_3", Role.STOCKROOM))
