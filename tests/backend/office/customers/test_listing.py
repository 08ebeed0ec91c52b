"""Customers in the office: search, list, detail and notes."""

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.audit import AuditEntry
from backend.core.collation import AFTER_ANY_LETTER
from backend.core.errors import Forbidden, InvalidData, NotFound
from backend.customers.directory import add_guest, change_person
from backend.customers.guests import delete_guests, find_or_create_guest
from backend.customers.models import Customer, CustomerAddress, CustomerTerm, GuestCustomer
from backend.customers.notes import add_note
from backend.legal.consents import ConsentContext, ConsentSource, give_consents
from backend.office.customers.detail import CustomerDetail, customer_detail
from backend.office.customers.listing import CustomersView, customers_view, find_customers_by_text
from backend.orders.models import Order
from backend.staff.rights import Actor, Role
from tests.store_defaults import Defaults, add_product
from tests.store_steps import HOME, PSE, complete_purchase

OWNER = Actor("user_1", Role.OWNER)
ACCOUNTANT = Actor("user_2", Role.ACCOUNTANT)
STOCKROOM = Actor("user_3", Role.STOCKROOM)


async def list_customers(shop: Shop, cursor: str = "", **asked: str) -> CustomersView:
    async with shop.database.read() as session:
        return await customers_view(session, ACCOUNTANT, asked, cursor)


async def list_emails(shop: Shop, text: str) -> list[str]:
    return [row.email for row in (await list_customers(shop, q=text)).rows]


async def read_detail(shop: Shop, customer_id: str, actor: Actor = OWNER) -> CustomerDetail:
    async with shop.database.read() as session:
        return await customer_detail(session, actor, customer_id)


@pytest.fixture
async def guest(shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults) -> str:
    """Create Ana's order without an account, and return the id of the guest."""
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo", stock=50, price=40_000)
    await complete_purchase(store, toy, 1, PSE)
    async with shop.database.read() as session:
        return (await session.execute(select(GuestCustomer.id))).scalar_one()


@pytest.fixture
async def luz(shop: Shop) -> str:
    """Create Luz, who has an account and no orders, and return her id."""
    customer = Customer(
        email="luz.peña@ejemplo.co", first_name="Luz", last_name="Ángel", phone="310 555 0199"
    )
    async with shop.database.transaction() as session:
        session.add(customer)
    return customer.id


FOUND = {
    "": ["luz.peña@ejemplo.co", "ana@example.com"],
    "ANA@EXAMPLE.COM": ["ana@example.com"],
    "ana@exa": ["ana@example.com"],
    "gomez ana": ["ana@example.com"],
    "300 123": ["ana@example.com"],
    "1.020.304.050": ["ana@example.com"],
    "angel": ["luz.peña@ejemplo.co"],
    "+57 310 555 0199": ["luz.peña@ejemplo.co"],
    "an": ["luz.peña@ejemplo.co", "ana@example.com"],
    "luz gomez": [],
    "???": [],
    "%": [],
}


