"""CORS over a real socket: listed sites may call their part of the API, other sites may call nothing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey
from backend.core.config.settings import Settings
from backend.edge.middleware.body_limit import with_body_limits
from backend.edge.middleware.cors import with_cross_origin
from backend.staff.rights import COMMAND_LINE
from backend.staff.service import create_staff
from tests.gateway_kit import serve_app
from tests.store_defaults import set_up_defaults

STOREFRONT, OFFICE, STRANGER = "https://tienda.example", "https://panel.example", "https://evil.example"
LISTED = {
    "store_cors": STOREFRONT + r",/^https:\/\/[a-z0-9-]+\.vercel\.app$/",
    "admin_cors": OFFICE,
    "auth_cors": f"{STOREFRONT},{OFFICE}",
}
EMAIL, PASSWORD = "ana@trompo.example", "una clave larga"


@asynccontextmanager
async def shop_with_origins(url: str, folder: Path, **listed: str) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of a shop with these settings."""
    shop = Shop(Settings(data_dir=folder / "data", database_url=url, **listed))  # type: ignore[arg-type]
    await set_up_defaults(shop.database, shop.settings)
    await create_staff(shop.database, COMMAND_LINE, EMAIL, PASSWORD)
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    app = with_cross_origin(with_body_limits(create_api(shop)), shop.settings)
    async with (
        serve_app(app) as address,
        httpx.AsyncClient(base_url=address, headers={"x-publishable-api-key": key}) as client,
    ):
        yield client
    await shop.stop()


@pytest.fixture
async def listing(sqlite_url: str, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with shop_with_origins(sqlite_url, tmp_path, **LISTED) as client:
        yield client


def preflight_headers(origin: str, method: str = "POST") -> dict[str, str]:
    return {
        "origin": origin,
        "access-control-request-method": method,
        "access-control-request-headers": "content-type,x-publishable-api-key,authorization",
    }


def read_allowed_origin(answer: httpx.Response) -> tuple[str | None, bool]:
    """Return the origin that may read the answer, and True if `Vary` names the origin."""
    headers = answer.headers
    assert (
        "access-control-allow-origin" not in headers or headers["access-control-allow-credentials"] == "true"
    )
    return headers.get("access-control-allow-origin"), "Origin" in headers.get("vary", "")


@pytest.mark.parametrize("origin", [STOREFRONT, "https://rama-3.vercel.app"])
async def test_page_of_a_listed_origin_may_call_the_api_and_read_answers(
    listing: httpx.AsyncClient, origin: str
) -> None:
    """Check that errors can be read too, so that a client sees the problem (wire: commerce-api, Conventions, CORS)."""
    for method in ("GET", "HEAD", "PUT", "PATCH", "POST", "DELETE"):
        before = await listing.options("/store/carts", headers=preflight_headers(origin, method))
        assert (before.status_code, read_allowed_origin(before)) == (200, (origin, True))
        assert method in before.headers["access-control-allow-methods"].split(", ")
        assert (
            before.headers["access-control-allow-headers"]
            == preflight_headers(origin)["access-control-request-headers"]
        )
    headers = {"origin": origin}
    regions = await listing.get("/store/regions", headers=headers)
    assert (regions.status_code, read_allowed_origin(regions)) == (200, (origin, True))
    again = await listing.get("/store/regions", headers={**headers, "if-none-match": regions.headers["etag"]})
    assert (again.status_code, read_allowed_origin(again)) == (304, (origin, True))
    for answer, status in (
        (await listing.get("/store/carts/cart_nosuch", headers=headers), 404),
        (await listing.post("/store/carts", headers=headers, json={"nosuch": 1}), 400),
        (await listing.post("/store/carts", headers=headers, content=b"x" * 200_000), 413),
    ):
        assert (answer.status_code, read_allowed_origin(answer)) == (status, (origin, True))


@pytest.mark.parametrize(
    ("path", "origin"),
    [
        ("/store/regions", STRANGER),
        ("/store/regions", OFFICE),
        ("/store/regions", "https://rama.vercel.app.evil.example"),
        ("/store/regions", "null"),
        ("/admin/products", STOREFRONT),
        ("/admin/products", STRANGER),
        ("/auth/session", STRANGER),
        ("/health", STOREFRONT),
        ("/hooks/payment/gateway_pse", STOREFRONT),
    ],
)
async def test_page_of_an_unlisted_origin_may_not_call_the_api(
    listing: httpx.AsyncClient, path: str, origin: str
) -> None:
    before = await listing.options(path, headers=preflight_headers(origin))
    assert not before.is_success
    assert read_allowed_origin(before)[0] is None
    assert read_allowed_origin(await listing.get(path, headers={"origin": origin}))[0] is None


async def test_page_of_another_origin_may_not_call_the_api_by_default(
    sqlite_url: str, tmp_path: Path
) -> None:
    async with shop_with_origins(sqlite_url, tmp_path) as client:
        for path in ("/store/regions", "/admin/products", "/auth/session"):
            before = await client.options(path, headers=preflight_headers(STOREFRONT))
            assert (before.status_code, read_allowed_origin(before)[0]) == (405, None)
            assert read_allowed_origin(await client.get(path, headers={"origin": STOREFRONT}))[0] is None


async def test_session_cookie_is_accepted_only_from_a_page_of_a_listed_origin(
    listing: httpx.AsyncClient,
) -> None:
    """Sign in as staff with a token and continue with a cookie, like the platform's dashboard."""
    credentials = {"email": EMAIL, "password": PASSWORD}
    known = await listing.post("/auth/user/emailpass", json=credentials, headers={"origin": OFFICE})
    assert read_allowed_origin(known) == (OFFICE, True)
    bearer = {"authorization": f"Bearer {known.json()['token']}"}
    refused = await listing.post("/auth/session", headers={**bearer, "origin": STRANGER})
    assert refused.status_code == 403
    opened = await listing.post("/auth/session", headers={**bearer, "origin": OFFICE})
    assert (opened.status_code, read_allowed_origin(opened)) == (200, (OFFICE, True))
    assert (await listing.get("/admin/users/me")).json()["user"]["email"] == EMAIL  # by the cookie
    new = {"title": "Novedades"}
    for origin, status in ((STRANGER, 401), (STOREFRONT, 401), (OFFICE, 200)):
        made = await listing.post("/admin/collections", json=new, headers={"origin": origin})
        assert made.status_code == status, origin
    assert (await listing.delete("/auth/session", headers={"origin": STRANGER})).status_code == 403
    assert (await listing.delete("/auth/session", headers={"origin": OFFICE})).json() == {"success": True}
    assert (await listing.get("/admin/users/me")).status_code == 401
