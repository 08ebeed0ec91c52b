"""A customer with an abandoned cart, in a shop that sends reminders."""

import pytest

from backend.app import Shop
from backend.customers.models import Customer
from backend.legal.consents import ConsentContext, ConsentSource, give_marketing_consent
from tests.backend.cart_reminders.reminder_kit import (
    FRIDAY_NOON,
    AbandonedCart,
    add_cart,
    set_reminders,
    set_time,
)
from tests.backend.mail.conftest import Inbox, inbox
from tests.store_defaults import Defaults, add_product

__all__ = ["inbox"]


@pytest.fixture
async def abandoned(
    shop: Shop, shop_defaults: Defaults, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> AbandonedCart:
    set_time(monkeypatch, FRIDAY_NOON)
    async with shop.database.transaction() as session:
        await set_reminders(session, True)
        variant_id = await add_product(session, shop_defaults, "trompo", price=30_000, stock=5)
        customer = Customer(email="ana@example.com")
        session.add(customer)
        await session.flush()
        context = ConsentContext(shop.settings, "190.24.1.1", ConsentSource.ACCOUNT)
        await give_marketing_consent(session, context, customer.id)
        cart_id = await add_cart(session, shop_defaults, customer.id, variant_id)
    return AbandonedCart(shop, shop_defaults, inbox, variant_id, customer.id, cart_id)
