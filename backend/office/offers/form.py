"""The offer form of the office, and its parsing.

An offer of the form has at most one condition on the cart (a minimum value), a target, two dates and two limits.
`saving.py` stores it as a promotion, `filling.py` fills it from a promotion.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Category, Product
from backend.core.dates import day_begin
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData
from backend.core.money import MAX_AMOUNT, parse_pesos
from backend.core.texts import _
from backend.core.web.contact import to_one_line
from backend.edge.schemas import MAX_UNITS
from backend.office.product_picker import parse_picked_ids
from backend.promotions.commands import WriteRule
from backend.promotions.kinds import Combination, MethodType, PromotionType, TargetType
from backend.promotions.rules import CATEGORY, ITEM_TOTAL, MAX_VALUES, PRODUCT, Operator

ORDER, PRODUCTS, CATEGORIES, SHIPPING = "order", "products", "categories", "shipping"
TARGETS = (ORDER, PRODUCTS, CATEGORIES, SHIPPING)
BUYGET = "buyget"
DEALS = {"2x1": (1, 1, 100), "3x2": (2, 1, 100), "half": (1, 1, 50)}
"""Units to buy, units to discount, and percentage of the usual buyget offers, by method of the form."""
METHODS = (MethodType.PERCENTAGE, MethodType.FIXED, *DEALS, BUYGET)
MAX_GROUP_UNITS = 100
"""Maximum number of units that a buyget offer requires, or discounts at once."""
MAX_CODE_LENGTH = 40
CATEGORY_FIELD = "category:"
"""Prefix of the names of category checkboxes; the category id follows."""


@dataclass(frozen=True, slots=True)
class OfferForm:
    """Values of the form, as texts.

    Attributes:
        code: the code that customers type, or the name of an automatic offer.
        way: `code`, or `automatic`.
        method: one of `METHODS`: `percentage`, `fixed` (pesos), a usual buyget offer (`DEALS`), or any other
            `buyget` offer, whose `value` is a percentage.
        buy, get: for the method `buyget`: units to buy, and units that are then discounted.
        most: maximum number of units that a buyget offer discounts in one cart; empty for no limit.
        gifts: ids (as in `product_ids`) of the products that a buyget offer discounts; empty if these are the
            products to buy.
        target: the products that are discounted, or have to be bought: one of `TARGETS`.
        product_ids: for the target `PRODUCTS`: ids of products from the product picker, separated by spaces.
        categories: for the target `CATEGORIES`: ids of categories.
        minimum: minimum value of the products in the cart, in pesos; empty for none.
        starts, ends: days (`2026-12-01`), both included; empty for none.
        limit: maximum number of uses in total; empty for no limit.
        each: maximum number of uses per customer; empty for no limit.
        combination: see `backend.promotions.kinds.Combination`.
    """

    code: str = ""
    way: str = "code"
    method: str = "percentage"
    value: str = ""
    buy: str = ""
    get: str = ""
    most: str = ""
    gifts: str = ""
    target: str = ORDER
    product_ids: str = ""
    categories: list[str] = field(default_factory=list)
    minimum: str = ""
    starts: str = ""
    ends: str = ""
    limit: str = ""
    each: str = ""
    combination: str = Combination.ALL


@dataclass(frozen=True, slots=True)
class TypedBuyGet:
    """The parsed quantities of a buyget offer. `gift_ids`: the discounted products; empty if these are the target's."""

    buy: int
    get: int
    most: int | None
    gift_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TypedOffer:
    """The parsed form. `target_ids` are ids of products or categories; `buyget` is None for other kinds of offers."""

    code: str
    is_automatic: bool
    method: MethodType
    value: int
    target: str
    target_ids: tuple[str, ...]
    minimum: int | None
    starts_at: datetime | None
    ends_at: datetime | None
    limit: int | None
    each: int | None
    combination: Combination = Combination.ALL
    buyget: TypedBuyGet | None = None

    @property
    def type(self) -> PromotionType:
        """The type of the promotion."""
        return PromotionType.BUYGET if self.buyget else PromotionType.STANDARD

    @property
    def max_quantity(self) -> int | None:
        """The maximum number of discounted units, as a promotion stores it."""
        return (self.buyget.most or MAX_UNITS) if self.buyget else None

    @property
    def target_type(self) -> TargetType:
        """The target of the discount, as a promotion stores it."""
        wire = {ORDER: TargetType.ORDER, SHIPPING: TargetType.SHIPPING}
        return wire.get(self.target, TargetType.ITEMS)

    @property
    def rules(self) -> list[WriteRule]:
        """The conditions that a cart must meet, as a promotion stores them."""
        return [] if self.minimum is None else [_rule(ITEM_TOTAL, Operator.GTE, [str(self.minimum)])]

    @property
    def target_rules(self) -> list[WriteRule]:
        """The conditions that select the discounted products, as a promotion stores them."""
        if self.buyget and self.buyget.gift_ids:
            return [_rule(PRODUCT, Operator.IN, list(self.buyget.gift_ids))]
        return self._chosen_rules

    @property
    def buy_rules(self) -> list[WriteRule]:
        """The conditions that select the products to buy in a buyget offer, as a promotion stores them."""
        return self._chosen_rules if self.buyget else []

    @property
    def _chosen_rules(self) -> list[WriteRule]:
        attribute = PRODUCT if self.target == PRODUCTS else CATEGORY
        return [_rule(attribute, Operator.IN, list(self.target_ids))] if self.target_ids else []


