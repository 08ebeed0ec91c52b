"""The screen «Vender», used by a staff member of the shop."""

from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.audit.models import AuditEntry
from backend.customers.models import Customer
from backend.mail.models import Mail, MailKind
from backend.orders.models import Order
from backend.presses.service import Sending, handle_press
from backend.staff.rights import RIGHTS, Right, Role
from storefront.office.sell.state import SellState
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

CODE = {"code": "SKU-trompo"}


@pytest.fixture
async def variant_id(shop: Shop, defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "balero", stock=1, status="draft")
        return await add_product(session, defaults, "trompo", stock=2, price=40_000)


async def create_customer(session: AsyncSession, email: str, first_name: str, last_name: str) -> Customer:
    customer = Customer(email=email, first_name=first_name, last_name=last_name)
    session.add(customer)
    await session.flush()
    return customer


async def open_screen(browser_of: BrowserFactory, role: Role = Role.SHOP) -> Any:
    root = await browser_of(role, "/oficina/vender")
    screen: Any = await root.get_state(SellState)
    await send_event(screen, "load")
    return screen


async def list_orders(shop: Shop) -> list[Order]:
    async with shop.database.read() as session:
        return list((await session.execute(select(Order))).scalars())


def payment(screen: Any, **typed: str) -> dict[str, str]:
    return {"draft": screen.content.id, "total": str(screen.content.total), "method": "cash", **typed}


async def test_scanned_products_are_sold_in_cash(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    assert screen.content.id == ""
    await send_event(screen, "scan", CODE)
    await send_event(screen, "scan", CODE)
    (line,) = screen.content.lines
    assert (line.title, line.quantity, screen.content.total) == ("Trompo", 2, 80_000)
    await send_event(screen, "set_quantity", line.id, 1)
    await send_event(screen, "receive", payment(screen, given="50.000"))
    assert (screen.sold.total_label, screen.sold.change_label) == (cop("$ 40.000"), cop("$ 10.000"))
    assert (screen.content.id, screen.announcement.tone) == ("", "news")
    (order,) = await list_orders(shop)
    assert (order.id, order.origin, order.fulfillment_status) == (screen.sold.id, "counter", "delivered")


async def test_sale_whose_form_is_sent_twice_creates_one_order(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    for _sending in range(2):
        with handle_press(Sending("scan", "b" * 32)):
            await send_event(screen, "scan", CODE)
    assert screen.content.total == 40_000
    typed = payment(screen)
    for _sending in range(2):
        with handle_press(Sending("receive", "a" * 32)):
            await send_event(screen, "receive", typed)
    other_tab = await open_screen(browser_of)
    await send_event(other_tab, "receive", typed)
    assert len(await list_orders(shop)) == 1
    assert other_tab.sold.id == screen.sold.id


async def test_scan_of_an_unknown_unpublished_or_sold_out_product_shows_the_reason(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    for code, word in (("nobody's", "Ningún"), ("SKU-balero", "publícalo")):
        await send_event(screen, "scan", {"code": code})
        assert word in screen.problems["code"]
    for _time in range(3):
        await send_event(screen, "scan", CODE)
    assert "queda" in screen.problems["code"]


async def test_sale_at_an_outdated_total_shows_the_new_one_and_creates_no_order(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", CODE)
    await send_event(screen, "receive", payment(screen, total="1"))
    assert screen.announcement.tone == "problem"
    assert screen.content.total == 40_000
    assert await list_orders(shop) == []


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"method": "transfer"}, "reference"),
        ({"method": "x"}, "method"),
        ({"given": "mucho"}, "given"),
        ({"email": "x"}, "email"),
    ],
)
async def test_invalid_payment_is_explained_at_its_field(
    shop: Shop, variant_id: str, browser_of: BrowserFactory, typed: dict[str, str], field: str
) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", CODE)
    await send_event(screen, "receive", payment(screen, **typed))
    assert list(screen.problems) == [field]
    assert await list_orders(shop) == []


