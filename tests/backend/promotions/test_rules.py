"""Comparisons of rules, and rules that are refused when they are stored."""

from typing import Any

import pytest

from backend.core.errors import InvalidData
from backend.promotions.rules import (
    ITEM_TOTAL,
    PRODUCT,
    Operator,
    Rule,
    are_met,
    compute_missing_amount,
    parse_rules,
    to_stored_rule,
)

FACTS: dict[str, Any] = {
    "customer.groups.id": frozenset({"g1", "g2"}),
    "region.id": frozenset(),
    ITEM_TOTAL: 500,
}


@pytest.mark.parametrize(
    ("attribute", "operator", "values", "holds"),
    [
        ("customer.groups.id", "in", ("g2", "g9"), True),
        ("customer.groups.id", "eq", ("g9",), False),
        ("customer.groups.id", "ne", ("g9",), True),
        ("customer.groups.id", "ne", ("g1",), False),
        ("region.id", "in", ("r",), False),
        ("sales_channel_id", "ne", ("nobody has said",), True),
        (ITEM_TOTAL, "gte", ("500",), True),
        (ITEM_TOTAL, "gt", ("500",), False),
        (ITEM_TOTAL, "lte", ("500",), True),
        (ITEM_TOTAL, "lt", ("500",), False),
        (ITEM_TOTAL, "eq", ("500",), True),
    ],
)
def test_promotion_rule_is_met_only_by_matching_facts(
    attribute: str, operator: str, values: tuple[str, ...], holds: bool
) -> None:
    rule = Rule.from_stored(to_stored_rule(attribute, operator, values, is_target=False))
    assert rule.is_met(FACTS) is holds
    assert are_met((rule, rule), FACTS) is holds


def test_amount_missing_for_a_minimum_purchase_is_computed() -> None:
    rules = (Rule(ITEM_TOTAL, Operator.GTE, ("700",)), Rule(ITEM_TOTAL, Operator.GT, ("800",)))
    assert [compute_missing_amount(rules, total) for total in (0, 700, 800, 801)] == [801, 101, 1, 0]
    assert compute_missing_amount((Rule(ITEM_TOTAL, Operator.LTE, ("100",)),), 900) == 0


@pytest.mark.parametrize(
    ("attribute", "operator", "values", "is_target"),
    [
        (PRODUCT, "in", ["prod_1"], False),
        ("region.id", "in", ["reg_1"], True),
        ("region.id", "gte", ["reg_1"], False),
        (ITEM_TOTAL, "in", ["1"], False),
        (ITEM_TOTAL, "gte", ["1", "2"], False),
        (ITEM_TOTAL, "gte", ["-1"], False),
        (ITEM_TOTAL, "gte", ["1.5"], False),
        (ITEM_TOTAL, "gte", ["²"], False),
        ("region.id", "in", [], False),
    ],
)
def test_unsupported_promotion_rule_is_refused(
    attribute: str, operator: str, values: list[str], is_target: bool
) -> None:
    with pytest.raises(InvalidData):
        to_stored_rule(attribute, operator, values, is_target=is_target)


def test_stored_promotion_rule_has_an_id_and_unique_values() -> None:
    kept = to_stored_rule(
        "region.id", "in", ["r", "r"], is_target=False, rule_id="prorul_1", description="Colombia"
    )
    assert kept == {
        "id": "prorul_1", "attribute": "region.id", "operator": "in", "values": ["r"], "description": "Colombia",
    }  # fmt: skip
    assert to_stored_rule("region.id", "eq", "r", is_target=False)["id"].startswith("prorul_")


@pytest.mark.parametrize(
    ("rules", "missing"),
    [
        ([(ITEM_TOTAL, "gte", "50000")], 20_000),
        ([(ITEM_TOTAL, "gt", "50000")], 20_001),
        ([(ITEM_TOTAL, "gte", "30000")], 0),
        ([(ITEM_TOTAL, "gt", "30000")], 1),
        ([(ITEM_TOTAL, "lte", "50000"), (ITEM_TOTAL, "lt", "50000"), (ITEM_TOTAL, "eq", "50000")], 0),
        ([("region.id", "in", "50000")], 0),
        ([(ITEM_TOTAL, "gte", "40000"), (ITEM_TOTAL, "gt", "45000")], 15_001),
    ],
)
def test_missing_amount_is_computed_from_the_highest_minimum(
    rules: list[tuple[str, str, str]], missing: int
) -> None:
    stored = [to_stored_rule(name, operator, value, is_target=False) for name, operator, value in rules]
    assert compute_missing_amount(parse_rules(stored), 30_000) == missing
