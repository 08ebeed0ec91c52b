"""The page on which a customer pays the difference of an edited order, and the order's page that leads to it."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
import reflex as rx
from reflex.istate.data import RouterData

from backend.app import Shop
from backend.order_edits.confirmation import confirm_edit
from backend.order_edits.difference import DifferenceReceipt, receive_difference
from backend.order_edits.difference_payment import build_difference_url
from backend.order_edits.editing import add_variant, open_edit
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Order
from backend.orders.service import read_order
from backend.payment.manual_methods import ManualMethod
from backend.payment.providers.base import ProviderState
from backend.payment.sessions import list_payment_sessions
from backend.staff.rights import COMMAND_LINE
from storefront.pages import pay
from storefront.pages.order.state import load as load_order
from storefront.pages.page_loader import PageParams
from storefront.pages.pay import PayState, load
from tests.amounts import cop
from tests.backend.orders.paying import list_sessions, report_payment
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase
from tests.storefront.office.conftest import store

__all__ = ["store"]
PRICE = 40_000


@pytest.fixture
async def order(shop: Shop, defaults: Defaults, store: httpx.AsyncClient) -> AsyncIterator[Order]:
    """Return a paid order to which a second trompo was added."""
    async with shop.database.transaction() as session:
        trompo = await add_product(session, defaults, "trompo", stock=9, price=PRICE)
    placed = await complete_purchase(store, trompo)
    (payment,) = await list_sessions(shop, placed["id"])
    await report_payment(shop, payment.id, ProviderState.CAPTURED)
    async with shop.database.transaction() as session:
        edit = await open_edit(session, COMMAND_LINE, placed["id"])
        await add_variant(session, COMMAND_LINE, edit.id, trompo)
        await confirm_edit(session, COMMAND_LINE, edit.id)
    async with shop.database.read() as session:
        yield await read_order(session, placed["id"])


def path_of(shop: Shop, order: Order) -> str:
    return "/pay/" + build_difference_url(shop.settings, order.id).rpartition("/")[2]


async def test_page_shows_the_difference_without_personal_data(shop: Shop, order: Order) -> None:
    content = (await load(PageParams.from_url(path_of(shop, order)))).content
    assert (content.order_number, content.owed, content.total_label) == (order.number, PRICE, cop("$ 40.000"))
    assert (content.reason, content.needs_document, content.lines) == ("", True, [])


async def test_order_page_links_to_the_payment_page(shop: Shop, order: Order) -> None:
    token = ORDER_LINK.token(shop.settings.signing_key, order.id)
    content = (await load_order(PageParams.from_url(f"/order/{order.id}?token={token}"))).content
    assert content.difference_path == path_of(shop, order)


async def test_settled_difference_cannot_be_paid(shop: Shop, order: Order) -> None:
    async with shop.database.transaction() as session:
        receipt = DifferenceReceipt(PRICE, ManualMethod.CASH)
        await receive_difference(session, COMMAND_LINE, order.id, receipt)
    content = (await load(PageParams.from_url(path_of(shop, order)))).content
    assert (content.owed, "Ya no hay diferencia" in content.reason) == (0, True)
    token = ORDER_LINK.token(shop.settings.signing_key, order.id)
    shown = (await load_order(PageParams.from_url(f"/order/{order.id}?token={token}"))).content
    assert shown.difference_path == ""


async def test_forged_link_of_a_difference_is_not_found(shop: Shop, order: Order) -> None:
    data = await load(PageParams.from_url(f"/pay/{order.id}.forged"))
    assert (data.content.is_known, data.meta.status) == (False, 404)


async def test_repeated_form_starts_only_one_payment(
    shop: Shop, order: Order, shopper: Callable[[], rx.State], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pay, "get_client_ip", lambda _state: "190.24.1.1")
    path = path_of(shop, order)
    root = shopper()
    root.router = RouterData.from_router_data({"headers": {}, "pathname": path, "asPath": path})
    page: Any = await root.get_state(PayState)
    form = {
        "token": path.rpartition("/")[2],
        "amount": str(PRICE),
        "bank": "",
        "doc_type": "CC",
        "doc_number": "52123456",
    }
    assert await PayState.event_handlers["pay_difference"].fn(page, form) is None
    assert "bank" in page.problems
    bank = (await shop.payments.list_banks())[0].code
    for _time in range(2):
        assert await PayState.event_handlers["pay_difference"].fn(page, {**form, "bank": bank}) is not None
    async with shop.database.read() as session:
        payments = await list_payment_sessions(session, order.cart_id)
    assert [(one.amount, one.state) for one in payments][:1] == [(PRICE, "pending_authorization")]
    assert len(payments) == 2
    assert (await load(PageParams.from_url(path))).content.bank_url != ""
