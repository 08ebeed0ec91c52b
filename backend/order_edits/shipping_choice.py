"""Choose another shipping option for an edited order, at its live price.

A provider is called outside any transaction. Its price is stored only if the edited order still has the same products
and the same address; otherwise the price is requested again.
"""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.checkout.quotes.quote_limits import Quoter
from backend.checkout.quotes.shipping_quotes import (
    PricedOption,
    QuoteInput,
    filter_offers,
    find_offer,
    find_stored_quote,
    needs_live_quote,
    store_quotes,
)
from backend.checkout.quotes.unquoted_delivery import NoCourier, is_refused
from backend.checkout.service import Checkout
from backend.checkout.shipping_options import (
    CART_CHANGED,
    MAX_QUOTE_ATTEMPTS,
    ShippingOffer,
    build_method_data,
    list_shipping_choices,
    require_expected_amount,
)
from backend.core.business_days import load_holidays
from backend.core.config.settings import Settings
from backend.core.errors import Conflict, NotAllowed, NotFound
from backend.core.ids import new_id
from backend.core.money import Cop
from backend.core.texts import _
from backend.order_edits.edited_order import EditedOrder, compute_edited_order
from backend.order_edits.edited_shipping import EditedShipping, hash_contents, parse_shipping
from backend.order_edits.editing import AUDIT_ACTION, NO_EDIT, find_open_edit, lock_edit, read_edit
from backend.orders.models import Order
from backend.orders.service import read_order
from backend.shipping.addresses import list_missing_label_parts
from backend.shipping.offered_options import Offer, list_offers_for_country, provider_not_enabled_error
from backend.shipping.providers.base import Quote
from backend.staff.rights import Actor, Right


async def list_edit_shipping(checkout: Checkout, actor: Actor, order_id: str) -> ShippingOffer:
    """Return the shipping options of the order with the changes of its open edit, with live prices.

    Raises:
        NotFound: there is no such order.
        NotAllowed: a part of the order's address is missing.
        InvalidData: see `backend.order_edits.edited_order.compute_edited_order`.
        TooManyQuotations: see `backend.checkout.quotes.quote_limits.Quoter`.
    """
    actor.require(Right.EDIT_ORDERS)
    await load_holidays()
    async with checkout.database.read() as session:
        order = await read_order(session, order_id)
        edit = await find_open_edit(session, actor, order_id)
        edited = await compute_edited_order(session, order, edit or NO_EDIT)
        _require_address(order)
        offers = filter_offers(
            await list_offers_for_country(session, order.sales_channel_id, edited.contents.country_code),
            checkout.fulfillment_providers,
            edited.contents,
        )
    offers = [offer for offer in offers if offer.is_enabled]
    quoter = checkout.create_quoter(order.cart_id, "")
    priced = await quoter.request_quotes(order.cart_id, offers, edited.contents)
    async with checkout.database.transaction() as session:
        await record(session, actor, "shipping priced", Subject(SubjectType.ORDER, order.id))
        await store_quotes(session, order.cart_id, priced)
    settings = await checkout.effective_settings()
    allowed = [
        (one.offer.option, one.quote)
        for one in priced
        if one.quote is not None and not is_refused(settings, one.quote)
    ]
    notice = NoCourier(edited.contents.dane_code).shopper_text if len(allowed) < len(priced) else ""
    choices = list_shipping_choices(settings, allowed, edited.contents, edited.totals.item_total)
    chosen = edited.shipping.option_id if edited.shipping else order.shipping_option_id or ""
    return ShippingOffer(choices, chosen, notice)


