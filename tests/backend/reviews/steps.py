"""Steps of a review."""

from datetime import timedelta
from typing import Any

from sqlalchemy import select, update

from backend.app import Shop
from backend.catalog.models import Product
from backend.core.clock import now
from backend.fulfillment.commands import MarkShipped
from backend.fulfillment.delivery import mark_delivered, mark_shipped
from backend.orders.models import Fulfillment
from backend.reviews.models import Review
from backend.reviews.moderation import answer_review, refuse_review, show_review
from backend.reviews.submission import read_review, write_review
from backend.staff.rights import COMMAND_LINE, Actor
from tests.backend.returns.steps import Sold

TYPED = {"stars": "4", "text": "Gira muy bien y no se\r\ndespica.\x00", "consent": "on"}


async def deliver(shop: Shop, of: Sold, fulfillment_id: str, *, days_ago: int = 0) -> None:
    """Mark the fulfillment as shipped, and as delivered `days_ago`."""
    async with shop.database.transaction() as session:
        await mark_shipped(session, COMMAND_LINE, of.order_id, fulfillment_id, MarkShipped())
        await mark_delivered(session, COMMAND_LINE, of.order_id, fulfillment_id)
    if days_ago:
        await set_delivery_age(shop, of, days_ago)


async def set_delivery_age(shop: Shop, of: Sold, days: int) -> None:
    """Change the delivery times of the order to `days` ago."""
    async with shop.database.transaction() as session:
        row = update(Fulfillment).where(Fulfillment.order_id == of.order_id)
        await session.execute(row.values(delivered_at=now() - timedelta(days=days)))


async def submit_review(shop: Shop, of: Sold, *pictures: str, **other: Any) -> Review:
    return await write_review(shop.database, of.line_id, read_review({**TYPED, **other}), pictures)


async def approve(shop: Shop, row: Review, actor: Actor = COMMAND_LINE) -> Review:
    async with shop.database.transaction() as session:
        return await show_review(session, actor, row.id, seen=row.written_at.isoformat())


async def reject(shop: Shop, row: Review, reason: str = "No habla del juguete.") -> Review:
    async with shop.database.transaction() as session:
        return await refuse_review(session, COMMAND_LINE, row.id, reason)


async def reply_to(shop: Shop, row: Review, answer: str) -> Review:
    async with shop.database.transaction() as session:
        return await answer_review(session, COMMAND_LINE, row.id, answer)


async def read_rating(shop: Shop) -> tuple[int, int]:
    """Return the number of shown reviews of the product, and the sum of their stars."""
    async with shop.database.read() as session:
        query = select(Product.rating_count, Product.rating_total).where(Product.handle == "trompo")
        count, total = (await session.execute(query)).one()
    return count, total
