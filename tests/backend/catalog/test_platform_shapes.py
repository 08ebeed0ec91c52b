"""Responses contain every field that commerce platform 2.18.0 returns, at every depth (tests/wire/platform_shapes.txt).

Missing fields are listed with the reason. A field has the platform's type, or is null if the value is unknown. A
field that the platform returned as null may have any type, as it was null only in that recording.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.catalog.models import Picture, Variant
from tests.store_defaults import Defaults, add_product
from tests.store_steps import HOME, MANUAL, create_cart_with_shipping, create_payment_collection, get, post

RECORDED = Path(__file__).parents[2] / "wire" / "platform_shapes.txt"
TYPES: dict[str, type | tuple[type, ...]] = {"str": str, "num": (int, float), "bool": bool}
TOKEN = re.compile(r"[{}\[\];]|[^{}\[\];]+")
MISSING = {
    r".*shipping_option(s\[\])?\.rules is empty": "an option is offered to everybody",
    r".*shipping_options\[\]\.prices is empty": "what is calculated has no price of its own",
    r".*\.(fulfillment_)?provider(s\[\])?\.(created_at|updated_at|deleted_at)": "providers are settings, not rows",
    r".*\.service_zone\.(created_at|updated_at|deleted_at)": "when a zone was made is not kept",
    r"(payments of the order|order after fulfillment)\.order\.(fulfillments|payment_collections(\[\]\..*)?)": (
        "`fields` names what is shown; the platform adds what its states are made of"
    ),
    r"fulfillment: create\.order\.items\[\]\.detail\.raw_unit_price is no object": (
        "a line's price stands beside it; the platform repeats it once a fulfillment was made"
    ),
}
"""Fields that the shop does not return, by a pattern of their path, with the reason."""

PICTURE = "/demo/trompo.webp"
STATUSES = "id,status,fulfillment_status,payment_status"

Shape = dict[str, Any] | list[Any] | str
"""A dict of fields by name, a list of elements, or a type name."""


@cache
def read_recorded_shapes() -> dict[str, Shape]:
    """Return the shape of each recorded response of the platform, by the recording's name."""
    parts = re.findall(r"^## (.*)\n(.*)$", RECORDED.read_text(), re.MULTILINE)
    return {name: _read(iter(TOKEN.findall(shape))) for name, shape in parts}


def _read(tokens: Iterator[str]) -> Shape:
    """Parse the shape that begins at the next token, and consume its tokens."""
    opening = next(tokens)
    if opening == "{":
        return _fields(tokens)
    assert opening == "[", opening
    within = next(tokens)
    if within == "]":
        return []
    assert within == "{", within
    element = _fields(tokens)
    assert next(tokens) == "]"
    return [element]


def _fields(tokens: Iterator[str]) -> Shape:
    fields: dict[str, Any] = {}
    for token in tokens:
        text = token.strip()
        if text == "}":
            return fields
        if text.endswith(":"):
            fields[text[:-1]] = _read(tokens)
        elif text not in ("", ";"):
            kind, _, names = text.partition(": ")
            fields |= dict.fromkeys(names.split(), kind)
    raise ValueError("a shape does not end")


def find_missing(shape: Shape, shown: Any, path: str) -> Iterator[str]:
    """Yield the paths where the response lacks a field of the shape or has another type."""
    if isinstance(shape, str):
        if shown is not None and shape != "null" and not _has_type(shape, shown):
            yield f"{path} is not {shape}"
    elif isinstance(shape, list):
        if not isinstance(shown, list) or bool(shape) > bool(shown):
            yield f"{path} is empty"
        for one in shown if shape else ():
            yield from find_missing(shape[0], one, f"{path}[]")
    elif not isinstance(shown, dict):
        if shown is not None or shape:
            yield f"{path} is no object"
    else:
        for name in shape.keys() - shown.keys():
            yield f"{path}.{name}"
        for name in shape.keys() & shown.keys():
            yield from find_missing(shape[name], shown[name], f"{path}.{name}")


def _has_type(kind: str, value: Any) -> bool:
    if kind == "num" and isinstance(value, bool):
        return False
    if kind == "date":
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    return isinstance(value, TYPES[kind])


