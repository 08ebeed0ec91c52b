"""How buyers rate a product: what its row counts of the reviews that are shown, in numbers and in words."""

from dataclasses import dataclass

from backend.core.texts import _, language

MOST_STARS = 5


@dataclass(frozen=True, slots=True)
class RatingView:
    """The average of at least one review.

    Attributes:
        halves: the average in half stars, from 2 to 10, for drawing it.
        average: the same with one decimal.
        count: of how many reviews.
        label: both in words.
    """

    halves: int
    average: str
    count: int
    label: str


def rating_of(count: int, total: int) -> RatingView | None:
    """The rating of so many reviews with so many stars in all; None without any."""
    if count <= 0:
        return None
    average = f"{total / count:.1f}"
    shown = average if language == "en" else average.replace(".", ",")
    words = _("{average} de 5, 1 reseña") if count == 1 else _("{average} de 5, {count} reseñas")
    return RatingView(round(2 * total / count), shown, count, words.format(average=shown, count=count))
