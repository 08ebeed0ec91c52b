"""Fake of the platform's Admin API for the assignment procedure, with the recorded shapes."""

from dataclasses import dataclass, field
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

TOKEN = "header.payload.signature"
STAMPS = {"created_at": "2026-11-21T02:02:25.477Z", "updated_at": "2026-11-21T02:02:25.477Z"}
PRICE = {"price": 89_000, "metadata": {"brand": "Trompo", "ageRange": "3-5"}}


@dataclass
class Platform:
    """A fake shop with four products, two collections and a category.

    `faults` maps a request's number, from 0, to a response.
    """

    requests: list[tuple[str, str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    faults: dict[int, Response] = field(default_factory=dict)
    collections: dict[str, dict[str, Any]] = field(default_factory=dict)
    categories: dict[str, dict[str, Any]] = field(default_factory=dict)
    products: dict[str, dict[str, Any]] = field(default_factory=dict)
    created: int = 200

    def __post_init__(self) -> None:
        for handle in ("aros", "cubo", "lazo", "arena"):
            one = {"id": f"prod_{handle}", "handle": handle, "collection_id": None, "categories": [], **PRICE}
            self.products[str(one["id"])] = one
        self._collection("pcol_novedades", "Novedades", "novedades")
        self.categories["pcat_aire"] = {"id": "pcat_aire", "name": "Aire libre", "handle": "aire-libre"}
        self.app = Starlette(
            routes=[
                Route("/admin/collections", self.list_collections),
                Route("/admin/collections", self.create_collection, methods=["POST"]),
                Route("/admin/collections/{id}/products", self.fill_collection, methods=["POST"]),
                Route("/admin/product-categories", self.list_categories),
                Route("/admin/product-categories/{id}/products", self.fill_category, methods=["POST"]),
                Route("/admin/products", self.list_products),
            ]
        )
        self.transport = httpx.ASGITransport(self)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        number = len(self.requests)
        target = request.url.path + (f"?{scope['query_string'].decode()}" if scope["query_string"] else "")
        self.requests.append((request.method, target))
        self.headers.append(dict(request.headers))
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return await JSONResponse({"message": "Unauthorized"}, 401)(scope, receive, send)
        app = self.faults.get(number, self.app)
        return await app(scope, receive, send)

    def paths(self, method: str) -> list[str]:
        return [path for used, path in self.requests if used == method]

    def state(self) -> tuple[str, str, str]:
        return repr(self.collections), repr(self.categories), repr(self.products)

    def _collection(self, collection_id: str, title: str, handle: str) -> dict[str, Any]:
        one = {
            "id": collection_id,
            "title": title,
            "handle": handle,
            "external_id": None,
            "metadata": None,
            **STAMPS,
        }
        self.collections[collection_id] = one
        return one

    async def list_collections(self, request: Request) -> Response:
        return _list("collections", self.collections, request)

    async def list_categories(self, request: Request) -> Response:
        return _list("product_categories", self.categories, request)

    async def list_products(self, request: Request) -> Response:
        wanted = request.query_params.getlist("handle[]")
        found = [one for one in self.products.values() if one["handle"] in wanted]
        return JSONResponse({"products": found[: int(request.query_params["limit"])], "count": len(found)})

    async def create_collection(self, request: Request) -> Response:
        body = await _strict(request, {"title": str, "handle": str})
        if any(one["handle"] == body["handle"] for one in self.collections.values()):
            message = f"Product collection with handle: {body['handle']}, already exists."
            return JSONResponse({"type": "invalid_data", "message": message}, 400)
        one = self._collection(f"pcol_{len(self.collections)}", body["title"], body["handle"])
        return JSONResponse({"collection": one}, self.created)

    async def fill_collection(self, request: Request) -> Response:
        collection = self.collections.get(request.path_params["id"])
        if collection is None:
            return JSONResponse({"type": "not_found", "message": "Collection was not found"}, 404)
        for product_id in (await _strict(request, {"add": list, "remove": list}))["add"]:
            if product_id in self.products:  # like the platform, unknown products return 200
                self.products[product_id]["collection_id"] = collection["id"]
        return JSONResponse({"collection": collection})

    async def fill_category(self, request: Request) -> Response:
        category = self.categories.get(request.path_params["id"])
        if category is None:
            return JSONResponse({"type": "not_found", "message": "Category was not found"}, 404)
        for product_id in (await _strict(request, {"add": list, "remove": list}))["add"]:
            held = self.products[product_id]["categories"]
            if category["id"] not in held:
                held.append(category["id"])
        return JSONResponse({"product_category": category})


def _list(name: str, things: dict[str, dict[str, Any]], request: Request) -> Response:
    asked = request.query_params
    found = [one for one in things.values() if all(one[key] == value for key, value in asked.items())]
    return JSONResponse({name: found, "count": len(found), "offset": 0, "limit": 50})


async def _strict(request: Request, fields: dict[str, type]) -> dict[str, Any]:
    body: dict[str, Any] = await request.json()
    assert set(body) == set(fields), body
    assert all(isinstance(body[name], kind) for name, kind in fields.items()), body
    return body
