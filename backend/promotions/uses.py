"""Uses of promotions: reserved with the payment that starts, confirmed when it has paid, given back when it has not.

Who reserves the last use of something holds the lock of its promotion, and of its campaign, until the transaction ends:
of two at once, the second counts what the first has taken. A promotion that has no bound is not locked.
Locks are taken in the order of the ids, promotions before campaigns, and before any stock is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import database_now, locked
from backend.core.errors import TotalChanged
from backend.core.money import Cop
from backend.promotions.discount_calculation import Budgets
from backend.promotions.eligibility import Buying, named_candidates
from backend.promotions.models import Campaign, Promotion, PromotionUse

GONE = "The promotion code {code} cannot be used any more: the total has changed, show it and ask again"


class UsesGone(TotalChanged):
    """Others have taken the last use of a promotion that the price was made with."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What promotions take off a cart: pesos by promotion, and for whom.

    `may_hold_uses`: False where the cart was seen, under its lock, to have no use reserved.
    """

    buying: Buying
    amounts: Mapping[str, Cop]
    may_hold_uses: bool = True

    @property
    def is_nothing(self) -> bool:
        """Whether there is nothing to reserve, and nothing to give back."""
        return not self.amounts and not self.may_hold_uses


async def lock_promotions(session: AsyncSession, taken: Taken) -> None:
    """Lock these promotions, those that the cart has reserved, and their campaigns, where they have a bound.

    Whoever may give uses back and reserve others in one transaction does this first.
    """
    if taken.is_nothing:
        return
    held = select(PromotionUse.promotion_id).where(PromotionUse.holder == taken.buying.cart_id)
    ids = {*taken.amounts, *(await session.execute(held)).scalars()}
    if not ids:
        return
    found = select(Promotion.campaign_id).where(Promotion.id.in_(ids), Promotion.campaign_id.is_not(None))
    campaigns = set((await session.execute(found)).scalars())
    bounded = select(Promotion).where(Promotion.id.in_(ids), Promotion.use_limit.is_not(None))
    await session.execute(locked(bounded.order_by(Promotion.id)))
    if campaigns:
        budgets = select(Campaign).where(Campaign.id.in_(campaigns), Campaign.budget_limit.is_not(None))
        await session.execute(locked(budgets.order_by(Campaign.id)))


async def reserve_uses(session: AsyncSession, taken: Taken) -> None:
    """Reserve one use of each promotion for the cart, in place of what it had reserved before.

    A use that the cart has stays its own, whatever has ended or been used up since: the price was agreed.

    Raises:
        UsesGone: there is none left of one of them; nothing is reserved (the transaction must roll back).
    """
    if taken.is_nothing:
        return
    holder, buying = taken.buying.cart_id, taken.buying
    own = await _uses_of(session, holder)
    if not own and not taken.amounts:
        return
    await lock_promotions(session, taken)
    kept: set[str] = set()
    for use in own:
        is_same_buyer = (use.customer_id, use.buyer) == (buying.customer_id, buying.buyer)
        if use.confirmed_at is not None or (use.promotion_id in taken.amounts and is_same_buyer):
            use.amount = taken.amounts.get(use.promotion_id, use.amount)
            kept.add(use.promotion_id)
        else:
            await session.delete(use)
    await session.flush()
    new = [promotion_id for promotion_id in taken.amounts if promotion_id not in kept]
    budgets = Budgets()
    for candidate in await named_candidates(session, buying, new) if new else ():
        promotion = candidate.promotion
        if candidate.exhausted() or not budgets.take(candidate.budget, taken.amounts[promotion.id]):
            raise UsesGone(GONE.format(code=promotion.code))
        session.add(_use(taken, promotion.id))
    await session.flush()


async def confirm_uses(session: AsyncSession, taken: Taken) -> None:
    """The cart is paid: its uses are not given back any more.

    What had been given back before the payment came is used all the same, and counts for nobody else.
    """
    if not taken.amounts:
        return
    moment = await database_now(session)
    own = {use.promotion_id: use for use in await _uses_of(session, taken.buying.cart_id)}
    for promotion_id in taken.amounts:
        use = own.get(promotion_id)
        if use is None:
            use = _use(taken, promotion_id)
            use.is_counted = False
            session.add(use)
        use.confirmed_at = use.confirmed_at or moment
    await session.flush()


async def release_uses(session: AsyncSession, holder: str) -> None:
    """Give back what the cart has reserved and not paid."""
    for use in await _uses_of(session, holder):
        if use.confirmed_at is None:
            await session.delete(use)
    await session.flush()


async def _uses_of(session: AsyncSession, holder: str) -> Sequence[PromotionUse]:
    return (await session.execute(_USES, {"holder": holder})).scalars().all()


_USES = select(PromotionUse).where(PromotionUse.holder == bindparam("holder"))


def _use(taken: Taken, promotion_id: str) -> PromotionUse:
    return PromotionUse(
        promotion_id=promotion_id,
        holder=taken.buying.cart_id,
        amount=taken.amounts[promotion_id],
        customer_id=taken.buying.customer_id,
        buyer=taken.buying.buyer,
    )
