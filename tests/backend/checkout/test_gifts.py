"""Gifts: the wrapping is sold like any product, and the message is printed unchanged."""

import asyncio

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.cart.checkout_drafts import read_draft, save_draft
from backend.cart.lines import add_to_cart, change_line
from backend.cart.views import WrappingView, read_cart_view
from backend.catalog.models import WRAPPING_SKU, Product, Variant
from backend.checkout.carts.reorder import buy_again
from backend.checkout.placed_orders import PlacedOrder
from backend.core.errors import InsufficientStock, InvalidData, TotalChanged
from backend.customers.models import Customer
from backend.inventory.models import InventoryLevel
from backend.mail.messages import compose_message
from backend.mail.models import Mail, MailKind
from backend.office.orders.detail import order_detail
from backend.office.orders.packing import pack_view
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.staff.rights import Actor, Role
from tests.amounts import cop
from tests.checkout_steps import CHECKOUT_INPUT, choose_pickup
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get, post, read_ok

IP = "190.24.1.1"
OWNER = Actor("user_1", Role.OWNER, has_second_factor=True)
PRICE, WRAPPING_PRICE = 40_000, 5_950
MESSAGE = "Feliz cumpleaños, <b>Ana</b> 🎈\nTe queremos.\n\n“Abuela & Tito”"


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=PRICE)


@pytest.fixture
async def wrapping(shop: Shop, shop_defaults: Defaults) -> str:
    """Return the variant of the gift wrapping, a hidden product with five units in stock."""
    async with shop.database.transaction() as session:
        title = "Envoltura de regalo"
        variant = await add_product(
            session, shop_defaults, "envoltura", stock=5, price=WRAPPING_PRICE, title=title, status="draft"
        )
        await session.execute(update(Variant).where(Variant.id == variant).values(sku=WRAPPING_SKU))
    return variant


async def cart_with(shop: Shop, *variants: str) -> str:
    async with shop.database.transaction() as session:
        cart_id = await create_empty_cart(session)
        for variant in variants:
            await add_to_cart(session, cart_id, variant)
    await choose_pickup(shop, cart_id)
    return cart_id


async def offer_shipping_options(shop: Shop, cart_id: str) -> WrappingView | None:
    async with shop.database.read() as session:
        return (await read_cart_view(session, cart_id)).wrapping


async def place_order(
    shop: Shop, cart_id: str, message: str = MESSAGE, total: int = PRICE + WRAPPING_PRICE
) -> PlacedOrder:
    typed = {**CHECKOUT_INPUT, "gift_message": message}
    return await shop.checkout.place_order(cart_id, typed, expected_total=total, ip=IP)


async def test_gift_wrapping_is_offered_sold_and_shown_on_the_packing_slip(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str, wrapping: str
) -> None:
    cart_id = await cart_with(shop, trompo)
    assert await offer_shipping_options(shop, cart_id) == WrappingView(
        wrapping, "Envoltura de regalo", cop("$ 5.950")
    )
    async with shop.database.transaction() as session:
        await add_to_cart(session, cart_id, wrapping)
        view = await read_cart_view(session, cart_id)
    assert view.wrapping is None  # it is there
    assert [(line.title, line.product_handle, line.problem) for line in view.lines] == [
        ("Trompo", "trompo", None),
        ("Envoltura de regalo", "", None),
    ]
    await choose_pickup(shop, cart_id)
    shown = (await get(store, f"/store/carts/{cart_id}"))["cart"]
    assert (shown["item_total"], shown["item_tax_total"]) == (45_950, 6_387 + 950)

    placed = await place_order(shop, cart_id)
    async with shop.database.read() as session:
        asked = (await session.execute(select(PaymentSession.amount))).scalar_one()
        order = (await session.execute(select(Order))).scalar_one()
        assert (asked, order.total, order.meta) == (45_950, 45_950, {"gift_message": MESSAGE})
        detail = await order_detail(session, OWNER, order.id, "Trompo")
        packed = (await pack_view(session, OWNER, order.id)).order
        mail = await compose_message(session, shop.settings, Mail(kind=MailKind.ORDER_PLACED, about=order.id))
    page = await shop.placed_orders.get_order_page(placed.order_id, placed.token)
    assert packed is not None
    assert page.gift_message == detail.gift_message == packed.gift_message == MESSAGE
    assert [(line.title, line.product_handle) for line in page.lines] == [
        ("Trompo", "trompo"),
        ("Envoltura de regalo", ""),
    ]
    assert [line.title for line in packed.lines] == ["Trompo", "Envoltura de regalo"]
    assert mail is not None  # the mail contains no typed text, as another person may have typed the address
    assert mail.values["is_gift"]
    assert "Feliz" not in str(mail.values)
    assert ("1 × Envoltura de regalo", cop("$ 5.950")) in mail.values["bill"]

    slip = (await admin.get("/admin/packing-slips", params={"id": [placed.order_id]})).text
    assert "Feliz cumpleaños, &lt;b&gt;Ana&lt;/b&gt; 🎈\nTe queremos.\n\n“Abuela &amp; Tito”" in slip
    assert "Envoltura de regalo" in slip
    assert "$" not in slip
    for price in ("45.950", "40.000", "5.950"):
        assert price not in slip


