"""Counts that people read have grouped digits (`5.000.001`): no page shows an unformatted number."""

import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import reflex as rx
from reflex.vars import BooleanVar, NumberVar, Var
from reflex_base.vars.number import LiteralNumberVar

from storefront.office.routes import OFFICE_PAGES
from storefront.pages.routes import PAGES
from storefront.reflex_ext.numbers import grouped
from tests.storefront.components_tree import walk

GROUPED = str(grouped(rx.Var("VALUE").to(int))).partition("VALUE")[0].lstrip("(")
"""Beginning of the expression of a number whose digits are grouped."""
IDENTIFIERS = re.compile(r"\b(number|order_number|version)\b")
"""Numbers that identify something, such as an order."""
NEVER_LARGE = {
    r'\["percent_off"\]$': "a percentage",
    r'\["change"\]$': "a percentage",
    r'\["(quantity|max_quantity|units)"\]$': "a line of a cart or an order has at most 99 units",
    r'usePackingBox_\w+\?\.\["counts"\]': "units of a line that are in the box",
    r'\["typed"\]': "characters of an address",
    r'\["(stars|page|pages|codes_left)"\]$': "stars, pages of reviews and recovery codes",
    r'\["stock"\]$': "the number is only shown if few units are left",
    r"^\(?place_rx_state_": "a place in a short list",
    r"new_count_rx_state_$": "at most 99 new rows are counted",
    r'useChoices_\w+\?\.\["count"\]$': "chosen filters",
    r"useWishes_": "wishes of a visitor",
    r'\["bars"\]\.length': "days and months of a chart",
}
"""Patterns of expressions whose numbers are always below a thousand, with the reason."""


def _is_condition(value: list[Any] | tuple[Any, ...]) -> bool:
    """Return True for a variable's field `condition`, which chooses between two texts and is not displayed."""
    return len(value) == 2 and isinstance(value[0], str) and value[0] == "condition"


def find_numbers(var: Any) -> Iterator[Var[Any]]:
    """Yield the numeric variables in a text, except those whose digits are grouped."""
    if isinstance(var, BooleanVar | LiteralNumberVar) or str(var).lstrip("(").startswith(GROUPED):
        return
    if isinstance(var, NumberVar):
        yield var
        return
    if isinstance(var, Var):
        for field in dataclasses.fields(var):
            if field.name not in {"_var_type", "_var_data", "_js_expr"}:
                yield from find_numbers(getattr(var, field.name))
    elif isinstance(var, list | tuple) and not _is_condition(var):
        for part in var:
            yield from find_numbers(part)


@pytest.mark.parametrize(
    "build", [page.component for page in (*PAGES, *OFFICE_PAGES)], ids=lambda build: build.__module__
)
def test_every_number_on_a_page_is_formatted_with_grouped_digits(build: Callable[[], rx.Component]) -> None:
    shown = {
        str(number) for part in walk(build()) for number in find_numbers(getattr(part, "contents", None))
    }
    allowed = re.compile("|".join(NEVER_LARGE))
    assert [text for text in shown if not IDENTIFIERS.search(text) and not allowed.search(text)] == []


def test_grouped_number_is_formatted_by_script_code() -> None:
    assert "replace(" in str(grouped(rx.Var("stock").to(int)))
