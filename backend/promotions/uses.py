"""Uses of promotions: reserved when a payment starts, confirmed when it is paid, released when it is not paid.

Reserving locks each promotion that has a limit, and its campaign, until the transaction ends. If two transactions
reserve at the same time, the second waits and then counts the uses of the first. Promotions without a limit are not
locked. Promotions are locked before campaigns, each in the order of their ids, and both before any stock.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import database_now, lock_rows
from backend.core.errors import TotalChanged
from backend.core.money import Cop
from backend.promotions.discount_calculation import BudgetTracker
from backend.promotions.eligibility import PromotionContext, list_named_candidates
from backend.promotions.models import Campaign, Promotion, PromotionUse

USED_UP = "The promotion code {code} can no longer be used: the total has changed, show it and ask again"


class PromotionUsedUp(TotalChanged):
    """A promotion that the price includes has no use left: other customers took the remaining uses."""


@dataclass(frozen=True, slots=True)
class PromotionClaims:
    """The promotions that a cart uses.

    Attributes:
        context: the cart and its customer.
        amounts: discounts in pesos, by promotion id.
        may_hold_uses: False if a check under the cart's lock has shown that the cart has no reserved use.
    """

    context: PromotionContext
    amounts: Mapping[str, Cop]
    may_hold_uses: bool = True

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to reserve and nothing to release."""
        return not self.amounts and not self.may_hold_uses


async def lock_promotions(session: AsyncSession, claims: PromotionClaims) -> None:
    """Lock the promotions of the claims, the promotions already reserved for the cart, and their campaigns.

    Only promotions and campaigns that have a limit are locked. A transaction that may release uses and reserve
    others must call this first.
    """
    if claims.is_empty:
        return
    held = select(PromotionUse.promotion_id).where(PromotionUse.holder == claims.context.cart_id)
    ids = {*claims.amounts, *(await session.execute(held)).scalars()}
    if not ids:
        return
    found = select(Promotion.campaign_id).where(Promotion.id.in_(ids), Promotion.campaign_id.is_not(None))
    campaigns = set((await session.execute(found)).scalars())
    bounded = select(Promotion).where(Promotion.id.in_(ids), Promotion.use_limit.is_not(None))
    await session.execute(lock_rows(bounded.order_by(Promotion.id)))
    if campaigns:
        budgets = select(Campaign).where(Campaign.id.in_(campaigns), Campaign.budget_limit.is_not(None))
        await session.execute(lock_rows(budgets.order_by(Campaign.id)))


async def reserve_uses(session: AsyncSession, claims: PromotionClaims) -> None:
    """Reserve one use of each promotion for the cart, replacing its earlier reservations.

    A use that is already reserved for the cart and the same customer stays valid, even if the promotion has ended or
    is used up: the customer has agreed to that price.

    Raises:
        PromotionUsedUp: a promotion has no use left. Nothing is reserved; the caller must roll the transaction
            back.
    """
    if claims.is_empty:
        return
    holder, context = claims.context.cart_id, claims.context
    own = await _list_uses(session, holder)
    if not own and not claims.amounts:
        return
    await lock_promotions(session, claims)
    kept_ids: set[str] = set()
    for use in own:
        is_same_buyer = (use.customer_id, use.buyer) == (context.customer_id, context.customer_hash)
        if use.confirmed_at is not None or (use.promotion_id in claims.amounts and is_same_buyer):
            use.amount = claims.amounts.get(use.promotion_id, use.amount)
            kept_ids.add(use.promotion_id)
        else:
            await session.delete(use)
    await session.flush()
    new = [promotion_id for promotion_id in claims.amounts if promotion_id not in kept_ids]
    budgets = BudgetTracker()
    for candidate in await list_named_candidates(session, context, new) if new else ():
        promotion = candidate.promotion
        if candidate.find_exhaustion() or not budgets.take(candidate.budget, claims.amounts[promotion.id]):
            raise PromotionUsedUp(USED_UP.format(code=promotion.code))
        session.add(_build_use(claims, promotion.id))
    await session.flush()


async def confirm_uses(session: AsyncSession, claims: PromotionClaims) -> None:
    """Confirm the uses of a paid cart, so that they are never released.

    Uses that were released before the payment arrived are stored again. They do not count towards the promotion's
    limit.
    """
    if not claims.amounts:
        return
    moment = await database_now(session)
    own = {use.promotion_id: use for use in await _list_uses(session, claims.context.cart_id)}
    for promotion_id in claims.amounts:
        use = own.get(promotion_id)
        if use is None:
            use = _build_use(claims, promotion_id)
            use.is_counted = False
            session.add(use)
        use.confirmed_at = use.confirmed_at or moment
    await session.flush()


async def release_uses(session: AsyncSession, holder: str) -> None:
    """Release the cart's reserved uses that are not confirmed."""
    for use in await _list_uses(session, holder):
        if use.confirmed_at is None:
            await session.delete(use)
    await session.flush()


async def _list_uses(session: AsyncSession, holder: str) -> Sequence[PromotionUse]:
    return (await session.execute(_USES, {"holder": holder})).scalars().all()


_USES = select(PromotionUse).where(PromotionUse.holder == bindparam("holder"))


def _build_use(claims: PromotionClaims, promotion_id: str) -> PromotionUse:
    return PromotionUse(
        promotion_id=promotion_id,
        holder=claims.context.cart_id,
        amount=claims.amounts[promotion_id],
        customer_id=claims.context.customer_id,
        buyer=claims.context.customer_hash,
    )