def _rule(attribute: str, operator: Operator, values: list[str]) -> WriteRule:
    return WriteRule(attribute=attribute, operator=operator, values=values)


async def parse_offer(session: AsyncSession, form: OfferForm) -> TypedOffer:
    """Validate the form, and return its parsed values.

    Raises:
        InvalidData: `fields` has the errors by field.
    """
    problems: dict[str, str] = {}
    code = to_one_line(form.code)
    if not code or len(code) > MAX_CODE_LENGTH:
        problems["code"] = _("Escribe un código, o un nombre, de hasta 40 letras.")
    method = MethodType.FIXED if form.method == MethodType.FIXED else MethodType.PERCENTAGE
    value = DEALS[form.method][2] if form.method in DEALS else _parse_value(form, method, problems)
    if form.method not in METHODS:
        problems["method"] = CHECK_FIELDS
    if form.combination and form.combination not in list(Combination):
        problems["combination"] = CHECK_FIELDS
    numbers = {name: _parse_number(form, name, problems) for name in ("minimum", "limit", "each")}
    starts, ends = (parse_day(getattr(form, name), name, problems) for name in ("starts", "ends"))
    if starts and ends and ends < starts:
        problems["ends"] = _("Termina antes de empezar.")
    if form.target not in TARGETS:
        problems["target"] = CHECK_FIELDS
    target_ids = await find_targets(session, form, problems)
    buyget = await _parse_buyget(session, form, problems)
    if problems:
        raise InvalidData(CHECK_FIELDS, fields=problems)
    return TypedOffer(
        code=code,
        is_automatic=form.way == "automatic",
        method=method,
        value=value,
        target=form.target,
        target_ids=target_ids,
        minimum=numbers["minimum"],
        starts_at=day_begin(starts) if starts else None,
        ends_at=day_begin(ends + timedelta(days=1)) if ends else None,
        limit=numbers["limit"],
        each=numbers["each"],
        combination=Combination(form.combination or Combination.ALL),
        buyget=buyget,
    )


def _parse_value(form: OfferForm, method: MethodType, problems: dict[str, str]) -> int:
    max_value = 100 if method is MethodType.PERCENTAGE else MAX_AMOUNT
    value = parse_pesos(form.value.removesuffix("%"))
    if value is None or not 0 < value <= max_value:
        problems["value"] = (
            _("Escribe un porcentaje entre 1 y 100.")
            if method is MethodType.PERCENTAGE
            else _("Escribe cuántos pesos se descuentan.")
        )
        return 0
    return value


