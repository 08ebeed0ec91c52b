"""An order's page shows itself to whoever holds its signed link, and to nobody else."""

from dataclasses import asdict

import pytest

from backend.checkout.placed_orders import PlacedOrder
from backend.shipping.providers.base import TrackingStage
from storefront.pages.order import texts
from storefront.pages.order.state import load, token_of
from storefront.pages.page_loader import PageParams


@pytest.mark.parametrize("end", ["", "?ref_payco=abc", "&ref_payco=abc", "?ref_payco=a&x=1", "&token=other"])
async def test_the_link_opens_the_order_whatever_a_gateway_hangs_on_it(placed: PlacedOrder, end: str) -> None:
    data = await load(PageParams.from_url(f"/order/{placed.order_id}?token={placed.token}{end}"))
    order = data.content.order
    assert order is not None
    assert (order.number, order.status, order.total) == (placed.number, "pending", 37_800)
    assert data.content.bank == placed.redirect_url
    assert data.meta.status == 200
    assert data.meta.robots.startswith("noindex")
    assert f"Pedido {placed.number}" in data.meta.title


@pytest.mark.parametrize(
    "end", ["", "?token=", "?token=forged", "?token=\ud800", "?token={token}x", "?x={token}"]
)
async def test_without_its_token_there_is_no_order(placed: PlacedOrder, end: str) -> None:
    data = await load(PageParams.from_url(f"/order/{placed.order_id}" + end.format(token=placed.token)))
    assert (data.content.order, data.content.bank) == (None, "")
    assert data.meta.status == 404
    assert "ana@example.com" not in str(asdict(data))


async def test_a_token_opens_no_other_order(placed: PlacedOrder) -> None:
    data = await load(PageParams.from_url(f"/order/order_0?token={placed.token}"))
    assert data.content.order is None
    assert data.meta.status == 404


def test_the_token_ends_where_a_gateway_s_own_words_begin() -> None:
    assert token_of(PageParams.from_url("/order/1?token=abc-_9?ref_payco=1")) == "abc-_9"
    assert token_of(PageParams.from_url("/order/1")) == ""


def test_every_status_has_its_words() -> None:
    assert texts.TITLES.keys() == texts.EXPLANATIONS.keys() == texts.DRAWINGS.keys()
    ended = {"paid", "returning", "refunded", "rejected", "canceled", "expired"}
    assert set(texts.TITLES) == {"pending", "held", "closed", "review", "authorized"} | ended
    assert next(iter(texts.TITLES)) == "pending"  # what an unknown status is told as


def test_only_the_bank_s_own_word_says_that_nothing_was_charged() -> None:
    told = {
        status for status, words in texts.EXPLANATIONS.items() if "no se hizo ningún cobro" in words.lower()
    }
    assert told == {"rejected", "canceled", "expired"}


def test_every_stage_of_a_parcel_has_its_words() -> None:
    assert set(texts.STAGES) == {"preparing", "ready", "shipped", *TrackingStage} - {
        TrackingStage.AWAITING_PICKUP
    }
    assert texts.JOURNEY_TITLES.keys() == texts.JOURNEY_WORDS.keys() == {"shipped", "delivered"}
