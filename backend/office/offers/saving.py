"""Store the offer form as a promotion with its campaign."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.office.offers.form import OfferForm, TypedOffer, parse_offer
from backend.promotions.campaigns import change_campaign, create_campaign, find_campaign
from backend.promotions.commands import (
    ChangeCampaign,
    ChangeMethod,
    ChangePromotion,
    ChangeRules,
    CreateCampaign,
    CreatePromotion,
    WriteBudget,
)
from backend.promotions.kinds import Allocation, BudgetType, PromotionStatus
from backend.promotions.models import Promotion
from backend.promotions.service import (
    CodeTaken,
    change_promotion,
    change_rules,
    create_promotion,
    find_promotion,
    list_rules_by_type,
)
from backend.staff.rights import Actor, Right


async def save_offer(
    session: AsyncSession, actor: Actor, form: OfferForm, promotion_id: str = ""
) -> Promotion:
    """Create or change an offer and activate it, even if it was a draft or had ended.

    Raises:
        NotFound: the promotion does not exist.
        InvalidData: `fields` has the errors by field.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    typed = await parse_offer(session, form)
    try:
        if not promotion_id:
            return await _create_offer(session, actor, typed)
        return await _change_offer(session, actor, typed, promotion_id)
    except CodeTaken:
        raise InvalidData(CHECK_FIELDS, fields={"code": _("Otra oferta ya tiene este código.")}) from None


async def _create_offer(session: AsyncSession, actor: Actor, typed: TypedOffer) -> Promotion:
    new = CreatePromotion(
        code=typed.code,
        status=PromotionStatus.ACTIVE,
        is_automatic=typed.is_automatic,
        limit=typed.limit,
        type=typed.type,
        combination=typed.combination,
        method_type=typed.method,
        target_type=typed.target_type,
        value=typed.value,
        max_quantity=typed.max_quantity,
        buy_quantity=typed.buyget.buy if typed.buyget else None,
        apply_quantity=typed.buyget.get if typed.buyget else None,
        target_rules=typed.target_rules,
        buy_rules=typed.buy_rules,
        rules=typed.rules,
    )
    promotion = await create_promotion(session, actor, new)
    await _set_campaign(session, actor, promotion, typed)
    return promotion


async def _change_offer(
    session: AsyncSession, actor: Actor, typed: TypedOffer, promotion_id: str
) -> Promotion:
    promotion = await find_promotion(session, promotion_id)
    # all rules are deleted first, because they may contradict the new target type
    for name, rules in list_rules_by_type(promotion).items():
        if rules:
            none = ChangeRules(delete=[rule["id"] for rule in rules])
            await change_rules(session, actor, promotion_id, name, none)
    change = ChangePromotion(
        code=typed.code,
        type=typed.type,
        combination=typed.combination,
        status=PromotionStatus.ACTIVE,
        is_automatic=typed.is_automatic,
        limit=typed.limit,
        method=ChangeMethod(
            type=typed.method,
            target_type=typed.target_type,
            allocation=Allocation.ACROSS,
            value=typed.value,
            max_quantity=typed.max_quantity,
            buy_quantity=typed.buyget.buy if typed.buyget else None,
            apply_quantity=typed.buyget.get if typed.buyget else None,
        ),
    )
    promotion = await change_promotion(session, actor, promotion_id, change)
    typed_rules = {"rules": typed.rules, "target-rules": typed.target_rules, "buy-rules": typed.buy_rules}
    for name, new_rules in typed_rules.items():
        if new_rules:
            await change_rules(session, actor, promotion_id, name, ChangeRules(create=new_rules))
    await _set_campaign(session, actor, promotion, typed)
    return promotion


async def _set_campaign(session: AsyncSession, actor: Actor, promotion: Promotion, typed: TypedOffer) -> None:
    """Store the dates and the limit per customer in the promotion's own campaign."""
    each = typed.each
    if promotion.campaign_id is not None:
        campaign = await find_campaign(session, promotion.campaign_id)
        budget = None
        if each is not None or campaign.budget_type is not None:
            budget = WriteBudget(type=BudgetType.BY_CUSTOMER, limit=each)
        change = ChangeCampaign(starts_at=typed.starts_at, ends_at=typed.ends_at, budget=budget)
        await change_campaign(session, actor, campaign.id, change)
    elif typed.starts_at or typed.ends_at or each:
        new = CreateCampaign(
            name=typed.code,
            campaign_identifier=promotion.id,
            starts_at=typed.starts_at,
            ends_at=typed.ends_at,
            budget=WriteBudget(type=BudgetType.BY_CUSTOMER, limit=each) if each else None,
        )
        promotion.campaign_id = (await create_campaign(session, actor, new)).id
        await session.flush()
