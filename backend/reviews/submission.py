"""Writing a review: what is typed, how it is checked, and who may.

A review is one per order and toy. While nobody of the staff has decided on it, its buyer may change it by the same
link, so what was typed is never lost for a picture that could not be used.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database, database_now, locked
from backend.core.errors import Conflict, NotAllowed
from backend.core.texts import _
from backend.core.web.contact import invalid, paragraphs, read_form, require_length
from backend.orders.models import Order, OrderLine
from backend.orders.service import lock_order
from backend.reviews.models import Review, ReviewState
from backend.reviews.reviewable_products import BoughtToy, line_with_order, shown_name, toy_of_line

SHORTEST_TEXT, LONGEST_TEXT = 10, 2000
MOST_PICTURES = 3
STARS = ("1", "2", "3", "4", "5")


def _stars(value: Any) -> int:
    if value not in STARS:
        raise invalid(_("Elige de 1 a 5 estrellas."))
    return int(value)


def _consent(value: Any) -> bool:
    if value not in (True, "on"):
        raise invalid(_("Marca la casilla para que podamos publicarla."))
    return True


class ReviewForm(BaseModel):
    """What the form asks. The box was ticked by hand: it comes unticked."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    stars: Annotated[int, BeforeValidator(_stars)] = 0
    text: Annotated[
        str,
        BeforeValidator(paragraphs),
        AfterValidator(
            lambda text: require_length(
                text, SHORTEST_TEXT, LONGEST_TEXT, _("Cuéntanos qué tal salió el juguete.")
            )
        ),
    ] = ""
    consent: Annotated[bool, BeforeValidator(_consent)] = False


def read_review(typed: Mapping[str, Any]) -> ReviewForm:
    """The form with what was typed.

    Raises:
        InvalidData: `fields` says what is wrong.
    """
    return read_form(ReviewForm, typed)


async def write_review(
    database: Database, line_id: str, form: ReviewForm, pictures: Sequence[str] = ()
) -> Review:
    """Keep what the buyer says of the toy of this line, or what they say now instead.

    Args:
        line_id: of the order's line that the signed link names.
        form: what was typed.
        pictures: the addresses of stored pictures; none leaves those that it has.

    Raises:
        NotFound: there is no such line any more.
        NotAllowed: the toy did not arrive, went back, or arrived too long ago; or its order was cancelled or refunded.
        Conflict: the staff has decided on it already.
    """
    async with database.transaction() as session:
        _line, order = await line_with_order(session, line_id)
        order = await lock_order(session, order.id)
        line, order = await line_with_order(session, line_id)  # once more, now that nobody else changes it
        toy, row = await _open(session, line, order, lock=True)
        moment = await database_now(session)
        if row is None:
            row = Review(
                product_id=toy.product_id,
                order_id=order.id,
                name=shown_name(order),
                stars=form.stars,
                text=form.text,
                written_at=moment,
            )
            session.add(row)
        row.stars, row.text, row.written_at = form.stars, form.text, moment
        if pictures:
            row.pictures = list(pictures)
    return row


async def require_open(database: Database, line_id: str) -> None:
    """Let on who may write a review of the toy of this line, before more of what they send is read.

    Raises:
        NotFound, NotAllowed, Conflict: see `write_review`.
    """
    async with database.read() as session:
        await _open(session, *await line_with_order(session, line_id))


async def _open(
    session: AsyncSession, line: OrderLine, order: Order, *, lock: bool = False
) -> tuple[BoughtToy, Review | None]:
    """The toy of the line, and what the order's buyer has said of it so far.

    Raises:
        NotAllowed, Conflict: see `write_review`.
    """
    toy = await toy_of_line(session, order, line)
    if toy is None:
        raise NotAllowed("The toy of this line cannot be reviewed now")
    row = await review_of(session, order.id, toy.product_id, lock=lock)
    if row is not None and row.state != ReviewState.WAITING:
        raise Conflict("The review was decided on already")
    return toy, row


async def review_of(
    session: AsyncSession, order_id: str, product_id: str, *, lock: bool = False
) -> Review | None:
    """What the order's buyer said of this product."""
    query = select(Review).where(Review.order_id == order_id, Review.product_id == product_id)
    return (await session.execute(locked(query) if lock else query)).scalar_one_or_none()
