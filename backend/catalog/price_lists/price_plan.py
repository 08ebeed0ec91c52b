"""Plan of a sale: the new price of each selected variant, or the reason why its price is not lowered."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, exists, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.catalog.category_tree import with_descendant_ids
from backend.catalog.models import WRAPPING_SKU, Product, ProductCategory, Variant, variant_name
from backend.catalog.price_lists.models import PriceList, PriceListPrice, PriceState
from backend.core.errors import InvalidData
from backend.core.money import MAX_AMOUNT, Cop, regular_price
from backend.core.texts import _
from backend.pricing import percent_of

MAX_DISCOUNT_PERCENT = 90
"""Largest discount, in percent."""
ROUNDING_STEP = 50
"""Prices computed by a percentage are rounded down to multiples of this many pesos."""
MAX_SELECTED = 1_000
MAX_PRICES = 20_000
_RUNNING = aliased(PriceListPrice)
IS_ON_SALE = exists().where(_RUNNING.variant_id == Variant.id, _RUNNING.state == PriceState.ON)
"""True if the variant has a sale price now; a column for queries of `Variant`."""


class TooManyPrices(InvalidData):
    """A sale has more than `MAX_PRICES` prices."""

    staff_text = _("Una rebaja cubre hasta 20.000 precios: elige menos productos.")


class Method(StrEnum):
    """Method of computing the new prices; the values are the platform's."""

    PERCENTAGE = "percentage"
    FIXED = "fixed"
    """A number of pesos less."""
    PRICES = "prices"
    """A price for each variant: see `plan_fixed_prices`."""


class Target(StrEnum):
    """Selection of the sale's products."""

    ALL = "all"
    """All products except the gift wrapping."""
    PRODUCTS = "products"
    CATEGORIES = "categories"
    """Categories, with all their descendants."""


class Problem(StrEnum):
    """Reason why a variant's price is not lowered."""

    NOT_LOWER = "not lower"
    """The new price would be 0 or less; or at the start of the sale, the variant was not more expensive."""
    OTHER_SALE = "other sale"
    """The variant is in another sale at that time."""
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Rule:
    """The discount of a sale and its products. `target_ids` are product or category ids; empty for all products."""

    method: Method
    value: int
    target: Target
    target_ids: Sequence[str] = ()

    def check(self) -> None:
        """Check that the rule is valid.

        Raises:
            InvalidData: the discount is out of range, or no product or category is selected.
        """
        maximum = MAX_DISCOUNT_PERCENT if self.method is Method.PERCENTAGE else MAX_AMOUNT
        if not 1 <= self.value <= maximum:
            raise InvalidData(f"Between 1 and {maximum}")
        if self.target is not Target.ALL and not 0 < len(self.target_ids) <= MAX_SELECTED:
            raise InvalidData(f"Between 1 and {MAX_SELECTED} products or categories")

    def sale_price(self, price: Cop) -> Cop | None:
        """Return the sale price in pesos; None if it would not be lower, or not above 0."""
        if self.method is Method.PERCENTAGE:
            after = percent_of(price, 100 - self.value, ROUNDING_STEP, rounds_down=True)
        else:
            after = price - self.value
        return after if 0 < after < price else None


@dataclass(frozen=True, slots=True)
class Window:
    """Period of a sale; without `ends_at`, it has no end."""

    starts_at: datetime
    ends_at: datetime | None


@dataclass(frozen=True, slots=True)
class PlannedPrice:
    """A variant with its regular price and its sale price (`amount`), which is None if there is a problem."""

    product_id: str
    variant_id: str
    title: str
    before: Cop
    amount: Cop | None
    problem: Problem | None = None


async def plan_sale(
    session: AsyncSession, rule: Rule, window: Window, list_id: str = ""
) -> list[PlannedPrice]:
    """Return the plan of a sale: an entry for each selected variant, sorted by product title.

    Args:
        session: reads the database.
        rule: the discount and the products.
        window: the period.
        list_id: the price list that the sale replaces; empty for a new one.

    Raises:
        InvalidData: the rule is invalid, or selects too many variants.
    """
    rule.check()
    return await _plan(
        session,
        await _conditions(session, rule),
        lambda _variant, price: rule.sale_price(price),
        window,
        list_id,
    )


