"""Promotion codes that were typed into a cart."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import read_contents
from backend.cart.events import CartChanged
from backend.cart.models import Cart
from backend.cart.totals import to_bought_lines, to_promotion_context
from backend.core.clock import now
from backend.core.db.tables import table_of
from backend.core.errors import InvalidData
from backend.core.events import publish
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.promotions.eligibility import (
    CandidateResult,
    Obstacle,
    evaluate_candidates,
    list_candidates,
    list_named_candidates,
)
from backend.promotions.kinds import PromotionStatus
from backend.promotions.models import CartPromotion, Promotion
from backend.promotions.service import normalize_code
from backend.rate_limit.limiter import RateLimit

PROMO_CODES = RateLimit("promotion code", per_pair=20, per_client=300, per_subject=30)
"""Limit of the codes that may be typed in a quarter of an hour, so that codes cannot be found by trying."""
MAX_CODES = 10
"""Maximum number of codes of a cart."""
UNKNOWN_CODE = "The promotion code {code} is invalid"
REFUSAL_MESSAGES = {
    Obstacle.NOT_YET: "The promotion code {code} is not valid yet",
    Obstacle.ENDED: "The promotion code {code} has ended",
    Obstacle.USED_UP: "The promotion code {code} is used up",
    Obstacle.USED_BEFORE: "The promotion code {code} was used by this customer before",
    Obstacle.BELOW_MINIMUM: "The promotion code {code} needs {missing} pesos more in the cart",
    Obstacle.NOT_FOR_YOU: "The promotion code {code} does not apply to this cart",
    Obstacle.NO_ITEMS: "The promotion code {code} applies to no product in the cart",
    Obstacle.TOO_FEW_UNITS: "The promotion code {code} needs more units of its products in the cart",
    Obstacle.NOT_COMBINED: "The promotion code {code} cannot be combined with promotions that save more",
}

SHOPPER_REFUSALS = {
    Obstacle.OFF: _("No conocemos ese código. Revisa que esté bien escrito."),
    Obstacle.NOT_YET: _("Este código todavía no empieza."),
    Obstacle.ENDED: _("Este código ya terminó."),
    Obstacle.USED_UP: _("Este código ya se usó todas las veces que se podía."),
    Obstacle.USED_BEFORE: _("Ya usaste este código."),
    Obstacle.BELOW_MINIMUM: _("Para usar este código te faltan {missing} en productos."),
    Obstacle.NOT_FOR_YOU: _("Este código no es para esta compra."),
    Obstacle.NO_ITEMS: _("Este código no aplica a los productos de tu carrito."),
    Obstacle.TOO_FEW_UNITS: _("Este código aplica si llevas más unidades de los productos de la oferta."),
    Obstacle.NOT_COMBINED: _(
        "Este código no se suma con las otras ofertas de tu carrito, que te ahorran más."
    ),
}
"""Refusal messages for shoppers, by obstacle. `REFUSAL_MESSAGES` has the messages for API clients."""


def format_refusal(refused: "CandidateResult | CodeRefused") -> str:
    """Return the reason why a code gives no discount, as a text for the shopper."""
    words = SHOPPER_REFUSALS[refused.obstacle or Obstacle.OFF]
    return words.format(missing=format_cop(refused.missing))


class CodeRefused(InvalidData):
    """The code gives no discount for this cart.

    Attributes:
        obstacle: the reason. It is None for an unknown code, and also for a draft promotion or one that staff
            ended, so that the caller cannot learn which codes exist.
        missing: pesos of products that must be added to reach the minimum of the promotion.
    """

    def __init__(self, code: str, obstacle: Obstacle | None = None, missing: Cop = 0) -> None:
        visible = None if obstacle is Obstacle.OFF else obstacle
        super().__init__(
            (REFUSAL_MESSAGES[visible] if visible else UNKNOWN_CODE).format(code=code, missing=missing)
        )
        self.obstacle = visible
        self.missing = missing


async def add_codes(session: AsyncSession, cart: Cart, codes: Sequence[str]) -> None:
    """Add codes to the (locked) cart. Codes that it already has are ignored.

    Raises:
        CodeRefused: a code gives no discount for this cart.
        InvalidData: the cart would have too many codes.
    """
    codes_by_key = {normalize_code(code): code for code in codes}
    ids_by_key = dict((await session.execute(_promotions_query(list(codes_by_key)))).all())
    for key, code in codes_by_key.items():
        if key not in ids_by_key:
            raise CodeRefused(code)
    typed = await _list_typed_ids(session, cart.id)
    new = {key: promotion_id for key, promotion_id in ids_by_key.items() if promotion_id not in typed}
    if not new:
        return
    if len(typed) + len(new) > MAX_CODES:
        raise InvalidData(f"A cart has at most {MAX_CODES} promotion codes")
    for judged in await _evaluate_codes(session, cart, list(new.values())):
        if judged.obstacle is not None:
            promotion = judged.candidate.promotion
            raise CodeRefused(codes_by_key[promotion.code_key], judged.obstacle, judged.missing)
    for key in codes_by_key:
        if key in new:
            session.add(CartPromotion(cart_id=cart.id, promotion_id=new[key], created_at=now()))
            await session.flush()
    await _publish_change(session, cart)


async def remove_codes(session: AsyncSession, cart: Cart, codes: Sequence[str]) -> None:
    """Remove codes from the (locked) cart. Codes that it does not have are ignored.

    A code can be removed in any state of its promotion.
    """
    removed_keys = set(map(normalize_code, codes))
    await _remove_codes(
        session, cart, [one for one in await _list_own_codes(session, cart.id) if one[0] in removed_keys]
    )


async def set_codes(session: AsyncSession, cart: Cart, codes: Sequence[str]) -> None:
    """Replace the codes that the shopper typed into the (locked) cart by these.

    An API client reads the cart's codes, changes the list, and sends it back. So codes that the cart already
    has are kept without a new check, and codes of automatic promotions are ignored.

    Raises:
        CodeRefused, InvalidData: see `add_codes`.
    """
    codes_by_key = {normalize_code(code): code for code in codes}
    own = await _list_own_codes(session, cart.id)
    await _remove_codes(session, cart, [one for one in own if one[0] not in codes_by_key])
    if not codes_by_key:
        return
    ignored_keys = {key for key, _id in own} | await _find_automatic_keys(session, list(codes_by_key))
    known_keys = {key for key, _id in (await session.execute(_promotions_query(list(codes_by_key)))).all()}
    await add_codes(
        session,
        cart,
        [code for key, code in codes_by_key.items() if key in known_keys or key not in ignored_keys],
    )


async def list_codes(session: AsyncSession, cart_id: str) -> list[str]:
    """Return the codes that were typed into the cart, including those that give no discount."""
    typed = select(Promotion.code).join(CartPromotion, CartPromotion.promotion_id == Promotion.id)
    return list((await session.execute(typed.where(CartPromotion.cart_id == cart_id))).scalars())


async def copy_codes(session: AsyncSession, cart_id: str, into: str) -> None:
    """Copy the codes of a cart to a new cart. They are not checked, so codes that no longer apply are copied, too."""
    typed = await session.execute(select(CartPromotion).where(CartPromotion.cart_id == cart_id))
    for one in typed.scalars().all():
        session.add(CartPromotion(cart_id=into, promotion_id=one.promotion_id, created_at=one.created_at))
    await session.flush()


async def move_codes(session: AsyncSession, old: Cart, cart: Cart) -> list[CandidateResult]:
    """Add the codes of the cart `old` to the (locked) `cart`, if they apply to it and there is room.

    Returns:
        The result of each code that was not added. Its `obstacle` is None if the code applies, but the cart
            has no room for it.
    """
    typed = await _list_typed_ids(session, cart.id)
    judged = await _evaluate_codes(session, cart, sorted(await _list_typed_ids(session, old.id) - typed))
    # promotions that staff have made automatic since then need no code
    codes = [one for one in judged if not one.candidate.promotion.is_automatic]
    applying = [one for one in codes if one.obstacle is None]
    room = MAX_CODES - len(typed)
    for one in applying[:room]:
        await add_codes(session, cart, [one.candidate.promotion.code])
    return [*(one for one in codes if one.obstacle is not None), *applying[room:]]


async def _evaluate_codes(
    session: AsyncSession, cart: Cart, promotion_ids: Sequence[str]
) -> Sequence[CandidateResult]:
    """Return the results of these promotions for the cart, as if their codes had been added to it."""
    if not promotion_ids:
        return ()
    contents = await read_contents(session, cart.id)
    bought, method = to_bought_lines(contents.lines), contents.method
    context = to_promotion_context(cart)
    current = await list_candidates(session, context)
    new = set(promotion_ids) - {one.promotion.id for one in current}
    candidates = [*current, *await list_named_candidates(session, context, list(new))]
    evaluated = await evaluate_candidates(session, candidates, context, bought)
    found = evaluated.apply(method.amount if method else None)
    return [one for one in found.results if one.candidate.promotion.id in promotion_ids]


async def _list_typed_ids(session: AsyncSession, cart_id: str) -> set[str]:
    own = select(CartPromotion.promotion_id).where(CartPromotion.cart_id == cart_id)
    return set((await session.execute(own)).scalars())


async def _list_own_codes(session: AsyncSession, cart_id: str) -> list[tuple[str, str]]:
    """Return the normalized code and the promotion id of each code that was typed into the cart.

    Codes of promotions that have been deleted or made automatic since are included.
    """
    own = select(Promotion.code_key, Promotion.id).join(
        CartPromotion, CartPromotion.promotion_id == Promotion.id
    )
    rows = await session.execute(own.where(CartPromotion.cart_id == cart_id))
    return [(key, promotion_id) for key, promotion_id in rows]


async def _find_automatic_keys(session: AsyncSession, keys: Sequence[str]) -> set[str]:
    """Return those of the normalized codes that belong to active automatic promotions."""
    query = select(Promotion.code_key).where(
        Promotion.code_key.in_(keys),
        Promotion.is_automatic,
        Promotion.status == PromotionStatus.ACTIVE,
        Promotion.deleted_at.is_(None),
    )
    return set((await session.execute(query)).scalars())


def _promotions_query(keys: Sequence[str]) -> Any:
    return select(Promotion.code_key, Promotion.id).where(
        Promotion.code_key.in_(keys), Promotion.deleted_at.is_(None), Promotion.is_automatic.is_(False)
    )


async def _remove_codes(session: AsyncSession, cart: Cart, codes: Sequence[tuple[str, str]]) -> None:
    if not codes:
        return
    typed = table_of(CartPromotion)
    ids = [promotion_id for _key, promotion_id in codes]
    of_cart = delete(typed).where(typed.c.cart_id == cart.id, typed.c.promotion_id.in_(ids))
    if (await session.execute(of_cart.returning(typed.c.promotion_id))).first():
        await _publish_change(session, cart)


async def _publish_change(session: AsyncSession, cart: Cart) -> None:
    """Publish `CartChanged`, because the cart's price may have changed.

    A started payment that is not at a bank yet becomes invalid.
    """
    cart.updated_at = now()
    await session.flush()
    await publish(session, CartChanged(cart.id))