async def test_order_without_a_gift_message_does_not_mention_gifts(
    shop: Shop, admin: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await cart_with(shop, trompo)
    assert await offer_shipping_options(shop, cart_id) is None  # the shop has no wrapping: it offers none
    placed = await place_order(shop, cart_id, " \n\u200b ", PRICE)
    page = await shop.placed_orders.get_order_page(placed.order_id, placed.token)
    slip = (await admin.get("/admin/packing-slips", params={"id": [placed.order_id]})).text
    assert page.gift_message == ""
    assert 'class="gift"' not in slip


async def test_too_long_gift_message_is_reported_at_its_field(shop: Shop, trompo: str) -> None:
    cart_id = await cart_with(shop, trompo)
    long = "Feliz día, Ana 🎈 " * 30
    async with shop.database.transaction() as session:
        await save_draft(session, cart_id, {"gift_message": long})
    with pytest.raises(InvalidData) as refused:
        await place_order(shop, cart_id, long, PRICE)
    assert refused.value.fields == {"gift_message": "Usa máximo 300 caracteres."}
    async with shop.database.read() as session:
        assert (await read_draft(session, cart_id))["gift_message"] == long
        assert not (await session.execute(select(Order))).all()

    clean = "a\x00b\x1b[31m\u202ec\r\n" + "👨‍👩‍👧" * 60 + "é" * 100
    placed = await place_order(shop, cart_id, clean, PRICE)
    page = await shop.placed_orders.get_order_page(placed.order_id, placed.token)
    assert page.gift_message == "ab[31mc\n" + "👨👩👧" * 60 + "é" * 100


async def test_gift_wrapping_is_neither_listed_nor_sold_alone(
    shop: Shop, store: httpx.AsyncClient, trompo: str, wrapping: str
) -> None:
    listed = await get(store, "/store/products")
    assert [product["handle"] for product in listed["products"]] == ["trompo"]
    async with shop.database.read() as session:
        hidden = (await session.execute(select(Product.id).where(Product.handle == "envoltura"))).scalar_one()
    assert (await store.get(f"/store/products/{hidden}")).status_code == 404

    cart_id = await cart_with(shop, trompo, wrapping)
    async with shop.database.transaction() as session:
        lines = (await read_cart_view(session, cart_id)).lines
        await change_line(session, cart_id, lines[1].id, 2)
        await change_line(session, cart_id, lines[0].id, 0)
        assert (await read_cart_view(session, cart_id)).lines == []

    alone = await cart_with(shop, wrapping)
    with pytest.raises(InvalidData, match="no items"):
        await place_order(shop, alone, "", WRAPPING_PRICE)


async def test_gift_wrapping_is_not_restored_without_its_hidden_product(
    shop: Shop, trompo: str, wrapping: str
) -> None:
    """Hide the ordered product. Neither the restored cart nor a repeated order gets the gift wrapping alone."""
    placed = await place_order(shop, await cart_with(shop, trompo, wrapping))
    async with shop.database.transaction() as session:
        await session.execute(update(Product).where(Product.handle == "trompo").values(status="draft"))
    restored = await shop.placed_orders.change_bank(placed.order_id, placed.token)
    async with shop.database.transaction() as session:
        assert (await read_cart_view(session, restored)).lines == []
        ana = Customer(email="ana@example.com")
        session.add(ana)
        await session.flush()
        await session.execute(update(Order).values(customer_id=ana.id))
        cart_id = await create_empty_cart(session)
        assert await buy_again(session, ana.id, placed.order_id, cart_id) == ["Trompo"]
        assert (await read_cart_view(session, cart_id)).lines == []


async def test_gift_wrapping_has_its_current_price_and_stock(shop: Shop, trompo: str, wrapping: str) -> None:
    free = await cart_with(shop, trompo, wrapping)
    paid = await cart_with(shop, trompo, wrapping)
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).where(Variant.id == wrapping).values(price=0))
    with pytest.raises(TotalChanged):
        await place_order(shop, paid)
    await place_order(shop, free, total=PRICE)
    fresh = await cart_with(shop, trompo)
    assert await offer_shipping_options(shop, fresh) == WrappingView(wrapping, "Envoltura de regalo", "")

    async with shop.database.transaction() as session:
        last = InventoryLevel.variant_id == wrapping
        await session.execute(update(InventoryLevel).where(last).values(stocked=2))
    rivals = [await cart_with(shop, trompo, wrapping) for _ in range(2)]
    outcomes = await asyncio.gather(
        *(place_order(shop, cart_id, total=PRICE) for cart_id in rivals), return_exceptions=True
    )
    assert {type(outcome) for outcome in outcomes} == {PlacedOrder, InsufficientStock}
    assert await offer_shipping_options(shop, fresh) is None  # no sheet remains


