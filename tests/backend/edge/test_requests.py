from fastapi import APIRouter, FastAPI
from httpx import ASGITransport, AsyncClient
from pydantic import BaseModel

from backend.edge.requests import WireRoute

PREPARED_ATTRIBUTE = "dependant"
"""The first attribute that FastAPI prepares for an endpoint."""


class Product(BaseModel):
    units: int


def routes() -> APIRouter:
    router = APIRouter(prefix="/products", route_class=WireRoute, tags=["products"])

    @router.get("/{product_id}")
    async def read(product_id: int) -> Product:
        return Product(units=product_id)

    @router.post("/{product_id}", status_code=201)
    async def change(product_id: int, product: Product) -> Product:
        return Product(units=product.units + product_id)

    @router.get("/all/of/them")
    async def everything() -> list[Product]:
        return []

    return router


def client(api: FastAPI) -> AsyncClient:
    return AsyncClient(transport=ASGITransport(api), base_url="http://shop")


async def test_lazy_route_is_prepared_at_its_first_request() -> None:
    router, api = routes(), FastAPI()
    api.router.routes.extend(router.routes)
    async with client(api) as shopper:
        assert (await shopper.get("/products/12")).json() == {"units": 12}
        assert (await shopper.get("/products/12")).headers["etag"]
    made = [PREPARED_ATTRIBUTE in vars(route) for route in router.routes]
    assert made == [True, False, False]


async def test_lazy_routes_match_and_validate_as_usual() -> None:
    api = FastAPI()
    api.router.routes.extend(routes().routes)
    async with client(api) as shopper:
        assert (await shopper.post("/products/1", json={"units": 2})).status_code == 201
        assert (await shopper.post("/products/1", json={"units": "many"})).status_code == 422
        assert (await shopper.get("/products/none")).status_code == 422
        assert (await shopper.put("/products/1")).status_code == 405
        assert (await shopper.get("/product")).status_code == 404
        assert (await shopper.get("/products/all/of/them")).json() == []


def test_openapi_document_contains_all_lazy_routes() -> None:
    api = FastAPI()
    api.router.routes.extend(routes().routes)
    assert set(api.openapi()["paths"]) == {"/products/{product_id}", "/products/all/of/them"}
    assert [getattr(route, "tags", []) for route in routes().routes] == [["products"]] * 3
