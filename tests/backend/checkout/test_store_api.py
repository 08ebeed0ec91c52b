"""The seven steps over the Store API, on both databases (spec: What the service does 2; wire: commerce-api)."""

import asyncio
from datetime import date, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import delete, select, update

from backend.app import Shop
from backend.catalog.models import Product, Variant
from backend.core.db.database import db_now
from backend.orders.models import Order
from backend.shipping.models import LocationFulfillmentProvider, LocationSalesChannel
from tests.store_defaults import Defaults, add_product
from tests.store_steps import (
    HOME,
    MANUAL,
    PAYER,
    PSE,
    complete_purchase,
    create_addressed_cart,
    create_cart_with_shipping,
    create_payment_collection,
    find_shipping_option,
    get,
    post,
)

PRICE = 40_000


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=PRICE)


async def placed_ago(shop: Shop, order_id: str, age: timedelta) -> None:
    """Set the order's age by the database's clock."""
    async with shop.database.transaction() as session:
        await session.execute(update(Order).where(Order.id == order_id).values(created_at=db_now(-age)))


async def _refused(answer: httpx.Response) -> tuple[int, dict[str, Any]]:
    return answer.status_code, answer.json()


async def test_guest_buys_by_pse_in_seven_steps(store: httpx.AsyncClient, trompo: str) -> None:
    """Check the totals and states after each step (spec: What the service does 2 and 3; States and transitions)."""
    cart = (await post(store, "/store/carts", {}))["cart"]
    assert (cart["total"], cart["items"], cart["shipping_address"]["country_code"]) == (0, [], "co")
    cart_id = cart["id"]
    cart = (await post(store, f"/store/carts/{cart_id}/line-items", {"variant_id": trompo, "quantity": 2}))[
        "cart"
    ]
    assert (cart["items"][0]["unit_price"], cart["item_total"]) == (PRICE, 2 * PRICE)
    change = {"email": "ana@example.com", "shipping_address": HOME}
    cart = (await post(store, f"/store/carts/{cart_id}", change))["cart"]
    assert cart["shipping_address"]["metadata"] == HOME["metadata"]
    calculated = await find_shipping_option(store, cart_id, "calculated")
    cart = (await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": calculated["id"]}))[
        "cart"
    ]
    assert cart["shipping_total"] == calculated["amount"] > 0
    assert cart["total"] == 2 * PRICE + calculated["amount"] == cart["subtotal"] + cart["tax_total"]
    owed = await create_payment_collection(store, cart_id, PSE)
    (session,) = owed["payment_sessions"]
    assert (owed["amount"], session["amount"], session["status"]) == (
        cart["total"],
        cart["total"],
        "pending_authorization",
    )
    assert session["data"]["redirect_url"].startswith("http://localhost:3000/sandbox/gateway/bank/")
    done = await post(store, f"/store/carts/{cart_id}/complete")
    order = done["order"]
    assert (done["type"], order["status"], order["payment_status"]) == ("order", "pending", "awaiting")
    assert (order["total"], order["email"], order["display_id"]) == (cart["total"], "ana@example.com", 1)
    assert order["items"][0]["detail"]["quantity"] == 2


async def test_payment_provider_is_accepted_under_its_platform_id(
    store: httpx.AsyncClient, trompo: str
) -> None:
    owed = await create_payment_collection(store, await create_cart_with_shipping(store, trompo), PSE)
    again = await store.post(
        f"/store/payment-collections/{owed['id']}/payment-sessions", json={"provider_id": "pp_gateway_pse"}
    )
    assert again.status_code == 409  # the first payment is at the bank: there must not be two debits


