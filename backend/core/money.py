"""Money: whole Colombian pesos, prices include IVA. The only module that formats or parses an amount.

It also groups the digits of other displayed numbers.
"""

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from babel.numbers import format_currency

Cop = int
"""An amount in whole pesos."""

CURRENCY = "COP"
MAX_AMOUNT = 1_000_000_000
_PESOS = re.compile(r"\$?\s*([0-9]{1,12}|[0-9]{1,3}(?:[.,][0-9]{3})+)", re.ASCII)


@lru_cache(maxsize=4096)
def format_cop(amount: Cop) -> str:
    """Format an amount for a Colombian reader, without decimals: `$ 89.900`.

    The space is a no-break space, so that a line never breaks after the sign.
    """
    return format_currency(
        amount, CURRENCY, format="¤\N{NO-BREAK SPACE}#,##0", locale="es_CO", currency_digits=False
    )


def format_number(number: int, mark: str = ".") -> str:
    """Format a number with a thousands separator: `5.000.001`."""
    return f"{number:,}".replace(",", mark)


def format_typed_cop(amount: Cop) -> str:
    """Format an amount as a person types it in a form: `89.900`."""
    return format_number(amount)


def format_exact(amount: Decimal) -> str:
    """Format an amount that may have cents, such as `$ 38.000,40`.

    An amount without cents is formatted by `format_cop`.
    """
    if amount == amount.to_integral_value():
        return format_cop(int(amount))
    return format_currency(
        amount, CURRENCY, format="¤\N{NO-BREAK SPACE}#,##0.00##", locale="es_CO", currency_digits=False
    )


def parse_amount(text: str) -> Decimal | None:
    """Parse an amount from outside (`"38000"`, `"38000.00"`) as an exact decimal; None if it is not a finite number."""
    try:
        amount = Decimal(text.strip())
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def parse_pesos(text: str) -> Cop | None:
    """Parse whole pesos as a person types them (`89900`, `89.900`, `$ 89.900`); None if it is not such a number."""
    match = _PESOS.fullmatch(text.strip().replace("\N{NO-BREAK SPACE}", " "))
    return int(re.sub(r"[.,]", "", match[1])) if match else None


def regular_price(price: Cop, compare_at: Cop | None) -> Cop:
    """Return the price without a sale: the compare-at price if it is higher, else the price itself."""
    return price if compare_at is None else max(price, compare_at)


def percent_off(price: Cop, compare_at: Cop | None) -> int | None:
    """Return the discount in whole percent of the compare-at price; None without a discount.

    See spec: Storefront view rules 1.
    """
    if compare_at is None or compare_at <= price or price < 0:
        return None
    return (compare_at - price) * 100 // compare_at or None
