"""Every example of the documentation works against a seeded shop.

Each example is sent to a separate shop in the state that the operation needs, such as a started cart or a paid
order. The ids in it belong to no shop and are replaced by ids of the same kind.
"""

import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from shutil import copytree, rmtree
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
from tests.store_steps import (
    HOME,
    MANUAL,
    PSE,
    complete_purchase,
    create_addressed_cart,
    find_shipping_option,
    post,
    read_ok,
)

REFUSED = {
    "POST /admin/payments/{payment_id}/refund": (400, "refundPayment is not implemented"),
    "POST /admin/returns/{return_id}/shipping-method": (400, "createReturnFulfillment is not implemented"),
    "POST /auth/customer/emailpass/update": (401, "Invalid token"),
    "POST /auth/customer/google": (404, "Cannot POST /auth/customer/google"),
}
"""Expected refusals: no provider (spec: Errors), a token from a mail, and Google, which is not configured."""
ID_PATTERN = re.compile(r"([a-z_]+)_[0-9A-HJKMNP-TV-Z]{26}")
PATH_ID_PREFIXES = {
    "action_id": "ordchact",
    "address_id": "cuaddr",
    "attention_id": "attn",
    "campaign_id": "procamp",
    "cart_id": "cart",
    "channel_id": "sc",
    "category_id": "pcat",
    "customer_id": "cus",
    "draft_id": "order",
    "edit_id": "ordch",
    "exchange_id": "oexc",
    "group_id": "cusgroup",
    "import_id": "imp",
    "key_or_id": "store",
    "key_id": "apk",
    "line_id": "cali",
    "location_id": "sloc",
    "method_id": "casm",
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
    "role_id": "role",
    "rule_type": "rules",
    "set_id": "fuset",
    "transaction_id": "imp",
    "user_id": "user",
    "value_id": "optval",
    "variant_id": "variant",
    "webhook_id": "hook",
    "zone_id": "serzo",
}
"""Id prefix of each path parameter. `collection_id` and `item_id` have different prefixes in different paths."""
ROW_ID_PREFIXES = {
    "product-tags": "ptag",
    "product-types": "ptyp",
    "refund-reasons": "refr",
    "return-reasons": "rr",
}
"""Id prefix of `row_id`, by a part of the path."""
PATH_NAMES = {"area": "announcement"}
"""Path parameters that are no ids."""


