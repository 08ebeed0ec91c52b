from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from reflex.constants import Env
from reflex.environment import environment
from starlette.responses import Response

from backend.app import Shop, set_current_shop
from backend.settings import Settings
from storefront.security import is_own_page, with_security_headers


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
def test_production(origin: str, headers: dict[str, str], expected: bool) -> None:
    assert is_own_page(origin, headers) is expected


@pytest.mark.parametrize(
    ("origin", "expected"),
    [("http://localhost:3000", True), ("http://evil.example:3000", False), ("http://[", False)],
)
def test_in_development_another_port_of_the_host_will_do(
    origin: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(environment.REFLEX_ENV_MODE.name, Env.DEV.value)
    assert is_own_page(origin, {"HTTP_HOST": "localhost:8000"}) is expected


@pytest.mark.parametrize(
    ("public_url", "expected"),
    [("https://trompo.example", "max-age=31536000"), ("http://trompo.example", None), ("", None)],
)
async def test_an_https_shop_is_reached_by_https_only(
    public_url: str, expected: str | None, tmp_path: Path
) -> None:
    app = with_security_headers(Response("hello"), Settings(data_dir=tmp_path, public_url=public_url))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        headers = (await client.get("/")).headers
    assert headers.get("strict-transport-security") == expected
    assert headers["x-content-type-options"] == "nosniff"
