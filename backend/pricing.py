"""Price calculation of a cart: from lines, shipping and discounts to totals with IVA per line.

No other module adds up prices. Prices include IVA. The tax of a line, and of the shipping, is computed from its own
amount and rate and rounded to the peso; every other total is a sum of these amounts. So the totals always equal the
sums of their parts, to the peso.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from backend.core.money import Cop

STANDARD_RATE = 19
"""General rate of IVA, in percent (Estatuto Tributario, article 468)."""
TAX_RATES = (0, 5, STANDARD_RATE)
"""Rates that a product may have, in percent: excluded or exempt, reduced (article 468-1), general."""
SHIPPING_RATE = STANDARD_RATE
"""Rate of IVA on shipping, in percent."""

SHIPPING = "shipping"
CART = "cart"


@dataclass(frozen=True, slots=True)
class PricedLine:
    """A cart line: a quantity at one unit price.

    `id` is unique in the cart; `unit_price` includes IVA at `tax_rate` percent.
    """

    id: str
    quantity: int
    unit_price: Cop
    tax_rate: int = STANDARD_RATE

    @property
    def amount(self) -> Cop:
        """Price of all units, before adjustments."""
        return self.unit_price * self.quantity


@dataclass(frozen=True, slots=True)
class ShippingCharge:
    """The price of shipping, including IVA at `tax_rate` percent."""

    amount: Cop
    tax_rate: int = SHIPPING_RATE

    @classmethod
    def before_adjustments(
        cls, total: Cop, adjustments: Iterable["Adjustment"], tax_rate: int
    ) -> "ShippingCharge":
        """Return the charge before its discounts: `total` plus those `adjustments` that discount the shipping."""
        discounts = (adjustment.amount for adjustment in adjustments if adjustment.target == SHIPPING)
        return cls(total + sum(discounts), tax_rate)


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A discount in pesos, including IVA.

    Attributes:
        amount: pesos, 0 or more. At most the remaining price of the target is discounted: nothing becomes negative.
        target: a line's id, `SHIPPING`, or `CART`. `CART` spreads the amount over the lines in proportion to their
            remaining prices, to the peso, and does not change the shipping.
        code: the code that the customer typed, or the promotion's name.
    """

    amount: Cop
    target: str = CART
    code: str = ""
    description: str = ""
    promotion_id: str | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """An amount after adjustments (`total`) and before them (`original_total`), with the IVA included in each."""

    total: Cop
    tax_total: Cop
    original_total: Cop
    original_tax_total: Cop

    @property
    def subtotal(self) -> Cop:
        """Total without its IVA."""
        return self.total - self.tax_total

    @property
    def original_subtotal(self) -> Cop:
        """Original total without its IVA."""
        return self.original_total - self.original_tax_total

    @property
    def discount_total(self) -> Cop:
        """Sum of the adjustments, including IVA."""
        return self.original_total - self.total

    @property
    def discount_tax_total(self) -> Cop:
        """IVA included in the adjustments."""
        return self.original_tax_total - self.tax_total

    @property
    def discount_subtotal(self) -> Cop:
        """Sum of the adjustments without IVA."""
        return self.original_subtotal - self.subtotal


@dataclass(frozen=True, slots=True)
class PartTotals(Totals):
    """Totals of a line, or of the shipping, whose `id` is `SHIPPING`.

    `adjustments` has the discounts of this part, with the amounts that were applied.
    """

    id: str
    tax_rate: int
    adjustments: tuple[Adjustment, ...] = ()


