"""A payment link opens the draft's cart in the checkout, and nothing else.

| case | outcome |
|---|---|
| unknown, empty or very long token | not found |
| expired, withdrawn | says so; neither can be paid, even in a checkout that is already open |
| a new link of the same draft | the open checkout can be paid again |
| the customer pays at the bank | one order with the draft's id and origin; the link says that it is paid |
| two browsers pay at the same time | one payment at the bank |
| the holder takes products out of the cart | the staff discount ends |
| the draft had a customer | the link's cart has no personal data |
| another browser opens it after data were typed | they are removed |
| a signed-in customer opens it | the cart merges with no other cart |
| the draft is being paid, and staff withdraw it | refused |
| the link is sent by e-mail | the mail has another link of the same draft; an audit entry |
| it was withdrawn or has expired before the mail is written | no mail |
| the address is not valid, or the draft has no link | refused |
"""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from backend.audit.models import AuditEntry
from backend.cart.access import create_empty_cart, read_cart
from backend.cart.lines import add_to_cart, change_line
from backend.cart.models import Cart, LineItem
from backend.cart.owners import find_browser_cart
from backend.cart.views import read_cart_view
from backend.checkout.payment.start import LinkExpired
from backend.core.db.database import db_now
from backend.core.errors import Conflict, Forbidden, InvalidData, NotFound
from backend.customers.models import Customer
from backend.draft_orders.delivery import set_delivery
from backend.draft_orders.drafts import cancel_draft, find_current_draft, set_discount, set_origin
from backend.draft_orders.links import (
    FoundLink,
    LinkState,
    NewLink,
    build_whatsapp_url,
    create_link,
    find_link,
    hash_token,
    mail_link,
    open_in_new_browser,
    withdraw,
)
from backend.draft_orders.models import DraftOrder, PaymentLink
from backend.mail.messages import compose_message
from backend.mail.models import Mail, MailKind
from backend.orders.origins import OrderOrigin
from backend.payment.providers.base import ProviderState
from tests.amounts import cop
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.draft_orders.selling import SELLER, STOCKROOM, prepare, take_money


async def make_link(till: Till, draft: DraftOrder) -> tuple[NewLink, str]:
    """Create a payment link of the draft. Return the link and its token."""
    async with till.database.transaction() as session:
        link = await create_link(session, SELLER, till.checkout.settings, draft.id)
    return link, link.url.rpartition("/")[2]


async def find(till: Till, token: str) -> FoundLink:
    async with till.database.read() as session:
        return await find_link(session, token)


async def test_link_is_random_and_only_its_hash_is_stored(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 2})
    link, token = await make_link(till, draft)
    other, _token = await make_link(till, await prepare(till, {variant: 1}))
    assert link.url != other.url
    assert len(token) == 32
    found = await find(till, token)
    assert (found.state, found.cart_id, found.total) == (LinkState.OPEN, draft.cart_id, 2 * PRICE)
    async with till.database.read() as session:
        stored = (await session.execute(select(PaymentLink.token_hash))).scalars().all()
        actions = (await session.execute(select(AuditEntry.action))).scalars().all()
    assert hash_token(token) in stored
    assert not any(token in one for one in stored)
    assert actions == ["payment link created"] * 2
    assert await till.available(variant) == 3  # a link reserves nothing


@pytest.mark.parametrize("token", ["", "x", "x" * 65, "\ud800"])
async def test_unknown_token_is_not_found(till: Till, token: str) -> None:
    with pytest.raises(NotFound):
        await find(till, token)


