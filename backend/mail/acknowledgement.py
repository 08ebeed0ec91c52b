"""Details that the law requires in mails about an order (Ley 1480 of 2011, art. 50 d and f).

`backend.mail.messages` adds the bill. As in all mails, no text typed by a stranger is included: the destination is
only the municipality's name in the official list. The street is on the order's page, which the signed link opens.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.clock import now
from backend.core.config.modules import GATEWAY_PSE
from backend.core.config.settings import Settings
from backend.core.dates import date_label, time_label
from backend.core.money import format_cop
from backend.core.texts import _
from backend.legal.consents import ConsentKind, ConsentProof, consents_of_cart
from backend.legal.texts import TITLES, LegalKind, seller_address
from backend.orders.delivery_kinds import DeliveryKind
from backend.orders.models import Order
from backend.orders.origins import is_distance_sale
from backend.orders.promised_days import describe_promise
from backend.payment.models import PaymentSession
from backend.payment.payments import find_open_instructions
from backend.payment.providers.base import parse_instructions
from backend.pricing import CartTotals
from backend.shipping.addresses import find_municipality_code
from backend.shipping.municipalities import find_municipality_by_code

MAX_DELIVERY_TIME = timedelta(days=30)
"""Maximum time until delivery that the law allows (Ley 1480 of 2011, art. 50 h). Mails name it and the promised day."""


async def build_acknowledgement(
    session: AsyncSession,
    effective: Settings,
    order: Order,
    totals: CartTotals,
    *,
    payment: PaymentSession | None,
    kind: DeliveryKind,
) -> dict[str, Any]:
    """Return the template's values for the details that the law requires.

    `payment` is the session that `choose_decisive_session` returns for the order. `kind` is the way in which the
    order reaches its customer.

    Returns:
        These values:

        - `is_bank`: True if the order is paid through the gateway.
        - `is_free`: True if there is nothing to pay.
        - `pay_text`, `pay_facts`: how the customer pays outside the shop, as a text and as pairs of name and value;
          empty if the customer does not have to.
        - `promise`: the sentence about the promised day.
        - `delay`: why that day is later than the day shown before the payment; empty if it is not.
        - `facts`: further details as pairs of name and value.
        - `terms_link`: the link to the terms.
        - `withdrawal_link`: the link to the text about withdrawal; empty for a sale in person, which has no right of
          withdrawal.
    """
    is_bank = payment is not None and payment.provider_id == GATEWAY_PSE
    instructions = find_open_instructions(payment)
    given = await consents_of_cart(session, order.cart_id)
    agreed = [one for one in given if one.kind is ConsentKind.TERMS]
    town = find_municipality_by_code(find_municipality_code(order.shipping_address) or "")
    promise = describe_promise(order, kind, now(), is_read_later=True)
    facts = (
        (_("Fecha"), time_label(order.created_at)),
        (_("IVA incluido en el total"), format_cop(totals.tax_total)),
        (_("Va para"), f"{town.name}, {town.department}" if town and kind is not DeliveryKind.PICKUP else ""),
        (
            _("Plazo máximo de entrega por ley"),
            date_label(order.created_at + MAX_DELIVERY_TIME) if is_distance_sale(order) else "",
        ),
        (_("Pago"), _format_payment_method(payment, is_bank=is_bank) if order.total else _("Nada por pagar")),
        (_("CUS"), (payment.transaction_id or "") if payment is not None and is_bank else ""),
        (_("Vende"), f"{effective.store_legal_name}, NIT {effective.store_nit}"),
        (_("Dirección"), seller_address(effective)),
        (_("Condiciones que aceptaste"), _format_terms(agreed[-1]) if agreed else ""),
    )
    return {
        "is_bank": is_bank,
        "is_free": not order.total,
        "pay_text": instructions.text if instructions else "",
        "pay_facts": list(instructions.facts) if instructions else [],
        "promise": promise.text,
        "delay": promise.delay,
        "facts": [(name, value) for name, value in facts if value],
        "terms_link": f"{effective.base_url}/legal/{LegalKind.TERMS}",
        "withdrawal_link": (
            f"{effective.base_url}/legal/{LegalKind.WITHDRAWAL}" if is_distance_sale(order) else ""
        ),
    }


def _format_terms(consent: ConsentProof) -> str:
    """Return the title of the accepted terms, with their version unless an API client showed its own text."""
    title = TITLES[LegalKind.TERMS]
    if not consent.digest:
        return title
    return _("{title}, versión {version}").format(title=title, version=consent.version)


def _format_payment_method(payment: PaymentSession | None, *, is_bank: bool) -> str:
    if payment is None or not is_bank:
        instructions = parse_instructions(payment.data) if payment is not None else None
        return instructions.method if instructions else _("Acordado con la tienda")
    bank = str(payment.data.get("bank_name") or "")
    return f"PSE · {bank}" if bank else "PSE"
