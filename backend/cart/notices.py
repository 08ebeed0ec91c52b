"""Events of a cart that its shopper has not caused: what a merge moved or left out, deleted variants, dropped codes.

They are stored in the transaction that causes them, so that a reload, another device and another replica show the same,
until the shopper dismisses them. Nothing personal is stored: titles, units and codes.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from enum import StrEnum

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import Line
from backend.cart.models import Cart, CartNews, LineItem
from backend.catalog.events import VariantsDeleted
from backend.catalog.models import Product, Variant, variant_name
from backend.core.clock import now
from backend.core.db.database import locked
from backend.core.db.tables import JsonObject
from backend.core.events import subscribe
from backend.core.ids import new_id
from backend.promotions.eligibility import Judged

MAX_NEWS = 20
"""News shown of one cart, the latest."""
KEPT_FOR = timedelta(days=60)
"""Longer than a cart that nobody comes back to."""


class NewsKind(StrEnum):
    """Kinds of stored news, with what their `detail` holds."""

    JOINED = "joined"
    """Two carts became one at sign-in: `added` and `had`, lists of `CartUnits`."""
    NO_STOCK = "no_stock"
    """Fewer units than were wanted were moved to the cart, as there are no more: `units`, a list of `CartUnits`."""
    NO_ROOM = "no_room"
    """The same, as no more fit in a cart."""
    DELETED = "deleted"
    """A variant was deleted: `units`, one `CartUnits`."""
    CODE = "code"
    """A code was not moved to the cart: `code`, `obstacle` (of `Obstacle`; None: no room) and `missing` pesos."""


@dataclass(frozen=True, slots=True)
class CartUnits:
    """Units of a variant, by the title that a shopper knows."""

    title: str
    quantity: int
    product_id: str


def full_title(title: str, variant_title: str) -> str:
    """Return the product's title with the variant's name, where it has one."""
    name = variant_name(variant_title)
    return f"{title}, {name}" if name else title


async def units_of_lines(session: AsyncSession, lines: Sequence[Line]) -> dict[str, CartUnits]:
    """Return the units of each line by its id, also of products that are no longer for sale."""
    ids = {line.variant.product_id for line in lines}
    titles = await _titles_of(session, ids)
    return {
        line.item.id: CartUnits(
            full_title(titles[line.variant.product_id], line.variant.title),
            line.item.quantity,
            line.variant.product_id,
        )
        for line in lines
    }


async def _titles_of(session: AsyncSession, product_ids: set[str]) -> dict[str, str]:
    query = select(Product.id, Product.title).where(Product.id.in_(product_ids))
    return dict((await session.execute(query)).all())


async def add_news(session: AsyncSession, cart_id: str, kind: NewsKind, detail: JsonObject) -> None:
    """Store news of the (locked) cart. The same news that the shopper has not dismissed yet are not stored twice."""
    await session.flush()
    known = select(CartNews.detail).where(CartNews.cart_id == cart_id, CartNews.kind == kind)
    if detail not in (await session.execute(known)).scalars().all():
        session.add(CartNews(cart_id=cart_id, kind=kind, detail=detail, created_at=now()))
        await session.flush()


async def add_units_news(
    session: AsyncSession, cart_id: str, kind: NewsKind, units: Iterable[CartUnits]
) -> None:
    """Store news of units of the (locked) cart; nothing without any."""
    if rows := [asdict(one) for one in units]:
        await add_news(session, cart_id, kind, {"units": rows})


async def add_code_news(session: AsyncSession, cart_id: str, left_behind: Iterable[Judged]) -> None:
    """Store news of codes that were not moved to the (locked) cart."""
    for one in left_behind:
        code = one.candidate.promotion.code
        detail = {"code": code, "obstacle": one.obstacle and str(one.obstacle), "missing": one.missing}
        await add_news(session, cart_id, NewsKind.CODE, detail)


async def move_news(session: AsyncSession, cart_id: str, into: str) -> None:
    """Move the news of a cart to the one that takes its place. Both are locked."""
    moved = update(CartNews).where(CartNews.cart_id == cart_id).values(cart_id=into)
    await session.execute(moved.execution_options(synchronize_session=False))


async def dismiss_news(session: AsyncSession, cart_id: str, news_id: str) -> None:
    """Delete news of this cart. News that it does not have change nothing."""
    gone = delete(CartNews).where(CartNews.id == news_id, CartNews.cart_id == cart_id)
    await session.execute(gone.execution_options(synchronize_session=False))


@subscribe(VariantsDeleted)
async def add_deletion_news(session: AsyncSession, event: VariantsDeleted) -> None:
    """Store for every open cart which lines it loses with these variants.

    The variants are locked first: a shopper who adds one at this moment comes before, or is refused. Then the lines,
    which a merge may be moving. No cart is locked: a shopper who pays holds theirs and waits for the stock.
    """
    variants = locked(select(Variant).where(Variant.id.in_(event.variant_ids)).order_by(Variant.id))
    by_id = {one.id: one for one in (await session.execute(variants)).scalars()}
    of_variants = LineItem.variant_id.in_(event.variant_ids)
    lines = (
        await session.execute(locked(select(LineItem).where(of_variants).order_by(LineItem.id)))
    ).scalars()
    quantities: Counter[tuple[str, str]] = Counter()
    for line in lines:
        quantities[line.cart_id, line.variant_id] += line.quantity
    if not quantities:
        return
    in_carts = select(LineItem.cart_id).where(of_variants)
    open_carts = select(Cart.id).where(Cart.id.in_(in_carts), Cart.completed_at.is_(None))
    open_ids = set((await session.execute(open_carts)).scalars())
    titles = await _titles_of(session, {one.product_id for one in by_id.values()})
    rows = []
    for (cart_id, variant_id), quantity in quantities.items():
        if cart_id not in open_ids:
            continue
        variant = by_id[variant_id]
        units = CartUnits(full_title(titles[variant.product_id], variant.title), quantity, variant.product_id)
        rows.append(
            {
                "id": new_id("canews"),
                "cart_id": cart_id,
                "kind": NewsKind.DELETED,
                "detail": {"units": [asdict(units)]},
                "created_at": now(),
            }
        )
    if rows:
        await session.execute(insert(CartNews), rows)
