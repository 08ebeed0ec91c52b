"""The customers' rating of a product, in numbers and in words.

It is computed from the number of published reviews and their sum of stars, which the product's row stores.
"""

from dataclasses import dataclass

from backend.core.texts import _, language_rules

MAX_STARS = 5


@dataclass(frozen=True, slots=True)
class RatingView:
    """The average of at least one review.

    Attributes:
        halves: the average in half stars, from 2 to 10, from which the stars are drawn.
        average: the average with one decimal.
        count: the number of reviews.
        label: the average and the count in words.
    """

    halves: int
    average: str
    count: int
    label: str


def make_rating_view(count: int, total: int) -> RatingView | None:
    """Return the rating for this number of reviews and sum of stars; None without reviews."""
    if count <= 0:
        return None
    shown = f"{total / count:.1f}".replace(".", language_rules.decimal_mark)
    words = _("{average} de 5, 1 reseña") if count == 1 else _("{average} de 5, {count} reseñas")
    return RatingView(round(2 * total / count), shown, count, words.format(average=shown, count=count))