@dataclass(frozen=True, slots=True)
class CartTotals(Totals):
    """Totals of a cart: lines and shipping together."""

    lines: tuple[PartTotals, ...]
    items: Totals
    """Sum of the lines."""
    shipping: PartTotals
    """All amounts are 0 if there is no shipping."""

    @property
    def item_total(self) -> Cop:
        """Sum of the lines, after adjustments."""
        return self.items.total

    @property
    def shipping_total(self) -> Cop:
        """Price of shipping, after adjustments."""
        return self.shipping.total

    @property
    def by_line(self) -> dict[str, PartTotals]:
        """Totals of each line, by line id."""
        return {line.id: line for line in self.lines}

    @property
    def discounts_by_promotion(self) -> dict[str, Cop]:
        """The discount of each promotion on lines and shipping together, by promotion id.

        The keys are in the order of the lines, then of the shipping; within a line, in order of application.
        """
        applied: dict[str, Cop] = {}
        for adjustment in self._adjustments:
            if adjustment.promotion_id is not None:
                applied[adjustment.promotion_id] = applied.get(adjustment.promotion_id, 0) + adjustment.amount
        return applied

    @property
    def savings(self) -> list[tuple[str, Cop]]:
        """Discounts by code, for display: first those of the lines in their order, then those of the shipping."""
        savings: dict[str, Cop] = {}
        for adjustment in self._adjustments:
            savings[adjustment.code] = savings.get(adjustment.code, 0) + adjustment.amount
        return list(savings.items())

    @property
    def _adjustments(self) -> Iterable[Adjustment]:
        return (adjustment for part in (*self.lines, self.shipping) for adjustment in part.adjustments)

    def as_json(self) -> dict[str, Any]:
        """Return the totals as JSON values. `from_json` restores them without pricing the cart again."""
        return {
            "total": self.total,
            "subtotal": self.subtotal,
            "tax_total": self.tax_total,
            "lines": [asdict(line) for line in self.lines],
            "shipping": asdict(self.shipping),
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "CartTotals":
        """Restore the totals from the values that `as_json` returned."""
        return _build_cart_totals(
            [_part_from_json(line) for line in stored["lines"]], _part_from_json(stored["shipping"])
        )


def price_cart(
    lines: Sequence[PricedLine],
    shipping: ShippingCharge | None = None,
    adjustments: Sequence[Adjustment] = (),
) -> CartTotals:
    """Return the totals of these lines and this shipping after the adjustments, which apply in their order.

    Raises:
        ValueError: a value is negative, two lines have the same id, or an adjustment names an unknown line.
    """
    amounts = {line.id: line.amount for line in lines}
    charge = shipping or ShippingCharge(0)
    _validate_input(lines, charge, adjustments, amounts)
    amounts[SHIPPING] = charge.amount
    applied: dict[str, list[Adjustment]] = {}
    for adjustment in adjustments:
        for target, amount in _split_adjustment(adjustment, amounts).items():
            amounts[target] -= amount
            applied.setdefault(target, []).append(
                Adjustment(amount, target, adjustment.code, adjustment.description, adjustment.promotion_id)
            )
    parts = [
        _build_part_totals(id_, rate, original, amounts[id_], applied.get(id_, ()))
        for id_, rate, original in (
            *((line.id, line.tax_rate, line.amount) for line in lines),
            (SHIPPING, charge.tax_rate, charge.amount),
        )
    ]
    return _build_cart_totals(parts[:-1], parts[-1])


def _validate_input(
    lines: Sequence[PricedLine],
    charge: ShippingCharge,
    adjustments: Sequence[Adjustment],
    amounts: dict[str, Cop],
) -> None:
    if len(amounts) != len(lines) or SHIPPING in amounts or CART in amounts:
        raise ValueError("Every line needs a unique id")
    if any(line.quantity < 0 or line.unit_price < 0 or line.tax_rate < 0 for line in lines):
        raise ValueError("A line has a negative quantity, price or rate")
    if charge.amount < 0 or charge.tax_rate < 0:
        raise ValueError("The shipping has a negative amount or rate")
    for adjustment in adjustments:
        if adjustment.amount < 0:
            raise ValueError("An adjustment has a negative amount")
        if adjustment.target not in (SHIPPING, CART) and adjustment.target not in amounts:
            raise ValueError(f"There is no line {adjustment.target}")


def _split_adjustment(adjustment: Adjustment, amounts: dict[str, Cop]) -> dict[str, Cop]:
    """Return the pesos that the adjustment discounts from each target, at most the target's remaining price."""
    if adjustment.target != CART:
        amount = min(adjustment.amount, amounts[adjustment.target])
        return {adjustment.target: amount} if amount else {}
    remaining = {id_: amount for id_, amount in amounts.items() if id_ != SHIPPING}
    return spread(adjustment.amount, remaining)


def spread(amount: Cop, costs: Mapping[str, Cop]) -> dict[str, Cop]:
    """Divide an amount in proportion to the costs, to the peso.

    Args:
        amount: the pesos to spread, 0 or more. It is limited to the sum of the costs.
        costs: costs in pesos, by id.

    Returns:
        Pesos by id, without zero shares; no share exceeds its cost. The shares add up to the amount, or to the sum
            of the costs if that is less.
    """
    total = sum(costs.values())
    amount = min(amount, total)
    if not amount:
        return {}
    shares = {id_: amount * of // total for id_, of in costs.items()}
    # the pesos lost by rounding down go to the shares that lost most; of equal losses, the first lines win
    by_loss = sorted(costs, key=lambda id_: -(amount * costs[id_] % total))
    for id_ in by_loss[: amount - sum(shares.values())]:
        shares[id_] += 1
    return {id_: share for id_, share in shares.items() if share}


def _build_part_totals(
    id_: str, rate: int, original: Cop, amount: Cop, adjustments: Iterable[Adjustment]
) -> PartTotals:
    original_tax = tax_inside(original, rate)
    tax = original_tax if amount == original else tax_inside(amount, rate)
    return PartTotals(amount, tax, original, original_tax, id_, rate, tuple(adjustments))


def _part_from_json(stored: dict[str, Any]) -> PartTotals:
    adjustments = tuple(Adjustment(**adjustment) for adjustment in stored["adjustments"])
    return PartTotals(**{**stored, "adjustments": adjustments})


def _build_cart_totals(lines: Sequence[PartTotals], shipping: PartTotals) -> CartTotals:
    items = _sum_totals(lines)
    return CartTotals(
        total=items.total + shipping.total,
        tax_total=items.tax_total + shipping.tax_total,
        original_total=items.original_total + shipping.original_total,
        original_tax_total=items.original_tax_total + shipping.original_tax_total,
        lines=tuple(lines),
        items=items,
        shipping=shipping,
    )


def _sum_totals(parts: Iterable[Totals]) -> Totals:
    total = tax = original = original_tax = 0
    for part in parts:
        total += part.total
        tax += part.tax_total
        original += part.original_total
        original_tax += part.original_tax_total
    return Totals(total, tax, original, original_tax)


def tax_inside(amount: Cop, rate: int) -> Cop:
    """Return the IVA included in an amount. The base without IVA is rounded to the nearest peso, halves up."""
    base = (200 * amount + 100 + rate) // (2 * (100 + rate))
    return amount - base


def price_of_units(total: Cop, quantity: int, units: int, earlier: int = 0) -> Cop:
    """Return the price of `units` of a line that costs `total` for `quantity` units, to the nearest peso.

    `earlier` is the number of the line's units that were priced before. If it is given, the rounded prices of
    all groups of units add up to the line's total.
    """

    def price_of_first(count: int) -> Cop:
        return (2 * total * count + quantity) // (2 * quantity)

    return price_of_first(earlier + units) - price_of_first(earlier)


def percent_of(price: Cop, percent: int, step: int, *, rounds_down: bool = False) -> Cop:
    """Return this percentage of a price, as a multiple of `step` pesos.

    It is rounded to the nearest multiple, halves up; with `rounds_down`, to the multiple below.
    """
    exact = price * percent
    unit = 100 * step
    return (exact if rounds_down else exact + unit // 2) // unit * step
