"""What the shop does with reviews: it shows or refuses each, and may answer it. It changes no word of them.

What is shown is counted on the product, under the lock of its row: whoever changes reviews of a product locks the
product first.
"""

from collections.abc import Sequence

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, forget_personal_values, record
from backend.catalog.events import ProductChanged
from backend.catalog.models import Product
from backend.core.db.database import database_now, locked
from backend.core.db.tables import get_or_404, table_of
from backend.core.errors import Conflict, InvalidData
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import paragraphs
from backend.reviews.models import Review, ReviewState
from backend.staff.rights import Actor, Right

LONGEST_REFUSAL, LONGEST_ANSWER = 500, 2000


async def show_review(session: AsyncSession, actor: Actor, review_id: str, *, seen: str) -> Review:
    """Show it on the product's page.

    Args:
        actor: who shows it.
        review_id: which.
        seen: its `written_at` as it was read, in ISO 8601: what its buyer changed since is not shown unread.

    Raises:
        Forbidden: the role may not change what pages show of products.
        NotFound: nothing has this id.
        Conflict: it is shown already, or is not what was read.
    """
    actor.require(Right.CHANGE_CATALOG)
    return await _decide(session, actor, review_id, ReviewState.SHOWN, seen=seen)


async def refuse_review(session: AsyncSession, actor: Actor, review_id: str, reason: str) -> Review:
    """Do not show it, or no longer. Its buyer reads the reason.

    Raises:
        Forbidden: the role may not change what pages show of products.
        InvalidData: there is no reason, or it is too long; `fields` says so.
        NotFound: nothing has this id.
        Conflict: it is refused already.
    """
    actor.require(Right.CHANGE_CATALOG)
    reason = paragraphs(reason)
    if not reason or len(reason) > LONGEST_REFUSAL:
        raise InvalidData(
            "The reason does not fit", fields={"refusal": _("Escribe por qué, en pocas palabras.")}
        )
    return await _decide(session, actor, review_id, ReviewState.REFUSED, refusal=reason)


async def answer_review(session: AsyncSession, actor: Actor, review_id: str, answer: str) -> Review:
    """Say something to it, or something else; nothing takes the answer away.

    Raises:
        Forbidden: the role may not change what pages show of products.
        InvalidData: the answer is too long; `fields` says so.
        NotFound: nothing has this id.
    """
    actor.require(Right.CHANGE_CATALOG)
    answer = paragraphs(answer)
    if len(answer) > LONGEST_ANSWER:
        words = _("Usa máximo {count} caracteres.").format(count=LONGEST_ANSWER)
        raise InvalidData("The answer does not fit", fields={"answer": words})
    row = await _locked(session, review_id)
    await record(session, actor, "answered", Subject(Thing.REVIEW, row.id))
    row.answer, row.answered_at = answer, await database_now(session) if answer else None
    await publish(session, ProductChanged(row.product_id))
    return row


async def delete_reviews(session: AsyncSession, actor: Actor, order_ids: Sequence[str]) -> None:
    """Delete what the buyers of these orders said, with what the audit kept of it. Files are tidied later."""
    mine = Review.order_id.in_(order_ids)
    rows = (await session.execute(select(Review.id, Review.product_id).where(mine))).all()
    for product_id in sorted({row.product_id for row in rows}):
        await _lock_product(session, product_id)
    await session.execute(delete(table_of(Review)).where(table_of(Review).c.id.in_([row.id for row in rows])))
    for product_id in sorted({row.product_id for row in rows}):
        await count_reviews(session, product_id)
    for row in rows:
        await forget_personal_values(session, actor, Subject(Thing.REVIEW, row.id))


async def count_reviews(session: AsyncSession, product_id: str) -> None:
    """Note on the (locked) product how many of its reviews are shown, and their stars, and tell the open pages."""
    await session.flush()
    shown = (Review.product_id == product_id) & (Review.state == ReviewState.SHOWN)
    query = select(func.count(), func.coalesce(func.sum(Review.stars), 0)).where(shown)
    count, total = (await session.execute(query)).one()
    product = table_of(Product)
    await session.execute(
        update(product)
        .where(product.c.id == product_id)
        .values(rating_count=count, rating_total=int(total), updated_at=product.c.updated_at)
    )
    await publish(session, ProductChanged(product_id))


async def _decide(
    session: AsyncSession,
    actor: Actor,
    review_id: str,
    state: ReviewState,
    *,
    seen: str | None = None,
    refusal: str = "",
) -> Review:
    row = await _locked(session, review_id)
    if seen is not None and seen != row.written_at.isoformat():
        raise Conflict(f"Review {review_id} was changed by its buyer meanwhile")
    if row.state == state:
        raise Conflict(f"Review {review_id} is {state} already")
    action = "review shown" if state == ReviewState.SHOWN else "review refused"
    await record(session, actor, action, Subject(Thing.REVIEW, row.id))
    row.state, row.refusal, row.decided_at = state, refusal, await database_now(session)
    await count_reviews(session, row.product_id)
    return row


async def _locked(session: AsyncSession, review_id: str) -> Review:
    product_id = (
        await session.execute(select(Review.product_id).where(Review.id == review_id))
    ).scalar_one_or_none()
    if product_id is not None:
        await _lock_product(session, product_id)
    return await get_or_404(
        session, locked(select(Review).where(Review.id == review_id)), "Review", review_id
    )


async def _lock_product(session: AsyncSession, product_id: str) -> None:
    await session.execute(locked(select(Product.id).where(Product.id == product_id)))
