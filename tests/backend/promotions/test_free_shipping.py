"""The free shipping that promotions give from a minimum value of products."""

from typing import Any

import pytest

from backend.catalog.models import Product
from backend.core.db.database import Database
from backend.pricing import PricedLine
from backend.promotions.eligibility import BoughtLine, PromotionContext, evaluate_cart_promotions
from backend.promotions.free_shipping import FreeShipping, find_free_shipping
from backend.promotions.models import Promotion
from backend.promotions.rules import to_stored_rule


def minimum(pesos: int) -> dict[str, Any]:
    return to_stored_rule("item_total", "gte", [str(pesos)], is_target=False)


def in_country(code: str) -> dict[str, Any]:
    return to_stored_rule("shipping_address.country_code", "in", [code], is_target=False)


def make_promotion(code: str, *rules: dict[str, Any], **more: Any) -> Promotion:
    values: dict[str, Any] = {
        "status": "active", "is_automatic": True, "method_type": "percentage",
        "target_type": "shipping_methods", "allocation": "across", "value": 100,
    }  # fmt: skip
    return Promotion(code=code, code_key=code.lower(), rules=list(rules), **{**values, **more})


async def read_free_shipping(
    database: Database, total: int, promotions: list[Promotion], country: str | None = None
) -> FreeShipping | None:
    """Return the minimum value for free shipping, and the pesos that a cart with this total is below it.

    Return None if no promotion makes shipping free.
    """
    async with database.transaction() as session:
        session.add_all(promotions)
    context = PromotionContext("cart_1", None, None, "reg_1", "sc_1", country)
    line = BoughtLine(
        PricedLine("line_1", 1, total), Product(id="prod_1", handle="a", title="A"), "variant_1"
    )
    async with database.read() as session:
        evaluated = await evaluate_cart_promotions(session, context, [line])
    return find_free_shipping(evaluated.apply(None))


@pytest.mark.parametrize(
    ("total", "promotions", "expected"),
    [
        (38_000, [], None),
        (38_000, [make_promotion("a", minimum(50_000))], FreeShipping(50_000, 12_000)),
        (50_000, [make_promotion("a", minimum(50_000))], FreeShipping(50_000, 0)),
        # the promotion that needs the fewest products
        (
            38_000,
            [make_promotion("a", minimum(90_000)), make_promotion("b", minimum(60_000))],
            FreeShipping(60_000, 22_000),
        ),
        (38_000, [make_promotion("a")], FreeShipping(0, 0)),
        # a part of the shipping, a code that was not typed, an ended promotion, another cart's promotion
        (38_000, [make_promotion("a", minimum(50_000), value=50)], None),
        (38_000, [make_promotion("a", minimum(50_000), method_type="fixed")], None),
        (38_000, [make_promotion("a", minimum(50_000), is_automatic=False)], None),
        (38_000, [make_promotion("a", minimum(50_000), status="inactive")], None),
        (38_000, [make_promotion("a", minimum(50_000), in_country("ve"))], None),
        (38_000, [make_promotion("a", minimum(50_000), in_country("co"))], FreeShipping(50_000, 12_000)),
        # it could not be combined with the current discount
        (
            38_000,
            [
                make_promotion("a", minimum(50_000), combination="none"),
                make_promotion("b", target_type="order", value=10),
            ],
            None,
        ),
    ],
)
async def test_amount_missing_for_free_shipping_is_computed_from_the_promotions(
    database: Database, total: int, promotions: list[Promotion], expected: FreeShipping | None
) -> None:
    copies = [Promotion(**one.model_dump()) for one in promotions]
    assert await read_free_shipping(database, total, copies) == expected