async def plan_fixed_prices(
    session: AsyncSession, amounts: Mapping[str, Cop], window: Window, list_id: str = ""
) -> list[PlannedPrice]:
    """Return the plan of a sale with these prices. Variants that are not in the catalogue are left out.

    Args:
        session: reads the database.
        amounts: the prices in pesos, by variant id.
        window: the period.
        list_id: the price list that the sale replaces; empty for a new one.

    Raises:
        InvalidData: there are too many prices.
    """

    def lower(variant_id: str, price: Cop) -> Cop | None:
        return amount if (amount := amounts[variant_id]) < price else None

    named = [Product.deleted_at.is_(None), Variant.id.in_(amounts)]
    return await _plan(session, named, lower, window, list_id)


async def _plan(
    session: AsyncSession,
    conditions: Sequence[ColumnElement[bool]],
    price_in_sale: Callable[[str, Cop], Cop | None],
    window: Window,
    list_id: str,
) -> list[PlannedPrice]:
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
        .limit(MAX_PRICES + 1)
    )
    rows = (await session.execute(query)).all()
    if len(rows) > MAX_PRICES:
        raise TooManyPrices(f"A sale is for {MAX_PRICES} prices at most")
    ids_in_other_sales = await _in_other_sales(session, window, list_id)
    planned = []
    for product_id, title, variant_id, variant_title, price, compare_at, is_on_sale in rows:
        regular = price_without_sales(price, compare_at, is_on_sale=is_on_sale)
        name = variant_name(variant_title)
        amount = price_in_sale(variant_id, regular)
        problem = (
            Problem.OTHER_SALE
            if variant_id in ids_in_other_sales
            else Problem.NOT_LOWER
            if amount is None
            else None
        )
        planned.append(
            PlannedPrice(
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
    """Return a variant's regular price in pesos: during a sale, the price that is restored after it."""
    return regular_price(price, compare_at) if is_on_sale else price


def plan_fingerprint(planned: Sequence[PlannedPrice]) -> str:
    """Return a digest of the plan. Plans with the same prices have the same digest."""
    prices_text = "\n".join(f"{one.variant_id} {one.before} {one.amount}" for one in planned)
    return hashlib.sha256(prices_text.encode()).hexdigest()


def overlapping_prices(window: Window, list_id: str) -> list[ColumnElement[bool]]:
    """Return the SQL conditions for prices of other lists whose period overlaps the window.

    Only prices that are active or waiting count. The query must join `PriceListPrice` with `PriceList`.
    """
    conditions = [
        PriceList.id != list_id,
        PriceList.ended_at.is_(None),
        or_(PriceList.ends_at.is_(None), PriceList.ends_at > window.starts_at),
        PriceListPrice.state.in_([PriceState.WAITING, PriceState.ON]),
    ]
    return conditions if window.ends_at is None else [*conditions, PriceList.starts_at < window.ends_at]


async def _in_other_sales(session: AsyncSession, window: Window, list_id: str) -> set[str]:
    query = select(PriceListPrice.variant_id).join(PriceList, PriceList.id == PriceListPrice.price_list_id)
    return set((await session.execute(query.where(*overlapping_prices(window, list_id)))).scalars())


async def _conditions(session: AsyncSession, rule: Rule) -> list[ColumnElement[bool]]:
    product_conditions: list[ColumnElement[bool]] = [Product.deleted_at.is_(None)]
    if rule.target is Target.PRODUCTS:
        product_conditions.append(Product.id.in_(rule.target_ids))
    elif rule.target is Target.ALL:
        product_conditions.append(or_(Variant.sku.is_(None), Variant.sku != WRAPPING_SKU))
    elif rule.target is Target.CATEGORIES:
        inside = ProductCategory.category_id.in_(await with_descendant_ids(session, rule.target_ids))
        product_conditions.append(exists().where(ProductCategory.product_id == Product.id, inside))
    return product_conditions