async def test_expired_and_withdrawn_links_are_found_with_their_state(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    _link, token = await make_link(till, draft)
    await expire_links(till, draft)
    assert (await find(till, token)).state is LinkState.EXPIRED
    async with till.database.transaction() as session:
        await withdraw(session, SELLER, draft.id)
    assert (await find(till, token)).state is LinkState.WITHDRAWN
    with pytest.raises(LinkExpired):  # a checkout that was already open
        await till.start(draft.cart_id)


async def expire_links(till: Till, draft: DraftOrder) -> None:
    async with till.database.transaction() as session:
        past = db_now(-timedelta(seconds=1))
        await session.execute(update(PaymentLink).values(expires_at=past))
        await session.execute(update(Cart).where(Cart.id == draft.cart_id).values(payable_until=past))


async def test_open_checkout_of_an_expired_link_cannot_be_paid(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    await make_link(till, draft)
    await till.ship(draft.cart_id)
    await expire_links(till, draft)
    with pytest.raises(LinkExpired) as refused:
        await till.start(draft.cart_id)
    assert "venció" in refused.value.shopper_text
    await make_link(till, draft)  # staff send another one
    await till.ship(draft.cart_id)
    assert (await till.start(draft.cart_id)).amount == PRICE


async def test_draft_with_an_expired_link_can_be_sold_by_staff(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    await make_link(till, draft)
    await expire_links(till, draft)
    assert (await take_money(till, draft, PRICE)).id == draft.id


async def test_open_checkout_of_a_cancelled_draft_cannot_be_paid(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    await make_link(till, draft)
    await till.ship(draft.cart_id)
    async with till.database.transaction() as session:
        await cancel_draft(session, SELLER, draft.id)
    with pytest.raises(InvalidData):
        await till.start(draft.cart_id)


async def test_paid_link_makes_the_draft_an_order_with_retracto(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    async with till.database.transaction() as session:
        await set_origin(session, SELLER, draft.id, OrderOrigin.WHATSAPP)
    _link, token = await make_link(till, draft)
    await till.ship(draft.cart_id)
    payment = await till.start(draft.cart_id)
    order = (await till.checkout.complete(draft.cart_id)).order
    assert (await find(till, token)).state is LinkState.WAITING
    await till.decide(payment, ProviderState.CAPTURED)
    assert (await find(till, token)).state is LinkState.PAID
    assert (order.id, order.origin, order.total) == (draft.id, "whatsapp", PRICE)
    assert "order_placed" in await till.mails()


async def test_counter_draft_that_gets_a_payment_link_becomes_a_distance_sale(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    await make_link(till, draft)
    async with till.database.read() as session:
        assert (await read_cart(session, draft.cart_id)).origin == OrderOrigin.LINK
        assert await find_current_draft(session, SELLER) is None


async def test_rejected_payment_marks_the_link_as_failed(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    _link, token = await make_link(till, draft)
    await till.ship(draft.cart_id)
    payment = await till.start(draft.cart_id)
    await till.checkout.complete(draft.cart_id)
    await till.decide(payment, ProviderState.REJECTED)
    assert (await find(till, token)).state is LinkState.FAILED


async def test_two_browsers_start_one_payment(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    await make_link(till, draft)
    await till.ship(draft.cart_id)
    results = await asyncio.gather(
        *(till.start(draft.cart_id) for _browser in range(2)), return_exceptions=True
    )
    assert sorted(isinstance(one, Conflict) for one in results) == [False, True]


async def test_link_that_is_being_paid_is_not_withdrawn(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    await make_link(till, draft)
    await till.ship(draft.cart_id)
    await till.start(draft.cart_id)
    with pytest.raises(Conflict):
        async with till.database.transaction() as session:
            await withdraw(session, SELLER, draft.id)


async def test_link_recipient_loses_the_discount_after_removing_products(till: Till) -> None:
    variant, ball = await till.make_variant(), await till.make_variant("pelota")
    draft = await prepare(till, {variant: 3, ball: 1})
    async with till.database.transaction() as session:
        await set_discount(
            session, SELLER, till.checkout.settings, draft.id, amount=16_000, reason="por cantidad"
        )
    link, _token = await make_link(till, draft)
    assert link.total == 4 * PRICE - 16_000
    async with till.database.transaction() as session:
        lines = await session.execute(select(LineItem.id).where(LineItem.variant_id == variant))
        await change_line(session, draft.cart_id, lines.scalar_one(), 0)
    async with till.database.read() as session:
        assert (await read_cart_view(session, draft.cart_id)).item_total == PRICE


async def test_cart_of_a_link_has_no_personal_data(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    await set_delivery(
        till.checkout,
        SELLER,
        draft.id,
        {
            "email": "ana@example.com", "first_name": "Ana", "last_name": "Gómez", "phone": "3001234567",
            "town": "Medellín, Antioquia", "address": "Carrera 43A # 1-50", "suburb": "El Poblado",
        },
    )  # fmt: skip
    await make_link(till, draft)
    async with till.database.read() as session:
        cart = await session.get_one(Cart, draft.cart_id)
    assert (cart.email, cart.guest_id, cart.shipping_address, cart.billing_address, cart.draft) == (
        None, None, None, None, {},
    )  # fmt: skip


async def test_opening_a_payment_link_in_another_browser_clears_the_entered_data(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    _link, token = await make_link(till, draft)
    async with till.database.transaction() as session:
        cart = await session.get_one(Cart, draft.cart_id)
        cart.email, cart.shipping_address = "ana@example.com", {"first_name": "Ana"}
        cart.draft = {"first_name": "Ana", "doc_number": "1020304050"}
    async with till.database.transaction() as session:
        found = await open_in_new_browser(session, token)
    assert (found.state, found.cart_id) == (LinkState.OPEN, draft.cart_id)
    async with till.database.read() as session:
        cart = await session.get_one(Cart, draft.cart_id)
        assert (cart.email, cart.shipping_address, cart.draft) == (None, None, {})
        assert (await read_cart_view(session, draft.cart_id)).count == 1


async def test_link_that_is_being_paid_keeps_the_payers_data(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    _link, token = await make_link(till, draft)
    await till.ship(draft.cart_id)
    await till.start(draft.cart_id)
    with pytest.raises(Conflict):
        async with till.database.transaction() as session:
            await open_in_new_browser(session, token)
    async with till.database.read() as session:
        assert (await session.get_one(Cart, draft.cart_id)).email is not None


async def test_cart_of_a_payment_link_is_not_merged_with_another_cart(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    await make_link(till, draft)
    async with till.database.transaction() as session:
        customer = Customer(email="luz@example.com")
        session.add(customer)
        await session.flush()
        own = await create_empty_cart(session)
        await add_to_cart(session, own, variant, 1)
        (await session.get_one(Cart, own)).customer_id = customer.id
    assert await find_browser_cart(till.database, draft.cart_id, customer.id) == draft.cart_id
    async with till.database.read() as session:
        assert (await read_cart_view(session, draft.cart_id)).count == 1
        assert (await read_cart_view(session, own)).count == 1


async def test_stockroom_role_may_not_create_payment_links(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    with pytest.raises(Forbidden):
        async with till.database.transaction() as session:
            await create_link(session, STOCKROOM, till.checkout.settings, draft.id)


async def test_draft_without_lines_has_no_link(till: Till) -> None:
    draft = await prepare(till, {})
    with pytest.raises(InvalidData):
        await make_link(till, draft)


async def test_mailed_payment_link_opens_the_same_draft(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 2})
    link, token = await make_link(till, draft)
    async with till.database.transaction() as session:
        await mail_link(session, SELLER, draft.id, " Ana@example.com ")
    assert "payment_link" in await till.mails()
    settings = till.checkout.settings
    async with till.database.transaction() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == MailKind.PAYMENT_LINK))).scalar_one()
        assert mail.about == f"{draft.id} ana@example.com"
        message = await compose_message(session, settings, mail)
        entries = (await session.execute(select(AuditEntry.action))).scalars().all()
    assert message is not None
    assert message.to == "ana@example.com"
    assert message.values["items"] == [("2 × Trompo", cop("$ 80.000")), ("Total sin envío", cop("$ 80.000"))]
    mailed = message.values["link"].rpartition("/")[2]
    assert mailed != token
    assert (await find(till, mailed)).cart_id == (await find(till, token)).cart_id
    assert entries.count("payment link mailed") == 1
    assert link.url not in str(message.values)


@pytest.mark.parametrize("end", ["expired", "withdrawn", "sold"])
async def test_payment_link_that_is_expired_sold_or_withdrawn_is_not_mailed(till: Till, end: str) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    await make_link(till, draft)
    async with till.database.transaction() as session:
        await mail_link(session, SELLER, draft.id, "ana@example.com")
    if end == "expired":
        await expire_links(till, draft)
    elif end == "sold":
        await take_money(till, draft, PRICE)
    else:
        async with till.database.transaction() as session:
            await withdraw(session, SELLER, draft.id)
    async with till.database.transaction() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == MailKind.PAYMENT_LINK))).scalar_one()
        assert await compose_message(session, till.checkout.settings, mail) is None


async def test_mailing_is_refused_without_a_link_a_valid_address_or_the_right(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    for address, has_link in (("ana@example.com", False), ("ana", True), ("", True)):
        if has_link:
            await make_link(till, draft)
        with pytest.raises(InvalidData):
            async with till.database.transaction() as session:
                await mail_link(session, SELLER, draft.id, address)
    with pytest.raises(Forbidden):
        async with till.database.transaction() as session:
            await mail_link(session, STOCKROOM, draft.id, "ana@example.com")
    assert "payment_link" not in await till.mails()


def test_whatsapp_message_names_the_shop_the_total_and_the_link() -> None:
    link = NewLink("paylink_1", "https://shop.test/pay/abc", 40_000)
    url = build_whatsapp_url("300 123 4567", link, "Juguetería & Cía")
    assert url.startswith("https://wa.me/573001234567?text=Hola")
    assert "shop.test/pay/abc" in url
    assert "%26" in url
    assert build_whatsapp_url("", link, "x").startswith("https://wa.me/?text=")
