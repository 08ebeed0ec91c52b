from fastapi import APIRouter, FastAPI
from httpx import ASGITransport, AsyncClient
from pydantic import BaseModel

from backend.edge.requests import WireRoute

MADE = "dependant"
"""What FastAPI makes of an endpoint first."""


class Toy(BaseModel):
    units: int


def routes() -> APIRouter:
    router = APIRouter(prefix="/toys", route_class=WireRoute, tags=["toys"])

    @router.get("/{toy_id}")
    async def read(toy_id: int) -> Toy:
        return Toy(units=toy_id)

    @router.post("/{toy_id}", status_code=201)
    async def change(toy_id: int, toy: Toy) -> Toy:
        return Toy(units=toy.units + toy_id)

    @router.get("/all/of/them")
    async def everything() -> list[Toy]:
        return []

    return router


def client(api: FastAPI) -> AsyncClient:
    return AsyncClient(transport=ASGITransport(api), base_url="http://shop")


async def test_a_route_is_made_by_its_first_request_and_others_are_not() -> None:
    router, api = routes(), FastAPI()
    api.router.routes.extend(router.routes)
    async with client(api) as shopper:
        assert (await shopper.get("/toys/12")).json() == {"units": 12}
        assert (await shopper.get("/toys/12")).headers["etag"]
    made = [MADE in vars(route) for route in router.routes]
    assert made == [True, False, False]


async def test_what_a_route_refuses_and_who_it_is_for_stays_as_it_is() -> None:
    api = FastAPI()
    api.router.routes.extend(routes().routes)
    async with client(api) as shopper:
        assert (await shopper.post("/toys/1", json={"units": 2})).status_code == 201
        assert (await shopper.post("/toys/1", json={"units": "many"})).status_code == 422
        assert (await shopper.get("/toys/none")).status_code == 422
        assert (await shopper.put("/toys/1")).status_code == 405
        assert (await shopper.get("/toy")).status_code == 404
        assert (await shopper.get("/toys/all/of/them")).json() == []


def test_the_documentation_makes_all_of_them() -> None:
    api = FastAPI()
    api.router.routes.extend(routes().routes)
    assert set(api.openapi()["paths"]) == {"/toys/{toy_id}", "/toys/all/of/them"}
    assert [getattr(route, "tags", []) for route in routes().routes] == [["toys"]] * 3
