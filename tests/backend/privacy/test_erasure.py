"""Erasure of a person's data: the retained data, the obstacles, and concurrent changes."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import SQLModel

from backend.app import Shop
from backend.attention import AttentionKind
from backend.attention.models import Attention
from backend.attention.service import raise_attention
from backend.audit import AuditEntry
from backend.cart.access import create_empty_cart
from backend.cart.models import Cart, LineItem
from backend.cart.owners import set_email
from backend.core.db.database import db_now
from backend.core.errors import Forbidden, InvalidData, NotAllowed, NotFound
from backend.customers.guests import find_or_create_guest
from backend.customers.models import Customer, CustomerAddress, CustomerPayer, GuestCustomer, Login
from backend.customers.notes import add_note
from backend.inventory.models import InventoryLevel
from backend.invoices.models import Invoice
from backend.legal.consents import ConsentContext, ConsentSource, give_consents
from backend.legal.models import Consent
from backend.mail.models import Mail, MailKind
from backend.office.returns.detail import return_detail
from backend.operations.table_registry import all_tables
from backend.operations.tidy.rules import RULES
from backend.operations.tidy.tidy import Tidy
from backend.orders.admin.corrections import add_note as add_order_note
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.states import compute_fulfillment_status
from backend.payment.checks import CHECK_PERIOD
from backend.payment.models import PaymentNotification, PaymentSession, Refund
from backend.pqrs.service import answer_pqrs, send_pqrs
from backend.privacy.customer_data import find_data_subject, read_held_data
from backend.privacy.erasure import INVOICE_RETENTION, erase_person, find_obstacles
from backend.rate_limit.limiter import Client
from backend.returns.deadlines import find_delivery_time
from backend.returns.models import ReturnDraft, ReturnLine
from backend.returns.processing import deny
from backend.staff.rights import COMMAND_LINE, Actor, Role
from backend.wishlist.models import WishlistEntry
from backend.wishlist.service import WishChange, merge_wishlist
from tests.backend.returns.steps import Sold, deliver_order, pack_units, place_paid_order, request_return
from tests.backend.rivals import run_against_rival
from tests.store_defaults import Defaults, add_product
from tests.store_steps import HOME, PSE, create_cart_with_shipping, create_payment_collection, post

ANA = "ana@example.com"
INVOICE = {ANA, "Gómez", "1020304050", "Carrera 43A # 1-50"}
"""What an invoice says of her."""
REST = {
    "3001234567",
    "El Poblado",
    "savings",
    "123-456789-00",
    "Llama los martes",
    "No gira bien",
    "102.3.4.5",
    "Para Sofía",
    "190.24.7.7",
}
ENGRAVED = {"engraving": "Para Sofía"}
OUTSIDE = {"sandbox_transaction", "sandbox_notification", "sandbox_label"}
"""Tables of the embedded gateway and carrier, whose data are not the shop's."""


async def find_traces(shop: Shop, texts: set[str]) -> dict[str, set[str]]:
    """Return, by table, which of `texts` are still stored. Tables in `OUTSIDE` are skipped."""
    all_tables()
    found: dict[str, set[str]] = {}
    async with shop.database.read() as session:
        for table in SQLModel.metadata.tables.values():
            rows = (await session.execute(select(table))).all()
            stored = " ".join(str(tuple(row)) for row in rows)
            if table.name not in OUTSIDE and (here := {text for text in texts if text in stored}):
                found[table.name] = here
    return found


async def erase_customer(shop: Shop, customer_id: str, typed: str = ANA, actor: Actor = COMMAND_LINE) -> None:
    async with shop.database.transaction() as session:
        await erase_person(session, actor, customer_id, typed)


async def list_obstacles(shop: Shop, customer_id: str) -> list[str]:
    async with shop.database.read() as session:
        return await find_obstacles(session, await find_data_subject(session, customer_id))


