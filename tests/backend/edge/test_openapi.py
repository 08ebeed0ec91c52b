"""The documented answers: the types that routes return, with only what is always in them required."""

from typing import Any, NotRequired

import httpx
from fastapi import APIRouter
from typing_extensions import TypedDict

from backend.edge.dependencies import Shown
from backend.edge.openapi import DocumentedApi
from backend.edge.requests import WireRoute
from backend.edge.wire import Deleted, Wire


class Maker(TypedDict):
    """Maker of toys."""

    name: str


class Toy(TypedDict):
    """Toy with its maker."""

    id: str
    price: int
    maker: Maker
    note: NotRequired[str]


class ToyAnswer(TypedDict):
    """Toy with its maker."""

    toy: Toy
    deleted: Deleted


class Box(TypedDict):
    """Box of toys."""

    id: str
    width: int


router = APIRouter(route_class=WireRoute)
TOY: Toy = {"id": "toy_1", "price": 12_000, "maker": {"name": "Ana"}}


@router.get("/toy")
async def read_toy(fields: Shown) -> Wire[ToyAnswer]:
    """Return the toy."""
    deleted: Deleted = {"id": "toy_0", "object": "toy", "deleted": True}
    return Wire({"toy": fields.pick(TOY), "deleted": deleted})


@router.get("/box")
async def read_box() -> Wire[Box]:
    """Return the box."""
    return Wire({"id": "box_1", "width": 10})


def document() -> tuple[DocumentedApi, dict[str, Any]]:
    api = DocumentedApi()
    api.router.routes.extend(router.routes)
    return api, api.openapi()


def test_an_answer_is_documented_by_the_type_that_the_route_returns() -> None:
    _, described = document()
    content = described["paths"]["/box"]["get"]["responses"]["200"]["content"]["application/json"]
    assert content["schema"] == {"$ref": "#/components/schemas/Box"}
    assert described["components"]["schemas"]["Box"]["required"] == ["id", "width"]
    assert described["components"]["schemas"]["Box"]["description"] == "Box of toys."


def test_only_the_id_is_required_of_what_fields_can_leave_out() -> None:
    _, described = document()
    schemas = described["components"]["schemas"]
    assert schemas["ToyAnswer"]["required"] == ["toy", "deleted"]
    assert schemas["Toy"]["required"] == ["id"]
    assert "required" not in schemas["Maker"]
    assert schemas["Deleted"]["required"] == ["id", "object", "deleted"]
    assert set(schemas["Toy"]["properties"]) == {"id", "price", "maker", "note"}


async def test_an_answer_is_written_as_it_is() -> None:
    api, _ = document()
    transport = httpx.ASGITransport(app=api)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        answer = await client.get("/toy", params={"fields": "maker.name"})
    assert answer.json()["toy"] == {"id": "toy_1", "maker": {"name": "Ana"}}