async def test_payment_session_lists_the_missing_pse_answers_with_their_choices(
    store: httpx.AsyncClient, trompo: str
) -> None:
    """Check a storefront that does not know PSE: no payment starts, and the answer lists the missing fields."""
    cart_id = await create_cart_with_shipping(store, trompo)
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    for body in ({"provider_id": PSE}, {"provider_id": "pp_gateway_pse", "data": {}}):
        (asking,) = (await post(store, path, body))["payment_collection"]["payment_sessions"]
        assert (asking["status"], asking["provider_id"], asking["amount"]) == (
            "requires_more",
            PSE,
            owed["amount"],
        )
    missing = {answer["field"]: answer for answer in asking["data"]["missing"]}
    assert list(missing) == ["bank", "person_type", "doc_type", "doc_number"]  # the rest is from the cart
    assert missing["bank"]["message"] == "Elige tu banco."
    codes = {name: [choice["code"] for choice in answer["choices"]] for name, answer in missing.items()}
    assert (codes["person_type"], codes["doc_number"]) == (["0", "1"], [])
    assert {"1022"} <= set(codes["bank"])
    assert "0" not in codes["bank"]
    data = {"bank": "1022", "return_url": "https://evil.example"}
    refused = await store.post(path, json={"provider_id": PSE, "data": data})
    assert (refused.status_code, refused.json()["message"].count("STORE_CORS")) == (400, 2)
    assert {"CC", "CE", "NIT"} <= set(codes["doc_type"])
    cart = (await get(store, f"/store/carts/{cart_id}"))["cart"]
    assert cart["payment_collection"]["payment_sessions"] == []
    refused = await store.post(f"/store/carts/{cart_id}/complete")
    assert refused.json()["message"] == NO_SESSION

    answers = {name: (codes[name] or ["1020304050"])[0] for name in missing}
    paid = await post(store, path, {"provider_id": PSE, "data": answers})
    (started,) = paid["payment_collection"]["payment_sessions"]
    assert started["status"] == "pending_authorization"
    unready = (await post(store, "/store/carts"))["cart"]["id"]
    assert (await store.post("/store/payment-collections", json={"cart_id": unready})).status_code == 400


async def test_eight_concurrent_completions_make_one_order(store: httpx.AsyncClient, trompo: str) -> None:
    """Complete the same cart eight times at once (wire: commerce-api, Guest checkout 8)."""
    cart_id = await create_cart_with_shipping(store, trompo)
    await create_payment_collection(store, cart_id)
    answers = await asyncio.gather(*(post(store, f"/store/carts/{cart_id}/complete") for _ in range(8)))
    assert len({answer["order"]["id"] for answer in answers}) == 1
    assert answers[0]["order"]["payment_status"] == "authorized"