async def get_status(shop: Shop, value: str) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(fulfillment_status=value))


@pytest.fixture
async def delivered(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, shop_defaults: Defaults
) -> Sold:
    """Return a delivered order of Ana, who bought two units as a guest."""
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
    of = await place_paid_order(shop, store, admin, toy)
    await pack_units(admin, of)
    await deliver_order(shop, of)
    await get_status(shop, "delivered")
    return of


async def find_guest_id(shop: Shop) -> str:
    async with shop.database.read() as session:
        return (await session.execute(select(GuestCustomer.id))).scalar_one()


async def test_erasure_of_a_customer_keeps_only_invoice_data_until_it_expires(
    shop: Shop, delivered: Sold
) -> None:
    guest = await find_guest_id(shop)
    row = await request_return(
        shop, delivered, "warranty", reason="No gira bien", account_number="123-456789-00"
    )
    asking = {"kind": "queja", "name": "Ana Gómez", "email": ANA, "text": "No gira bien el trompo."}
    pqrs = await send_pqrs(shop.database, asking, client=Client("190.24.1.1"))
    account = Customer(email=ANA, first_name="Ana", last_name="Gómez", phone="3001234567")
    async with shop.database.transaction() as session:
        session.add(account)
        await session.flush()
        session.add_all([
            CustomerAddress(customer_id=account.id, address=HOME),
            CustomerPayer(customer_id=account.id, person_type="0", doc_type="CC", doc_number="1020304050", bank="1"),
            Login(provider="emailpass", subject=ANA, password_hash="x", customer_id=account.id),
            Mail(kind=MailKind.PASSWORD_RESET, about=ANA),
            Mail(kind=MailKind.ORDER_LINK, about=f"1 {ANA}"),
        ])  # fmt: skip
        await merge_wishlist(session, account.id, [WishChange("trompo", True, timedelta())])
        order = (await session.execute(select(Order))).scalar_one()
        session.add(
            ReturnDraft(
                order_id=order.id, step="request", kind="warranty", reason="No gira bien", created_by=""
            )
        )
        await session.execute(update(ReturnLine).values(note="No gira bien"))
        for model in (LineItem, OrderLine):
            await session.execute(update(model).values(meta=ENGRAVED))
        payment = (await session.execute(select(PaymentSession))).scalar_one()
        lines = [{**line, "meta": ENGRAVED} for line in payment.snapshot["lines"]]
        payment.snapshot = {**payment.snapshot, "lines": lines}
        await give_consents(
            session, ConsentContext(shop.settings, "102.3.4.5", ConsentSource.CHECKOUT), cart_id=order.cart_id
        )
        await add_note(session, COMMAND_LINE, guest, "Llama los martes")
        await add_order_note(session, COMMAND_LINE, order.id, "Llama los martes")
    assert len(await list_obstacles(shop, guest)) == 2  # obstacles: the return and the PQRS
    with pytest.raises(NotAllowed, match="devolución"):
        await erase_customer(shop, guest)
    async with shop.database.transaction() as session:
        await session.execute(update(type(row)).values(state="denied", denial="No gira bien"))
        await answer_pqrs(session, COMMAND_LINE, pqrs.id, "Ana Gómez: no gira bien.")
    before = await find_traces(shop, INVOICE | REST)
    assert set(before) >= {"customer", "order", "order_note", "cart", "payment_session", "pqrs", "consent"}
    assert {name for name, texts in before.items() if "Para Sofía" in texts} == {
        "line_item", "order_line", "payment_session",
    }  # fmt: skip
    assert set(before) >= {"order_return", "order_return_draft", "order_return_line"}

    await erase_customer(shop, account.id)

    async with shop.database.read() as session:
        assert (await session.execute(select(WishlistEntry))).first() is None
    left = await find_traces(shop, INVOICE | REST)
    assert left.pop("consent") == {"102.3.4.5"}  # the consent's proof
    assert left.keys() == {"order", "order_term", "payment_session"}
    assert set().union(*left.values()) <= INVOICE | {ANA}
    assert left["order"] == INVOICE
    async with shop.database.read() as session:
        assert all((await session.execute(select(Consent.withdrawn_at))).scalars())
        actions = (await session.execute(select(AuditEntry.action))).scalars().all()
    assert "data deleted" in actions
    (rule,) = [rule for rule in RULES if rule.table is Order]
    assert await rule.apply(shop.database) == 0
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(created_at=db_now(-INVOICE_RETENTION - timedelta(days=1))))
    assert (await rule.apply(shop.database), await rule.apply(shop.database)) == (1, 0)
    assert (await find_traces(shop, INVOICE | REST)).keys() == {"consent"}
    for again in (guest, account.id):
        with pytest.raises(NotFound):
            await erase_customer(shop, again)


