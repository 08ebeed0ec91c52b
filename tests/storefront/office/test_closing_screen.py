"""The screen «Cerrar el día», used by a staff member of the shop."""

from typing import Any

from backend.app import Shop
from backend.draft_orders.counter_sale import ReceivedMoney, sell
from backend.draft_orders.drafts import add_units, open_current_draft
from backend.payment.manual_methods import ManualMethod
from backend.staff.rights import COMMAND_LINE, Role
from storefront.office.sell.closing import ClosingState
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event


async def sell_one(shop: Shop, variant_id: str) -> None:
    async with shop.database.transaction() as session:
        draft = await open_current_draft(session, COMMAND_LINE)
        await add_units(session, COMMAND_LINE, draft.id, variant_id)
        money = ReceivedMoney(40_000, ManualMethod.CASH)
        await sell(session, COMMAND_LINE, shop.settings, draft.id, received=money)


async def test_day_is_closed_with_the_counted_cash_and_the_reason_for_a_difference(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, defaults, "trompo", stock=2, price=40_000)
    await sell_one(shop, variant_id)
    root = await browser_of(Role.SHOP, "/oficina/vender/cierre")
    screen: Any = await root.get_state(ClosingState)
    await send_event(screen, "load")
    assert screen.content.expected == 40_000
    typed = {"expected": "40000", "previous": "", "counted": "39.500", "left": "10.000"}
    await send_event(screen, "close", {**typed, "counted": "x"})
    assert list(screen.problems) == ["counted"]
    await send_event(screen, "close", typed)
    assert list(screen.problems) == ["reason"]
    await sell_one(shop, variant_id)
    await send_event(screen, "close", {**typed, "reason": "mal cambio"})
    assert (screen.announcement.tone, screen.content.expected) == ("problem", 80_000)
    await send_event(
        screen, "close", {**typed, "expected": "80000", "counted": "79.500", "reason": "mal cambio"}
    )
    (row,) = screen.content.closings
    assert (row.difference, row.reason, screen.content.expected) == (cop("-$ 500"), "mal cambio", 10_000)


async def test_stockroom_role_cannot_open_the_closing_screen(shop: Shop, browser_of: BrowserFactory) -> None:
    root = await browser_of(Role.STOCKROOM, "/oficina/vender/cierre")
    screen: Any = await root.get_state(ClosingState)
    await send_event(screen, "load")
    assert screen.problem == "forbidden"
