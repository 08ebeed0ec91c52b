"""What a sale would do: the new price of each variant it is for, or why it has none."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, exists, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.catalog.category_tree import with_those_inside
from backend.catalog.models import WRAPPING_SKU, Product, ProductCategory, Variant, variant_name
from backend.catalog.price_lists.models import PriceList, PriceListPrice, PriceState
from backend.core.errors import InvalidData
from backend.core.money import MAX_AMOUNT, Cop, regular_price
from backend.core.texts import _
from backend.pricing import percent_of

MOST_OFF = 90
"""Percent."""
STEP = 50
"""A percentage gives prices that are multiples of so many pesos, rounded down."""
MOST_CHOSEN = 1_000
MOST_PRICES = 20_000
_RUNNING = aliased(PriceListPrice)
IS_ON_SALE = exists().where(_RUNNING.variant_id == Variant.id, _RUNNING.state == PriceState.ON)
"""Whether a price of a sale is on for the variant, as a column of a query for `Variant`."""


class TooManyPrices(InvalidData):
    """A sale is for `MOST_PRICES` prices at most."""

    staff_text = _("Una rebaja cubre hasta 20.000 precios: elige menos juguetes.")


class Method(StrEnum):
    """How much less: the platform's words."""

    PERCENTAGE = "percentage"
    FIXED = "fixed"
    """Pesos."""
    PRICES = "prices"
    """Each price was said by itself: see `plan_prices`."""


class Target(StrEnum):
    """What the sale is for."""

    ALL = "all"
    """But for the gift wrapping."""
    PRODUCTS = "products"
    CATEGORIES = "categories"
    """With those that are inside them."""


class Problem(StrEnum):
    """Why a variant's price is not lowered."""

    NOT_LOWER = "not lower"
    """It would be 0 or less; or when the sale began, the variant did not cost more."""
    OTHER_SALE = "other sale"
    """It is in another sale of the same time."""
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Rule:
    """How much less what costs. `target_ids` are of products or of categories, and empty for all."""

    method: Method
    value: int
    target: Target
    target_ids: Sequence[str] = ()

    def check(self) -> None:
        """Check what was asked for.

        Raises:
            InvalidData: the percent or the pesos are out of bounds, or there is nothing it is for.
        """
        most = MOST_OFF if self.method is Method.PERCENTAGE else MAX_AMOUNT
        if not 1 <= self.value <= most:
            raise InvalidData(f"Between 1 and {most}")
        if self.target is not Target.ALL and not 0 < len(self.target_ids) <= MOST_CHOSEN:
            raise InvalidData(f"Between 1 and {MOST_CHOSEN} products or categories")

    def of(self, price: Cop) -> Cop | None:
        """The price in the sale; None where it would not be lower, or not above 0."""
        if self.method is Method.PERCENTAGE:
            after = percent_of(price, 100 - self.value, STEP, rounds_down=True)
        else:
            after = price - self.value
        return after if 0 < after < price else None


@dataclass(frozen=True, slots=True)
class Window:
    """From when to when; without an end, for ever."""

    starts_at: datetime
    ends_at: datetime | None


@dataclass(frozen=True, slots=True)
class Planned:
    """A variant, its price without any sale, and in this one; `amount` is None where there is a problem."""

    product_id: str
    variant_id: str
    title: str
    before: Cop
    amount: Cop | None
    problem: Problem | None = None


async def plan(session: AsyncSession, rule: Rule, window: Window, list_id: str = "") -> list[Planned]:
    """What the sale would do to each variant that it is for, by title.

    Args:
        session: for reading.
        rule: how much less what costs.
        window: when.
        list_id: the price list that this is to become; empty for a new one.

    Raises:
        InvalidData: what is asked for cannot be done.
    """
    rule.check()
    return await _planned(
        session, await _conditions(session, rule), lambda _variant, price: rule.of(price), window, list_id
    )


