"""Delivery of a draft order: the customer's address, and the shipping options with their live prices."""

from collections.abc import Mapping
from typing import Any

from backend.audit import Subject, SubjectType, record
from backend.cart.owners import set_email
from backend.checkout.carts.changes import set_shipping_address
from backend.checkout.form import Destination, parse_destination
from backend.checkout.service import Checkout
from backend.checkout.shipping_options import ShippingOffer, require_expected_amount
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData
from backend.core.money import Cop
from backend.draft_orders.drafts import lock_draft
from backend.shipping.municipalities import find_municipality_by_name
from backend.staff.rights import Actor

FIELDS = ("email", "first_name", "last_name", "phone", "town", "address", "suburb", "reference")
"""The fields of the form. `town` is the label of a municipality."""


async def set_delivery(
    checkout: Checkout, actor: Actor, draft_id: str, typed: Mapping[str, Any]
) -> ShippingOffer:
    """Store the draft's delivery address, and choose the first shipping option at its live price.

    Raises:
        NotFound, NotAllowed, Conflict: see `backend.draft_orders.drafts.lock_draft`.
        InvalidData: `fields` has a message for each invalid field.
        TooManyQuotations: see `backend.checkout.quotes.quote_limits.Quoter`.
    """
    destination = parse_delivery(typed)
    async with checkout.database.transaction() as session:
        locked = await lock_draft(session, actor, draft_id)
        await set_email(session, locked.cart, destination.email)
        await set_shipping_address(session, locked.cart, destination.to_address())
        locked.cart.billing_address = destination.to_billing_address()
        cart_id = locked.cart.id
        await session.flush()  # so that the entry has no data of the customer
        await record(session, actor, "changed", Subject(SubjectType.DRAFT_ORDER, draft_id))
    return await checkout.offer_shipping(cart_id, ip="")


def parse_delivery(typed: Mapping[str, Any]) -> Destination:
    """Parse the form with the fields `FIELDS` to the delivery address.

    Raises:
        InvalidData: `fields` has a message for each invalid field.
    """
    city, _comma, department = str(typed.get("town", "")).rpartition(", ")
    town = find_municipality_by_name(city, department)
    destination, problems = parse_destination({**typed, "dane_code": town.code if town else ""})
    if destination is None:
        shown = {"town" if name == "dane_code" else name: text for name, text in problems.items()}
        raise InvalidData(CHECK_FIELDS, fields=shown)
    return destination


async def choose_option(checkout: Checkout, actor: Actor, draft_id: str, option_id: str) -> ShippingOffer:
    """Choose another shipping option for the draft, at the price that was shown.

    Raises:
        NotFound, NotAllowed, Conflict: see `backend.draft_orders.drafts.lock_draft`.
    """
    async with checkout.database.transaction() as session:
        cart_id = (await lock_draft(session, actor, draft_id)).cart.id
        await record(session, actor, "changed", Subject(SubjectType.DRAFT_ORDER, draft_id))
    return await checkout.offer_shipping(cart_id, option_id, ip="", is_choice=True)


async def choose_expected_option(
    checkout: Checkout, cart_id: str, option_id: str, expected_amount: Cop | None
) -> None:
    """Choose the option for a draft's cart, at its live price. Without an expected amount, accept any price.

    Raises:
        InvalidData: the live price is not the price that the caller expects.
        ShopError: see `Checkout.choose_shipping`.
    """
    if expected_amount is not None:
        [(_offer, quote, _promise)] = await checkout.list_priced_offers(cart_id, option_id, ip="")
        if quote is not None:
            require_expected_amount(quote.amount, expected_amount)
    await checkout.choose_shipping(cart_id, option_id, ip="")
