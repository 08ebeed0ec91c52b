"""Whose browser it is that speaks: limits and the gateway need its address, and nobody may choose their own."""

from collections.abc import Callable

import pytest
import reflex as rx
from reflex.istate.data import RouterData

from backend.app import Shop
from storefront.state.session import client_of


@pytest.mark.parametrize(
    ("trusted", "connected", "forwarded", "client"),
    [
        ("", "190.24.1.1", "", "190.24.1.1"),
        ("", "190.24.1.1", "1.2.3.4", "190.24.1.1"),
        ("10.0.0.0/8", "10.0.0.7", "190.24.1.1", "190.24.1.1"),
        ("10.0.0.0/8", "10.0.0.7", "1.2.3.4, 190.24.1.1", "190.24.1.1"),
        ("10.0.0.0/8", "190.24.1.1", "1.2.3.4", "190.24.1.1"),
        ("10.0.0.0/8", "", "1.2.3.4", ""),
    ],
    ids=["direct", "made up", "behind our proxy", "made up behind our proxy", "not our proxy", "unknown"],
)
def test_the_address_is_what_the_connection_and_our_proxies_say(
    *, shop: Shop, shopper: Callable[[], rx.State], trusted: str, connected: str, forwarded: str, client: str
) -> None:
    shop.settings = shop.settings.model_copy(update={"trusted_proxies": trusted})
    root = shopper()
    root.router = RouterData.from_router_data({"ip": connected, "headers": {"x-forwarded-for": forwarded}})
    assert client_of(root) == client
