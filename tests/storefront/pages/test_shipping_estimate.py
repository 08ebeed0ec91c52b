"""Tests of the shipping estimate during an outage."""

from collections.abc import Callable

import pytest
import reflex as rx

from backend.app import Shop
from storefront.pages.shipping_estimate import EstimateState
from tests.checkout_steps import MEDELLIN
from tests.store_defaults import Defaults, add_product
from tests.storefront.background import InBackground
from tests.storefront.outage import without_database


async def test_shipping_estimate_that_failed_in_an_outage_can_be_repeated(
    shop: Shop,
    defaults: Defaults,
    shopper: Callable[[], rx.State],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, defaults, "trompo", stock=5, price=18_900)
    state = await shopper().get_state(EstimateState)
    estimate = EstimateState.event_handlers["estimate_shipping"].fn
    with without_database(shop, monkeypatch):
        await estimate(InBackground(state), "1", MEDELLIN, variant_id)
    assert (state.estimate.question, state.estimate.status) == ("1", "failed")
    assert [one for one in caplog.records if one.name == "storefront.pages.shipping_estimate"] == []
    await estimate(InBackground(state), "2", MEDELLIN, variant_id)
    assert (state.estimate.question, state.estimate.status) == ("2", "ready")
