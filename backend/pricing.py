"""What a cart costs: lines, shipping and adjustments in, totals with IVA per line out. The only place that adds up.

Prices include IVA. The tax of a line, and of the shipping, is computed from its own amount and rate and rounded to
the peso; every other total is a sum of those. So parts and whole always agree to the peso.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from backend.core.money import Cop

STANDARD_RATE = 19
"""The general rate of IVA, in percent (Estatuto Tributario, article 468)."""
TAX_RATES = (0, 5, STANDARD_RATE)
"""The rates a product may have: excluded or exempt, reduced (article 468-1), general."""
SHIPPING_RATE = STANDARD_RATE
"""The rate of the shipping that the shop sells."""

SHIPPING = "shipping"
CART = "cart"


@dataclass(frozen=True, slots=True)
class PricedLine:
    """Units of one thing at one price. `id` is unique in the cart; `unit_price` holds the IVA at `tax_rate` percent."""

    id: str
    quantity: int
    unit_price: Cop
    tax_rate: int = STANDARD_RATE

    @property
    def amount(self) -> Cop:
        """All units, before adjustments."""
        return self.unit_price * self.quantity


@dataclass(frozen=True, slots=True)
class ShippingCharge:
    """What shipping costs, with the IVA at `tax_rate` percent in it."""

    amount: Cop
    tax_rate: int = SHIPPING_RATE

    @classmethod
    def before(cls, total: Cop, taken: Iterable["Adjustment"], tax_rate: int) -> "ShippingCharge":
        """The charge of which these adjustments left `total`."""
        return cls(total + sum(one.amount for one in taken if one.target == SHIPPING), tax_rate)


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Pesos taken off, IVA included.

    Attributes:
        amount: how much; 0 or more. What its target no longer costs is not taken: nothing becomes negative.
        target: a line's id, `SHIPPING`, or `CART`, which spreads it over the lines in proportion to what they still
            cost, to the peso, and leaves the shipping alone.
        code: what the shopper typed, or the promotion's name.
    """

    amount: Cop
    target: str = CART
    code: str = ""
    description: str = ""
    promotion_id: str | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """An amount as it is (`total`) and as it was before adjustments (`original_total`), with the IVA in each."""

    total: Cop
    tax_total: Cop
    original_total: Cop
    original_tax_total: Cop

    @property
    def subtotal(self) -> Cop:
        """The total without its IVA."""
        return self.total - self.tax_total

    @property
    def original_subtotal(self) -> Cop:
        """The original total without its IVA."""
        return self.original_total - self.original_tax_total

    @property
    def discount_total(self) -> Cop:
        """What the adjustments took off."""
        return self.original_total - self.total

    @property
    def discount_tax_total(self) -> Cop:
        """The IVA that is no longer owed because of them."""
        return self.original_tax_total - self.tax_total

    @property
    def discount_subtotal(self) -> Cop:
        """What they took off before IVA."""
        return self.original_subtotal - self.subtotal


@dataclass(frozen=True, slots=True)
class PartTotals(Totals):
    """A line, or the shipping (`id` is `SHIPPING`). `adjustments` are what was really taken off it, by each."""

    id: str
    tax_rate: int
    adjustments: tuple[Adjustment, ...] = ()


