"""What a product's page shows of its reviews, and what the page of a link shows of its one."""

from dataclasses import dataclass, field

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.ratings import MOST_STARS, RatingView, rating_of
from backend.catalog.views import PictureView
from backend.core.dates import date_label, today_in_colombia
from backend.core.texts import _
from backend.media.picture_urls import picture_address
from backend.media.picture_widths import uploaded_at
from backend.reviews.models import Review, ReviewState

PAGE_SIZE = 6


@dataclass(frozen=True, slots=True)
class ReviewView:
    """A review that is shown; `answer` is empty without one.

    `date` is its day in Colombia in ISO 8601, `written` the same in words.
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
    """How many reviews have so many stars."""

    stars: int
    count: int


@dataclass(frozen=True, slots=True)
class ReviewsPart:
    """The reviews of a product: what they say together, and one page of them, the newest first.

    Attributes:
        rating: None while none is shown.
        counts: by stars, the most first.
        page, pages: which page this is, of how many.
        by_buyers: the rating by real buyers alone, for programs; None without any.
    """

    rating: RatingView | None = None
    counts: list[StarCount] = field(default_factory=list)
    reviews: list[ReviewView] = field(default_factory=list)
    page: int = 1
    pages: int = 1
    by_buyers: RatingView | None = None


async def reviews_of(session: AsyncSession, product_id: str, page: int = 1) -> ReviewsPart:
    """The reviews of this product; a page that there is not is the nearest one."""
    shown = (Review.product_id == product_id) & (Review.state == ReviewState.SHOWN)
    grouped = (
        select(Review.stars, Review.is_demo, func.count()).where(shown).group_by(Review.stars, Review.is_demo)
    )
    counted = [(stars, is_demo, count) for stars, is_demo, count in await session.execute(grouped)]
    rating = _rating([(stars, count) for stars, _is_demo, count in counted])
    if rating is None:
        return ReviewsPart()
    pages = -(-rating.count // PAGE_SIZE)
    page = min(max(page, 1), pages)
    newest = (
        select(Review)
        .where(shown)
        .order_by(Review.written_at.desc(), Review.id)
        .offset((page - 1) * PAGE_SIZE)
        .limit(PAGE_SIZE)
    )
    return ReviewsPart(
        rating=rating,
        counts=[
            StarCount(stars, sum(count for one, _is_demo, count in counted if one == stars))
            for stars in range(MOST_STARS, 0, -1)
        ],
        reviews=[_view(row) for row in (await session.execute(newest)).scalars()],
        page=page,
        pages=pages,
        by_buyers=_rating([(stars, count) for stars, is_demo, count in counted if not is_demo]),
    )


def review_pictures(urls: list[str]) -> list[PictureView]:
    """The pictures as pages draw them; an address that is none of the shop's store is left out."""
    return [
        PictureView(
            url=picture_address(prepared.url),
            alt=_("Foto de quien lo compró"),
            width=prepared.width,
            height=prepared.height,
            srcset=", ".join(f"{picture_address(url)} {width}w" for url, width in prepared.sources),
        )
        for prepared in map(uploaded_at, urls)
        if prepared is not None
    ]


def _rating(counted: list[tuple[int, int]]) -> RatingView | None:
    return rating_of(sum(count for _stars, count in counted), sum(stars * count for stars, count in counted))


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
