"""Two of the staff and a shopper at once, on one toy and on its order: nothing is lost, and each is told."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.app import Shop, set_current_shop
from backend.catalog.models import Variant
from backend.core.config.settings import Settings
from backend.orders.fulfillments import fulfillments_of_order
from backend.payment.providers.base import ProviderState
from backend.staff.rights import Role
from storefront.office.orders.detail_state import OrderState
from tests.backend.orders.paying import at_the_bank, order_row, said, stock
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import bought
from tests.storefront.office.conftest import At
from tests.storefront.office.products import test_product_screen as producto


@pytest.fixture
async def shop(database_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """An open shop without toys, on each of the databases."""
    shop = Shop(Settings(data_dir=tmp_path / "data", database_url=database_url))
    set_current_shop(shop)
    yield shop
    set_current_shop(None)
    await shop.stop()


@pytest.fixture
async def trompo(shop: Shop, defaults: Defaults) -> str:
    """Ten wooden tops for 50,000 pesos each, by their variant."""
    async with shop.database.transaction() as session:
        return await make_toy(session, defaults, "trompo-de-madera", stock=10)


async def done(screen: Any, name: str) -> None:
    """Somebody presses this at an order."""
    await OrderState.event_handlers[name].fn(screen)


async def at_order(browser_of: At, order_id: str) -> Any:
    """The screen of an order, at a browser of somebody of the shop."""
    root = await browser_of(Role.SHOP, f"/oficina/pedidos/{order_id}")
    screen: Any = await root.get_state(OrderState)
    await done(screen, "load")
    return screen


async def test_a_toy_is_bought_while_two_edit_it(
    shop: Shop, trompo: str, store: httpx.AsyncClient, browser_of: At
) -> None:
    async with shop.database.read() as session:
        toy = (await session.get_one(Variant, trompo)).product_id
    lina, berta = await producto.opened(browser_of, toy), await producto.opened(browser_of, toy)
    linas = producto.form_of(lina, price=["60000"], units=["5"])
    await producto.sent(berta, "save", producto.form_of(berta, title="Trompo de Berta"))
    order = await bought(store, trompo, 2)
    await producto.sent(lina, "save", linas)  # which shows the title and the units of before
    assert (lina.told.tone, lina.clashes, lina.problems) == ("news", [], {})
    assert (lina.content.texts["title"], lina.content.variants[0].price) == ("Trompo de Berta", "60000")
    assert lina.content.variants[0].stocked == "13 libres · 2 apartadas"
    assert await stock(shop) == (15, 2)
    assert [(line["title"], line["unit_price"]) for line in order["items"]] == [("Trompo de Berta", 50_000)]
    bertas = producto.form_of(berta, price=["70000"])
    await producto.sent(berta, "save", bertas)
    assert [(one.label, one.mine, one.theirs) for one in berta.clashes] == [
        ("Precio", "$ 70.000", "$ 60.000")
    ]
    assert berta.told.tone == "problem"
    await berta._update()
    assert berta.content.variants[0].stocked == "13 libres · 2 apartadas"


async def test_two_act_on_the_order_that_a_shopper_pays(
    shop: Shop, trompo: str, store: httpx.AsyncClient, browser_of: At
) -> None:
    order_id, payment = await at_the_bank(shop, store, trompo)
    lina, berta = await at_order(browser_of, order_id), await at_order(browser_of, order_id)
    await done(lina, "cancel")  # the shopper is at the bank
    assert lina.told.tone == "problem"
    await said(shop, payment, ProviderState.CAPTURED)
    await asyncio.gather(done(lina, "pack"), done(berta, "pack"))
    assert "news" in {screen.told.tone for screen in (lina, berta)}
    await done(berta, "pack")
    assert (berta.told.tone, berta.told.text.startswith("Ya tenía guía.")) == ("problem", True)
    await done(berta, "cancel")
    assert (berta.told.tone, "algo ya se empacó" in berta.told.text) == ("problem", True)
    assert "Lo hizo" in berta.told.text
    await asyncio.gather(done(lina, "deliver"), done(berta, "deliver"))
    assert "news" in {screen.told.tone for screen in (lina, berta)}
    for screen in (lina, berta):
        await screen._update()
        assert "Entregado" in [chip.text for chip in screen.content.chips]
    async with shop.database.read() as session:
        (parcel,) = await fulfillments_of_order(session, order_id)
    assert parcel.delivered_at is not None
    order = await order_row(shop, order_id)
    assert (order.status, order.payment_status, order.fulfillment_status) == (
        "pending",
        "captured",
        "delivered",
    )
    assert await stock(shop) == (8, 0)


async def test_one_packs_what_the_other_has_cancelled(
    shop: Shop, trompo: str, store: httpx.AsyncClient, browser_of: At
) -> None:
    order_id = (await bought(store, trompo, 2))["id"]
    lina, berta = await at_order(browser_of, order_id), await at_order(browser_of, order_id)
    await done(lina, "cancel")
    for late, press in ((berta, "pack"), (berta, "cancel"), (lina, "pack")):
        await done(late, press)
        assert (late.told.tone, "cancelado" in late.told.text) == ("problem", True)
    async with shop.database.read() as session:
        assert await fulfillments_of_order(session, order_id) == []
    assert (await order_row(shop, order_id)).status == "canceled"
    assert await stock(shop) == (10, 0)
