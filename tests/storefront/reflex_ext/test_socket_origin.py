from collections.abc import Iterator
from pathlib import Path

import pytest
from reflex.constants import Env
from reflex.environment import environment

from backend.app import Shop, set_current_shop
from backend.core.config.settings import Settings
from storefront.reflex_ext.socket_origin import is_own_page


@pytest.fixture(autouse=True)
def production(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv(environment.REFLEX_ENV_MODE.name, Env.PROD.value)
    set_current_shop(Shop(Settings(data_dir=tmp_path, public_url="https://trompo.example")))
    yield
    set_current_shop(None)


@pytest.mark.parametrize(
    ("origin", "headers", "expected"),
    [
        ("http://localhost:3000", {"HTTP_HOST": "localhost:3000"}, True),
        ("http://192.168.1.7:8080", {"HTTP_HOST": "192.168.1.7:8080"}, True),
        (
            "https://shop.example",
            {"HTTP_HOST": "10.0.0.1:3000", "HTTP_X_FORWARDED_HOST": "shop.example"},
            True,
        ),
        ("https://trompo.example", {"HTTP_HOST": "10.0.0.1:3000"}, True),
        ("https://evil.example", {"HTTP_HOST": "localhost:3000"}, False),
        ("http://localhost:3001", {"HTTP_HOST": "localhost:3000"}, False),
        ("https://trompo.example.evil.example", {"HTTP_HOST": "trompo.example"}, False),
        ("null", {"HTTP_HOST": "localhost:3000"}, False),
        ("null", {}, False),
        ("http://[", {"HTTP_HOST": "localhost:3000"}, False),
        ("http://[", {}, False),
    ],
)
def test_websocket_origin_is_checked_in_production(
    origin: str, headers: dict[str, str], expected: bool
) -> None:
    assert is_own_page(origin, headers) is expected


@pytest.mark.parametrize(
    ("origin", "expected"),
    [("http://localhost:3000", True), ("http://evil.example:3000", False), ("http://[", False)],
)
def test_websocket_from_another_port_of_the_host_is_allowed_in_development(
    origin: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(environment.REFLEX_ENV_MODE.name, Env.DEV.value)
    assert is_own_page(origin, {"HTTP_HOST": "localhost:8000"}) is expected
