"""Moderation of reviews, their count, and their erasure."""

import asyncio
from datetime import UTC, datetime

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.audit import AuditEntry, AuditPersonalValue
from backend.catalog.models import Product
from backend.catalog.ratings import make_rating_view
from backend.catalog.storefront.page_content import product_detail
from backend.core.errors import Conflict, Forbidden, InvalidData, NotFound
from backend.core.ids import new_id
from backend.office.reviews import count_new_reviews, reviews_list
from backend.office.today import today_view
from backend.orders.models import Order
from backend.outbox.models import OutboxEvent
from backend.privacy.customer_data import find_data_subject, read_held_data
from backend.privacy.erasure import erase_person
from backend.reviews.models import Review
from backend.reviews.moderation import show_review
from backend.reviews.views import PAGE_SIZE, ProductReviews, reviews_of
from backend.staff.rights import COMMAND_LINE, Actor, Role
from tests.backend.returns.steps import Sold
from tests.backend.reviews.steps import approve, read_rating, reject, reply_to, submit_review


async def read_product_reviews(shop: Shop, page: int = 1) -> ProductReviews:
    async with shop.database.read() as session:
        product_id = (await session.execute(select(Product.id))).scalar_one()
        return await reviews_of(session, product_id, page)


@pytest.mark.parametrize(
    ("count", "total", "halves", "average"),
    [(1, 1, 2, "1,0"), (3, 13, 9, "4,3"), (4, 13, 6, "3,2"), (200, 999, 10, "5,0")],
)
def test_rating_is_formatted_in_numbers_and_words(count: int, total: int, halves: int, average: str) -> None:
    rating = make_rating_view(count, total)
    assert rating is not None
    assert (rating.halves, rating.average, rating.count) == (halves, average, count)
    assert rating.label.startswith(f"{average} de 5, {count} reseña")
    assert make_rating_view(0, 0) is None


async def test_only_approved_reviews_are_shown_and_counted(shop: Shop, bought: Sold) -> None:
    row = await submit_review(shop, bought)
    assert (await read_product_reviews(shop), await read_rating(shop)) == (ProductReviews(), (0, 0))
    async with shop.database.transaction() as session:
        with pytest.raises(Conflict):  # the customer changed it after it was read
            await show_review(session, COMMAND_LINE, row.id, seen="2026-01-01T00:00:00+00:00")
        with pytest.raises(NotFound):
            await show_review(session, COMMAND_LINE, "rev_none", seen="")
        for role in (Role.STOCKROOM, Role.ACCOUNTANT):
            with pytest.raises(Forbidden):
                await show_review(session, Actor("x", role), row.id, seen=row.written_at.isoformat())
    await approve(shop, row)
    with pytest.raises(Conflict):
        await approve(shop, row)
    await reply_to(shop, row, "¡Gracias!")
    part = await read_product_reviews(shop)
    assert [(one.stars, one.text, one.answer) for one in part.reviews] == [(4, row.text, "¡Gracias!")]
    assert [(one.stars, one.count) for one in part.counts] == [(5, 0), (4, 1), (3, 0), (2, 0), (1, 0)]
    assert (await read_rating(shop), part.rating) == ((1, 4), part.by_customers)
    async with shop.database.read() as session:
        detail = await product_detail(session, "trompo")
        events = (await session.execute(select(OutboxEvent))).scalars().all()
    assert detail.card.rating == part.rating
    assert {event.product_id for event in events} >= {detail.card.id}  # open pages are notified
    with pytest.raises(InvalidData):
        await reject(shop, row, " ")
    await reject(shop, row)
    assert (await read_product_reviews(shop), await read_rating(shop)) == (ProductReviews(), (0, 0))


async def test_concurrent_approvals_are_both_counted(shop: Shop, bought: Sold) -> None:
    first = await submit_review(shop, bought)
    second = await submit_other_review(shop, first, stars=1)
    await asyncio.gather(approve(shop, first), approve(shop, second))
    assert await read_rating(shop) == (2, 5)