async def choose_edit_shipping(
    checkout: Checkout, actor: Actor, edit_id: str, option_id: str, expected_amount: Cop | None = None
) -> EditedShipping:
    """Give the edited order this shipping option, at its flat price or its recent quote, else at a new quote.

    `expected_amount` is the price that the caller expects; None to accept any.

    Raises:
        NotFound, EditEnded: see `backend.order_edits.editing.lock_edit`.
        NotAllowed: a part of the order's address is missing, or the option's provider is not enabled.
        InvalidData: the option is not offered for the order; or it has another price than `expected_amount`.
        NoCourier: no courier delivers to the address, and the settings refuse such deliveries.
        Conflict: the order changed repeatedly while it was being priced.
        TooManyQuotations: see `backend.checkout.quotes.quote_limits.Quoter`.
    """
    actor.require(Right.EDIT_ORDERS)
    settings = await checkout.effective_settings()
    quoted: QuoteInput | None = None
    priced: PricedOption | None = None
    for turn in range(MAX_QUOTE_ATTEMPTS + 1):
        async with checkout.database.transaction() as session:
            locked = await lock_edit(session, actor, edit_id)
            edited = await compute_edited_order(session, locked.order, locked.edit)
            offer = await _find_offer(session, checkout, edited, option_id)
            if priced is None or quoted != edited.contents:
                priced = await find_stored_quote(session, locked.order.cart_id, offer, edited.contents)
            if priced is not None and priced.quote is not None:
                if is_refused(settings, priced.quote):
                    raise NoCourier(edited.contents.dane_code)
                shipping = _build_shipping(edited, priced.offer, priced.quote, settings)
                price = shipping.compute_price(edited.totals.item_total)
                require_expected_amount(price, expected_amount)
                await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, locked.order.id))
                locked.edit.shipping = shipping.to_json()
                await session.flush()
                return shipping
        if turn < MAX_QUOTE_ATTEMPTS:
            quoter: Quoter = checkout.create_quoter(edited.order.cart_id, "")
            quoted = edited.contents
            [priced] = await quoter.request_quotes(edited.order.cart_id, [offer], quoted)
    raise Conflict(CART_CHANGED)


async def find_shipping_of_edit(
    session: AsyncSession, actor: Actor, edit_id: str, action_id: str
) -> EditedShipping:
    """Return the shipping that the edit gives the order.

    Raises:
        NotFound: there is no such edit, or its shipping is not chosen by the action `action_id`.
    """
    shipping = parse_shipping((await read_edit(session, actor, edit_id)).shipping)
    if shipping is None or shipping.id != action_id:
        raise NotFound(f"Order change action with id: {action_id} was not found")
    return shipping


async def remove_edit_shipping(session: AsyncSession, actor: Actor, edit_id: str) -> None:
    """Remove the shipping from the edit, so that the order keeps its own shipping.

    Raises:
        NotFound, EditEnded: see `backend.order_edits.editing.lock_edit`.
    """
    locked = await lock_edit(session, actor, edit_id)
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, locked.order.id))
    locked.edit.shipping = None
    await session.flush()


async def _find_offer(
    session: AsyncSession, checkout: Checkout, edited: EditedOrder, option_id: str
) -> Offer:
    _require_address(edited.order)
    contents = edited.contents
    offers = await list_offers_for_country(session, edited.order.sales_channel_id, contents.country_code)
    offer = find_offer(offers, checkout.fulfillment_providers, contents, option_id)
    if not offer.is_enabled:
        raise provider_not_enabled_error(offer.option)
    return offer


def _build_shipping(edited: EditedOrder, offer: Offer, quote: Quote, settings: Settings) -> EditedShipping:
    """Return the option at this price, as the edit stores it."""
    return EditedShipping(
        id=edited.shipping.id if edited.shipping else new_id("ordchact"),
        option_id=offer.option.id,
        name=offer.option.name,
        amount=quote.amount,
        data=build_method_data(offer.option, quote, settings),
        is_quoted=needs_live_quote(offer, edited.contents),
        place=edited.contents.dane_code,
        content=hash_contents(edited.contents),
    )


def _require_address(order: Order) -> None:
    if not order.email or list_missing_label_parts(order.shipping_address):
        raise NotAllowed(
            f"A part of the address of order {order.id} is missing",
            staff_text=_("Al pedido le falta el correo o la dirección: complétalos primero en el pedido."),
        )
