"""Changes of a promotion: the values that a change does not name stay, and inconsistent ones are refused."""

from typing import Any

import pytest

from backend.core.db.database import Database
from backend.core.errors import Forbidden, InvalidData, NotFound
from backend.promotions.campaigns import (
    change_campaign,
    create_campaign,
    delete_campaign,
    link_promotions,
)
from backend.promotions.commands import (
    ChangeCampaign,
    ChangeMethod,
    ChangePromotion,
    ChangeRules,
    CreateCampaign,
    CreatePromotion,
    WriteRule,
)
from backend.promotions.kinds import Allocation, MethodType, TargetType
from backend.promotions.models import Promotion
from backend.promotions.rules import MAX_RULES, Operator
from backend.promotions.service import (
    change_promotion,
    change_rules,
    create_promotion,
    delete_promotion,
    find_promotion,
)
from backend.staff.rights import SHOP, Actor, Role

REGION = WriteRule(attribute="region.id", operator=Operator.IN, values=["reg_1"])


async def store(database: Database, **more: Any) -> str:
    """Create a promotion of 10 % off the lines. Return its id."""
    values: dict[str, Any] = {"target_type": TargetType.ITEMS, "value": 10, **more}
    new = CreatePromotion(code="DIEZ", method_type=MethodType.PERCENTAGE, **values)
    async with database.transaction() as session:
        return (await create_promotion(session, SHOP, new)).id


async def change(database: Database, promotion_id: str, **values: Any) -> Promotion:
    async with database.transaction() as session:
        return await change_promotion(session, SHOP, promotion_id, ChangePromotion(**values))


async def edit_rules(database: Database, promotion_id: str, **changes: Any) -> None:
    async with database.transaction() as session:
        await change_rules(session, SHOP, promotion_id, "rules", ChangeRules(**changes))


async def count_rules(database: Database, promotion_id: str) -> int:
    async with database.read() as session:
        return len((await find_promotion(session, promotion_id)).rules)


async def test_omitted_values_of_a_discount_stay_unchanged(database: Database) -> None:
    method = {"allocation": Allocation.EACH, "max_quantity": 2, "description": "Diez menos"}
    promotion_id = await store(database, metadata={"from": "test"}, limit=4, **method)
    changed = await change(database, promotion_id, method=ChangeMethod(value=15))
    assert (changed.value, changed.max_quantity, changed.description) == (15, 2, "Diez menos")
    assert (changed.method_type, changed.target_type, changed.allocation) == ("percentage", "items", "each")
    assert (changed.use_limit, changed.meta, changed.code) == (4, {"from": "test"}, "DIEZ")


async def test_values_of_a_promotion_can_be_cleared_with_null(database: Database) -> None:
    promotion_id = await store(database, metadata={"from": "test"}, limit=4, description="Diez menos")
    changed = await change(
        database, promotion_id, limit=None, metadata=None, method=ChangeMethod(description=None)
    )
    assert (changed.use_limit, changed.meta, changed.description) == (None, {}, None)


async def test_number_of_rules_of_a_promotion_is_limited(database: Database) -> None:
    promotion_id = await store(database, rules=[REGION])
    with pytest.raises(InvalidData, match=f"at most {MAX_RULES} rules"):
        await edit_rules(database, promotion_id, create=[REGION] * MAX_RULES)
    assert await count_rules(database, promotion_id) == 1
    await edit_rules(database, promotion_id, create=[REGION] * (MAX_RULES - 1))
    assert await count_rules(database, promotion_id) == MAX_RULES


async def test_unknown_rule_is_not_changed(database: Database) -> None:
    promotion_id = await store(database, rules=[REGION])
    with pytest.raises(NotFound, match="prorul_none"):
        await edit_rules(database, promotion_id, update=[("prorul_none", {"values": ["reg_2"]})])


async def test_sent_values_of_a_discount_are_changed(database: Database) -> None:
    promotion_id = await store(database)
    method = ChangeMethod(
        type=MethodType.FIXED, target_type=TargetType.ORDER, allocation=Allocation.EACH, value=5_000
    )
    changed = await change(database, promotion_id, method=method)
    assert (changed.method_type, changed.target_type, changed.allocation, changed.value) == (
        "fixed",
        "order",
        "each",
        5_000,
    )


async def test_promotion_changes_without_the_right_are_refused(database: Database) -> None:
    promotion_id = await store(database)
    stockroom = Actor("user_1", Role.STOCKROOM)
    campaign = CreateCampaign(name="Navidad", campaign_identifier="NAVIDAD")
    new = CreatePromotion(
        code="OTRA", method_type=MethodType.PERCENTAGE, target_type=TargetType.ORDER, value=1
    )
    async with database.transaction() as session:
        for attempt in (
            create_promotion(session, stockroom, new),
            change_promotion(session, stockroom, promotion_id, ChangePromotion(limit=1)),
            delete_promotion(session, stockroom, promotion_id),
            change_rules(session, stockroom, promotion_id, "rules", ChangeRules(create=[REGION])),
            create_campaign(session, stockroom, campaign),
            change_campaign(session, stockroom, "procamp_none", ChangeCampaign(name="Reyes")),
            delete_campaign(session, stockroom, "procamp_none"),
            link_promotions(session, stockroom, "procamp_none", [promotion_id], []),
        ):
            with pytest.raises(Forbidden):
                await attempt