async def test_order_is_readable_by_its_id_for_an_hour_and_later_only_by_its_token(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """Check that the id alone later shows only states and total (wire: commerce-api, preface)."""
    order = await complete_purchase(store, trompo)
    path, token = f"/store/orders/{order['id']}", order["access_token"]
    whole = (await get(store, path))["order"]
    assert (whole.keys(), whole["shipping_address"]) == (
        order.keys() - {"access_token"},
        order["shipping_address"],
    )
    await placed_ago(shop, order["id"], timedelta(minutes=59, seconds=50))
    assert (await get(store, path))["order"]["email"] == "ana@example.com"
    await placed_ago(shop, order["id"], timedelta(minutes=60))
    assert (await get(store, path, token=token))["order"]["email"] == "ana@example.com"
    by_header = await store.get(path, headers={"x-order-token": token})
    assert by_header.json()["order"]["shipping_address"]["first_name"] == "Ana"
    stub = (await get(store, path))["order"]
    assert stub.keys() == {
        "id", "display_id", "status", "payment_status", "fulfillment_status",
        "currency_code", "total", "created_at", "updated_at",
    }  # fmt: skip
    assert (await store.get(path, params={"token": token[:-1] + "x"})).status_code == 404
    unknown = await store.get("/store/orders/order_nosuch", params={"token": token})
    assert await _refused(unknown) == (
        404,
        {"type": "not_found", "message": "Order with id: order_nosuch was not found"},
    )
    assert (await store.get("/store/orders")).json() == {"message": "Unauthorized"}


async def test_shipping_options_are_priced_again_after_an_address_change(
    store: httpx.AsyncClient, trompo: str
) -> None:
    """List the options before and after a change of the address (spec: Endpoints, GET /store/shipping-options)."""
    cart_id = await create_addressed_cart(store, trompo)
    near = await find_shipping_option(store, cart_id, "calculated")
    await post(
        store, f"/store/carts/{cart_id}", {"shipping_address": {"city": "Leticia", "province": "Amazonas"}}
    )
    far = await find_shipping_option(store, cart_id, "calculated")
    assert (near["id"], near["metadata"]["is_fallback"]) == (far["id"], False)
    assert near["amount"] != far["amount"]
    one = await post(store, f"/store/shipping-options/{near['id']}/calculate", {"cart_id": cart_id})
    assert one["shipping_option"]["amount"] == far["amount"]


async def test_api_client_may_send_the_promised_day_that_its_shopper_saw(
    store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await create_addressed_cart(store, trompo)
    option = await find_shipping_option(store, cart_id, "calculated")
    day = date.fromisoformat(option["metadata"]["promised_day"])
    await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": option["id"]})
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    answers = [
        await store.post(path, json={"provider_id": PSE, "data": {**PAYER, "promised_day": sent}})
        for sent in ((day - timedelta(days=1)).isoformat(), "tomorrow", day.isoformat())
    ]
    assert [answer.status_code for answer in answers] == [409, 400, 200]
    assert answers[0].json()["message"].startswith("The promised day is now ")
    order = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    assert order["shipping_methods"][0]["data"]["promised_day"] == day.isoformat()


async def test_new_address_removes_the_shipping_price(store: httpx.AsyncClient, trompo: str) -> None:
    cart_id = await create_cart_with_shipping(store, trompo, price_type="calculated")
    moved = {"shipping_address": {**HOME, "address_1": "Otra calle 1", "metadata": None}}
    cart = (await post(store, f"/store/carts/{cart_id}", moved))["cart"]
    assert (cart["shipping_methods"], cart["shipping_total"]) == ([], 0)


async def test_stock_location_outside_the_sales_channel_has_no_shipping_options(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """Unlink the location from the channel (spec: Errors, Stock location not linked to the sales channel)."""
    cart_id = await create_addressed_cart(store, trompo)
    async with shop.database.transaction() as session:
        await session.execute(delete(LocationSalesChannel))
    assert await get(store, "/store/shipping-options", cart_id=cart_id) == {"shipping_options": []}


async def test_option_of_an_unlinked_provider_cannot_be_chosen(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """Unlink the provider after its option was listed (spec: Errors, Cart shipping-method selection)."""
    cart_id = await create_addressed_cart(store, trompo)
    calculated = await find_shipping_option(store, cart_id, "calculated")
    async with shop.database.transaction() as session:
        await session.execute(
            delete(LocationFulfillmentProvider).where(
                LocationFulfillmentProvider.provider_id == "carrier_standard"
            )
        )
    path = f"/store/carts/{cart_id}/shipping-methods"
    refused = await store.post(path, json={"option_id": calculated["id"]})
    message = "Providers (carrier_standard) are not enabled for the service location"
    assert await _refused(refused) == (400, {"type": "not_allowed", "message": message})


NO_COLLECTION = "Payment collection has not been initiated for cart"
NO_SESSION = "Payment sessions are required to complete cart"
NO_SHIPPING = "No shipping method selected but the cart contains items that require shipping."


async def test_missing_checkout_steps_are_refused_with_the_messages_of_the_platform(
    store: httpx.AsyncClient, trompo: str
) -> None:
    """Leave out one step after the other (wire: commerce-api, Error bodies)."""

    async def complaint(cart_id: str) -> str:
        status, body = await _refused(await store.post(f"/store/carts/{cart_id}/complete"))
        assert (status, body["type"]) == (400, "invalid_data")
        return str(body["message"])

    empty = (await post(store, "/store/carts"))["cart"]["id"]
    assert await complaint(empty) == "Cannot complete a cart with no items"
    cart_id = await create_addressed_cart(store, trompo)
    assert await complaint(cart_id) == NO_COLLECTION
    refused = await _refused(await store.post("/store/payment-collections", json={"cart_id": cart_id}))
    assert refused == (400, {"type": "invalid_data", "message": NO_SHIPPING})
    cart_id = await create_cart_with_shipping(store, trompo)
    await post(store, "/store/payment-collections", {"cart_id": cart_id})
    assert await complaint(cart_id) == NO_SESSION


async def test_changing_cart_items_deletes_the_payment_session(store: httpx.AsyncClient, trompo: str) -> None:
    """Check also that the cart cannot be completed then (wire: commerce-api, Guest checkout)."""
    cart_id = await create_cart_with_shipping(store, trompo)
    first = await create_payment_collection(store, cart_id)
    assert [session["status"] for session in first["payment_sessions"]] == ["pending"]
    cart = (await post(store, f"/store/carts/{cart_id}/line-items", {"variant_id": trompo, "quantity": 1}))[
        "cart"
    ]
    assert cart["payment_collection"]["payment_sessions"] == []
    refused = await store.post(f"/store/carts/{cart_id}/complete")
    assert refused.json()["message"] == NO_SESSION


async def test_completed_cart_refuses_new_items(store: httpx.AsyncClient, trompo: str) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    await create_payment_collection(store, cart_id)
    await post(store, f"/store/carts/{cart_id}/complete")
    item = {"variant_id": trompo, "quantity": 1}
    refused = await store.post(f"/store/carts/{cart_id}/line-items", json=item)
    completed = {"type": "invalid_data", "message": f"Cart {cart_id} is already completed."}
    assert (refused.status_code, refused.json()) == (400, completed)


async def test_adding_more_units_than_stocked_is_refused(store: httpx.AsyncClient, trompo: str) -> None:
    """Request six units where five are stocked, in a new and in an empty cart (wire: commerce-api, Error bodies)."""
    item = {"variant_id": trompo, "quantity": 6}
    expected = {
        "code": "insufficient_inventory",
        "type": "not_allowed",
        "message": "Some variant does not have the required inventory",
    }
    assert await _refused(await store.post("/store/carts", json={"items": [item]})) == (400, expected)
    cart_id = (await post(store, "/store/carts"))["cart"]["id"]
    assert await _refused(await store.post(f"/store/carts/{cart_id}/line-items", json=item)) == (
        400,
        expected,
    )


async def test_only_five_of_twelve_concurrent_carts_buy_five_units(
    store: httpx.AsyncClient, trompo: str
) -> None:
    """Check for exactly five orders and seven refusals (wire: commerce-api, Stock)."""
    ready = [await create_cart_with_shipping(store, trompo) for _ in range(12)]

    async def buy(cart_id: str) -> int:
        owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
        path = f"/store/payment-collections/{owed['id']}/payment-sessions"
        started = await store.post(path, json={"provider_id": MANUAL})
        if started.status_code != 200:
            return started.status_code
        return (await store.post(f"/store/carts/{cart_id}/complete")).status_code

    assert sorted(await asyncio.gather(*map(buy, ready))) == [200] * 5 + [400] * 7


async def test_cart_line_can_be_changed_and_removed(store: httpx.AsyncClient, trompo: str) -> None:
    cart = (await post(store, "/store/carts", {"items": [{"variant_id": trompo, "quantity": 1}]}))["cart"]
    path = f"/store/carts/{cart['id']}/line-items"
    line = cart["items"][0]["id"]
    cart = (await post(store, f"{path}/{line}", {"quantity": 3, "metadata": {"gift": True}}))["cart"]
    assert (cart["items"][0]["quantity"], cart["items"][0]["metadata"]) == (3, {"gift": True})
    unknown = await store.post(f"{path}/cali_nosuch", json={"quantity": 1})
    assert unknown.json()["message"] == "Line item with id: cali_nosuch was not found"
    gone = (await store.delete(f"{path}/{line}")).json()
    assert (gone["id"], gone["object"], gone["deleted"], gone["parent"]["items"]) == (
        line,
        "line-item",
        True,
        [],
    )


async def test_item_price_in_a_request_is_refused(store: httpx.AsyncClient, trompo: str) -> None:
    """Check that only the shop sets prices (design: decision 9)."""
    item = {"variant_id": trompo, "quantity": 1, "unit_price": 1}
    refused = await store.post("/store/carts", json={"items": [item]})
    assert refused.json()["message"] == "Invalid request: Unrecognized fields: 'unit_price'"


async def test_cart_whose_price_changed_after_the_payment_session_is_not_completed(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    await create_payment_collection(store, cart_id)
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).where(Variant.id == trompo).values(price=PRICE + 1))
    refused = await store.post(f"/store/carts/{cart_id}/complete")
    assert (refused.status_code, refused.json()["type"]) == (409, "conflict")


async def test_deleted_product_cannot_be_bought(store: httpx.AsyncClient, shop: Shop, trompo: str) -> None:
    async with shop.database.transaction() as session:
        product = (await session.execute(select(Product))).scalar_one()
        product.status = "draft"
    refused = await store.post("/store/carts", json={"items": [{"variant_id": trompo, "quantity": 1}]})
    message = f"Variants {trompo} do not exist or belong to a product that is not published"
    assert await _refused(refused) == (400, {"type": "invalid_data", "message": message})


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"nosuch": 1}, 400, "Invalid request: Unrecognized fields: 'nosuch'"),
        ({"region_id": 5}, 400, "Invalid request: Expected type: 'string' for field 'region_id', got: '5'"),
        ({"email": "nope"}, 400, "Invalid request: Invalid email address"),
        ({"region_id": "reg_nosuch"}, 404, "No regions found"),
        ({"items": [{"variant_id": "v"}]}, 400, "Invalid request: Field 'items, 0, quantity' is required"),
        (
            {"items": [{"variant_id": "v", "quantity": 0}]},
            400,
            "Invalid request: Value for field 'items, 0, quantity' too small, expected at least: '0'",
        ),
        (
            {"shipping_address": {"country_code": "us"}},
            400,
            "Country with code us is not within region Colombia",
        ),
        ({"promo_codes": ["GRATIS"]}, 400, "The promotion code GRATIS is invalid"),
        ({"currency_code": "usd"}, 400, "Region Colombia has no currency usd"),
        ([], 400, "Invalid request: Expected type: 'object' for field 'body', got: 'array'"),
    ],
)
async def test_malformed_cart_is_refused_with_the_message_of_the_platform(
    store: httpx.AsyncClient, body: Any, status: int, message: str
) -> None:
    """Check the status and message of each refusal (wire: commerce-api, Error bodies)."""
    refused = await store.post("/store/carts", json=body)
    assert (refused.status_code, refused.json()["message"]) == (status, message)