class Answers:
    """This shop's responses to the recorded requests, by name. They concern two purchases and the catalogue."""

    def __init__(self, store: httpx.AsyncClient, admin: httpx.AsyncClient) -> None:
        self.store, self.admin = store, admin
        self.by_name: dict[str, dict[str, Any]] = {}

    async def get(self, name: str, path: str, **parameters: Any) -> dict[str, Any]:
        """Send a GET request, as staff if the path starts with `/admin`."""
        self.by_name[name] = await get(self._client(path), path, **parameters)
        return self.by_name[name]

    async def post(self, name: str, path: str, body: Any = None) -> dict[str, Any]:
        """Send a POST request, as staff if the path starts with `/admin`."""
        self.by_name[name] = await post(self._client(path), path, body)
        return self.by_name[name]

    def _client(self, path: str) -> httpx.AsyncClient:
        return self.admin if path.startswith("/admin") else self.store

    async def catalogue(self, product_id: str, location_id: str) -> None:
        """Put the product into a new collection and a new category, and read the catalogue and its settings."""
        made = (await self.post("collection POST", "/admin/collections", {"title": "Clásicos"}))["collection"]
        await post(self.admin, f"/admin/collections/{made['id']}/products", {"add": [product_id]})
        await post(self.admin, f"/admin/products/{product_id}", {"metadata": {"k": "v"}})
        await self.get("collections GET", "/admin/collections")
        await self.get("one collection", f"/store/collections/{made['id']}")
        parent = None
        for name in ("Juguetes", "De madera", "Trompos"):
            body = {"name": name, **({"parent_category_id": parent} if parent else {})}
            parent = (await self.post("category POST", "/admin/product-categories", body))[
                "product_category"
            ]["id"]
        await post(self.admin, f"/admin/product-categories/{parent}/products", {"add": [product_id]})
        path = "/store/product-categories"
        await self.get("one category", f"{path}/{parent}", include_ancestors_tree="true")
        roots = {"parent_category_id": "null", "include_descendants_tree": "true"}
        await self.get("categories tree", path, **roots)
        await self.get("categories GET", "/admin/product-categories", **roots)
        await self.get("products list, default fields", "/store/products")
        region = (await get(self.store, "/store/regions"))["regions"][0]["id"]
        await self.get("one region", f"/store/regions/{region}")
        priced = {"region_id": region, "fields": "*variants.calculated_price,+variants.inventory_quantity"}
        await self.get(
            "products list with region + calculated_price + inventory", "/store/products", **priced
        )
        await self.get("variants list", "/store/product-variants", limit=1)
        await self.get("product GET", f"/admin/products/{product_id}")
        await self.get("payment providers of a region", "/store/payment-providers", region_id=region)
        linked = "*fulfillment_providers,*sales_channels,*fulfillment_sets"
        await self.get("stock location GET", f"/admin/stock-locations/{location_id}", fields=linked)
        await self.get("fulfillment providers GET", "/admin/fulfillment-providers")

    async def purchase(self, variant_id: str) -> str:
        """Buy as a guest. Return the order's id."""
        cart = (await post(self.store, "/store/carts", {}))["cart"]["id"]
        await post(self.store, f"/store/carts/{cart}/line-items", {"variant_id": variant_id, "quantity": 2})
        said = {"email": "ana@example.com", "shipping_address": HOME, "billing_address": HOME}
        await self.post("3 address + email", f"/store/carts/{cart}", said)
        offered = (await self.get("4 shipping options", "/store/shipping-options", cart_id=cart))[
            "shipping_options"
        ]
        flat = next(one["id"] for one in offered if one["price_type"] == "flat")
        await self.get("shipping option GET", f"/admin/shipping-options/{flat}")
        await post(self.store, f"/store/carts/{cart}/shipping-methods", {"option_id": flat})
        owed = (await self.post("6 payment collection", "/store/payment-collections", {"cart_id": cart}))[
            "payment_collection"
        ]["id"]
        session = f"/store/payment-collections/{owed}/payment-sessions"
        await self.post("7 payment session", session, {"provider_id": MANUAL})
        await self.get("cart before completing", f"/store/carts/{cart}")
        order = (await self.post("8 complete", f"/store/carts/{cart}/complete"))["order"]
        await self.get("order as a guest", f"/store/orders/{order['id']}")
        return str(order["id"])

    async def fulfillment(self, order_id: str, location_id: str) -> None:
        """Ship an order and capture its payment as staff."""
        path = f"/admin/orders/{order_id}"
        order = (await self.get("order one", path))["order"]
        await self.get("orders list", "/admin/orders")
        parcel = {
            "items": [{"id": order["items"][0]["id"], "quantity": 2}],
            "location_id": location_id,
        }
        await self.post("fulfillment: create", f"{path}/fulfillments", parcel)
        await self.get("order after fulfillment", path, fields=f"{STATUSES},*fulfillments")
        paid = await self.get(
            "payments of the order", path, fields=f"{STATUSES},*payment_collections.payments"
        )
        payment = paid["order"]["payment_collections"][0]["payments"][0]["id"]
        await self.post("capture", f"/admin/payments/{payment}/capture")

    async def customer(self, variant_id: str) -> None:
        """Register a customer and buy."""
        sign_up = {"email": "eva@example.com", "password": "una clave muy larga"}
        path = "/auth/customer/emailpass"
        self.store.headers["authorization"] = await self._bearer(f"{path}/register", sign_up)
        named = {"email": sign_up["email"], "first_name": "Eva", "last_name": "Ríos", "phone": "3001234567"}
        await self.post("create customer", "/store/customers", named)
        self.store.headers["authorization"] = await self._bearer(path, sign_up)
        await self.get("me", "/store/customers/me")
        await self.post("add address", "/store/customers/me/addresses", HOME)
        await self.get("addresses", "/store/customers/me/addresses")
        cart = await create_cart_with_shipping(self.store, variant_id)
        await create_payment_collection(self.store, cart)
        await self.post("bind cart to customer", f"/store/carts/{cart}/customer")
        await post(self.store, f"/store/carts/{cart}/complete")
        await self.get("orders of mine", "/store/orders")

    async def _bearer(self, path: str, body: dict[str, str]) -> str:
        return f"Bearer {(await post(self.store, path, body))['token']}"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_responses_have_the_fields_of_the_platform(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant_id = await add_product(
            session, shop_defaults, "trompo", description="De guayacán", weight=120, thumbnail=PICTURE
        )
        product_id = (await session.get_one(Variant, variant_id)).product_id
        session.add(Picture(product_id=product_id, url=PICTURE, rank=0))
    said = Answers(store, admin)
    await said.catalogue(product_id, shop_defaults.location_id)
    await said.fulfillment(await said.purchase(variant_id), shop_defaults.location_id)
    await said.customer(variant_id)

    found = {
        place
        for name, shape in read_recorded_shapes().items()
        for place in find_missing(shape, said.by_name[name], name)
    }
    unexplained = {place for place in found if not any(re.fullmatch(known, place) for known in MISSING)}
    assert not unexplained, "\n".join(sorted(unexplained))
    unneeded = [known for known in MISSING if not any(re.fullmatch(known, place) for place in found)]
    assert unneeded == []
