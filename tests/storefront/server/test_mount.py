import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from storefront.server.mount import by_first_segment, remove_unused_routes


def make_app(name: str) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": name.encode()})

    return app


async def find_answering_app(path: str) -> str:
    app = by_first_segment(api=make_app("api"), pages=make_app("pages"))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        return (await client.get(path)).text


@pytest.mark.parametrize(
    "path",
    ["/health", "/livez", "/readyz", "/store/products", "/admin", "/auth/google/callback", "/hooks/payment/gateway_pse",
     "/api/revalidate", "/docs", "/openapi.json", "/sandbox/bank?ref=1", "/pictures/0123/a-320.webp",
     "/manifest.webmanifest", "/feed/google.xml"],
)  # fmt: skip
async def test_paths_of_the_api_are_answered_by_the_api(path: str) -> None:
    assert await find_answering_app(path) == "api"


@pytest.mark.parametrize(
    "path",
    ["/", "/catalog", "/product/store", "/storefront", "/stores", "/healthy", "/_event", "//store", "/STORE"],
)
async def test_all_other_paths_are_answered_by_the_pages(path: str) -> None:
    assert await find_answering_app(path) == "pages"


async def test_only_the_websocket_and_built_files_of_reflex_are_served() -> None:
    routes = [Mount(path, make_app(path)) for path in ("/_event", "/_upload", "")]
    pages = Starlette(
        routes=[Route("/ping", make_app("ping")), Route("/_health", make_app("health")), *routes]
    )
    remove_unused_routes(pages)
    assert [route.path for route in pages.routes if isinstance(route, Mount)] == ["/_event", ""]
    assert len(pages.routes) == 2
