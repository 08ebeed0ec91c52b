"""Tests of the access to an order's page: only its signed link opens it."""

import re
from dataclasses import asdict

import pytest

from backend.checkout.placed_orders import PlacedOrder
from backend.shipping.providers.base import TrackingStage
from storefront.pages.order import texts
from storefront.pages.order.state import get_token, load
from storefront.pages.page_loader import PageParams


@pytest.mark.parametrize("end", ["", "?ref_payco=abc", "&ref_payco=abc", "?ref_payco=a&x=1", "&token=other"])
async def test_link_opens_the_order_with_parameters_that_a_gateway_appends(
    placed: PlacedOrder, end: str
) -> None:
    data = await load(PageParams.from_url(f"/order/{placed.order_id}?token={placed.token}{end}"))
    order = data.content.order
    assert order is not None
    assert (order.number, order.status, order.total) == (placed.number, "pending", 37_800)
    assert data.content.bank_url == placed.redirect_url
    assert data.meta.status == 200
    assert data.meta.robots.startswith("noindex")
    assert f"Pedido {placed.number}" in data.meta.title


@pytest.mark.parametrize(
    "end", ["", "?token=", "?token=forged", "?token=\ud800", "?token={token}x", "?x={token}"]
)
async def test_order_is_not_found_without_its_token(placed: PlacedOrder, end: str) -> None:
    data = await load(PageParams.from_url(f"/order/{placed.order_id}" + end.format(token=placed.token)))
    assert (data.content.order, data.content.bank_url) == (None, "")
    assert data.meta.status == 404
    assert "ana@example.com" not in str(asdict(data))


async def test_token_of_an_order_does_not_open_another_order(placed: PlacedOrder) -> None:
    data = await load(PageParams.from_url(f"/order/order_0?token={placed.token}"))
    assert data.content.order is None
    assert data.meta.status == 404


def test_order_token_is_read_without_text_that_a_gateway_appends() -> None:
    assert get_token(PageParams.from_url("/order/1?token=abc-_9?ref_payco=1")) == "abc-_9"
    assert get_token(PageParams.from_url("/order/1")) == ""


def test_every_order_status_has_texts() -> None:
    assert texts.TITLES.keys() == texts.EXPLANATIONS.keys() == texts.DRAWINGS.keys() == texts.ICONS.keys()
    ended = {"paid", "returning", "refunded", "rejected", "canceled", "expired"}
    assert set(texts.TITLES) == {"pending", "held", "closed", "review", "authorized"} | ended
    assert next(iter(texts.TITLES)) == "pending"  # the default for an unknown status


def test_only_texts_of_failed_payments_say_that_nothing_was_charged() -> None:
    statuses = {
        status for status, words in texts.EXPLANATIONS.items() if "no se hizo ningún cobro" in words.lower()
    }
    assert statuses == {"rejected", "canceled", "expired"}


def test_every_fulfillment_stage_has_texts() -> None:
    own = {"packing", "packed", "to_collect", "picked_up", "unpacked"}
    assert set(texts.STAGES) == {"preparing", "ready", "shipped", *own, *TrackingStage} - {
        TrackingStage.AWAITING_PICKUP
    }
    journeys = {"shipped", "delivered", "out", "to_collect", "picked_up"}
    assert texts.JOURNEY_TITLES.keys() == texts.JOURNEY_WORDS.keys() == journeys


@pytest.mark.parametrize("words", [texts.JOURNEY_TITLES, texts.JOURNEY_WORDS, texts.STAGES])
def test_texts_of_a_pickup_order_do_not_mention_a_carrier(words: dict[str, str]) -> None:
    pickup = {"to_collect", "picked_up", "packing", "unpacked"}
    shown = " ".join(text for name, text in words.items() if name in pickup)
    assert not re.search("gu[ií]a|transportadora|env[ií]|despach|entreg|casa|camino", shown, re.IGNORECASE)