async def test_seller_gives_a_discount_within_the_limit(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", CODE)
    await send_event(screen, "give_discount", {"discount": "9.000", "reason": "caja golpeada"})
    assert "10 %" in screen.announcement.text
    await send_event(screen, "give_discount", {"discount": "4.000", "reason": "caja golpeada"})
    assert (screen.content.discount, screen.content.total) == (4_000, 36_000)
    await send_event(screen, "give_discount", {"discount": "", "reason": ""})
    assert screen.content.total == 40_000


async def test_telephone_sale_creates_an_order_to_be_delivered(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", CODE)
    await send_event(screen, "change_origin", "phone")
    await send_event(screen, "deliver", {"town": "Macondo"})
    assert "town" in screen.problems
    address = {
        "email": "ana@example.com", "first_name": "Ana", "last_name": "Gómez", "phone": "3001234567",
        "town": "Medellín, Antioquia", "address": "Carrera 43A # 1-50", "suburb": "El Poblado",
    }  # fmt: skip
    await send_event(screen, "deliver", address)
    assert screen.options
    await send_event(screen, "choose_shipping", screen.options[-1]["id"])
    assert screen.content.shipping
    await send_event(screen, "receive", payment(screen, method="nequi", reference="M-77"))
    (order,) = await list_orders(shop)
    assert (order.origin, order.fulfillment_status, order.email) == (
        "phone",
        "not_fulfilled",
        "ana@example.com",
    )


async def test_sale_that_is_handed_over_in_the_shop_can_be_discarded(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", CODE)
    await send_event(screen, "hand_over")
    assert screen.content.address == []
    await send_event(screen, "discard", screen.content.id)
    assert screen.content.lines == []


async def test_stockroom_role_cannot_open_the_selling_screen(
    variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of, Role.STOCKROOM)
    assert screen.problem == "forbidden"
    await send_event(screen, "scan", CODE)
    assert screen.content is None


async def test_payment_link_is_shown_once_and_withdrawn(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", CODE)
    draft_id = screen.content.id
    await send_event(screen, "make_link", {"draft": draft_id, "phone": "12"})
    assert "phone" in screen.problems
    await send_event(screen, "make_link", {"draft": draft_id, "phone": "300 123 4567"})
    assert "/pay/" in screen.link.url
    assert screen.link.whatsapp_url.startswith("https://wa.me/573001234567")
    assert screen.content.id == ""
    (waiting,) = screen.content.waiting
    assert (waiting.id, waiting.total_label, waiting.can_withdraw) == (draft_id, cop("$ 40.000"), True)
    await send_event(screen, "withdraw_link", draft_id)
    assert (screen.link, screen.content.waiting) == (None, [])
    assert await list_orders(shop) == []


async def test_customer_of_a_sale_is_found_chosen_and_removed(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        customer = await create_customer(session, "eva@example.com", "Eva", "Peña")
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", CODE)
    await send_event(screen, "find_customer", {"customer": "nadie"})
    assert list(screen.problems) == ["customer"]
    await send_event(screen, "find_customer", {"customer": "eva pe"})
    assert [(row.id, row.email) for row in screen.customers] == [(customer.id, "eva@example.com")]
    await send_event(screen, "assign_customer", customer.id)
    assert (screen.content.customer, screen.customers) == ("eva@example.com", [])
    await send_event(screen, "drop_customer")
    assert screen.content.customer == ""
    await send_event(screen, "assign_customer", customer.id)
    await send_event(screen, "receive", payment(screen))
    (order,) = await list_orders(shop)
    assert (order.customer_id, order.email) == (customer.id, "eva@example.com")


async def test_new_sale_does_not_list_customers_found_for_the_previous_sale(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        await create_customer(session, "eva@example.com", "Eva", "Peña")
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", CODE)
    await send_event(screen, "find_customer", {"customer": "eva"})
    assert len(screen.customers) == 1
    await send_event(screen, "discard", screen.content.id)
    assert screen.customers == []


async def test_staff_without_the_right_can_neither_find_nor_choose_a_customer(
    shop: Shop, variant_id: str, browser_of: BrowserFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.transaction() as session:
        customer = await create_customer(session, "eva@example.com", "Eva", "Peña")
    rights = {**RIGHTS, Role.SHOP: RIGHTS[Role.SHOP] - {Right.READ_CUSTOMERS}}
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", CODE)
    await send_event(screen, "assign_customer", customer.id)
    monkeypatch.setattr("backend.staff.rights.RIGHTS", rights)
    await send_event(screen, "load")
    assert (screen.content.sees_customers, screen.content.customer) == (False, "")
    await send_event(screen, "find_customer", {"customer": "eva"})
    await send_event(screen, "assign_customer", customer.id)
    assert (screen.customers, screen.content.customer) == ([], "")
    async with shop.database.read() as session:
        changes = select(AuditEntry).where(AuditEntry.action == "changed")
        assert len((await session.execute(changes)).scalars().all()) == 1


async def test_payment_link_is_also_sent_by_mail(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", CODE)
    typed = {"draft": screen.content.id, "phone": ""}
    await send_event(screen, "make_link", {**typed, "mail_to": "ana"})
    assert list(screen.problems) == ["mail_to"]
    assert not screen.link
    await send_event(screen, "make_link", {**typed, "mail_to": "ana@example.com"})
    assert screen.link.mailed_to == "ana@example.com"
    async with shop.database.read() as session:
        mails = select(Mail.about).where(Mail.kind == MailKind.PAYMENT_LINK)
        assert (await session.execute(mails)).scalars().all() == [f"{typed['draft']} ana@example.com"]
