"""Promotions for some carts and customers: when one applies, and the reason why it gives no discount."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from backend.core.db.database import Database
from backend.customers.models import CustomerGroup, CustomerGroupMember
from backend.promotions.eligibility import (
    NO_DISCOUNTS,
    Candidate,
    Discounts,
    Obstacle,
    PromotionContext,
    evaluate_cart_promotions,
)
from backend.promotions.models import Campaign, Promotion
from backend.promotions.rules import CUSTOMER_GROUPS, to_stored_rule
from tests.backend.promotions.promo_kit import free_shipping

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def make_candidate(
    *,
    campaign: dict[str, Any] | None = None,
    is_held: bool = False,
    uses: int = 0,
    campaign_used: int = 0,
    **promotion: Any,
) -> Candidate:
    """Return a candidate with this promotion and campaign, to be evaluated at noon."""
    made = None if campaign is None else Campaign(name="c", campaign_identifier="c", **campaign)
    offer = Promotion(
        code="X", code_key="x", method_type="fixed", target_type="order", allocation="across", value=1
    )
    for name, value in {"status": "active", **promotion}.items():
        setattr(offer, name, value)
    return Candidate(offer, made, NOON, is_held, uses, campaign_used, NOON)


async def store(database: Database, *rows: Any) -> None:
    async with database.transaction() as session:
        for row in rows:
            session.add(row)
            await session.flush()


async def compute(database: Database, customer_id: str | None) -> Discounts:
    """Return the discounts of a cart without lines, whose shipping costs 9,000 pesos."""
    context = PromotionContext("cart_1", customer_id, "ana@example.com", "reg_1", "sc_1", "co")
    async with database.read() as session:
        return (await evaluate_cart_promotions(session, context, [])).apply(9_000)


async def test_cart_without_promotions_has_no_discounts(database: Database) -> None:
    assert await compute(database, None) is NO_DISCOUNTS


@pytest.mark.parametrize(
    ("operator", "customer_id", "expected"),
    [
        ("in", "cus_member", None),
        ("in", "cus_stranger", Obstacle.NOT_FOR_YOU),
        ("in", None, Obstacle.NOT_FOR_YOU),
        ("ne", "cus_member", Obstacle.NOT_FOR_YOU),
        ("ne", "cus_stranger", None),
        ("ne", None, None),
    ],
)
async def test_rule_on_customer_groups_applies_to_the_groups_of_the_customer(
    database: Database, operator: str, customer_id: str | None, expected: Obstacle | None
) -> None:
    await store(
        database,
        CustomerGroup(id="cusgroup_1", name="Colegios"),
        CustomerGroupMember(group_id="cusgroup_1", customer_id="cus_member"),
        free_shipping(to_stored_rule(CUSTOMER_GROUPS, operator, ["cusgroup_1"], is_target=False)),
    )
    found = await compute(database, customer_id)
    assert [result.obstacle for result in found.results] == [expected]
    assert [one.amount for one in found.adjustments] == ([] if expected else [9_000])


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        ({}, None),
        ({"status": "draft"}, Obstacle.OFF),
        ({"status": "inactive"}, Obstacle.OFF),
        ({"deleted_at": NOON}, Obstacle.OFF),
        ({"campaign": {}}, None),
        ({"campaign": {"starts_at": NOON}}, None),
        ({"campaign": {"starts_at": NOON + SECOND}}, Obstacle.NOT_YET),
        ({"campaign": {"ends_at": NOON + SECOND}}, None),
        ({"campaign": {"ends_at": NOON}}, Obstacle.ENDED),
        ({"use_limit": 3, "uses": 2}, None),
        ({"use_limit": 3, "uses": 3}, Obstacle.USED_UP),
        ({"campaign": {"budget_type": "usage", "budget_limit": 5}, "campaign_used": 4}, None),
        ({"campaign": {"budget_type": "usage", "budget_limit": 5}, "campaign_used": 5}, Obstacle.USED_UP),
        ({"campaign": {"budget_type": "spend", "budget_limit": 5}, "campaign_used": 6}, Obstacle.USED_UP),
        (
            {"campaign": {"budget_type": "use_by_attribute", "budget_limit": 1}, "campaign_used": 1},
            Obstacle.USED_BEFORE,
        ),
        ({"campaign": {"budget_type": "usage"}, "campaign_used": 9}, None),
        # the price was agreed: a cart that has a use reserved keeps its discount
        ({"is_held": True, "status": "inactive", "deleted_at": NOON}, None),
        ({"is_held": True, "campaign": {"ends_at": NOON}}, None),
        (
            {"is_held": True, "campaign": {"budget_type": "usage", "budget_limit": 1}, "campaign_used": 9},
            None,
        ),
    ],
)
def test_each_reason_that_makes_a_promotion_unusable_is_reported(
    candidate: dict[str, Any], expected: Obstacle | None
) -> None:
    assert make_candidate(**candidate).find_obstacle() == expected


@pytest.mark.parametrize(
    ("kind", "limit", "used", "expected"),
    [
        ("spend", 9_000, 2_000, (7_000, True)),
        ("usage", 5, 2, (3, False)),
        ("use_by_attribute", 2, 1, (1, False)),
        ("usage", None, 2, None),
    ],
)
def test_remaining_budget_of_a_campaign_is_its_limit_minus_its_use(
    kind: str, limit: int | None, used: int, expected: tuple[int, bool] | None
) -> None:
    candidate = make_candidate(campaign={"budget_type": kind, "budget_limit": limit}, campaign_used=used)
    budget = candidate.budget
    assert (budget and (budget.remaining, budget.is_spend)) == expected
    assert candidate.offer.budget == budget


async def test_promotion_without_eligible_lines_has_an_obstacle(database: Database) -> None:
    on_lines = free_shipping()
    on_lines.target_type = "items"
    await store(database, on_lines)
    found = await compute(database, None)
    assert [result.obstacle for result in found.results] == [Obstacle.NO_ITEMS]


async def test_empty_cart_misses_the_whole_minimum_of_a_promotion(database: Database) -> None:
    await store(database, free_shipping(to_stored_rule("item_total", "gte", ["50000"], is_target=False)))
    found = await compute(database, None)
    assert [(result.obstacle, result.missing) for result in found.results] == [
        (Obstacle.BELOW_MINIMUM, 50_000)
    ]


def test_promotion_offer_has_the_description_of_its_promotion() -> None:
    assert make_candidate(description="Cinco menos").offer.description == "Cinco menos"
    assert make_candidate().offer.description == ""
