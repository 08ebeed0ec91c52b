"""Messages of a cart about events that its shopper has not caused: merges, deleted variants, dropped codes.

A message is stored in the transaction of the event, until the shopper dismisses it. So a reload, another device and
another replica show the same messages. No personal data is stored: only titles, units and codes.
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
from backend.core.db.database import lock_rows
from backend.core.db.tables import JsonObject
from backend.core.events import subscribe
from backend.core.ids import new_id
from backend.promotions.eligibility import CandidateResult

MAX_NEWS = 20
"""Maximum number of a cart's messages that are shown: the latest ones."""
NEWS_RETENTION = timedelta(days=60)
"""Time for which messages are stored: longer than an abandoned cart."""


class NewsKind(StrEnum):
    """Kinds of stored messages, with the content of their `detail`."""

    JOINED = "joined"
    """Two carts were merged at sign-in: `added` and `had`, lists of `CartUnits`."""
    NO_STOCK = "no_stock"
    """Fewer units than requested were moved to the cart, as no more are available: `units`, a list of `CartUnits`."""
    NO_ROOM = "no_room"
    """Fewer units than requested were moved, as the cart is full: `units`, a list of `CartUnits`."""
    DELETED = "deleted"
    """A variant was deleted: `units`, one `CartUnits`."""
    CODE = "code"
    """A code was not moved: `code`, `missing` (pesos) and `obstacle` (an `Obstacle`; None: too many codes)."""


@dataclass(frozen=True, slots=True)
class CartUnits:
    """Units of a variant, with the title that the shopper knows."""

    title: str
    quantity: int
    product_id: str


def format_full_title(title: str, variant_title: str) -> str:
    """Return the product's title with the variant's name, if it has one."""
    name = variant_name(variant_title)
    return f"{title}, {name}" if name else title


async def read_line_units(session: AsyncSession, lines: Sequence[Line]) -> dict[str, CartUnits]:
    """Return the units of each line, by line id, including products that are no longer for sale."""
    ids = {line.variant.product_id for line in lines}
    titles = await _read_titles(session, ids)
    return {
        line.item.id: CartUnits(
            format_full_title(titles[line.variant.product_id], line.variant.title),
            line.item.quantity,
            line.variant.product_id,
        )
        for line in lines
    }


async def _read_titles(session: AsyncSession, product_ids: set[str]) -> dict[str, str]:
    query = select(Product.id, Product.title).where(Product.id.in_(product_ids))
    return dict((await session.execute(query)).all())


async def add_news(session: AsyncSession, cart_id: str, kind: NewsKind, detail: JsonObject) -> None:
    """Store a message to the (locked) cart's shopper, unless the cart already has the same message."""
    await session.flush()
    stored_details = select(CartNews.detail).where(CartNews.cart_id == cart_id, CartNews.kind == kind)
    if detail not in (await session.execute(stored_details)).scalars().all():
        session.add(CartNews(cart_id=cart_id, kind=kind, detail=detail, created_at=now()))
        await session.flush()


async def add_units_news(
    session: AsyncSession, cart_id: str, kind: NewsKind, units: Iterable[CartUnits]
) -> None:
    """Store a message to the (locked) cart's shopper about these units; do nothing without units."""
    if rows := [asdict(one) for one in units]:
        await add_news(session, cart_id, kind, {"units": rows})


async def add_code_news(session: AsyncSession, cart_id: str, codes: Iterable[CandidateResult]) -> None:
    """Store a message to the (locked) cart's shopper for each code that was not moved to the cart."""
    for one in codes:
        code = one.candidate.promotion.code
        detail = {"code": code, "obstacle": one.obstacle and str(one.obstacle), "missing": one.missing}
        await add_news(session, cart_id, NewsKind.CODE, detail)


async def move_news(session: AsyncSession, cart_id: str, into: str) -> None:
    """Move the messages of a cart to the cart that replaces it. Both must be locked."""
    moved = update(CartNews).where(CartNews.cart_id == cart_id).values(cart_id=into)
    await session.execute(moved.execution_options(synchronize_session=False))


async def dismiss_news(session: AsyncSession, cart_id: str, news_id: str) -> None:
    """Delete a message of this cart. Unknown ids are ignored."""
    dismissed = delete(CartNews).where(CartNews.id == news_id, CartNews.cart_id == cart_id)
    await session.execute(dismissed.execution_options(synchronize_session=False))


@subscribe(VariantsDeleted)
async def add_deletion_news(session: AsyncSession, event: VariantsDeleted) -> None:
    """Store a message in every open cart that loses lines because these variants are deleted.

    First the variants are locked: a shopper who adds one of them at the same time either has already added it, or
    is refused. Then the lines are locked, because a merge of carts may be moving them. Carts are not locked: a
    paying shopper's request locks its cart and then waits for the stock, so locking the cart here could cause a
    deadlock.
    """
    variants = lock_rows(select(Variant).where(Variant.id.in_(event.variant_ids)).order_by(Variant.id))
    by_id = {one.id: one for one in (await session.execute(variants)).scalars()}
    of_variants = LineItem.variant_id.in_(event.variant_ids)
    lines = (
        await session.execute(lock_rows(select(LineItem).where(of_variants).order_by(LineItem.id)))
    ).scalars()
    quantities: Counter[tuple[str, str]] = Counter()
    for line in lines:
        quantities[line.cart_id, line.variant_id] += line.quantity
    if not quantities:
        return
    in_carts = select(LineItem.cart_id).where(of_variants)
    open_carts = select(Cart.id).where(Cart.id.in_(in_carts), Cart.completed_at.is_(None))
    open_ids = set((await session.execute(open_carts)).scalars())
    titles = await _read_titles(session, {one.product_id for one in by_id.values()})
    rows = []
    for (cart_id, variant_id), quantity in quantities.items():
        if cart_id not in open_ids:
            continue
        variant = by_id[variant_id]
        units = CartUnits(
            format_full_title(titles[variant.product_id], variant.title), quantity, variant.product_id
        )
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
