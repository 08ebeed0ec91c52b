"""The codes of promotions that were typed into a cart."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import read_contents
from backend.cart.events import CartChanged
from backend.cart.models import Cart
from backend.cart.totals import bought_lines, buying_of
from backend.core.clock import now
from backend.core.db.tables import table_of
from backend.core.errors import InvalidData
from backend.core.events import publish
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.promotions.eligibility import Judged, Obstacle, candidates_of, discounts_by, named_candidates
from backend.promotions.kinds import PromotionStatus
from backend.promotions.models import CartPromotion, Promotion
from backend.promotions.service import code_key
from backend.rate_limit.limiter import RateLimit

PROMO_CODES = RateLimit("promotion code", per_pair=20, per_client=300, per_subject=30)
"""How often codes are typed in a quarter of an hour: a code must not be found by trying."""
MOST_CODES = 10
"""How many codes one cart has."""
UNKNOWN = "The promotion code {code} is invalid"
WHY = {
    Obstacle.NOT_YET: "The promotion code {code} is not valid yet",
    Obstacle.ENDED: "The promotion code {code} has ended",
    Obstacle.USED_UP: "The promotion code {code} is used up",
    Obstacle.USED_BEFORE: "The promotion code {code} was used by this customer before",
    Obstacle.BELOW_MINIMUM: "The promotion code {code} needs {missing} pesos more in the cart",
    Obstacle.NOT_FOR_YOU: "The promotion code {code} does not apply to this cart",
    Obstacle.NO_ITEMS: "The promotion code {code} is for nothing that is in the cart",
}

REFUSALS = {
    Obstacle.OFF: _("No conocemos ese código. Revisa que esté bien escrito."),
    Obstacle.NOT_YET: _("Este código todavía no empieza."),
    Obstacle.ENDED: _("Este código ya terminó."),
    Obstacle.USED_UP: _("Este código ya se usó todas las veces que se podía."),
    Obstacle.USED_BEFORE: _("Ya usaste este código."),
    Obstacle.BELOW_MINIMUM: _("Para usar este código te faltan {missing} en juguetes."),
    Obstacle.NOT_FOR_YOU: _("Este código no es para esta compra."),
    Obstacle.NO_ITEMS: _("Este código no aplica a los juguetes de tu carrito."),
}
"""The same for shoppers."""


def refusal_of(refused: "Judged | CodeRefused") -> str:
    """Why a code takes nothing off, for a shopper."""
    words = REFUSALS[refused.obstacle or Obstacle.OFF]
    return words.format(missing=format_cop(refused.missing))


class CodeRefused(InvalidData):
    """A code that takes nothing off the cart.

    Attributes:
        obstacle: why; None for one that there is not, or is not any more: which of the two is nobody's business.
        missing: the pesos of toys that are missing for its minimum.
    """

    def __init__(self, code: str, obstacle: Obstacle | None = None, missing: Cop = 0) -> None:
        known = None if obstacle is Obstacle.OFF else obstacle
        super().__init__((WHY[known] if known else UNKNOWN).format(code=code, missing=missing))
        self.obstacle = known
        self.missing = missing


async def add_codes(session: AsyncSession, cart: Cart, codes: Sequence[str]) -> None:
    """Type codes into the (locked) cart. One that it has already changes nothing.

    Raises:
        CodeRefused: a code takes nothing off this cart.
        InvalidData: these are too many.
    """
    wanted = {code_key(code): code for code in codes}
    known = dict((await session.execute(_promotions(list(wanted)))).all())
    for key, code in wanted.items():
        if key not in known:
            raise CodeRefused(code)
    typed = await _typed(session, cart.id)
    new = {key: promotion_id for key, promotion_id in known.items() if promotion_id not in typed}
    if not new:
        return
    if len(typed) + len(new) > MOST_CODES:
        raise InvalidData(f"A cart has at most {MOST_CODES} promotion codes")
    for judged in await _judged(session, cart, list(new.values())):
        if judged.obstacle is not None:
            promotion = judged.candidate.promotion
            raise CodeRefused(wanted[promotion.code_key], judged.obstacle, judged.missing)
    for key in wanted:
        if key in new:
            session.add(CartPromotion(cart_id=cart.id, promotion_id=new[key], created_at=now()))
            await session.flush()
    await _changed(session, cart)


async def remove_codes(session: AsyncSession, cart: Cart, codes: Sequence[str]) -> None:
    """Take codes out of the (locked) cart. One that it has not is not there afterwards either.

    A code that it has goes whatever has become of its promotion since.
    """
    gone = set(map(code_key, codes))
    await _remove(session, cart, [one for one in await _own_codes(session, cart.id) if one[0] in gone])


async def set_codes(session: AsyncSession, cart: Cart, codes: Sequence[str]) -> None:
    """Let the (locked) cart have these codes and no others.

    Programs send all that the cart shows, with what changes: a code that it has stays whatever has become of its
    promotion since, and what applies by itself is no code to be typed.

    Raises:
        CodeRefused, InvalidData: see `add_codes`.
    """
    wanted = {code_key(code): code for code in codes}
    own = await _own_codes(session, cart.id)
    await _remove(session, cart, [one for one in own if one[0] not in wanted])
    if not wanted:
        return
    shown = {key for key, _id in own} | await _automatic(session, list(wanted))
    known = {key for key, _id in (await session.execute(_promotions(list(wanted)))).all()}
    await add_codes(session, cart, [code for key, code in wanted.items() if key in known or key not in shown])


async def take_codes_along(session: AsyncSession, old: Cart, cart: Cart) -> list[Judged]:
    """Type the codes of an old cart into the (locked) one: those that still apply to it, as far as there is room.

    Returns:
        The codes that were left behind; without an obstacle where there was no room.
    """
    typed = await _typed(session, cart.id)
    judged = await _judged(session, cart, sorted(await _typed(session, old.id) - typed))
    # one that the office made automatic since is not typed any more
    codes = [one for one in judged if not one.candidate.promotion.is_automatic]
    applying = [one for one in codes if one.obstacle is None]
    room = MOST_CODES - len(typed)
    for one in applying[:room]:
        await add_codes(session, cart, [one.candidate.promotion.code])
    return [*(one for one in codes if one.obstacle is not None), *applying[room:]]


async def _judged(session: AsyncSession, cart: Cart, promotion_ids: Sequence[str]) -> Sequence[Judged]:
    """What these promotions would do to the cart if their codes were in it, beside what is."""
    if not promotion_ids:
        return ()
    contents = await read_contents(session, cart.id)
    bought, method = bought_lines(contents.lines), contents.method
    buying = buying_of(cart)
    here = await candidates_of(session, buying)
    new = set(promotion_ids) - {one.promotion.id for one in here}
    candidates = [*here, *await named_candidates(session, buying, list(new))]
    found = await discounts_by(session, candidates, buying, bought, method.amount if method else None)
    return [one for one in found.judged if one.candidate.promotion.id in promotion_ids]


async def _typed(session: AsyncSession, cart_id: str) -> set[str]:
    own = select(CartPromotion.promotion_id).where(CartPromotion.cart_id == cart_id)
    return set((await session.execute(own)).scalars())


async def _own_codes(session: AsyncSession, cart_id: str) -> list[tuple[str, str]]:
    """Key and promotion of every code that the cart has, also of those that are deleted or automatic by now."""
    own = select(Promotion.code_key, Promotion.id).join(
        CartPromotion, CartPromotion.promotion_id == Promotion.id
    )
    rows = await session.execute(own.where(CartPromotion.cart_id == cart_id))
    return [(key, promotion_id) for key, promotion_id in rows]


async def _automatic(session: AsyncSession, keys: Sequence[str]) -> set[str]:
    """Those of these keys that are of promotions which apply by themselves."""
    query = select(Promotion.code_key).where(
        Promotion.code_key.in_(keys),
        Promotion.is_automatic,
        Promotion.status == PromotionStatus.ACTIVE,
        Promotion.deleted_at.is_(None),
    )
    return set((await session.execute(query)).scalars())


def _promotions(keys: Sequence[str]) -> Any:
    return select(Promotion.code_key, Promotion.id).where(
        Promotion.code_key.in_(keys), Promotion.deleted_at.is_(None), Promotion.is_automatic.is_(False)
    )


async def _remove(session: AsyncSession, cart: Cart, gone: Sequence[tuple[str, str]]) -> None:
    if not gone:
        return
    typed = table_of(CartPromotion)
    ids = [promotion_id for _key, promotion_id in gone]
    of_cart = delete(typed).where(typed.c.cart_id == cart.id, typed.c.promotion_id.in_(ids))
    if (await session.execute(of_cart.returning(typed.c.promotion_id))).first():
        await _changed(session, cart)


async def _changed(session: AsyncSession, cart: Cart) -> None:
    """The cart costs something else now: what was started to be paid of it, and is at no bank, is not valid."""
    cart.updated_at = now()
    await session.flush()
    await publish(session, CartChanged(cart.id))