@pytest.mark.parametrize(
    ("method", "path", "body", "message"),
    [
        ("GET", "/store/carts/cart_nosuch", None, "Cart with id 'cart_nosuch' not found"),
        ("POST", "/store/carts/cart_nosuch/complete", {}, "Cart with id 'cart_nosuch' not found"),
        ("POST", "/store/carts/cart_nosuch", {}, "Cart id not found: cart_nosuch"),
        (
            "POST",
            "/store/carts/cart_nosuch/line-items",
            {"variant_id": "v", "quantity": 1},
            "Cart id not found: cart_nosuch",
        ),
        ("GET", "/store/shipping-options?cart_id=cart_nosuch", None, "Cart id not found: cart_nosuch"),
        ("POST", "/store/payment-collections", {"cart_id": "cart_nosuch"}, "Cart id not found: cart_nosuch"),
    ],
)
async def test_unknown_cart_has_the_message_of_the_platform(
    store: httpx.AsyncClient, method: str, path: str, body: Any, message: str
) -> None:
    """Check the message of each route (wire: commerce-api, Error bodies, unknown cart)."""
    refused = await store.request(method, path, json=body)
    assert await _refused(refused) == (404, {"type": "not_found", "message": message})


async def test_payment_session_of_an_unknown_collection_is_refused(
    store: httpx.AsyncClient, trompo: str
) -> None:
    """Check for 404 and 400, where the platform answers 500 (wire: commerce-api, preface)."""
    session = {"provider_id": MANUAL}
    unknown = await store.post("/store/payment-collections/pay_col_nosuch/payment-sessions", json=session)
    assert unknown.status_code == 404
    cart_id = await create_cart_with_shipping(store, trompo)
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    assert (await store.post(path, json={"provider_id": "pp_nosuch"})).status_code == 404
    payer = await store.post(path, json={"provider_id": PSE, "data": {"bank": "0"}})
    assert payer.status_code == 400
    assert "bank: Elige tu banco." in payer.json()["message"]


