"""Documented answers: the return types of routes, with only the fields required that are always present."""

from typing import Any, NotRequired

import httpx
from fastapi import APIRouter
from typing_extensions import TypedDict

from backend.edge.dependencies import RequestedFields
from backend.edge.openapi import DocumentedApi
from backend.edge.requests import WireRoute
from backend.edge.wire import Deleted, Wire


class Maker(TypedDict):
    """Maker of products."""

    name: str


class Product(TypedDict):
    """Product with its maker."""

    id: str
    price: int
    maker: Maker
    note: NotRequired[str]


class ProductAnswer(TypedDict):
    """Product with its maker."""

    product: Product
    deleted: Deleted


class Box(TypedDict):
    """Box of products."""

    id: str
    width: int


router = APIRouter(route_class=WireRoute)
PRODUCT: Product = {"id": "product_1", "price": 12_000, "maker": {"name": "Ana"}}


@router.get("/product")
async def read_product(fields: RequestedFields) -> Wire[ProductAnswer]:
    """Return the product."""
    deleted: Deleted = {"id": "product_0", "object": "product", "deleted": True}
    return Wire({"product": fields.pick(PRODUCT), "deleted": deleted})


@router.get("/box")
async def read_box() -> Wire[Box]:
    """Return the box."""
    return Wire({"id": "box_1", "width": 10})


async def read_title() -> str:
    return "Box API"


def document() -> tuple[DocumentedApi, dict[str, Any]]:
    api = DocumentedApi(read_title)
    api.router.routes.extend(router.routes)
    return api, api.openapi()


def test_response_is_documented_by_the_return_type_of_its_route() -> None:
    _, described = document()
    content = described["paths"]["/box"]["get"]["responses"]["200"]["content"]["application/json"]
    assert content["schema"] == {"$ref": "#/components/schemas/Box"}
    assert described["components"]["schemas"]["Box"]["required"] == ["id", "width"]
    assert described["components"]["schemas"]["Box"]["description"] == "Box of products."


def test_only_the_id_is_documented_as_required_if_fields_can_be_selected() -> None:
    _, described = document()
    schemas = described["components"]["schemas"]
    assert schemas["ProductAnswer"]["required"] == ["product", "deleted"]
    assert schemas["Product"]["required"] == ["id"]
    assert "required" not in schemas["Maker"]
    assert schemas["Deleted"]["required"] == ["id", "object", "deleted"]
    assert set(schemas["Product"]["properties"]) == {"id", "price", "maker", "note"}


async def test_response_is_sent_without_validation_against_its_documentation() -> None:
    api, _ = document()
    transport = httpx.ASGITransport(app=api)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        answer = await client.get("/product", params={"fields": "maker.name"})
    assert answer.json()["product"] == {"id": "product_1", "maker": {"name": "Ana"}}
