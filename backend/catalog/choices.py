"""What a shopper chooses between on a product's page: its options, and which variant a combination of values is."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Variant
from backend.catalog.views import OptionView, VariantView
from backend.inventory.models import InventoryLevel
from backend.money import format_cop, percent_off
from backend.texts import _

OPTION_TITLE = _("Presentación")
"""The option of a product that has none of its own: which of its variants."""

Choices = tuple[list[OptionView], list[VariantView]]


async def choices_of(session: AsyncSession, product_id: str) -> Choices:
    """The options of a product, and its variants. Of one with a single variant there is nothing to choose."""
    units = func.coalesce(func.sum(InventoryLevel.stocked - InventoryLevel.reserved), 0)
    rows = await session.execute(
        select(Variant, units)
        .outerjoin(InventoryLevel, InventoryLevel.variant_id == Variant.id)
        .where(Variant.product_id == product_id)
        .group_by(Variant.id)
        .order_by(Variant.rank, Variant.id)
    )
    stocked = [(variant, int(count)) for variant, count in rows]
    options = _by_title([variant for variant, _count in stocked])
    return [OptionView(title, list(dict.fromkeys(values))) for title, values in options], [
        _variant_view(variant, [values[place] for _title, values in options], count)
        for place, (variant, count) in enumerate(stocked)
    ]


def _by_title(variants: Sequence[Variant]) -> list[tuple[str, list[str]]]:
    """The one option of variants that are told apart by their titles, with the value of each; none of a single one."""
    if len(variants) < 2:
        return []
    return [(OPTION_TITLE, _told_apart(variants))]


def _told_apart(variants: Iterable[Variant]) -> list[str]:
    """The variants' titles; those that are called alike have their SKU, or a number, too."""
    seen: Counter[str] = Counter()
    names: list[str] = []
    for variant in variants:
        name = variant.title
        if name in names and variant.sku:
            name = f"{variant.title} ({variant.sku})"
        while name in names:
            seen[variant.title] += 1
            name = f"{variant.title} ({seen[variant.title] + 1})"
        names.append(name)
    return names


def _variant_view(variant: Variant, values: list[str], stock: int) -> VariantView:
    saved = percent_off(variant.price, variant.compare_at_price)
    return VariantView(
        id=variant.id,
        title=variant.title,
        values=values,
        sku=variant.sku or "",
        price=variant.price,
        price_label=format_cop(variant.price),
        compare_at_label=format_cop(variant.compare_at_price) if saved and variant.compare_at_price else None,
        percent_off=saved,
        stock=stock,
        available=stock > 0,
    )
