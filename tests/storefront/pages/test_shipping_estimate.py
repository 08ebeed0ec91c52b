"""The box that says what shipping costs, when the shop cannot say it."""

from collections.abc import Callable

import pytest
import reflex as rx

from backend.app import Shop
from storefront.pages.shipping_estimate import EstimateState
from tests.checkout_steps import MEDELLIN
from tests.store_defaults import Defaults, make_toy
from tests.storefront.background import InBackground
from tests.storefront.outage import without_database


async def test_an_outage_is_not_told_by_it_and_it_can_be_asked_again(
    shop: Shop,
    defaults: Defaults,
    shopper: Callable[[], rx.State],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with shop.database.transaction() as session:
        toy = await make_toy(session, defaults, "trompo", stock=5, price=18_900)
    state = await shopper().get_state(EstimateState)
    ask = EstimateState.event_handlers["ask"].fn
    with without_database(shop, monkeypatch):
        await ask(InBackground(state), "1", MEDELLIN, toy)
    assert (state.estimate.asked, state.estimate.status) == ("1", "failed")
    assert [one for one in caplog.records if one.name == "storefront.pages.shipping_estimate"] == []
    await ask(InBackground(state), "2", MEDELLIN, toy)
    assert (state.estimate.asked, state.estimate.status) == ("2", "ready")
