"""The product picker's search, used by a staff member of the shop's role."""

from typing import Any

import pytest

from backend.app import Shop
from backend.office import product_picker
from backend.staff.rights import Role
from storefront.office.components.product_picker import ProductPickerState
from tests.store_defaults import Defaults, add_product
from tests.storefront.office.conftest import BrowserFactory


async def test_product_picker_loads_more_results_page_by_page(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(product_picker, "PAGE_SIZE", 2)
    async with shop.database.transaction() as session:
        for number in range(3):
            await add_product(session, defaults, f"trompo-{number}", stock=1)
    root = await browser_of(Role.SHOP, "/oficina/colecciones")
    picker: Any = await root.get_state(ProductPickerState)
    handlers = ProductPickerState.event_handlers
    await handlers["load_more"].fn(picker)
    assert not picker.page
    await handlers["find"].fn(picker, " trompo ", "")
    assert ([row.title for row in picker.page.rows], picker.page.text) == (["Trompo 0", "Trompo 1"], "trompo")
    await handlers["load_more"].fn(picker)
    assert ([row.title for row in picker.page.rows][2:], picker.page.cursor) == (["Trompo 2"], "")