@dataclass(frozen=True, slots=True)
class CartTotals(Totals):
    """The whole cart: its own totals are those of lines and shipping together."""

    lines: tuple[PartTotals, ...]
    items: Totals
    """All lines."""
    shipping: PartTotals
    """Zeros where there is none."""

    @property
    def item_total(self) -> Cop:
        """All lines, after adjustments."""
        return self.items.total

    @property
    def shipping_total(self) -> Cop:
        """The shipping, after adjustments."""
        return self.shipping.total

    @property
    def by_line(self) -> dict[str, PartTotals]:
        """The lines by their ids."""
        return {line.id: line for line in self.lines}

    @property
    def taken_by_promotion(self) -> dict[str, Cop]:
        """What each promotion took off lines and shipping together, by its id, in the order in which they applied."""
        taken: dict[str, Cop] = {}
        for one in self._adjustments:
            if one.promotion_id is not None:
                taken[one.promotion_id] = taken.get(one.promotion_id, 0) + one.amount
        return taken

    @property
    def savings(self) -> list[tuple[str, Cop]]:
        """What was taken off, by the code that took it: for people, in the order of the lines and the shipping last."""
        savings: dict[str, Cop] = {}
        for one in self._adjustments:
            savings[one.code] = savings.get(one.code, 0) + one.amount
        return list(savings.items())

    @property
    def _adjustments(self) -> Iterable[Adjustment]:
        return (one for part in (*self.lines, self.shipping) for one in part.adjustments)

    def as_json(self) -> dict[str, Any]:
        """The totals as plain values; `from_json` restores them without pricing anything again."""
        return {
            "total": self.total,
            "subtotal": self.subtotal,
            "tax_total": self.tax_total,
            "lines": [asdict(line) for line in self.lines],
            "shipping": asdict(self.shipping),
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "CartTotals":
        """The totals of which `as_json` made these values."""
        return _whole([_part_from(line) for line in stored["lines"]], _part_from(stored["shipping"]))


def price_cart(
    lines: Sequence[PricedLine],
    shipping: ShippingCharge | None = None,
    adjustments: Sequence[Adjustment] = (),
) -> CartTotals:
    """What these lines and this shipping cost, less the adjustments in their order.

    Raises:
        ValueError: something is negative, two lines have one id, or an adjustment is of a line that is not there.
    """
    amounts = {line.id: line.amount for line in lines}
    charge = shipping or ShippingCharge(0)
    _require_sense(lines, charge, adjustments, amounts)
    amounts[SHIPPING] = charge.amount
    taken: dict[str, list[Adjustment]] = {}
    for adjustment in adjustments:
        for target, amount in _shares(adjustment, amounts).items():
            amounts[target] -= amount
            taken.setdefault(target, []).append(
                Adjustment(amount, target, adjustment.code, adjustment.description, adjustment.promotion_id)
            )
    parts = [
        _part(id_, rate, original, amounts[id_], taken.get(id_, ()))
        for id_, rate, original in (
            *((line.id, line.tax_rate, line.amount) for line in lines),
            (SHIPPING, charge.tax_rate, charge.amount),
        )
    ]
    return _whole(parts[:-1], parts[-1])


def _require_sense(
    lines: Sequence[PricedLine],
    charge: ShippingCharge,
    adjustments: Sequence[Adjustment],
    amounts: dict[str, Cop],
) -> None:
    if len(amounts) != len(lines) or SHIPPING in amounts or CART in amounts:
        raise ValueError("Every line has an id of its own")
    if any(line.quantity < 0 or line.unit_price < 0 or line.tax_rate < 0 for line in lines):
        raise ValueError("A quantity, a price or a rate of a line is negative")
    if charge.amount < 0 or charge.tax_rate < 0:
        raise ValueError("The shipping is negative")
    for adjustment in adjustments:
        if adjustment.amount < 0:
            raise ValueError("An adjustment takes off; it adds nothing")
        if adjustment.target not in (SHIPPING, CART) and adjustment.target not in amounts:
            raise ValueError(f"There is no line {adjustment.target}")


def _shares(adjustment: Adjustment, amounts: dict[str, Cop]) -> dict[str, Cop]:
    """What the adjustment takes off each of what is left: never more than that."""
    if adjustment.target != CART:
        amount = min(adjustment.amount, amounts[adjustment.target])
        return {adjustment.target: amount} if amount else {}
    left = {id_: amount for id_, amount in amounts.items() if id_ != SHIPPING}
    return spread(adjustment.amount, left)


def spread(amount: Cop, over: Mapping[str, Cop]) -> dict[str, Cop]:
    """What each of these bears of an amount, in proportion to what it costs, to the peso; never more than that.

    Args:
        amount: the pesos to spread, 0 or more. What is more than all of them cost is not spread.
        over: what each costs, by its id.

    Returns:
        Pesos by id, without those that bear nothing. Together they are the amount, or all there is.
    """
    whole = sum(over.values())
    amount = min(amount, whole)
    if not amount:
        return {}
    shares = {id_: amount * of // whole for id_, of in over.items()}
    # the pesos that rounding down left over, to those that lost most by it; the first lines where several did
    by_loss = sorted(over, key=lambda id_: -(amount * over[id_] % whole))
    for id_ in by_loss[: amount - sum(shares.values())]:
        shares[id_] += 1
    return {id_: share for id_, share in shares.items() if share}


def _part(id_: str, rate: int, original: Cop, amount: Cop, adjustments: Iterable[Adjustment]) -> PartTotals:
    original_tax = tax_inside(original, rate)
    tax = original_tax if amount == original else tax_inside(amount, rate)
    return PartTotals(amount, tax, original, original_tax, id_, rate, tuple(adjustments))


def _part_from(stored: dict[str, Any]) -> PartTotals:
    adjustments = tuple(Adjustment(**adjustment) for adjustment in stored["adjustments"])
    return PartTotals(**{**stored, "adjustments": adjustments})


def _whole(lines: Sequence[PartTotals], shipping: PartTotals) -> CartTotals:
    items = _sum(lines)
    return CartTotals(
        total=items.total + shipping.total,
        tax_total=items.tax_total + shipping.tax_total,
        original_total=items.original_total + shipping.original_total,
        original_tax_total=items.original_tax_total + shipping.original_tax_total,
        lines=tuple(lines),
        items=items,
        shipping=shipping,
    )


def _sum(parts: Iterable[Totals]) -> Totals:
    total = tax = original = original_tax = 0
    for part in parts:
        total += part.total
        tax += part.tax_total
        original += part.original_total
        original_tax += part.original_tax_total
    return Totals(total, tax, original, original_tax)


def tax_inside(amount: Cop, rate: int) -> Cop:
    """The IVA in an amount; the rest is its base, rounded to the nearest peso (half a peso upwards)."""
    base = (200 * amount + 100 + rate) // (2 * (100 + rate))
    return amount - base


def price_of_units(total: Cop, quantity: int, units: int) -> Cop:
    """What so many units of a line cost that costs `total` for `quantity` of them, to the nearest peso."""
    return (2 * total * units + quantity) // (2 * quantity)


def percent_of(price: Cop, percent: int, step: int, *, rounds_down: bool = False) -> Cop:
    """So many percent of a price, as a multiple of `step` pesos: the nearest (halves up), or the one below."""
    exact = price * percent
    unit = 100 * step
    return (exact if rounds_down else exact + unit // 2) // unit * step
