"""The shipping option that an edit gives an order instead of its own, at the price that staff saw.

A live price is valid for the products and the address for which it was requested. If they change, staff choose the
option again. An order has one shipping method, so the new one replaces it.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime

from backend.cart.totals import get_shipping_price
from backend.catalog.models import Product
from backend.checkout.quotes.shipping_quotes import QuoteInput, build_sold_quote_input
from backend.core.db.tables import JsonObject
from backend.core.money import Cop
from backend.orders.models import Order
from backend.pricing import PricedLine, price_cart
from backend.shipping.addresses import find_municipality_code
from backend.shipping.delivery_promise import add_promised_day, add_ready_day


@dataclass(frozen=True, slots=True)
class EditedShipping:
    """The shipping that an edit gives an order instead of the order's own.

    Attributes:
        id: the id of the edit's action.
        amount: whole pesos, before discounts.
        data: the data of the shipping method: carrier, zone and delivery terms.
        is_quoted: True if a carrier quoted the price for exactly these products and this address; False if the price
            depends only on the municipality.
        place: the code of the municipality for which the price is valid.
        content: hash of the products and the address for which the price was quoted.
    """

    id: str
    option_id: str
    name: str
    amount: Cop
    data: JsonObject
    is_quoted: bool
    place: str
    content: str

    def to_json(self) -> JsonObject:
        """Return the value of `OrderEdit.shipping`."""
        return asdict(self)

    def compute_price(self, goods_total: Cop) -> Cop:
        """Return the price in pesos; 0 if own delivery is free for goods with this discounted total."""
        return get_shipping_price(self.amount, self.data, goods_total)

    def build_sold_data(self, ready_on: date | None, moment: datetime) -> JsonObject:
        """Return the data of the shipping method as it is sold, with the day that is promised at this moment.

        `ready_on` is the day on which the preordered units of the order arrive at the shop.
        """
        return add_promised_day(add_ready_day(self.data, ready_on), moment)

    def is_outdated(self, contents: QuoteInput) -> bool:
        """Return True if the price is not valid for these products and this address."""
        if self.is_quoted:
            return self.content != hash_contents(contents)
        return self.place != contents.dane_code


def parse_shipping(stored: JsonObject | None) -> EditedShipping | None:
    """Return the shipping of an edit; None if the order keeps its own shipping."""
    return None if stored is None else EditedShipping(**stored)


def build_contents(order: Order, sold: Sequence[tuple[Product, PricedLine]]) -> QuoteInput:
    """Return the values that decide the shipping price of these lines to the order's address."""
    return build_sold_quote_input(
        order.shipping_address,
        find_municipality_code(order.shipping_address),
        [(product, line.quantity) for product, line in sold],
        price_cart([line for _, line in sold]).item_total,
    )


def hash_contents(contents: QuoteInput) -> str:
    """Return a hash of the values that decide the shipping price.

    The day on which preordered units arrive is left out, because it does not affect the price.
    """
    text = json.dumps(asdict(replace(contents, ready_on=None)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
