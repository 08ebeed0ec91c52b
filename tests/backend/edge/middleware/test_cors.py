"""Pages of other sites and the API, over a real socket: who is listed for a part may call it, nobody else anything."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey
from backend.core.config.settings import Settings
from backend.edge.middleware.body_limit import with_bounded_bodies
from backend.edge.middleware.cors import with_cross_origin
from backend.staff.rights import COMMAND_LINE
from backend.staff.service import create_staff
from tests.gateway_kit import served
from tests.store_defaults import set_up_defaults

STOREFRONT, OFFICE, STRANGER = "https://tienda.example", "https://panel.example", "https://evil.example"
LISTED = {
    "store_cors": STOREFRONT + r",/^https:\/\/[a-z0-9-]+\.vercel\.app$/",
    "admin_cors": OFFICE,
    "auth_cors": f"{STOREFRONT},{OFFICE}",
}
EMAIL, PASSWORD = "ana@trompo.example", "una clave larga"


@asynccontextmanager
async def shop_that_lists(url: str, folder: Path, **listed: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a shop with these settings."""
    shop = Shop(Settings(data_dir=folder / "data", database_url=url, **listed))  # type: ignore[arg-type]
    await set_up_defaults(shop.database, shop.settings)
    await create_staff(shop.database, COMMAND_LINE, EMAIL, PASSWORD)
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    app = with_cross_origin(with_bounded_bodies(create_api(shop)), shop.settings)
    async with (
        served(app) as address,
        httpx.AsyncClient(base_url=address, headers={"x-publishable-api-key": key}) as client,
    ):
        yield client
    await shop.stop()


@pytest.fixture
async def listing(sqlite_url: str, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with shop_that_lists(sqlite_url, tmp_path, **LISTED) as client:
        yield client


def asks(origin: str, method: str = "POST") -> dict[str, str]:
    return {
        "origin": origin,
        "access-control-request-method": method,
        "access-control-request-headers": "content-type,x-publishable-api-key,authorization",
    }


def allowed(answer: httpx.Response) -> tuple[str | None, bool]:
    """The origin that may read the answer, and whether caches are told that it depends on it."""
    told = answer.headers
    assert "access-control-allow-origin" not in told or told["access-control-allow-credentials"] == "true"
    return told.get("access-control-allow-origin"), "Origin" in told.get("vary", "")


@pytest.mark.parametrize("origin", [STOREFRONT, "https://rama-3.vercel.app"])
async def test_a_listed_page_may_ask_and_read(listing: httpx.AsyncClient, origin: str) -> None:
    """wire: commerce-api, Conventions, CORS; errors too can be read, or a program would not know what is wrong."""
    for method in ("GET", "HEAD", "PUT", "PATCH", "POST", "DELETE"):
        before = await listing.options("/store/carts", headers=asks(origin, method))
        assert (before.status_code, allowed(before)) == (200, (origin, True))
        assert method in before.headers["access-control-allow-methods"].split(", ")
        assert (
            before.headers["access-control-allow-headers"] == asks(origin)["access-control-request-headers"]
        )
    told = {"origin": origin}
    regions = await listing.get("/store/regions", headers=told)
    assert (regions.status_code, allowed(regions)) == (200, (origin, True))
    again = await listing.get("/store/regions", headers={**told, "if-none-match": regions.headers["etag"]})
    assert (again.status_code, allowed(again)) == (304, (origin, True))
    for answer, status in (
        (await listing.get("/store/carts/cart_nosuch", headers=told), 404),
        (await listing.post("/store/carts", headers=told, json={"nosuch": 1}), 400),
        (await listing.post("/store/carts", headers=told, content=b"x" * 200_000), 413),
    ):
        assert (answer.status_code, allowed(answer)) == (status, (origin, True))


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
async def test_nobody_else_may(listing: httpx.AsyncClient, path: str, origin: str) -> None:
    before = await listing.options(path, headers=asks(origin))
    assert not before.is_success
    assert allowed(before)[0] is None
    assert allowed(await listing.get(path, headers={"origin": origin}))[0] is None


async def test_nobody_may_by_default(sqlite_url: str, tmp_path: Path) -> None:
    async with shop_that_lists(sqlite_url, tmp_path) as client:
        for path in ("/store/regions", "/admin/products", "/auth/session"):
            before = await client.options(path, headers=asks(STOREFRONT))
            assert (before.status_code, allowed(before)[0]) == (405, None)
            assert allowed(await client.get(path, headers={"origin": STOREFRONT}))[0] is None


async def test_the_cookie_of_a_session_counts_from_a_listed_page_and_from_no_other(
    listing: httpx.AsyncClient,
) -> None:
    """Staff sign in with a token and go on with a cookie, as the platform's dashboard does."""
    credentials = {"email": EMAIL, "password": PASSWORD}
    known = await listing.post("/auth/user/emailpass", json=credentials, headers={"origin": OFFICE})
    assert allowed(known) == (OFFICE, True)
    bearer = {"authorization": f"Bearer {known.json()['token']}"}
    refused = await listing.post("/auth/session", headers={**bearer, "origin": STRANGER})
    assert refused.status_code == 403
    opened = await listing.post("/auth/session", headers={**bearer, "origin": OFFICE})
    assert (opened.status_code, allowed(opened)) == (200, (OFFICE, True))
    assert (await listing.get("/admin/users/me")).json()["user"]["email"] == EMAIL  # by the cookie
    new = {"title": "Novedades"}
    for origin, status in ((STRANGER, 401), (STOREFRONT, 401), (OFFICE, 200)):
        made = await listing.post("/admin/collections", json=new, headers={"origin": origin})
        assert made.status_code == status, origin
    assert (await listing.delete("/auth/session", headers={"origin": STRANGER})).status_code == 403
    assert (await listing.delete("/auth/session", headers={"origin": OFFICE})).json() == {"success": True}
    assert (await listing.get("/admin/users/me")).status_code == 401
