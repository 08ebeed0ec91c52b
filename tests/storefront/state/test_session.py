"""Tests of the browser's IP address, which rate limits and the gateway use: a browser must not choose it."""

from collections.abc import Callable

import pytest
import reflex as rx
from reflex.istate.data import RouterData

from backend.app import Shop
from storefront.state.session import get_client_ip


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
    ids=["direct", "forged", "behind our proxy", "forged behind our proxy", "not our proxy", "unknown"],
)
def test_client_ip_comes_from_the_connection_and_trusted_proxies(
    *, shop: Shop, shopper: Callable[[], rx.State], trusted: str, connected: str, forwarded: str, client: str
) -> None:
    shop.settings = shop.settings.model_copy(update={"trusted_proxies": trusted})
    root = shopper()
    root.router = RouterData.from_router_data({"ip": connected, "headers": {"x-forwarded-for": forwarded}})
    assert get_client_ip(root) == client
