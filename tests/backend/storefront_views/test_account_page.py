"""The account page's orders, and the checkout's prefilled fields."""

from dataclasses import replace

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.cart.access import open_or_create_cart
from backend.cart.contents import read_lines
from backend.cart.lines import add_to_cart
from backend.catalog.models import Product
from backend.checkout.carts.reorder import buy_again
from backend.core.errors import NotFound
from backend.customers.auth.accounts import ShopperView
from backend.customers.models import Customer, CustomerAddress
from backend.orders.models import Fulfillment, Order
from backend.storefront_views import account_page
from tests.store_defaults import Defaults, add_product
from tests.store_steps import HOME, complete_purchase


async def test_account_page_shows_status_and_tracking_of_each_order(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo")
    first, second, _guests = [await complete_purchase(store, toy) for _ in range(3)]
    async with shop.database.transaction() as session:
        ana = Customer(email="ana@example.com")
        session.add(ana)
        await session.flush()
        own = Order.id.in_([first["id"], second["id"]])
        await session.execute(update(Order).where(own).values(customer_id=ana.id))
        await session.execute(
            update(Order).where(Order.id == second["id"]).values(status="canceled", payment_status="canceled")
        )
        parcel = Fulfillment(
            order_id=first["id"],
            reference="1",
            location_id=shop_defaults.location_id,
            provider_id="carrier_standard",
            tracking_number="GUIA-77",
            data={"carrier": "Envía", "tracking_url": "https://carrier.example/77"},
        )
        session.add(parcel)
    async with shop.database.read() as session:
        orders = await account_page.list_customer_orders(session, shop.settings.signing_key, ana.id)
        everybodys = (await session.execute(select(Order.id))).scalars().all()
    assert len(everybodys) == 3
    assert [order.id for order in orders] == [second["id"], first["id"]]
    assert [
        [(one.carrier, one.tracking_number, one.tracking_url) for one in order.fulfillments]
        for order in orders
    ] == [[], [("Envía", "GUIA-77", "https://carrier.example/77")]]
    assert {order.token for order in orders} == {first["access_token"], second["access_token"]}
    assert [order.status for order in orders] == ["canceled", "pending"]  # the money has not arrived yet


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_address_of_a_customers_order_is_added_to_their_address_book(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo")
    customers, guests = [await complete_purchase(store, toy) for _ in range(2)]
    async with shop.database.transaction() as session:
        ana = Customer(email="ana@example.com")
        session.add(ana)
        await session.flush()
        await session.execute(update(Order).where(Order.id == customers["id"]).values(customer_id=ana.id))
        await account_page.remember_destination(session, guests["id"])
        own = (
            await session.execute(select(Order.billing_address).where(Order.id == customers["id"]))
        ).scalar_one()
        gift = update(Order).where(Order.id == customers["id"])
        await session.execute(gift.values(billing_address={**own, "first_name": "Rosa"}))
        await account_page.remember_destination(session, customers["id"])
        assert (await session.execute(select(CustomerAddress))).first() is None
        await session.execute(gift.values(billing_address=own))
        for _ in range(2):
            await account_page.remember_destination(session, customers["id"])
        (entry,) = await account_page.list_address_views(session, ana.id)
    assert (entry.first_name, entry.address, entry.suburb) == ("Ana", HOME["address_1"], "El Poblado")
    assert entry.town == "Medellín, Antioquia"


def test_name_email_and_address_of_the_customer_prefill_the_checkout() -> None:
    ana = ShopperView("cus_1", "ana@example.com", "Ana", "Gómez", "")
    assert account_page.list_known_fields(ana, []) == {
        "email": "ana@example.com",
        "first_name": "Ana",
        "last_name": "Gómez",
    }
    home = account_page.AddressView(
        id="cuaddr_1",
        is_default=True,
        first_name="Luis",
        last_name="Gómez",
        phone="3001234567",
        address="Calle 10 # 5-20",
        suburb="Centro",
        reference="",
        dane_code="76001000",
        town="Cali, Valle del Cauca",
    )
    known = account_page.list_known_fields(ana, [home])
    assert (known["first_name"], known["dane_code"]) == ("Ana", "76001000")
    assert (known["gift_recipient"], known["recipient_first_name"]) == ("on", "Luis")
    assert (known["recipient_phone"], "phone" in known, "reference" in known) == ("3001234567", False, False)
    own = account_page.list_known_fields(replace(ana, first_name="LUIS"), [home])
    assert (own["first_name"], own["phone"]) == ("Luis", "3001234567")
    assert not [name for name in own if name.startswith(("recipient", "gift"))]


async def test_buying_an_order_again_adds_its_available_units(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        top, kite = [
            await add_product(session, shop_defaults, handle, stock=3) for handle in ("trompo", "cometa")
        ]
    order = await complete_purchase(store, top, 2)
    async with shop.database.transaction() as session:
        ana, eva = Customer(email="ana@example.com"), Customer(email="eva@example.com")
        session.add_all([ana, eva])
        await session.flush()
        await session.execute(update(Order).where(Order.id == order["id"]).values(customer_id=ana.id))
        cart_id = await open_or_create_cart(session, "cart_made_up")
        await add_to_cart(session, cart_id, kite, 1)
        with pytest.raises(NotFound):
            await buy_again(session, eva.id, order["id"], cart_id)
        assert await buy_again(session, ana.id, order["id"], cart_id) == [
            "Trompo"
        ]  # one of three is still available
        lines = {line.item.variant_id: line.item.quantity for line in await read_lines(session, cart_id)}
        assert lines == {kite: 1, top: 1}
        assert await buy_again(session, ana.id, order["id"], cart_id) == ["Trompo"]
        await session.execute(update(Product).values(status="draft"))
        assert await buy_again(session, ana.id, order["id"], await open_or_create_cart(session, "")) == [
            "Trompo"
        ]
    async with shop.database.read() as session:
        (mine,) = await account_page.list_customer_orders(session, shop.settings.signing_key, ana.id)
    assert [(toy.title, toy.quantity) for toy in mine.ordered_products] == [("Trompo", 2)]


async def test_company_name_is_prefilled_from_the_latest_order_with_its_nit(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    """Check that the name is not filled in for another NIT, for a person or for another customer."""
    company = {"person_type": "1", "doc_type": "NIT", "doc_number": "890903938", "bank": "1022"}
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo")
    order = await complete_purchase(store, toy)
    async with shop.database.transaction() as session:
        ana = Customer(email="ana@example.com")
        session.add(ana)
        await session.flush()
        bought = update(Order).where(Order.id == order["id"])
        await session.execute(
            bought.values(customer_id=ana.id, payer=company, billing_address={"company": "Peonza S.A.S."})
        )
        names = [
            await account_page.find_company_name(session, customer_id, payer)
            for customer_id, payer in (
                (ana.id, company),
                (ana.id, {**company, "doc_number": "860034313"}),
                (ana.id, {**company, "person_type": "0"}),
                ("cus_other", company),
                (ana.id, {}),
            )
        ]
    assert names == ["Peonza S.A.S.", "", "", "", ""]
