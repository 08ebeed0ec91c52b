"""Money: whole Colombian pesos, prices with IVA included. The only module that formats or parses an amount."""

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from babel.numbers import format_currency

Cop = int
"""An amount in whole pesos."""

CURRENCY = "COP"
MAX_AMOUNT = 1_000_000_000
_TYPED = re.compile(r"\$?\s*([0-9]{1,12}|[0-9]{1,3}(?:[.,][0-9]{3})+)", re.ASCII)


@lru_cache(maxsize=4096)
def format_cop(amount: Cop) -> str:
    """The amount as a Colombian shopper reads it, with no decimals: `$ 89.900`."""
    return format_currency(amount, CURRENCY, format="¤ #,##0", locale="es_CO", currency_digits=False)


def format_exact(amount: Decimal) -> str:
    """Format an amount that may have cents: `$ 38.000,40`; without cents as `format_cop` does."""
    if amount == amount.to_integral_value():
        return format_cop(int(amount))
    return format_currency(amount, CURRENCY, format="¤ #,##0.00##", locale="es_CO", currency_digits=False)


def parse_amount(text: str) -> Decimal | None:
    """An amount from outside (`"38000"`, `"38000.00"`) as an exact decimal, or None when it is no finite number."""
    try:
        amount = Decimal(text.strip())
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def typed_pesos(text: str) -> Cop | None:
    """Whole pesos as a person types them (`89900`, `89.900`, `$ 89.900`); None when it is something else."""
    found = _TYPED.fullmatch(text.strip().replace("\N{NO-BREAK SPACE}", " "))
    return int(re.sub(r"[.,]", "", found[1])) if found else None


def regular_price(price: Cop, compare_at: Cop | None) -> Cop:
    """What something costs when its sale is over: the price that is struck through; its own where none is higher."""
    return price if compare_at is None else max(price, compare_at)


def percent_off(price: Cop, compare_at: Cop | None) -> int | None:
    """Whole percent saved against the compare-at price; None when nothing is saved (spec: Storefront view rules 1)."""
    if compare_at is None or compare_at <= price or price < 0:
        return None
    return (compare_at - price) * 100 // compare_at or None
