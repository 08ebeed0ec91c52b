"""Every example of the documentation is sent to a shop as it is seeded, and does what it says.

Each is sent to a shop of its own that is as far as the operation needs it: a cart on its way, an order that is paid.
The ids in it, which are of no shop, are replaced by ids of the same kind.
"""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import delete, select, update

from backend.app import Shop, create_api
from backend.attention import AttentionKind, raise_attention
from backend.attention.models import Attention
from backend.catalog.models import Category, Collection, Variant
from backend.channels.models import PublishableKey, Region, SalesChannel, ShippingProfile
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.customers.models import Customer, CustomerAddress
from backend.edge.api_docs import example_of
from backend.edge.auth.bearer_tokens import USER, TokenOwner, issue_token
from backend.inventory.models import InventoryLevel
from backend.shipping.models import (
    FulfillmentSet,
    ServiceZone,
    ShippingOption,
    StockLocation,
)
from backend.staff.models import Staff
from backend.staff.sessions import COOKIE, Browser, open_session
from backend.start import prepare
from tests.store_steps import MANUAL, PSE, addressed_cart, bought, ok, option, post

DOCUMENT: dict[str, Any] = create_api(Shop(Settings(data_dir=Path("build") / "examples"))).openapi()
EXAMPLES: dict[str, Any] = {
    f"{method.upper()} {path}": example_of(DOCUMENT, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
    if "application/json" in operation.get("requestBody", {}).get("content", {})
}
REFUSED = {
    "POST /admin/payments/{payment_id}/refund": (400, "refundPayment is not implemented"),
    "POST /admin/returns/{return_id}/shipping-method": (400, "createReturnFulfillment is not implemented"),
    "POST /auth/customer/emailpass/update": (401, "Invalid token"),
    "POST /auth/customer/google": (404, "Cannot POST /auth/customer/google"),
}
"""What no provider does (spec: Errors), what needs the token of a mail, and Google where the shop is not registered
there: the example gets just this answer."""
AN_ID = re.compile(r"([a-z_]+)_[0-9A-HJKMNP-TV-Z]{26}")
IN_PATHS = {
    "action_id": "ordchact",
    "address_id": "cuaddr",
    "attention_id": "attn",
    "campaign_id": "procamp",
    "cart_id": "cart",
    "channel_id": "sc",
    "category_id": "pcat",
    "customer_id": "cus",
    "group_id": "cusgroup",
    "item_id": "iitem",
    "key_or_id": "store",
    "key_id": "apk",
    "line_id": "cali",
    "location_id": "sloc",
    "option_id": "so",
    "order_id": "order",
    "fulfillment_id": "ful",
    "payment_id": "pay",
    "price_list_id": "plist",
    "product_id": "prod",
    "product_option_id": "opt",
    "promotion_id": "promo",
    "region_id": "reg",
    "return_id": "return",
    "rule_type": "rules",
    "set_id": "fuset",
    "transaction_id": "imp",
    "user_id": "user",
    "value_id": "optval",
    "variant_id": "variant",
    "zone_id": "serzo",
}
"""The prefix of what a part of a path is the id of. Collections are of two kinds."""
ROWS = {"product-tags": "ptag", "product-types": "ptyp", "refund-reasons": "refr", "return-reasons": "rr"}
"""That of `row_id`, by what is in the path."""
NAMED = {"area": "announcement"}
"""Parts of paths that are no ids."""


@dataclass
class Reader:
    """Somebody who tries the examples, with every key to the shop and the ids of what is in it, by their prefixes."""

    shop: Shop
    client: httpx.AsyncClient
    ids: dict[str, str]

    def know(self, *ids: str) -> None:
        self.ids |= {_prefix(known): known for known in ids}

    async def send(self, operation: str) -> httpx.Response:
        method, _, path = operation.partition(" ")
        collection = "pay_col" if "payment-collections" in path else "pcol"
        row = next((prefix for name, prefix in ROWS.items() if name in path), "")
        kinds = {**IN_PATHS, "collection_id": collection, "row_id": row}
        address = re.sub(r"\{(\w+)\}", lambda part: NAMED.get(part[1]) or self.ids[kinds[part[1]]], path)
        return await self.client.request(method, address, json=self._here(EXAMPLES[operation]))

    def _here(self, value: Any) -> Any:
        """The value with the ids of this shop."""
        if isinstance(value, dict):
            return {name: self._here(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self._here(part) for part in value]
        if isinstance(value, str) and AN_ID.fullmatch(value):
            return self.ids[_prefix(value)]
        return value


def _prefix(some_id: str) -> str:
    found = AN_ID.fullmatch(some_id)
    assert found, some_id
    return found[1]


async def a_seeded_shop(reader: Reader) -> None:
    """Nothing more is needed."""


async def a_cart(reader: Reader) -> None:
    """One that may be paid."""
    cart_id = await addressed_cart(reader.client, reader.ids["variant"])
    chosen = await option(reader.client, cart_id, "calculated")
    cart = (
        await post(reader.client, f"/store/carts/{cart_id}/shipping-methods", {"option_id": chosen["id"]})
    )["cart"]
    owed = (await post(reader.client, "/store/payment-collections", {"cart_id": cart_id}))[
        "payment_collection"
    ]
    reader.know(cart_id, cart["items"][0]["id"], chosen["id"], owed["id"])


async def a_login(reader: Reader) -> None:
    """One without a customer yet."""
    answer = await ok(await reader.send("POST /auth/customer/emailpass/register"))
    reader.client.headers["authorization"] = f"Bearer {answer['token']}"


async def a_customer(reader: Reader) -> None:
    """One who is signed in and has an address."""
    await a_login(reader)
    await ok(await reader.send("POST /store/customers"))
    answer = await ok(await reader.send("POST /auth/customer/emailpass"))
    reader.client.headers["authorization"] = f"Bearer {answer['token']}"
    customer = (await ok(await reader.send("POST /store/customers/me/addresses")))["customer"]
    reader.know(customer["addresses"][0]["id"])


async def an_order(reader: Reader, price_type: str = "calculated") -> None:
    """One that is paid and ships with the carrier."""
    order = await bought(reader.client, reader.ids["variant"], price_type=price_type)
    paid = await ok(await reader.client.get(f"/admin/orders/{order['id']}"))
    payment = paid["order"]["payment_collections"][0]["payments"][0]
    reader.know(order["id"], order["items"][0]["id"], payment["id"])


async def a_paid_order(reader: Reader) -> None:
    """One whose money is there."""
    await an_order(reader)
    await ok(await reader.client.post(f"/admin/payments/{reader.ids['pay']}/capture", json={}))


async def a_parcel(reader: Reader) -> None:
    """One with a guide."""
    await an_order(reader)
    await _pack(reader)


async def a_parcel_without_a_guide(reader: Reader) -> None:
    """One that staff take somewhere themselves."""
    await an_order(reader, "flat")
    await _pack(reader)


async def _pack(reader: Reader) -> None:
    sent = await ok(await reader.send("POST /admin/orders/{order_id}/fulfillments"))
    reader.know(sent["order"]["fulfillments"][0]["id"])


async def a_begun_return(reader: Reader) -> None:
    """The request of one, with nothing in it yet, of an order that was paid and sent."""
    await a_paid_order(reader)
    await ok(await reader.send("POST /admin/orders/{order_id}/fulfillments"))
    begun = await ok(await reader.send("POST /admin/returns"))
    reader.know(begun["return"]["id"])


async def a_written_return(reader: Reader) -> None:
    """The request of one, with a toy in it."""
    await a_begun_return(reader)
    await _written(reader, "request-items")


async def a_return_on_its_way(reader: Reader) -> None:
    """One that was asked for."""
    await a_written_return(reader)
    await ok(await reader.send("POST /admin/returns/{return_id}/request"))


async def a_return_that_arrives(reader: Reader) -> None:
    """One whose toys are being unpacked."""
    await a_return_on_its_way(reader)
    await ok(await reader.send("POST /admin/returns/{return_id}/receive"))


async def good_toys(reader: Reader) -> None:
    """They arrived."""
    await a_return_that_arrives(reader)
    await _written(reader, "receive-items")


async def damaged_toys(reader: Reader) -> None:
    """They arrived."""
    await a_return_that_arrives(reader)
    await _written(reader, "dismiss-items")


async def _written(reader: Reader, items: str) -> None:
    answer = await ok(await reader.send(f"POST /admin/returns/{{return_id}}/{items}"))
    (action,) = answer["order_preview"]["order_change"]["actions"]
    reader.know(action["id"])


async def something_to_settle(reader: Reader) -> None:
    """A payment that the gateway does not know the end of."""
    async with reader.shop.database.transaction() as session:
        await raise_attention(
            session,
            AttentionKind.PAYMENT_UNRESOLVED,
            subject_id="payses_1",
            message="48 hours without a word",
        )
        reader.know((await session.execute(select(Attention.id))).scalar_one())


async def a_key(reader: Reader) -> None:
    """A publishable one."""
    reader.ids["apk"] = (await ok(await reader.send("POST /admin/api-keys")))["api_key"]["id"]


async def small_tables(reader: Reader) -> None:
    """A row in each."""
    said = (
        {"value": "De pino"},
        {"value": "De pino"},
        {"code": "x", "label": "X"},
        {"value": "x", "label": "X"},
    )
    for path, body in zip(ROWS, said, strict=True):
        (made,) = (await ok(await reader.client.post(f"/admin/{path}", json=body))).values()
        reader.know(made["id"])


async def a_table(reader: Reader) -> None:
    """One of products, uploaded."""
    table = b"Product Handle,Product Title,Variant Price COP\nyoyo-nuevo,Yoyo,5000\n"
    sent = await reader.client.post("/admin/uploads", files={"files": ("a.csv", table, "text/csv")})
    reader.know((await ok(sent))["files"][0]["id"])


async def a_promotion(reader: Reader) -> None:
    """A promotion with a rule and a campaign."""
    answer = await ok(await reader.client.post("/admin/promotions", json=EXAMPLES["POST /admin/promotions"]))
    campaign = await ok(await reader.client.post("/admin/campaigns", json=EXAMPLES["POST /admin/campaigns"]))
    promotion = answer["promotion"]
    reader.ids["rules"] = "rules"
    reader.know(promotion["id"], promotion["rules"][0]["id"], campaign["campaign"]["id"])


async def a_price_list(reader: Reader) -> None:
    """One that has not begun."""
    body = {**EXAMPLES["POST /admin/price-lists"], "starts_at": (now() + timedelta(days=1)).isoformat()}
    body["prices"] = [{**body["prices"][0], "variant_id": reader.ids["variant"]}]
    made = (await ok(await reader.client.post("/admin/price-lists", json=body)))["price_list"]
    reader.know(made["id"], made["prices"][0]["id"])


async def a_group(reader: Reader) -> None:
    """One with nobody in it, and a guest."""
    group = await ok(await reader.client.post("/admin/customer-groups", json={"name": "Amigos"}))
    guest = await ok(await reader.client.post("/admin/customers", json={"email": "guest@example.com"}))
    reader.know(group["customer_group"]["id"], guest["customer"]["id"])


async def something_said(reader: Reader) -> None:
    """An area of content has a version."""
    await ok(await reader.send("POST /admin/content/{area}"))


async def an_account(reader: Reader) -> None:
    """A customer with an account, and an address in the book."""
    async with reader.shop.database.transaction() as session:
        customer = Customer(email="eva@example.com")
        session.add(customer)
        await session.flush()
        entry = CustomerAddress(customer_id=customer.id, address={"address_1": "Calle 1"})
        session.add(entry)
    reader.know(customer.id, entry.id)


async def no_region(reader: Reader) -> None:
    """Somebody lost it."""
    async with reader.shop.database.transaction() as session:
        await session.execute(delete(Region))


STATES: dict[str, Callable[[Reader], Awaitable[None]]] = {
    "/auth/customer/emailpass/register": a_seeded_shop,
    "/auth/customer": a_customer,
    "/store/customers/me": a_customer,
    "/store/customers": a_login,
    "/store": a_cart,
    "/admin/orders/{order_id}/fulfillments/{fulfillment_id}/shipments": a_parcel_without_a_guide,
    "/admin/orders/{order_id}/fulfillments/{fulfillment_id}": a_parcel,
    "/admin/orders/{order_id}/refunds": a_paid_order,
    "/admin/fulfillments/{fulfillment_id}/shipment": a_parcel_without_a_guide,
    "/admin/fulfillments/": a_parcel,
    "/admin/orders": an_order,
    "/admin/payments": an_order,
    "/admin/api-keys/": a_key,
    "/admin/customers/{customer_id}/addresses": an_account,
    "/admin/customer": a_group,
    "/admin/product-tags/": small_tables,
    "/admin/product-types/": small_tables,
    "/admin/refund-reasons/": small_tables,
    "/admin/return-reasons/": small_tables,
    "/admin/promotions/": a_promotion,
    "/admin/campaigns/": a_promotion,
    "/admin/price-lists/": a_price_list,
    "/admin/products/imports": a_table,
    "/admin/content/{area}/restore": something_said,
    "/admin/regions/": a_seeded_shop,
    "/admin/regions": no_region,
    "/admin/attention": something_to_settle,
    "/admin/returns/{return_id}/receive-items/": good_toys,
    "/admin/returns/{return_id}/dismiss-items/": damaged_toys,
    "/admin/returns/{return_id}/receive/confirm": good_toys,
    "/admin/returns/{return_id}/receive-items": a_return_that_arrives,
    "/admin/returns/{return_id}/dismiss-items": a_return_that_arrives,
    "/admin/returns/{return_id}/receive": a_return_on_its_way,
    "/admin/returns/{return_id}/request-items/": a_written_return,
    "/admin/returns/{return_id}/request-items": a_begun_return,
    "/admin/returns/{return_id}": a_written_return,
    "/admin/returns": an_order,
    "/": a_seeded_shop,
}
"""What has to be there before an operation; the first that its path begins with."""


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a shop with the demo toys and its first member of staff."""
    folder = tmp_path_factory.mktemp("examples")
    staff = EXAMPLES["POST /auth/user/emailpass"]
    asyncio.run(
        prepare(Settings(data_dir=folder, admin_email=staff["email"], admin_password=staff["password"]))
    )
    return folder


BEARER = {"POST /auth/token/refresh", "POST /auth/session"}
"""What is asked with a bearer token; the rest by the owner's browser, which has the second factor."""


@pytest.fixture
async def reader(seeded: Path, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Reader]:
    folder = shutil.copytree(seeded, tmp_path / "data")
    shop = Shop(Settings(data_dir=folder))
    key, staff_id, ids = await _found(shop)
    token = issue_token(shop.settings.signing_key, TokenOwner(staff_id, USER))
    async with shop.database.transaction() as session:
        cookie = await open_session(session, staff_id, Browser("190.24.1.1"), has_second_factor=True)
    headers = {"x-publishable-api-key": key, "origin": "http://shop.test", "cookie": f"{COOKIE}={cookie}"}
    headers |= (
        {"authorization": f"Bearer {token}"} if request.node.callspec.params["operation"] in BEARER else {}
    )
    transport = httpx.ASGITransport(create_api(shop), client=("190.24.1.1", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test", headers=headers) as client:
        reader = Reader(shop, client, {})
        reader.know(*ids)
        yield reader
    await shop.stop()


async def _found(shop: Shop) -> tuple[str, str, list[str]]:
    """The publishable key, the member of staff, and one id of each kind."""
    things: tuple[Any, ...] = (
        Category,
        Collection,
        FulfillmentSet,
        Region,
        SalesChannel,
        ServiceZone,
        ShippingOption,
        ShippingProfile,
        StockLocation,
    )
    async with shop.database.transaction() as session:
        # the shortest way to an order that staff may ship: they confirm the money themselves
        await session.execute(update(Region).values(payment_providers=[PSE, MANUAL]))
        colleague = Staff(email="luis@trompo.example", password_hash="never used", role="shop")
        session.add(colleague)
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
        staff_id = (await session.execute(select(Staff.id).where(Staff.role == "owner"))).scalar_one()
        ids = [(await session.execute(select(thing.id).limit(1))).scalar_one() for thing in things]
        region_id = (await session.execute(select(Region.id).limit(1))).scalar_one()
        plenty = select(InventoryLevel.variant_id).order_by(InventoryLevel.stocked.desc()).limit(1)
        variant = (await session.execute(select(Variant).where(Variant.id.in_(plenty)))).scalar_one()
    return (
        key,
        staff_id,
        [
            *ids,
            *(colleague.id, variant.id, variant.id.replace("variant", "iitem")),
            *(variant.product_id, variant.product_id.replace("prod", "opt")),
            variant.id.replace("variant", "optval"),
            region_id.replace("reg", "store"),
        ],
    )


@pytest.mark.parametrize("operation", EXAMPLES)
async def test_the_example_runs(reader: Reader, operation: str) -> None:
    assert EXAMPLES[operation] is not None, f"{operation} has no example"
    path = operation.partition(" ")[2]
    get_there = next(state for start, state in STATES.items() if path.startswith(start))
    await get_there(reader)
    answer = await reader.send(operation)
    if operation in REFUSED:
        status, message = REFUSED[operation]
        assert answer.status_code == status
        assert message in answer.json()["message"]
    else:
        assert answer.is_success, answer.text


def test_what_is_refused_is_still_there() -> None:
    assert EXAMPLES.keys() >= REFUSED.keys()
