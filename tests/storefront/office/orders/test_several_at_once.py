"""Two staff members and a shopper act at once on one product and on its order.

No change is lost, and each staff member is informed.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.app import Shop, set_current_shop
from backend.catalog.models import Variant
from backend.core.config.settings import Settings
from backend.orders.fulfillments import list_order_fulfillments
from backend.payment.providers.base import ProviderState
from backend.staff.rights import Role
from storefront.live.refresh import update_state
from storefront.office.orders.detail_state import OrderState
from tests.amounts import cop
from tests.backend.orders.paying import order_row, place_order_at_bank, read_stock, report_payment
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event
from tests.storefront.office.products import test_product_screen as product_steps


@pytest.fixture
async def shop(database_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """Yield an open shop without products, on each of the databases."""
    shop = Shop(Settings(data_dir=tmp_path / "data", database_url=database_url))
    set_current_shop(shop)
    yield shop
    set_current_shop(None)
    await shop.stop()


@pytest.fixture
async def trompo(shop: Shop, defaults: Defaults) -> str:
    """Create ten wooden tops for 50,000 pesos each and return their variant's id."""
    async with shop.database.transaction() as session:
        return await add_product(session, defaults, "trompo-de-madera", stock=10)


async def open_order(browser_of: BrowserFactory, order_id: str) -> Any:
    """Open an order's screen as a staff member with the shop role."""
    root = await browser_of(Role.SHOP, f"/oficina/pedidos/{order_id}")
    screen: Any = await root.get_state(OrderState)
    await send_event(screen, "load")
    return screen


async def test_product_is_bought_while_two_staff_members_edit_it(
    shop: Shop, trompo: str, store: httpx.AsyncClient, browser_of: BrowserFactory
) -> None:
    async with shop.database.read() as session:
        product_id = (await session.get_one(Variant, trompo)).product_id
    lina, berta = (
        await product_steps.open_editor(browser_of, product_id),
        await product_steps.open_editor(browser_of, product_id),
    )
    lina_form = product_steps.editor_form(lina, price=["60000"], units=["5"])
    await send_event(berta, "save", product_steps.editor_form(berta, title="Trompo de Berta"))
    order = await complete_purchase(store, trompo, 2)
    await send_event(lina, "save", lina_form)  # her form shows the old title and units
    assert (lina.announcement.tone, lina.clashes, lina.problems) == ("news", [], {})
    assert (lina.content.texts["title"], lina.content.variants[0].price) == ("Trompo de Berta", "60.000")
    assert lina.content.variants[0].stocked == "13 libres · 2 apartadas"
    assert await read_stock(shop) == (15, 2)
    assert [(line["title"], line["unit_price"]) for line in order["items"]] == [("Trompo de Berta", 50_000)]
    berta_form = product_steps.editor_form(berta, price=["70000"])
    await send_event(berta, "save", berta_form)
    assert [(clash.label, clash.mine, clash.theirs) for clash in berta.clashes] == [
        ("Precio", cop("$ 70.000"), cop("$ 60.000"))
    ]
    assert berta.announcement.tone == "problem"
    await update_state(berta)
    assert berta.content.variants[0].stocked == "13 libres · 2 apartadas"


async def test_actions_of_two_staff_members_on_an_order_during_its_payment_are_consistent(
    shop: Shop, trompo: str, store: httpx.AsyncClient, browser_of: BrowserFactory
) -> None:
    order_id, payment = await place_order_at_bank(shop, store, trompo)
    lina, berta = await open_order(browser_of, order_id), await open_order(browser_of, order_id)
    await send_event(lina, "cancel")  # refused: the shopper is at the bank
    assert lina.announcement.tone == "problem"
    await report_payment(shop, payment, ProviderState.CAPTURED)
    await asyncio.gather(send_event(lina, "pack"), send_event(berta, "pack"))
    assert "news" in {screen.announcement.tone for screen in (lina, berta)}
    await send_event(berta, "pack")
    assert (berta.announcement.tone, berta.announcement.text.startswith("Ya estaba empacado.")) == (
        "problem",
        True,
    )
    await send_event(berta, "cancel")
    assert (berta.announcement.tone, "algo ya se empacó" in berta.announcement.text) == ("problem", True)
    assert "Lo hizo" in berta.announcement.text
    await asyncio.gather(send_event(lina, "deliver"), send_event(berta, "deliver"))
    assert "news" in {screen.announcement.tone for screen in (lina, berta)}
    for screen in (lina, berta):
        await update_state(screen)
        assert "Recogido" in [chip.text for chip in screen.content.chips]
    async with shop.database.read() as session:
        (parcel,) = await list_order_fulfillments(session, order_id)
    assert parcel.delivered_at is not None
    order = await order_row(shop, order_id)
    assert (order.status, order.payment_status, order.fulfillment_status) == (
        "pending",
        "captured",
        "delivered",
    )
    assert await read_stock(shop) == (8, 0)


async def test_order_cancelled_by_another_staff_member_cannot_be_packed(
    shop: Shop, trompo: str, store: httpx.AsyncClient, browser_of: BrowserFactory
) -> None:
    order_id = (await complete_purchase(store, trompo, 2))["id"]
    lina, berta = await open_order(browser_of, order_id), await open_order(browser_of, order_id)
    await send_event(lina, "cancel")
    for late, press in ((berta, "pack"), (berta, "cancel"), (lina, "pack")):
        await send_event(late, press)
        assert (late.announcement.tone, "cancelado" in late.announcement.text) == ("problem", True)
    async with shop.database.read() as session:
        assert await list_order_fulfillments(session, order_id) == []
    assert (await order_row(shop, order_id)).status == "canceled"
    assert await read_stock(shop) == (10, 0)