async def test_erasure_of_a_customer_keeps_impersonal_data_of_a_parcel(shop: Shop, delivered: Sold) -> None:
    kept: dict[str, Any] = {
        "packed_at": "2026-01-01T00:00:00+00:00", "taken_from": {"sloc_1": {"variant_1": 2}},
        "taken_back": {"ordli_1": 1}, "unpacked_at": None, "approved_price": 9_000,
        "carrier": "Servientrega", "price": 8_000,
    }  # fmt: skip
    words: dict[str, Any] = {
        "tracking": {"words": f"Entregado a {ANA}", "received_by": ANA},
        "metadata": {"buyer": ANA},
        "tracking_url": f"https://carrier.example/?to={ANA}",
        "error": f"no such street, {ANA}",
    }
    async with shop.database.transaction() as session:
        await session.execute(update(Fulfillment).values(data=kept | words))
    await erase_customer(shop, await find_guest_id(shop))
    async with shop.database.read() as session:
        fulfillments = (await session.execute(select(Fulfillment))).scalars().all()
        lines = (await session.execute(select(OrderLine))).scalars().all()
    assert [one.data for one in fulfillments] == [kept]
    assert find_delivery_time(fulfillments) is not None
    assert compute_fulfillment_status(lines, fulfillments) == "delivered"


async def test_label_cancelled_after_an_erasure_returns_its_units_to_stock(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
    of = await place_paid_order(shop, store, admin, toy)
    parcel = await pack_units(admin, of)
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(payment_status="refunded"))
    await erase_customer(shop, await find_guest_id(shop))
    await post(admin, f"/admin/orders/{of.order_id}/fulfillments/{parcel}/cancel", {})
    async with shop.database.read() as session:
        assert (await session.execute(select(InventoryLevel.stocked))).scalar_one() == 5
        assert (await session.execute(select(OrderLine.fulfilled))).scalar_one() == 0


async def test_denied_return_stays_denied_after_erasure(shop: Shop, delivered: Sold) -> None:
    row = await request_return(shop, delivered, "warranty", reason="No gira bien")
    async with shop.database.transaction() as session:
        await deny(session, COMMAND_LINE, row.id, "Ana Gómez lo mojó.")
    await erase_customer(shop, await find_guest_id(shop))
    async with shop.database.read() as session:
        shown = await return_detail(session, COMMAND_LINE, row.id)
    assert (shown.denial, [name for name, _ in shown.facts]) == ("", ["Negada"])