async def _parse_buyget(
    session: AsyncSession, form: OfferForm, problems: dict[str, str]
) -> TypedBuyGet | None:
    """Parse the quantities of a buyget offer; return None for another kind of offer. Add errors to `problems`."""
    if form.method not in (*DEALS, BUYGET):
        return None
    if form.target not in (PRODUCTS, CATEGORIES):
        problems["target"] = _("Elige algunos productos o categorías.")
    if form.method in DEALS:
        buy, get, _percent = DEALS[form.method]
    else:
        buy, get = (_parse_group(form, name, problems) for name in ("buy", "get"))
    most = _parse_number(form, "most", problems)
    if most is not None and most < get:
        problems["most"] = _("Escribe al menos {n}, o déjalo vacío.").format(n=get)
    gift_ids = await _find_products(session, form.gifts, "gifts", problems) if form.gifts.strip() else ()
    return TypedBuyGet(buy, get, most, gift_ids)


def _parse_group(form: OfferForm, name: str, problems: dict[str, str]) -> int:
    number = parse_pesos(getattr(form, name))
    if number is None or not 0 < number <= MAX_GROUP_UNITS:
        problems[name] = _("Escribe cuántas unidades, hasta {n}.").format(n=MAX_GROUP_UNITS)
        return 1
    return number


def _parse_number(form: OfferForm, name: str, problems: dict[str, str]) -> int | None:
    text = getattr(form, name)
    if not text:
        return None
    number = parse_pesos(text)
    if number is None or not 0 < number <= (MAX_AMOUNT if name == "minimum" else MAX_UNITS):
        problems[name] = _("Escribe un número entero, o déjalo vacío.")
    return number


def parse_day(text: str, name: str, problems: dict[str, str]) -> date | None:
    """Parse a day. Return None for an empty text. For an invalid text, add an error to `problems` and return None."""
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if not 2000 <= day.year < 3000:
        problems[name] = _("Escribe una fecha.")
        return None
    return day


async def find_targets(session: AsyncSession, form: OfferForm, problems: dict[str, str]) -> tuple[str, ...]:
    """Return the ids of the chosen products or categories that exist; empty if the target is neither.

    If none is chosen, or a chosen one does not exist, add an error to `problems`.
    """
    if form.target == CATEGORIES:
        known = select(Category.id).where(Category.id.in_(form.categories[:MAX_VALUES]))
        found = set((await session.execute(known)).scalars())
        if not found or len(found) < len(set(form.categories)):
            problems["categories"] = _("Elige al menos una categoría.")
        return tuple(one for one in form.categories if one in found)
    if form.target != PRODUCTS:
        return ()
    return await _find_products(session, form.product_ids, "product_ids", problems)


async def _find_products(
    session: AsyncSession, text: str, name: str, problems: dict[str, str]
) -> tuple[str, ...]:
    """Return the ids of the chosen products that exist. If none is chosen or one is missing, add an error."""
    try:
        ids = parse_picked_ids(text, MAX_VALUES)
    except InvalidData as error:
        problems[name] = error.staff_text
        return ()
    existing = await list_existing_products(session, ids)
    if not ids:
        problems[name] = _("Elige al menos un producto.")
    elif len(existing) < len(ids):
        problems[name] = _("Uno de los productos ya no está: elígelos otra vez.")
    return tuple(existing)


async def list_existing_products(session: AsyncSession, product_ids: Sequence[str]) -> list[str]:
    """Return the ids of the products that are not deleted, in the given order."""
    known = select(Product.id).where(Product.id.in_(product_ids), Product.deleted_at.is_(None))
    existing = set((await session.execute(known)).scalars())
    return [one for one in product_ids if one in existing]