async def test_cart_response_has_only_the_requested_fields(store: httpx.AsyncClient, trompo: str) -> None:
    """Request, add and omit fields of a cart (wire: commerce-api, Conventions, fields)."""
    cart = (await post(store, "/store/carts", {"items": [{"variant_id": trompo, "quantity": 1}]}))["cart"]
    path = f"/store/carts/{cart['id']}"
    assert (await get(store, path, fields="id,total"))["cart"] == {"id": cart["id"], "total": PRICE}
    assert (await get(store, path, fields="nosuch"))["cart"] == {"id": cart["id"]}
    lines = (await get(store, path, fields="items.quantity"))["cart"]
    assert lines == {"id": cart["id"], "items": [{"id": cart["items"][0]["id"], "quantity": 1}]}
    less = (await get(store, path, fields="-items,-region"))["cart"]
    assert less == {name: value for name, value in cart.items() if name not in ("items", "region")}


async def test_ip_address_of_the_payer_is_taken_from_the_connection(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """Send an `X-Forwarded-For` header through a proxy that TRUSTED_PROXIES does not name: it is ignored."""
    store.headers["x-forwarded-for"] = "1.2.3.4"
    await create_payment_collection(store, await create_cart_with_shipping(store, trompo), PSE)
    from backend.payment.models import PaymentSession

    async with shop.database.read() as session:
        (payment,) = (await session.execute(select(PaymentSession))).scalars()
    assert payment.data["payer_ip"] == "190.24.1.1"
