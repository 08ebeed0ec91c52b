"""Choices on the product page: the options, and the variant for each combination of values."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.colors import find_color, is_color_option
from backend.catalog.models import Variant
from backend.catalog.price_labels import format_price
from backend.catalog.products.options import IMPLIED_TITLE, read_product_options, read_variant_values
from backend.catalog.storefront.product_cards import read_variants_with_units
from backend.catalog.views import OptionView, VariantView
from backend.core.money import format_cop, percent_off

Choices = tuple[list[OptionView], list[VariantView]]


async def read_choices(session: AsyncSession, product_id: str, pictures: Sequence[str]) -> Choices:
    """Return a product's options and variants. A product with a single variant has no options to choose.

    `pictures` are the URLs of the product's pictures, as they are stored.
    """
    stocked = (await read_variants_with_units(session, [product_id]))[product_id]
    variants = [variant for variant, _count in stocked]
    pickers = await _option_pickers(session, product_id, variants) or _title_pickers(variants)
    places = {url: place for place, url in reversed(list(enumerate(pictures)))}
    return [OptionView(picker.title, picker.choices, picker.colors) for picker in pickers], [
        replace(
            _variant_view(variant, [picker.values[place] for picker in pickers], count),
            picture=places.get(variant.thumbnail or "", -1),
        )
        for place, (variant, count) in enumerate(stocked)
    ]


@dataclass(frozen=True, slots=True)
class _Picker:
    """An option with its values to choose from, their colours, and the value of each variant."""

    title: str
    choices: list[str]
    values: list[str]
    colors: list[str]


async def _option_pickers(
    session: AsyncSession, product_id: str, variants: Sequence[Variant]
) -> list[_Picker]:
    """Return the pickers of the product's own options; none if these do not distinguish all variants.

    Options with the same value in all variants, and values without a variant, are left out.
    """
    if len(variants) < 2:
        return []
    options = await read_product_options(session, product_id)
    values = await read_variant_values(session, [product_id]) if options else {}
    pickers = []
    for option in options:
        of_each = [values.get(variant.id, {}).get(option.row.id) for variant in variants]
        if None in of_each:
            return []
        texts = [value.value for value in of_each if value is not None]
        used = [value for value in option.values if value.value in texts]
        is_color = is_color_option(option.row.title)
        if len(used) > 1:
            colors = [find_color(value.value, value.meta) if is_color else "" for value in used]
            pickers.append(_Picker(option.row.title, [value.value for value in used], texts, colors))
    combinations = set(zip(*(picker.values for picker in pickers), strict=True))
    return pickers if len(combinations) == len(variants) else []


def _title_pickers(variants: Sequence[Variant]) -> list[_Picker]:
    """Return the picker of the variants' titles; none for a single variant."""
    if len(variants) < 2:
        return []
    names = _distinct_titles(variants)
    return [_Picker(IMPLIED_TITLE, names, names, ["" for _name in names])]


def _distinct_titles(variants: Iterable[Variant]) -> list[str]:
    """Return the variants' titles; equal titles get the SKU or a number appended."""
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
        price_label=format_price(variant),
        compare_at_label=format_cop(variant.compare_at_price) if saved and variant.compare_at_price else None,
        percent_off=saved,
        stock=stock,
        has_price=variant.has_price,
        available=stock > 0 and variant.has_price,
    )