async def test_gift_message_changed_after_a_change_of_bank_is_in_the_new_order(
    shop: Shop, trompo: str
) -> None:
    cart_id = await cart_with(shop, trompo)
    first = await place_order(shop, cart_id, "Para Ana", PRICE)
    again = await shop.placed_orders.change_bank(first.order_id, first.token)
    async with shop.database.transaction() as session:
        assert (await read_draft(session, again)) == {"doc_type": "CC", "doc_number": "1020304050"}
        await save_draft(session, again, {"gift_message": ""})
    await choose_pickup(shop, again)
    second = await place_order(shop, again, "", PRICE)
    pages = [await shop.placed_orders.get_order_page(one.order_id, one.token) for one in (first, second)]
    assert [page.gift_message for page in pages] == ["Para Ana", ""]


async def test_gift_message_sent_by_an_api_client_as_metadata_is_in_the_order(
    shop: Shop, store: httpx.AsyncClient, trompo: str, wrapping: str
) -> None:
    items = [{"variant_id": one, "quantity": 1} for one in (trompo, wrapping)]
    cart = (await post(store, "/store/carts", {"items": items, "metadata": {"gift_message": MESSAGE}}))[
        "cart"
    ]
    assert cart["metadata"] == {"gift_message": MESSAGE}
    assert [item["title"] for item in cart["items"]] == ["Trompo", "Envoltura de regalo"]
    for wrong in ("a" * 301, ["a"], 7):
        answer = await store.post(f"/store/carts/{cart['id']}", json={"metadata": {"gift_message": wrong}})
        assert (answer.status_code, answer.json()["message"]) == (
            400,
            "metadata.gift_message is a text of at most 300 characters",
        )
    await choose_pickup(shop, cart["id"])
    placed = await shop.checkout.place_order(
        cart["id"], CHECKOUT_INPUT, expected_total=PRICE + WRAPPING_PRICE, ip=IP
    )
    assert (await shop.placed_orders.get_order_page(placed.order_id, placed.token)).gift_message == MESSAGE
    assert (await read_ok(await store.get(f"/store/orders/{placed.order_id}")))["order"]["metadata"] == {
        "gift_message": MESSAGE
    }