@pytest.mark.parametrize("most_rare", [2_000, 0])
async def test_search_by_name_email_telephone_or_document_finds_customers(
    shop: Shop, guest: str, luz: str, most_rare: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.office.customers.search.MAX_RARE_MATCHES", most_rare)
    assert {text: await list_emails(shop, text) for text in FOUND} == FOUND


async def test_list_shows_customers_page_by_page(
    shop: Shop, guest: str, luz: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.office.customers.listing.PAGE_SIZE", 1)
    first = await list_customers(shop)
    assert [(row.name, row.orders_label, row.chip.text) for row in first.rows] == [
        ("Luz Ángel", "Sin pedidos", "Con cuenta")
    ]
    last = await list_customers(shop, first.cursor)
    (ana,) = last.rows
    assert (ana.id, ana.name, ana.chip.text, last.cursor) == (guest, "Ana Gómez", "Sin cuenta", "")
    assert ana.orders_label.startswith("1 pedido, ")
    assert [row.id for row in (await list_customers(shop, tipo="con-cuenta")).rows] == [luz]
    only = await list_customers(shop, tipo="sin-cuenta", q="gomez")
    assert ([row.id for row in only.rows], [one.label for one in only.active]) == (
        [guest],
        ["«gomez»", "Sin cuenta"],
    )
    with pytest.raises(InvalidData):
        await list_customers(shop, "yesterday")
    async with shop.database.read() as session:
        assert [row.id for row in await find_customers_by_text(session, OWNER, "luz", 3)] == [luz]
        for act in (
            customers_view(session, STOCKROOM, {}),
            find_customers_by_text(session, STOCKROOM, "luz", 3),
        ):
            with pytest.raises(Forbidden):
                await act


async def test_customer_without_a_name_is_listed_by_their_email(shop: Shop, guest: str) -> None:
    async with shop.database.transaction() as session:
        order = (await session.execute(select(Order))).scalar_one()
        order.shipping_address = {**order.shipping_address, "first_name": "", "last_name": ""}
        order.billing_address = {}
        await session.execute(update(GuestCustomer).values(first_name="", last_name=""))
    (row,) = (await list_customers(shop)).rows
    assert (row.name, (await read_detail(shop, guest)).name) == ("ana@example.com", "ana@example.com")


async def test_changed_customer_data_updates_the_search_terms(shop: Shop, luz: str) -> None:
    async with shop.database.transaction() as session:
        await change_person(session, OWNER, luz, {"first_name": "Lucía", "phone": "3209998877"})
        added = await add_guest(session, OWNER, "Rosa@Ejemplo.co", {"last_name": "Uribe"})
        typed = await find_or_create_guest(session, "Tomás.Rey@ejemplo.co")
        assert await find_or_create_guest(session, "tomás.rey@ejemplo.co") == typed
    assert (
        await list_emails(shop, "lucia angel") == await list_emails(shop, "320999") == ["luz.peña@ejemplo.co"]
    )
    assert await list_emails(shop, "luz ") == ["luz.peña@ejemplo.co"]  # of the address
    assert await list_emails(shop, "310555") == []
    assert (await list_emails(shop, "uribe"), await list_emails(shop, "rey")) == (
        ["rosa@ejemplo.co"],
        ["tomás.rey@ejemplo.co"],
    )
    async with shop.database.transaction() as session:
        await delete_guests(session, [typed, added.id])
        await session.delete(await session.get_one(Customer, luz))
    async with shop.database.read() as session:
        left = select(CustomerTerm.term).where(CustomerTerm.term < AFTER_ANY_LETTER)
        assert (await session.execute(left)).all() == []


async def test_detail_of_a_guest_shows_orders_and_consents(shop: Shop, guest: str) -> None:
    async with shop.database.transaction() as session:
        order = (await session.execute(select(Order))).scalar_one()
        consenting = ConsentContext(shop.settings, "190.24.1.1", ConsentSource.CHECKOUT)
        await give_consents(session, consenting, cart_id=order.cart_id)
    shown = await read_detail(shop, guest)
    assert (shown.name, shown.email, shown.phone_path) == (
        "Ana Gómez",
        "ana@example.com",
        "tel:+573001234567",
    )
    assert [row.number for row in shown.orders] == [order.number]
    assert dict(shown.facts)["Documento con que pagó"] == "CC 1020304050"
    assert [place.lines for place in shown.addresses] == [
        ["Carrera 43A # 1-50", "El Poblado", "Medellín, Antioquia"]
    ]
    assert [consent[0] for consent in shown.consents] == ["Tratamiento de datos", "Términos y condiciones"]
    assert all("190.24.1.1" in consent[1] and len(consent[2]) == 64 for consent in shown.consents)
    assert shown.others == []


async def test_account_and_guest_with_the_same_email_link_to_each_other(shop: Shop, luz: str) -> None:
    async with shop.database.transaction() as session:
        guest = await find_or_create_guest(session, "luz.peña@ejemplo.co")
        session.add(CustomerAddress(customer_id=luz, address=HOME, address_name="Casa"))
    shown = await read_detail(shop, luz, ACCOUNTANT)
    assert ([one[0] for one in shown.others], shown.actions) == ([guest], ["prove"])
    assert [(place.source, place.lines[0]) for place in shown.addresses] == [("Casa", "Carrera 43A # 1-50")]
    assert [one[0] for one in (await read_detail(shop, guest)).others] == [luz]
    with pytest.raises(NotFound):
        await read_detail(shop, "cus_nobody")
    with pytest.raises(Forbidden):
        await read_detail(shop, luz, STOCKROOM)


async def test_note_on_a_customer_requires_the_right_and_is_audited(shop: Shop, guest: str) -> None:
    for actor, text, refusal in (
        (ACCOUNTANT, "Hola", Forbidden),
        (OWNER, "  ", InvalidData),
        (OWNER, "x" * 1001, InvalidData),
    ):
        with pytest.raises(refusal):
            async with shop.database.transaction() as session:
                await add_note(session, actor, guest, text)
    with pytest.raises(NotFound):
        async with shop.database.transaction() as session:
            await add_note(session, OWNER, "cus_nobody", "Hola")
    for text in (" Llama los martes. ", "Prefiere WhatsApp."):
        async with shop.database.transaction() as session:
            await add_note(session, OWNER, guest, text)
    shown = await read_detail(shop, guest)
    assert [note.text for note in shown.notes] == ["Prefiere WhatsApp.", "Llama los martes."]
    async with shop.database.read() as session:
        entries = (await session.execute(select(AuditEntry))).scalars().all()
    assert [(one.action, one.subject_id, one.actor_id) for one in entries] == [("noted", guest, "user_1")] * 2
    assert "martes" not in str([one.changes for one in entries])