@pytest.mark.parametrize("state", ["failed", "closed"])
async def test_erasure_removes_personal_data_from_payments_without_an_order(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults, state: str
) -> None:
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
    cart_id = await create_cart_with_shipping(store, toy)
    async with shop.database.transaction() as session:
        await session.execute(update(LineItem).values(meta=ENGRAVED))
    await create_payment_collection(store, cart_id, PSE)
    notes = {"approved": True, "dismissed": True, "given_back": True, "refunded_amount": 5}
    of_the_bank, long_ago = {"bank_name": "Banco", **notes}, db_now(-CHECK_PERIOD - timedelta(hours=1))
    kept = {"x_extra1": "somebody else's"}
    async with shop.database.transaction() as session:
        ended = {"state": state, "reference": None, "created_at": long_ago}
        data = {**of_the_bank, "payer_ip": "190.24.7.7"}
        await session.execute(update(PaymentSession).values(data=data, **ended))
        await session.execute(update(Cart).values(updated_at=long_ago))
        payment = (await session.execute(select(PaymentSession))).scalar_one()
        told = {"x_customer_ip": "190.24.7.7"}
        session.add_all([
            PaymentNotification(
                provider_id=PSE, dedupe_key="1", verdict="genuine", invoice=payment.invoice, fields=told
            ),
            PaymentNotification(provider_id=PSE, dedupe_key="2", verdict="malformed", fields=kept),
        ])  # fmt: skip
        changed = (await session.execute(select(Cart.updated_at))).scalar_one()
    before = await find_traces(shop, INVOICE | REST)
    assert before.keys() >= {"cart", "line_item", "payment_session", "payment_notification"}

    await erase_customer(shop, await find_guest_id(shop))

    assert await find_traces(shop, INVOICE | REST) == {}
    async with shop.database.read() as session:
        assert (await session.execute(select(Cart.updated_at))).scalar_one() == changed
        assert (await session.execute(select(PaymentSession.data))).scalar_one() == of_the_bank
        told_of = select(PaymentNotification.fields).order_by(PaymentNotification.dedupe_key)
        assert (await session.execute(told_of)).scalars().all() == [{}, kept]


