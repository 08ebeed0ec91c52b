"""Moderation of reviews: staff show or refuse each one, and may answer it. They cannot change its text.

The number of shown reviews is stored in the product's row, under a lock of this row. Code that changes reviews of a
product must lock the product first.
"""

from collections.abc import Sequence

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, forget_personal_values, record
from backend.catalog.events import ProductChanged
from backend.catalog.models import Product
from backend.core.db.database import database_now, lock_rows
from backend.core.db.tables import get_or_404, table_of
from backend.core.errors import Conflict, InvalidData
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import to_paragraphs
from backend.reviews.models import Review, ReviewState
from backend.staff.rights import Actor, Right

MAX_REFUSAL_LENGTH, MAX_ANSWER_LENGTH = 500, 2000


async def show_review(session: AsyncSession, actor: Actor, review_id: str, *, seen: str) -> Review:
    """Show the review on the product's page.

    Args:
        actor: the staff member who shows it.
        review_id: the review.
        seen: the `written_at` of the version that the actor read, in ISO 8601. It prevents the publication of a
            text that the customer has changed since.

    Raises:
        Forbidden: the actor may not change the catalogue.
        NotFound: the review does not exist.
        Conflict: it is already shown, or its text has changed since.
    """
    actor.require(Right.CHANGE_CATALOG)
    return await _decide(session, actor, review_id, ReviewState.SHOWN, seen=seen)


async def refuse_review(session: AsyncSession, actor: Actor, review_id: str, reason: str) -> Review:
    """Refuse the review, or hide a shown one. Its customer sees the reason.

    Raises:
        Forbidden: the actor may not change the catalogue.
        InvalidData: the reason is empty or too long; `fields` has the error.
        NotFound: the review does not exist.
        Conflict: it is already refused.
    """
    actor.require(Right.CHANGE_CATALOG)
    reason = to_paragraphs(reason)
    if not reason or len(reason) > MAX_REFUSAL_LENGTH:
        raise InvalidData(
            "The reason is empty or too long", fields={"refusal": _("Escribe por qué, en pocas palabras.")}
        )
    return await _decide(session, actor, review_id, ReviewState.REFUSED, refusal=reason)


async def answer_review(session: AsyncSession, actor: Actor, review_id: str, answer: str) -> Review:
    """Set or change the shop's answer; an empty text deletes it.

    Raises:
        Forbidden: the actor may not change the catalogue.
        InvalidData: the answer is too long; `fields` has the error.
        NotFound: the review does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    answer = to_paragraphs(answer)
    if len(answer) > MAX_ANSWER_LENGTH:
        words = _("Usa máximo {count} caracteres.").format(count=MAX_ANSWER_LENGTH)
        raise InvalidData("The answer is too long", fields={"answer": words})
    row = await _lock_review(session, review_id)
    await record(session, actor, "answered", Subject(SubjectType.REVIEW, row.id))
    row.answer, row.answered_at = answer, await database_now(session) if answer else None
    await publish(session, ProductChanged(row.product_id))
    return row


async def delete_reviews(session: AsyncSession, actor: Actor, order_ids: Sequence[str]) -> None:
    """Delete the reviews of these orders, and remove their personal data from the audit log.

    The files of the reviews' pictures are deleted later.
    """
    mine = Review.order_id.in_(order_ids)
    rows = (await session.execute(select(Review.id, Review.product_id).where(mine))).all()
    for product_id in sorted({row.product_id for row in rows}):
        await _lock_product(session, product_id)
    await session.execute(delete(table_of(Review)).where(table_of(Review).c.id.in_([row.id for row in rows])))
    for product_id in sorted({row.product_id for row in rows}):
        await count_reviews(session, product_id)
    for row in rows:
        await forget_personal_values(session, actor, Subject(SubjectType.REVIEW, row.id))


async def count_reviews(session: AsyncSession, product_id: str) -> None:
    """Store the number and the sum of stars of the product's shown reviews, and publish `ProductChanged`.

    The caller has locked the product.
    """
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
    row = await _lock_review(session, review_id)
    if seen is not None and seen != row.written_at.isoformat():
        raise Conflict(f"Review {review_id} was changed by its customer since")
    if row.state == state:
        raise Conflict(f"Review {review_id} is {state} already")
    action = "review shown" if state == ReviewState.SHOWN else "review refused"
    await record(session, actor, action, Subject(SubjectType.REVIEW, row.id))
    row.state, row.refusal, row.decided_at = state, refusal, await database_now(session)
    await count_reviews(session, row.product_id)
    return row


async def _lock_review(session: AsyncSession, review_id: str) -> Review:
    product_id = (
        await session.execute(select(Review.product_id).where(Review.id == review_id))
    ).scalar_one_or_none()
    if product_id is not None:
        await _lock_product(session, product_id)
    return await get_or_404(
        session, lock_rows(select(Review).where(Review.id == review_id)), "Review", review_id
    )


async def _lock_product(session: AsyncSession, product_id: str) -> None:
    await session.execute(lock_rows(select(Product.id).where(Product.id == product_id)))