@dataclass
class Reader:
    """A client with access to the whole shop that sends the documented examples.

    Attributes:
        ids: the shop's ids by prefix; they replace the ids of the examples.
        examples: the request bodies by operation.
    """

    shop: Shop
    client: httpx.AsyncClient
    ids: dict[str, str]
    examples: Mapping[str, Any] = field(repr=False)

    def remember_ids(self, *ids: str) -> None:
        self.ids |= {_get_prefix(id_): id_ for id_ in ids}

    async def send(self, operation: str) -> httpx.Response:
        method, _, path = operation.partition(" ")
        collection = "pay_col" if "payment-collections" in path else "pcol"
        row = next((prefix for name, prefix in ROW_ID_PREFIXES.items() if name in path), "")
        item = "cali" if "draft-orders" in path else "ordli" if "order-edits" in path else "iitem"
        kinds = {**PATH_ID_PREFIXES, "collection_id": collection, "row_id": row, "item_id": item}
        address = re.sub(r"\{(\w+)\}", lambda part: PATH_NAMES.get(part[1]) or self.ids[kinds[part[1]]], path)
        return await self.client.request(method, address, json=self.replace_ids(self.examples[operation]))

    def replace_ids(self, value: Any) -> Any:
        """Return the value with its example ids replaced by ids of this shop."""
        if isinstance(value, dict):
            return {name: self.replace_ids(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self.replace_ids(part) for part in value]
        if isinstance(value, str) and ID_PATTERN.fullmatch(value):
            return self.ids[_get_prefix(value)]
        return value


def _get_prefix(some_id: str) -> str:
    found = ID_PATTERN.fullmatch(some_id)
    assert found, some_id
    return found[1]


async def use_seeded_shop(reader: Reader) -> None:
    """Do nothing: the seeded shop is enough."""


async def create_cart(reader: Reader) -> None:
    """Create a cart that can be paid."""
    cart_id = await create_addressed_cart(reader.client, reader.ids["variant"])
    shipping_option = await find_shipping_option(reader.client, cart_id, "calculated")
    cart = (
        await post(
            reader.client, f"/store/carts/{cart_id}/shipping-methods", {"option_id": shipping_option["id"]}
        )
    )["cart"]
    collection = (await post(reader.client, "/store/payment-collections", {"cart_id": cart_id}))[
        "payment_collection"
    ]
    reader.remember_ids(cart_id, cart["items"][0]["id"], shipping_option["id"], collection["id"])


async def create_login(reader: Reader) -> None:
    """Create a login without a customer."""
    answer = await read_ok(await reader.send("POST /auth/customer/emailpass/register"))
    reader.client.headers["authorization"] = f"Bearer {answer['token']}"


async def create_customer(reader: Reader) -> None:
    """Create a signed-in customer with an address."""
    await create_login(reader)
    await read_ok(await reader.send("POST /store/customers"))
    answer = await read_ok(await reader.send("POST /auth/customer/emailpass"))
    reader.client.headers["authorization"] = f"Bearer {answer['token']}"
    customer = (await read_ok(await reader.send("POST /store/customers/me/addresses")))["customer"]
    reader.remember_ids(customer["addresses"][0]["id"])


async def create_order(reader: Reader, price_type: str = "calculated") -> None:
    """Create an authorized order that the carrier ships."""
    order = await complete_purchase(reader.client, reader.ids["variant"], price_type=price_type)
    paid = await read_ok(await reader.client.get(f"/admin/orders/{order['id']}"))
    payment = paid["order"]["payment_collections"][0]["payments"][0]
    reader.remember_ids(order["id"], order["items"][0]["id"], payment["id"])


async def create_paid_order(reader: Reader) -> None:
    """Create an order whose payment is captured."""
    await create_order(reader)
    await read_ok(await reader.client.post(f"/admin/payments/{reader.ids['pay']}/capture", json={}))


async def create_parcel(reader: Reader) -> None:
    """Create a parcel with a label."""
    await create_order(reader)
    await _pack(reader)


async def create_parcel_without_label(reader: Reader) -> None:
    """Create a parcel that staff deliver themselves."""
    await create_order(reader, "flat")
    await _pack(reader)


async def _pack(reader: Reader) -> None:
    answer = await read_ok(await reader.send("POST /admin/orders/{order_id}/fulfillments"))
    reader.remember_ids(answer["order"]["fulfillments"][0]["id"])


async def start_return(reader: Reader) -> None:
    """Start an empty return of a paid, shipped order."""
    await create_paid_order(reader)
    await read_ok(await reader.send("POST /admin/orders/{order_id}/fulfillments"))
    started = await read_ok(await reader.send("POST /admin/returns"))
    reader.remember_ids(started["return"]["id"])


async def create_return_with_item(reader: Reader) -> None:
    """Start a return with a product in it."""
    await start_return(reader)
    await _add_return_items(reader, "request-items")


async def create_requested_return(reader: Reader) -> None:
    """Create a requested return."""
    await create_return_with_item(reader)
    await read_ok(await reader.send("POST /admin/returns/{return_id}/request"))


async def start_receiving_return(reader: Reader) -> None:
    """Start receiving a return."""
    await create_requested_return(reader)
    await read_ok(await reader.send("POST /admin/returns/{return_id}/receive"))


async def receive_undamaged_products(reader: Reader) -> None:
    """Receive a return with undamaged products."""
    await start_receiving_return(reader)
    await _add_return_items(reader, "receive-items")


async def receive_damaged_products(reader: Reader) -> None:
    """Receive a return with damaged products."""
    await start_receiving_return(reader)
    await _add_return_items(reader, "dismiss-items")


async def _add_return_items(reader: Reader, items: str) -> None:
    answer = await read_ok(await reader.send(f"POST /admin/returns/{{return_id}}/{items}"))
    (action,) = answer["order_preview"]["order_change"]["actions"]
    reader.remember_ids(action["id"])


async def create_draft_order(reader: Reader) -> None:
    """Create a draft order with an address and a shipping method."""
    example = reader.examples["POST /admin/draft-orders"]
    body = {
        **reader.replace_ids(example),
        "shipping_address": HOME,
        "shipping_methods": [{"shipping_option_id": reader.ids["so"]}],
    }
    draft = (await read_ok(await reader.client.post("/admin/draft-orders", json=body)))["draft_order"]
    reader.remember_ids(draft["id"], draft["items"][0]["id"], draft["shipping_methods"][0]["id"])


async def begin_draft_edit(reader: Reader) -> None:
    """Begin the edit of a draft order, and change the number of units."""
    await create_draft_order(reader)
    await read_ok(await reader.client.post(f"/admin/draft-orders/{reader.ids['order']}/edit"))
    path = f"/admin/draft-orders/{reader.ids['order']}/edit/items/item/{reader.ids['cali']}"
    answer = await read_ok(await reader.client.post(path, json={"quantity": 3}))
    actions = answer["draft_order_preview"]["order_change"]["actions"]
    reader.remember_ids(next(one["id"] for one in actions if one["action"] == "ITEM_UPDATE"))


async def remove_draft_shipping(reader: Reader) -> None:
    """Begin the edit of a draft order, and remember the id of the action that removes the shipping method."""
    await begin_draft_edit(reader)
    shown = await read_ok(await reader.client.post(f"/admin/draft-orders/{reader.ids['order']}/edit/request"))
    actions = shown["draft_order_preview"]["order_change"]["actions"]
    reader.remember_ids(next(one["id"] for one in actions if one["action"] == "SHIPPING_REMOVE"))


async def begin_order_edit(reader: Reader) -> None:
    """Begin the edit of a paid order, and change the quantity of a line."""
    await create_paid_order(reader)
    await read_ok(await reader.send("POST /admin/order-edits"))
    order = (await read_ok(await reader.client.get(f"/admin/orders/{reader.ids['order']}")))["order"]
    reader.remember_ids(order["items"][0]["id"])
    path = f"/admin/order-edits/{reader.ids['order']}/items/item/{reader.ids['ordli']}"
    answer = await read_ok(await reader.client.post(path, json={"quantity": 3}))
    edit = answer["order_preview"]["order_change"]
    reader.remember_ids(edit["id"], edit["actions"][0]["id"])


async def choose_order_shipping(reader: Reader) -> None:
    """Begin the edit of a paid order, choose its shipping again, and remember the id of the action."""
    await begin_order_edit(reader)
    answer = await read_ok(await reader.send("POST /admin/order-edits/{order_id}/shipping-method"))
    actions = answer["order_preview"]["order_change"]["actions"]
    reader.remember_ids(next(one["id"] for one in actions if one["action"] == "SHIPPING_ADD"))


async def pack_paid_order(reader: Reader) -> None:
    """Create a paid, packed order."""
    await create_paid_order(reader)
    await read_ok(await reader.send("POST /admin/orders/{order_id}/fulfillments"))


async def start_exchange(reader: Reader) -> None:
    """Start an exchange of a unit of a paid, packed order."""
    await pack_paid_order(reader)
    started = await read_ok(await reader.send("POST /admin/exchanges"))
    reader.remember_ids(started["exchange"]["id"])


async def create_exchange(reader: Reader) -> None:
    """Start an exchange with returned and new units. Remember the action that adds the returned units."""
    await start_exchange(reader)
    answer = await read_ok(await reader.send("POST /admin/exchanges/{exchange_id}/inbound/items"))
    (action,) = answer["order_preview"]["order_change"]["actions"]
    await read_ok(await reader.send("POST /admin/exchanges/{exchange_id}/outbound/items"))
    reader.remember_ids(action["id"])


async def create_outbound_exchange(reader: Reader) -> None:
    """Start an exchange, and remember the action that adds the new units."""
    await create_exchange(reader)
    answer = await read_ok(await reader.send("POST /admin/exchanges/{exchange_id}/outbound/items"))
    actions = answer["order_preview"]["order_change"]["actions"]
    reader.remember_ids(next(one["id"] for one in actions if one["action"] == "ITEM_ADD"))


async def ship_exchange(reader: Reader) -> None:
    """Start an exchange, choose the shipping of the new units, and remember the action of that choice."""
    await create_exchange(reader)
    answer = await read_ok(await reader.send("POST /admin/exchanges/{exchange_id}/outbound/shipping-method"))
    actions = answer["order_preview"]["order_change"]["actions"]
    reader.remember_ids(next(one["id"] for one in actions if one["action"] == "SHIPPING_ADD"))


async def create_role(reader: Reader) -> None:
    """Create a custom role."""
    reader.remember_ids((await read_ok(await reader.send("POST /admin/rbac/roles")))["role"]["id"])


async def create_attention(reader: Reader) -> None:
    """Create an attention row for a payment without a final state."""
    async with reader.shop.database.transaction() as session:
        await raise_attention(
            session,
            AttentionKind.PAYMENT_UNRESOLVED,
            subject_id="payses_1",
            message="48 hours without an answer",
        )
        reader.remember_ids((await session.execute(select(Attention.id))).scalar_one())


async def create_key(reader: Reader) -> None:
    """Create a publishable key."""
    reader.ids["apk"] = (await read_ok(await reader.send("POST /admin/api-keys")))["api_key"]["id"]


async def create_small_table_rows(reader: Reader) -> None:
    """Create a product tag, a product type, a refund reason and a return reason."""
    bodies = (
        {"value": "De pino"},
        {"value": "De pino"},
        {"code": "x", "label": "X"},
        {"value": "x", "label": "X"},
    )
    for path, body in zip(ROW_ID_PREFIXES, bodies, strict=True):
        (created,) = (await read_ok(await reader.client.post(f"/admin/{path}", json=body))).values()
        reader.remember_ids(created["id"])


async def upload_spreadsheet(reader: Reader) -> None:
    """Upload a spreadsheet of products."""
    spreadsheet = b"Product Handle,Product Title,Variant Price COP\nyoyo-nuevo,Yoyo,5000\n"
    answer = await reader.client.post("/admin/uploads", files={"files": ("a.csv", spreadsheet, "text/csv")})
    reader.remember_ids((await read_ok(answer))["files"][0]["id"])


async def send_spreadsheet(reader: Reader) -> None:
    """Upload a list with unknown column headings."""
    spreadsheet = "Descripción;Referencia;Precio 1;Saldo\nYoyo;R-1;5000;2\n".encode()
    answer = await reader.client.post("/admin/imports", files={"file": ("a.csv", spreadsheet, "text/csv")})
    reader.remember_ids((await read_ok(answer))["product_import"]["id"])


async def create_promotion(reader: Reader) -> None:
    """Create a promotion with a rule, and a campaign."""
    answer = await read_ok(
        await reader.client.post("/admin/promotions", json=reader.examples["POST /admin/promotions"])
    )
    campaign = await read_ok(
        await reader.client.post("/admin/campaigns", json=reader.examples["POST /admin/campaigns"])
    )
    promotion = answer["promotion"]
    reader.ids["rules"] = "rules"
    reader.remember_ids(promotion["id"], promotion["rules"][0]["id"], campaign["campaign"]["id"])


async def create_price_list(reader: Reader) -> None:
    """Create a price list that starts tomorrow."""
    body = {
        **reader.examples["POST /admin/price-lists"],
        "starts_at": (now() + timedelta(days=1)).isoformat(),
    }
    body["prices"] = [{**body["prices"][0], "variant_id": reader.ids["variant"]}]
    created = (await read_ok(await reader.client.post("/admin/price-lists", json=body)))["price_list"]
    reader.remember_ids(created["id"], created["prices"][0]["id"])


async def create_group(reader: Reader) -> None:
    """Create an empty customer group and a guest customer."""
    group = await read_ok(await reader.client.post("/admin/customer-groups", json={"name": "Amigos"}))
    guest = await read_ok(await reader.client.post("/admin/customers", json={"email": "guest@example.com"}))
    reader.remember_ids(group["customer_group"]["id"], guest["customer"]["id"])


async def publish_content(reader: Reader) -> None:
    """Create a version of a content area."""
    await read_ok(await reader.send("POST /admin/content/{area}"))


async def create_webhook(reader: Reader) -> None:
    """Create a webhook."""
    reader.remember_ids((await read_ok(await reader.send("POST /admin/webhooks")))["webhook"]["id"])


async def create_account(reader: Reader) -> None:
    """Create a customer with an account and an address."""
    async with reader.shop.database.transaction() as session:
        customer = Customer(email="eva@example.com")
        session.add(customer)
        await session.flush()
        entry = CustomerAddress(customer_id=customer.id, address={"address_1": "Calle 1"})
        session.add(entry)
    reader.remember_ids(customer.id, entry.id)


async def delete_region(reader: Reader) -> None:
    """Delete the region."""
    async with reader.shop.database.transaction() as session:
        await session.execute(delete(Region))


STATES: dict[str, Callable[[Reader], Awaitable[None]]] = {
    "/auth/customer/emailpass/register": use_seeded_shop,
    "/auth/customer": create_customer,
    "/store/customers/me": create_customer,
    "/store/customers": create_login,
    "/store": create_cart,
    "/admin/orders/{order_id}/fulfillments/{fulfillment_id}/shipments": create_parcel_without_label,
    "/admin/orders/{order_id}/fulfillments/{fulfillment_id}": create_parcel,
    "/admin/orders/{order_id}/refunds": create_paid_order,
    "/admin/fulfillments/{fulfillment_id}/shipment": create_parcel_without_label,
    "/admin/fulfillments/": create_parcel,
    "/admin/orders": create_order,
    "/admin/payments": create_order,
    "/admin/api-keys/": create_key,
    "/admin/customers/{customer_id}/addresses": create_account,
    "/admin/customer": create_group,
    "/admin/product-tags/": create_small_table_rows,
    "/admin/product-types/": create_small_table_rows,
    "/admin/refund-reasons/": create_small_table_rows,
    "/admin/return-reasons/": create_small_table_rows,
    "/admin/promotions/": create_promotion,
    "/admin/campaigns/": create_promotion,
    "/admin/price-lists/": create_price_list,
    "/admin/products/imports": upload_spreadsheet,
    "/admin/products/import/": send_spreadsheet,
    "/admin/imports/": send_spreadsheet,
    "/admin/content/{area}/restore": publish_content,
    "/admin/regions/": use_seeded_shop,
    "/admin/regions": delete_region,
    "/admin/attention": create_attention,
    "/admin/draft-orders/{draft_id}/edit/shipping-methods/{action_id}": remove_draft_shipping,
    "/admin/draft-orders/{draft_id}/edit/": begin_draft_edit,
    "/admin/draft-orders/": create_draft_order,
    "/admin/order-edits/{order_id}/shipping-method/": choose_order_shipping,
    "/admin/order-edits/": begin_order_edit,
    "/admin/order-edits": create_paid_order,
    "/admin/order-changes/": begin_order_edit,
    "/admin/exchanges/{exchange_id}/inbound/items/": create_exchange,
    "/admin/exchanges/{exchange_id}/outbound/items/": create_outbound_exchange,
    "/admin/exchanges/{exchange_id}/outbound/shipping-method/": ship_exchange,
    "/admin/exchanges/{exchange_id}/outbound/shipping-method": create_exchange,
    "/admin/exchanges/{exchange_id}/request": create_exchange,
    "/admin/exchanges/": start_exchange,
    "/admin/exchanges": pack_paid_order,
    "/admin/rbac/roles/": create_role,
    "/admin/returns/{return_id}/receive-items/": receive_undamaged_products,
    "/admin/returns/{return_id}/dismiss-items/": receive_damaged_products,
    "/admin/returns/{return_id}/receive/confirm": receive_undamaged_products,
    "/admin/returns/{return_id}/receive-items": start_receiving_return,
    "/admin/returns/{return_id}/dismiss-items": start_receiving_return,
    "/admin/returns/{return_id}/receive": create_requested_return,
    "/admin/returns/{return_id}/request-items/": create_return_with_item,
    "/admin/returns/{return_id}/request-items": start_return,
    "/admin/returns/{return_id}": create_return_with_item,
    "/admin/returns": create_order,
    "/admin/webhooks/": create_webhook,
    "/": use_seeded_shop,
}
"""State that an operation needs, by the beginning of its path; the first match counts."""


BEARER_OPERATIONS = {"POST /auth/token/refresh", "POST /auth/session"}
"""Operations that need a bearer token; the others use the owner's browser with the second factor."""


@asynccontextmanager
async def open_reader(
    folder: Path, examples: Mapping[str, Any], headers: Mapping[str, str], ids: Mapping[str, str]
) -> AsyncIterator[Reader]:
    """Open the shop in `folder`, and yield a reader with these ids, whose requests have these headers."""
    shop = Shop(Settings(data_dir=folder))
    transport = httpx.ASGITransport(create_api(shop), client=("190.24.1.1", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test", headers=headers) as client:
        yield Reader(shop, client, dict(ids), examples)
    await shop.stop()


async def sign_in(reader: Reader) -> None:
    """Give the reader the ids of the seeded shop, its publishable key and a session cookie of the owner."""
    key, staff_id, ids = await _read_shop(reader.shop)
    async with reader.shop.database.transaction() as session:
        cookie = await open_session(session, staff_id, Browser("190.24.1.1"), has_second_factor=True)
    headers = {"x-publishable-api-key": key, "origin": "http://shop.test", "cookie": f"{COOKIE}={cookie}"}
    reader.client.headers.update(headers)
    reader.remember_ids(*ids)


async def send_bearer_token(reader: Reader) -> None:
    """Make the reader send a bearer token of the owner from now on."""
    async with reader.shop.database.read() as session:
        staff_id = (await session.execute(select(Staff.id).where(Staff.role == "owner"))).scalar_one()
    token = issue_token(reader.shop.settings.signing_key, TokenOwner(staff_id, USER))
    reader.client.headers["authorization"] = f"Bearer {token}"


async def _read_shop(shop: Shop) -> tuple[str, str, list[str]]:
    """Allow manual payment in the region, add a second staff member, and read the ids.

    Returns:
        The publishable key, the owner's id, and one id of each kind of row.
    """
    models: tuple[Any, ...] = (
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
        # the shortest way to an order that staff can ship: they confirm the payment themselves
        await session.execute(update(Region).values(payment_providers=[PSE, MANUAL]))
        colleague = Staff(email="luis@trompo.example", password_hash="never used", role="shop")
        session.add(colleague)
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
        staff_id = (await session.execute(select(Staff.id).where(Staff.role == "owner"))).scalar_one()
        ids = [(await session.execute(select(model.id).limit(1))).scalar_one() for model in models]
        region_id = (await session.execute(select(Region.id).limit(1))).scalar_one()
        well_stocked = select(InventoryLevel.variant_id).order_by(InventoryLevel.stocked.desc()).limit(1)
        variant = (await session.execute(select(Variant).where(Variant.id.in_(well_stocked)))).scalar_one()
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


def find_state(operation: str) -> Callable[[Reader], Awaitable[None]]:
    """Return the function that creates the state that an operation needs."""
    if operation in BEARER_OPERATIONS:
        return send_bearer_token
    path = operation.partition(" ")[2]
    return next(state for start, state in STATES.items() if path.startswith(start))


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the example of each operation with a JSON body."""
    document = create_api(Shop(Settings(data_dir=tmp_path_factory.mktemp("document")))).openapi()
    return {
        f"{method.upper()} {path}": example_of(document, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    }


async def test_documented_examples_of_all_operations_work(
    examples: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Send the example of each operation to a separate copy of the shop, in the state that it needs.

    All names resolve to a public address, as the webhook's example needs.
    """
    public = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **_more: public)
    seeded, prepared, used = tmp_path / "seeded", tmp_path / "prepared", tmp_path / "used"
    staff = examples["POST /auth/user/emailpass"]
    await prepare(Settings(data_dir=seeded, admin_email=staff["email"], admin_password=staff["password"]))
    async with open_reader(seeded, examples, {}, {}) as reader:
        await sign_in(reader)
        headers, ids = dict(reader.client.headers), reader.ids
    for state, operations in groupby(sorted(examples, key=_state_name), find_state):
        async with open_reader(copytree(seeded, prepared), examples, headers, ids) as reader:
            await state(reader)
            reached_headers, reached_ids = dict(reader.client.headers), reader.ids
        for operation in operations:
            folder = copytree(prepared, used)
            with subtests.test(operation=operation):
                async with open_reader(folder, examples, reached_headers, reached_ids) as reader:
                    await check_example(reader, operation)
            rmtree(used)
        rmtree(prepared)


def _state_name(operation: str) -> str:
    return find_state(operation).__name__


async def check_example(reader: Reader, operation: str) -> None:
    """Send the example of an operation, and check that it is accepted, or refused as expected."""
    assert reader.examples[operation] is not None, f"{operation} has no example"
    answer = await reader.send(operation)
    if operation in REFUSED:
        status, message = REFUSED[operation]
        assert answer.status_code == status
        assert message in answer.json()["message"]
    else:
        assert answer.is_success, answer.text


def test_operations_listed_as_refused_still_exist(examples: dict[str, Any]) -> None:
    assert examples.keys() >= REFUSED.keys()
