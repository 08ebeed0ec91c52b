"""The extra unit that would earn a buyget discount."""

from typing import Any

import pytest

from backend.catalog.models import Product
from backend.core.db.database import Database
from backend.pricing import PricedLine
from backend.promotions.eligibility import BoughtLine, PromotionContext, evaluate_cart_promotions
from backend.promotions.further_units import FurtherUnit, find_further_unit
from backend.promotions.models import Promotion
from backend.promotions.rules import to_stored_rule

CHEAP, DEAR = "line_1", "line_2"


def buyget(code: str = "dos", *, buy: int = 1, get: int = 1, **more: Any) -> dict[str, Any]:
    """Return the columns of a buyget promotion, from which each test creates a row in its own database."""
    chosen = [to_stored_rule("items.product.id", "in", ["prod_1", "prod_2"], is_target=True)]
    values: dict[str, Any] = {
        "status": "active", "type": "buyget", "is_automatic": True, "method_type": "percentage",
        "target_type": "items", "allocation": "each", "value": 100, "max_quantity": 100,
        "buy_quantity": buy, "apply_quantity": get, "buy_rules": chosen, "target_rules": chosen,
    }  # fmt: skip
    return {"code": code, "code_key": code, **values, **more}


@pytest.mark.parametrize(
    ("units", "promotions", "expected"),
    [
        ((1, 0), [buyget()], FurtherUnit(CHEAP, 100)),
        ((2, 0), [buyget()], None),
        ((1, 1), [buyget()], None),
        ((2, 1), [buyget()], FurtherUnit(CHEAP, 100)),
        ((1, 0), [buyget(value=50)], FurtherUnit(CHEAP, 50)),
        ((1, 0), [buyget(buy=2)], None),
        ((1, 1), [buyget(buy=2)], FurtherUnit(CHEAP, 100)),
        ((1, 0), [buyget(max_quantity=1)], FurtherUnit(CHEAP, 100)),
        ((3, 0), [buyget(max_quantity=1)], None),
        ((1, 0), [buyget(method_type="fixed", value=1_000)], None),
        ((1, 0), [buyget(status="inactive")], None),
        ((1, 0), [buyget(), buyget("tres", buy=2)], None),
        ((1, 0), [], None),
        # cannot be combined with the discount that applies
        (
            (1, 0),
            [buyget(combination="none"), buyget("diez", type="standard", buy_rules=[], value=10)],
            None,
        ),
    ],
)
async def test_cart_suggests_a_unit_that_would_earn_another_discount(
    database: Database, units: tuple[int, int], promotions: list[dict[str, Any]], expected: FurtherUnit | None
) -> None:
    async with database.transaction() as session:
        session.add_all(Promotion(rules=[], **one) for one in promotions)
    lines = [
        BoughtLine(
            PricedLine(f"line_{n}", count, 10_000 * n),
            Product(id=f"prod_{n}", handle=f"{n}", title=""),
            f"{n}",
        )
        for n, count in enumerate(units, 1)
        if count
    ]
    context = PromotionContext("cart_1", None, None, "reg_1", "sc_1", None)
    async with database.read() as session:
        discounts = (await evaluate_cart_promotions(session, context, lines)).apply(None)
    assert find_further_unit(discounts, {CHEAP, DEAR}) == expected
    assert find_further_unit(discounts, ()) is None, "no line has another unit in stock"
