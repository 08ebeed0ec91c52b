"""Views of reviews on the product page."""

from dataclasses import dataclass, field

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.ratings import MAX_STARS, RatingView, make_rating_view
from backend.catalog.storefront.product_cards import uploaded_picture_view
from backend.catalog.views import PictureView
from backend.core.dates import date_label, today_in_colombia
from backend.core.texts import _
from backend.reviews.models import Review, ReviewState

PAGE_SIZE = 6


@dataclass(frozen=True, slots=True)
class ReviewView:
    """A shown review.

    Attributes:
        answer: the shop's answer; empty if there is none.
        date: the day of the review in Colombia, in ISO 8601.
        written: the same day in words.
    """

    id: str
    stars: int
    name: str
    date: str
    written: str
    text: str
    pictures: list[PictureView]
    answer: str
    is_demo: bool


@dataclass(frozen=True, slots=True)
class StarCount:
    """Number of reviews with this number of stars."""

    stars: int
    count: int


@dataclass(frozen=True, slots=True)
class ProductReviews:
    """The reviews of a product: their summary, and one page of the reviews, newest first.

    Attributes:
        rating: None if no review is shown.
        counts: number of reviews with each number of stars, 5 stars first.
        page, pages: number of this page, and number of pages.
        by_customers: the rating without demo reviews, for structured data; None if all are demo reviews.
    """

    rating: RatingView | None = None
    counts: list[StarCount] = field(default_factory=list)
    reviews: list[ReviewView] = field(default_factory=list)
    page: int = 1
    pages: int = 1
    by_customers: RatingView | None = None


async def reviews_of(session: AsyncSession, product_id: str, page: int = 1) -> ProductReviews:
    """Return a page of the product's reviews. A page number out of range gives the nearest page."""
    shown = (Review.product_id == product_id) & (Review.state == ReviewState.SHOWN)
    grouped = (
        select(Review.stars, Review.is_demo, func.count()).where(shown).group_by(Review.stars, Review.is_demo)
    )
    counted = [(stars, is_demo, count) for stars, is_demo, count in await session.execute(grouped)]
    rating = _rating([(stars, count) for stars, _is_demo, count in counted])
    if rating is None:
        return ProductReviews()
    pages = -(-rating.count // PAGE_SIZE)
    page = min(max(page, 1), pages)
    newest = (
        select(Review)
        .where(shown)
        .order_by(Review.written_at.desc(), Review.id)
        .offset((page - 1) * PAGE_SIZE)
        .limit(PAGE_SIZE)
    )
    return ProductReviews(
        rating=rating,
        counts=[
            StarCount(stars, sum(count for one, _is_demo, count in counted if one == stars))
            for stars in range(MAX_STARS, 0, -1)
        ],
        reviews=[_view(row) for row in (await session.execute(newest)).scalars()],
        page=page,
        pages=pages,
        by_customers=_rating([(stars, count) for stars, is_demo, count in counted if not is_demo]),
    )


def review_pictures(urls: list[str]) -> list[PictureView]:
    """Return the pictures as views. Pictures whose URL is outside the shop's storage are left out."""
    views = (uploaded_picture_view(url, _("Foto de quien lo compró")) for url in urls)
    return [view for view in views if view is not None]


def _rating(counted: list[tuple[int, int]]) -> RatingView | None:
    return make_rating_view(
        sum(count for _stars, count in counted), sum(stars * count for stars, count in counted)
    )


def _view(row: Review) -> ReviewView:
    return ReviewView(
        id=row.id,
        stars=row.stars,
        name=row.name,
        date=today_in_colombia(row.written_at).isoformat(),
        written=date_label(row.written_at),
        text=row.text,
        pictures=review_pictures(row.pictures),
        answer=row.answer,
        is_demo=row.is_demo,
    )