async def plan_prices(
    session: AsyncSession, amounts: Mapping[str, Cop], window: Window, list_id: str = ""
) -> list[Planned]:
    """What it would do if these variants cost just this. Variants that are not in the catalogue are left out.

    Args:
        session: for reading.
        amounts: the prices, by the variants' ids.
        window: when.
        list_id: the price list that this is to become; empty for a new one.

    Raises:
        InvalidData: there are too many.
    """

    def lower(variant_id: str, price: Cop) -> Cop | None:
        return amount if (amount := amounts[variant_id]) < price else None

    named = [Product.deleted_at.is_(None), Variant.id.in_(amounts)]
    return await _planned(session, named, lower, window, list_id)


async def _planned(
    session: AsyncSession,
    conditions: Sequence[ColumnElement[bool]],
    price_in_sale: Callable[[str, Cop], Cop | None],
    window: Window,
    list_id: str,
) -> list[Planned]:
    query = (
        select(
            Product.id,
            Product.title,
            Variant.id,
            Variant.title,
            Variant.price,
            Variant.compare_at_price,
            IS_ON_SALE,
        )
        .join(Variant, Variant.product_id == Product.id)
        .where(*conditions)
        .order_by(Product.title_key, Product.id, Variant.rank, Variant.id)
        .limit(MOST_PRICES + 1)
    )
    rows = (await session.execute(query)).all()
    if len(rows) > MOST_PRICES:
        raise TooManyPrices(f"A sale is for {MOST_PRICES} prices at most")
    taken = await _in_other_sales(session, window, list_id)
    planned = []
    for product_id, title, variant_id, make, price, compare_at, is_on_sale in rows:
        regular = price_without_sales(price, compare_at, is_on_sale=is_on_sale)
        name = variant_name(make)
        amount = price_in_sale(variant_id, regular)
        problem = Problem.OTHER_SALE if variant_id in taken else Problem.NOT_LOWER if amount is None else None
        planned.append(
            Planned(
                product_id,
                variant_id,
                f"{title}, {name}" if name else title,
                regular,
                None if problem else amount,
                problem,
            )
        )
    return planned


def price_without_sales(price: Cop, compare_at: Cop | None, *, is_on_sale: bool) -> Cop:
    """What a variant costs without any sale, in pesos: while one is on, the price that comes back after it."""
    return regular_price(price, compare_at) if is_on_sale else price


def fingerprint(planned: Sequence[Planned]) -> str:
    """What tells whether two plans are the same."""
    told = "\n".join(f"{one.variant_id} {one.before} {one.amount}" for one in planned)
    return hashlib.sha256(told.encode()).hexdigest()


def overlapping(window: Window, list_id: str) -> list[ColumnElement[bool]]:
    """Prices of other lists that are or will be on within the window (of `PriceListPrice` joined to `PriceList`)."""
    conditions = [
        PriceList.id != list_id,
        PriceList.ended_at.is_(None),
        or_(PriceList.ends_at.is_(None), PriceList.ends_at > window.starts_at),
        PriceListPrice.state.in_([PriceState.WAITING, PriceState.ON]),
    ]
    return conditions if window.ends_at is None else [*conditions, PriceList.starts_at < window.ends_at]


async def _in_other_sales(session: AsyncSession, window: Window, list_id: str) -> set[str]:
    query = select(PriceListPrice.variant_id).join(PriceList, PriceList.id == PriceListPrice.price_list_id)
    return set((await session.execute(query.where(*overlapping(window, list_id)))).scalars())


async def _conditions(session: AsyncSession, rule: Rule) -> list[ColumnElement[bool]]:
    kept: list[ColumnElement[bool]] = [Product.deleted_at.is_(None)]
    if rule.target is Target.PRODUCTS:
        kept.append(Product.id.in_(rule.target_ids))
    elif rule.target is Target.ALL:
        kept.append(or_(Variant.sku.is_(None), Variant.sku != WRAPPING_SKU))
    elif rule.target is Target.CATEGORIES:
        inside = ProductCategory.category_id.in_(await with_those_inside(session, rule.target_ids))
        kept.append(exists().where(ProductCategory.product_id == Product.id, inside))
    return kept
