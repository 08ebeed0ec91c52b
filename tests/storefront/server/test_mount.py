import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from storefront.server.mount import by_first_segment, remove_unused_routes


def naming(name: str) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": name.encode()})

    return app


async def who_answers(path: str) -> str:
    app = by_first_segment(api=naming("api"), pages=naming("pages"))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        return (await client.get(path)).text


@pytest.mark.parametrize(
    "path",
    ["/health", "/livez", "/readyz", "/store/products", "/admin", "/auth/google/callback", "/hooks/payment/gateway_pse",
     "/api/revalidate", "/docs", "/openapi.json", "/sandbox/bank?ref=1", "/pictures/0123/a-320.webp",
     "/manifest.webmanifest"],
)  # fmt: skip
async def test_the_api_answers_its_own_segments(path: str) -> None:
    assert await who_answers(path) == "api"


@pytest.mark.parametrize(
    "path",
    ["/", "/catalog", "/product/store", "/storefront", "/stores", "/healthy", "/_event", "//store", "/STORE"],
)
async def test_the_pages_answer_everything_else(path: str) -> None:
    assert await who_answers(path) == "pages"


async def test_of_reflex_only_the_websocket_and_the_built_files_stay() -> None:
    routes = [Mount(path, naming(path)) for path in ("/_event", "/_upload", "")]
    pages = Starlette(routes=[Route("/ping", naming("ping")), Route("/_health", naming("health")), *routes])
    remove_unused_routes(pages)
    assert [route.path for route in pages.routes if isinstance(route, Mount)] == ["/_event", ""]
    assert len(pages.routes) == 2
