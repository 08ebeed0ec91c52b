"""Submission of reviews: the form, its validation, and the conditions for writing a review.

There is one review per order and product. Until staff decide on it, the customer may change it with the same link.
So a customer whose pictures were refused does not lose the text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database, database_now, lock_rows
from backend.core.errors import Conflict, NotAllowed
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import field_error, read_form, require_length, to_paragraphs
from backend.orders.models import Order, OrderLine
from backend.orders.service import lock_order
from backend.reviews.models import Review, ReviewState
from backend.reviews.reviewable_products import (
    ReviewableProduct,
    find_reviewable_product,
    format_reviewer_name,
    line_with_order,
)

MIN_TEXT_LENGTH, MAX_TEXT_LENGTH = 10, 2000
MAX_PICTURES = 3
STARS = ("1", "2", "3", "4", "5")


@dataclass(frozen=True, slots=True)
class ReviewSubmitted:
    """Event: a customer wrote a review, or changed one that staff have not decided on yet.

    Published in the transaction of the change.
    """

    review_id: str


def _stars(value: Any) -> int:
    if value not in STARS:
        raise field_error(_("Elige de 1 a 5 estrellas."))
    return int(value)


def _consent(value: Any) -> bool:
    if value not in (True, "on"):
        raise field_error(_("Marca la casilla para que podamos publicarla."))
    return True


class ReviewForm(BaseModel):
    """The review form. The consent checkbox is not ticked by default."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    stars: Annotated[int, BeforeValidator(_stars)] = 0
    text: Annotated[
        str,
        BeforeValidator(to_paragraphs),
        AfterValidator(
            lambda text: require_length(
                text, MIN_TEXT_LENGTH, MAX_TEXT_LENGTH, _("Cuéntanos qué tal salió el producto.")
            )
        ),
    ] = ""
    consent: Annotated[bool, BeforeValidator(_consent)] = False


def read_review(typed: Mapping[str, Any]) -> ReviewForm:
    """Parse the review form.

    Raises:
        InvalidData: a field is invalid; `fields` has the errors.
    """
    return read_form(ReviewForm, typed)


async def write_review(
    database: Database, line_id: str, form: ReviewForm, pictures: Sequence[str] = ()
) -> Review:
    """Store a review of the product of this order line, or change the existing review.

    Args:
        line_id: the order line in the signed link.
        form: the parsed form.
        pictures: URLs of stored pictures. If empty, the review keeps its existing pictures.

    Raises:
        NotFound: the line does not exist.
        NotAllowed: the product was not delivered, was returned, was delivered too long ago, or is no longer for
            sale; or its order was cancelled or refunded.
        Conflict: staff have already decided on the review.
    """
    async with database.transaction() as session:
        _line, order = await line_with_order(session, line_id)
        order = await lock_order(session, order.id)
        line, order = await line_with_order(session, line_id)  # read again under the lock
        product, row = await _read_reviewable(session, line, order, lock=True)
        moment = await database_now(session)
        if row is None:
            row = Review(
                product_id=product.product_id,
                order_id=order.id,
                name=format_reviewer_name(order),
                stars=form.stars,
                text=form.text,
                written_at=moment,
            )
            session.add(row)
        row.stars, row.text, row.written_at = form.stars, form.text, moment
        if pictures:
            row.pictures = list(pictures)
        await session.flush()
        await publish(session, ReviewSubmitted(row.id))
    return row


async def require_reviewable(database: Database, line_id: str) -> None:
    """Check that the product of this line can be reviewed. Call it before the body of the request is read.

    Raises:
        NotFound, NotAllowed, Conflict: see `write_review`.
    """
    async with database.read() as session:
        await _read_reviewable(session, *await line_with_order(session, line_id))


async def _read_reviewable(
    session: AsyncSession, line: OrderLine, order: Order, *, lock: bool = False
) -> tuple[ReviewableProduct, Review | None]:
    """Return the product of the line, and its existing review.

    Raises:
        NotAllowed, Conflict: see `write_review`.
    """
    product = await find_reviewable_product(session, order, line)
    if product is None:
        raise NotAllowed("The product of this line cannot be reviewed now")
    row = await find_review(session, order.id, product.product_id, lock=lock)
    if row is not None and row.state != ReviewState.WAITING:
        raise Conflict("The review was decided on already")
    return product, row


async def find_review(
    session: AsyncSession, order_id: str, product_id: str, *, lock: bool = False
) -> Review | None:
    """Return the review of this product in this order; None if there is none. With `lock`, lock its row."""
    query = select(Review).where(Review.order_id == order_id, Review.product_id == product_id)
    return (await session.execute(lock_rows(query) if lock else query)).scalar_one_or_none()