async def submit_other_review(shop: Shop, like: Review, *, stars: int, is_demo: bool = False) -> Review:
    """Store another review of the same product, from another order or, if `is_demo`, without an order."""
    async with shop.database.transaction() as session:
        row = Review(
            product_id=like.product_id,
            order_id=None if is_demo else new_id("order"),
            name="Luis P.",
            stars=stars,
            text="Otra cosa.",
            written_at=like.written_at,
            is_demo=is_demo,
        )
        session.add(row)
    return row


async def test_reviews_are_paged_and_demo_reviews_are_marked(shop: Shop, bought: Sold) -> None:
    first = await submit_review(shop, bought)
    await approve(shop, first)
    for _number in range(PAGE_SIZE):
        await approve(shop, await submit_other_review(shop, first, stars=1, is_demo=True))
    part = await read_product_reviews(shop)
    assert (len(part.reviews), part.page, part.pages) == (PAGE_SIZE, 1, 2)
    last = await read_product_reviews(shop, 99)
    assert (len(last.reviews), last.page) == (1, 2)
    assert not {one.id for one in part.reviews} & {one.id for one in last.reviews}
    assert part.rating is not None
    assert part.by_customers is not None
    assert (part.rating.count, part.by_customers.count, part.by_customers.average) == (7, 1, "4,0")


async def test_review_date_is_the_day_in_colombia(shop: Shop, bought: Sold) -> None:
    row = await submit_review(shop, bought)
    await approve(shop, row)
    async with shop.database.transaction() as session:
        moment = datetime(2026, 12, 1, 0, 30, tzinfo=UTC)  # 19:30 of the day before in Bogotá
        await session.execute(update(Review).values(written_at=moment))
    (view,) = (await read_product_reviews(shop)).reviews
    assert (view.date, view.written) == ("2026-11-30", "30 de noviembre de 2026")


async def test_office_lists_reviews_that_wait_for_approval(shop: Shop, bought: Sold) -> None:
    row = await submit_review(shop, bought)
    async with shop.database.read() as session:
        for_staff = await reviews_list(session, Actor("x", Role.STOCKROOM))
        day = await today_view(session, COMMAND_LINE, shop.settings)
    assert [(one.id, one.stars, one.state) for one in for_staff.rows] == [(row.id, 4, "waiting")]
    assert (for_staff.decided, day.reviews, day.is_quiet) == ([], 1, False)
    async with shop.database.read() as session:
        assert await count_new_reviews(session, COMMAND_LINE, for_staff.rows) == 0
    row = await submit_review(shop, bought, text="Ya no gira tan bien como antes.")
    async with shop.database.read() as session:
        assert await count_new_reviews(session, COMMAND_LINE, for_staff.rows) == 1
    await approve(shop, row)
    async with shop.database.read() as session:
        assert await count_new_reviews(session, COMMAND_LINE, for_staff.rows) == 0
        for_staff = await reviews_list(session, COMMAND_LINE)
    assert (for_staff.rows, [one.id for one in for_staff.decided]) == ([], [row.id])


async def test_erasure_of_the_customer_deletes_the_review(shop: Shop, bought: Sold) -> None:
    row = await submit_review(shop, bought)
    await approve(shop, row)
    await reply_to(shop, row, "¡Gracias, Ana!")
    async with shop.database.transaction() as session:
        order = (await session.execute(select(Order))).scalar_one()
        who = await find_data_subject(session, order.customer_id or order.guest_id or "")
        assert "review" in {held.name for held in await read_held_data(session, who)}
        await session.execute(update(Order).values(fulfillment_status="delivered"))
    async with shop.database.transaction() as session:
        await erase_person(session, COMMAND_LINE, who.ids[0], who.email)
    async with shop.database.read() as session:
        assert (await session.execute(select(Review))).first() is None
        mine = select(AuditEntry.id).where(AuditEntry.subject_id == row.id)
        left = select(AuditPersonalValue).where(AuditPersonalValue.entry_id.in_(mine))
        assert (await session.execute(left)).first() is None
    assert await read_rating(shop) == (0, 0)