async def test_open_payment_without_an_order_blocks_erasure(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
    await create_payment_collection(store, await create_cart_with_shipping(store, toy), PSE)
    guest = await find_guest_id(shop)
    async with shop.database.transaction() as session:
        payment = (await session.execute(select(PaymentSession))).scalar_one()
        payment.state = "failed"
        for kind in (AttentionKind.APPROVED_LATE, AttentionKind.PAYMENT_UNRESOLVED):
            await raise_attention(session, kind, message="Late", payment_session_id=payment.id)
    assert await list_obstacles(shop, guest) == ["Hay un pago con algo en Por resolver."]
    with pytest.raises(NotAllowed, match="Por resolver"):
        await erase_customer(shop, guest)
    async with shop.database.transaction() as session:
        note = "Llama los martes"
        session.add(
            Refund(payment_session_id=payment.id, amount=5, reference="T-1", note=note, created_by="")
        )
        await session.execute(update(Attention).values(resolved_at=db_now(), note=note))
        held = {
            one.name: one.rows
            for one in await read_held_data(session, await find_data_subject(session, guest))
        }
    assert [row["note"] for row in held["attention"] + held["refund"]] == [note, note, note]
    await erase_customer(shop, guest)
    assert await find_traces(shop, INVOICE | REST) == {}


async def test_invoice_documents_are_erased_after_the_retention_time(shop: Shop, delivered: Sold) -> None:
    kept: dict[str, Any] = {"document": {"buyer": {"email": ANA}}, "xml": b"<Invoice>", "reason": f"to {ANA}"}
    async with shop.database.transaction() as session:
        order = (await session.execute(select(Order))).scalar_one()
        for kind, number in (("invoice", 1), ("credit_note", 2)):
            session.add(
                Invoice(
                    kind=kind, order_id=order.id, state="issued", amount=7, prefix="S", number=number, **kept
                )
            )

    async def after(days: timedelta) -> list[tuple[object, ...]]:
        """Run the daily job as if the order were `days` old. Return the stored columns of its invoices."""
        async with shop.database.transaction() as session:
            await session.execute(update(Order).values(created_at=db_now(-days)))
        await Tidy(shop.database, shop.pictures).tidy()
        async with shop.database.read() as session:
            found = (await session.execute(select(Invoice).order_by(Invoice.number))).scalars()
            return [(one.number, one.amount, one.document, one.xml, one.reason) for one in found]

    whole = [(number, 7, *kept.values()) for number in (1, 2)]
    day = timedelta(days=1)
    assert await after(INVOICE_RETENTION + day) == whole  # the customer has not requested an erasure
    await erase_customer(shop, await find_guest_id(shop))
    assert await after(INVOICE_RETENTION - day) == whole
    assert await after(INVOICE_RETENTION + day) == [(number, 7, {}, None, "") for number in (1, 2)]


async def test_unfinished_order_return_or_payment_blocks_erasure(shop: Shop, delivered: Sold) -> None:
    guest = await find_guest_id(shop)
    assert await list_obstacles(shop, guest) == []
    for values, reason in (
        ({"fulfillment_status": "shipped"}, "no está entregado"),
        ({"payment_status": "awaiting"}, "espera su pago"),
        ({"status": "canceled"}, "dinero por devolver"),
    ):
        async with shop.database.transaction() as session:
            await session.execute(update(Order).values(values))
        with pytest.raises(NotAllowed, match=reason):
            await erase_customer(shop, guest)
        async with shop.database.transaction() as session:
            stands = {"status": "pending", "payment_status": "captured", "fulfillment_status": "delivered"}
            await session.execute(update(Order).values(stands))
    assert (await find_traces(shop, {ANA})).keys() >= {"guest_customer", "order", "cart"}


async def test_erasure_requires_an_owner_who_types_the_customers_email(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        guest = await find_or_create_guest(session, ANA)
    for actor in (
        Actor("user_1", Role.OWNER),  # without the second factor
        *(Actor("user_2", role, has_second_factor=True) for role in Role if role is not Role.OWNER),
    ):
        with pytest.raises(Forbidden):
            await erase_customer(shop, guest, actor=actor)
    with pytest.raises(InvalidData):
        await erase_customer(shop, guest, "otra@example.com")
    await erase_customer(shop, guest, " ANA@example.com ")
    assert await find_traces(shop, {ANA, "ana"}) == {}


async def test_purchase_during_erasure_creates_a_new_guest(shop: Shop, shop_defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        cart_id = await create_empty_cart(session)
        guest = await find_or_create_guest(session, ANA)

    async def rival(session: AsyncSession) -> None:
        await erase_person(session, COMMAND_LINE, guest, ANA)

    async def type_address() -> None:
        async with shop.database.transaction() as session:
            await set_email(session, await session.get_one(Cart, cart_id), ANA)

    await run_against_rival(shop.database, rival, type_address)
    async with shop.database.read() as session:
        new = (await session.execute(select(GuestCustomer.id))).scalar_one()
        assert new != guest
        assert (await session.execute(select(Cart.guest_id))).scalar_one() == new


async def test_purchase_just_before_an_erasure_blocks_the_erasure(shop: Shop, delivered: Sold) -> None:
    guest = await find_guest_id(shop)

    async def rival(session: AsyncSession) -> None:
        order = (await session.execute(select(Order).with_for_update())).scalar_one()
        order.fulfillment_status = "not_fulfilled"

    async def act() -> None:
        with pytest.raises(NotAllowed, match="no está entregado"):
            await erase_customer(shop, guest)

    await run_against_rival(shop.database, rival, act)


async def test_concurrent_erasures_delete_a_customer_once(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        guest = await find_or_create_guest(session, ANA)

    async def rival(session: AsyncSession) -> None:
        await erase_person(session, COMMAND_LINE, guest, ANA)

    async def act() -> None:
        with pytest.raises(NotFound):
            await erase_customer(shop, guest)

    await run_against_rival(shop.database, rival, act)
    async with shop.database.read() as session:
        entries = (await session.execute(select(AuditEntry.action))).scalars().all()
    assert entries.count("data deleted") == 1
