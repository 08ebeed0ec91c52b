"""Matches of a search: subqueries of `product_id` and `score`, and their combinations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Subquery, case, false, func, literal, select, union_all

from backend.catalog.models import Product

SCORE_PER_WORD = 100_000
"""Score for each matched word. A product that matches more words always comes before one that matches fewer."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The products that match a search.

    Attributes:
        products: a subquery of `product_id` and `score`; each product is in it once.
        is_complete: False if `products` may lack some of the matches.
    """

    products: Subquery
    is_complete: bool = True


def scored_products(scores: Mapping[str, int]) -> Subquery:
    """Return the matches of an external search engine as a subquery. `scores` has the score by product id."""
    if not scores:
        return _no_products()
    score = case(dict(scores), value=Product.id, else_=0).label("score")
    return select(Product.id.label("product_id"), score).where(Product.id.in_(sorted(scores))).subquery()


def intersect_matches(subqueries: Sequence[Subquery], bonuses: Sequence[Subquery] = ()) -> Subquery:
    """Return the products that are in all `subqueries`. Products that are also in `bonuses` have a higher score."""
    if not subqueries:
        return _no_products()
    first, *others = subqueries
    score: ColumnElement[int] = sum((other.c.score for other in others), first.c.score)
    for bonus in bonuses:
        score += func.coalesce(bonus.c.score, 0)
    query = select(first.c.product_id.label("product_id"), score.label("score"))
    for other in others:
        query = query.join(other, other.c.product_id == first.c.product_id)
    for bonus in bonuses:
        query = query.outerjoin(bonus, bonus.c.product_id == first.c.product_id)
    return query.subquery()


def near_matches(subqueries: Sequence[Subquery]) -> Subquery:
    """Return the products that are in at least one of the subqueries.

    A product in more subqueries has a higher score.
    """
    if not subqueries:
        return _no_products()
    found = union_all(*(select(each.c.product_id, each.c.score) for each in subqueries)).subquery()
    score = func.count() * SCORE_PER_WORD + func.sum(found.c.score)
    return select(found.c.product_id, score.label("score")).group_by(found.c.product_id).subquery()


def _no_products() -> Subquery:
    return select(Product.id.label("product_id"), literal(0).label("score")).where(false()).subquery()
