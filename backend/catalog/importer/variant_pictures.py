"""Pictures of imported variants, and the option values that they show."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from backend.catalog.colors import is_color_option
from backend.catalog.importer.columns import OPTIONS, VARIANT_PICTURES
from backend.catalog.importer.row_reader import Row

Values = Mapping[str, str]
"""The values of a variant by the titles of the options."""


def find_shown_values(pictures: Mapping[str, Sequence[Values]], options: Iterable[str]) -> dict[str, str]:
    """Return the option value that each picture shows, by picture.

    All values belong to the same option: the one in which the most pictures show exactly one value. If
    several options are equally good, it is the first of them. A picture whose variants have different values
    of this option shows none, and is left out.

    Args:
        pictures: for each picture, the values of the variants that have it.
        options: the titles of the options in which the product's variants differ, the preferred one first.
    """
    best: dict[str, str] = {}
    for option in options:
        values = {picture: {one.get(option, "") for one in of} for picture, of in pictures.items()}
        single = {picture: min(some) for picture, some in values.items() if len(some) == 1 and "" not in some}
        if len(single) > len(best):
            best = single
    return best


def list_differing_options(variants: Iterable[Values]) -> list[str]:
    """Return the titles of the options in which the variants differ, those of colours first."""
    found: dict[str, set[str]] = defaultdict(set)
    for values in variants:
        for option, value in values.items():
            found[option].add(value)
    differing = [option for option, values in found.items() if len(values) > 1]
    return sorted(differing, key=lambda option: not is_color_option(option))


def drop_shared_pictures(rows: Sequence[Row], known: Iterable[Values]) -> list[Row]:
    """Return the rows of one product without the variants' pictures that show no option value.

    Variants that differ in every option share such a picture. If the first row has pictures of the product,
    all pictures of the variants are added to them, including the dropped ones.

    Args:
        rows: the rows, with options.
        known: the values of the product's existing variants.
    """
    named: dict[str, list[Values]] = defaultdict(list)
    for row in rows:
        for name in row.get(VARIANT_PICTURES) or ():
            named[name].append(dict(row.values[OPTIONS]))
    if not named:
        return list(rows)
    options = list_differing_options([*(dict(row.values[OPTIONS]) for row in rows), *known])
    shown = {name for name, of in named.items() if find_shown_values({name: of}, options)}
    kept = [_keep_variant_pictures(row, shown) for row in rows]
    if (pictures := kept[0].get("pictures")) is not None:
        values = {**kept[0].values, "pictures": tuple(dict.fromkeys([*pictures, *named]))}
        kept[0] = replace(kept[0], values=values)
    return kept


def _keep_variant_pictures(row: Row, kept: Collection[str]) -> Row:
    values = {column: value for column, value in row.values.items() if column != VARIANT_PICTURES}
    if names := tuple(name for name in row.get(VARIANT_PICTURES) or () if name in kept):
        values[VARIANT_PICTURES] = names
    return replace(row, values=values)
