"""Values of the product form: their validation, and the merge of two people's changes.

Values are texts, as they are typed. `normalize_draft` normalises them, so that values with the same meaning are
equal texts.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from hashlib import blake2b

from backend.catalog.bar_codes import is_bar_code
from backend.catalog.models import ONLY_VARIANT_TITLE, SEO_DESCRIPTION, SEO_TITLE
from backend.catalog.product_facts import (
    IN_METADATA,
    MAX_SEO_DESCRIPTION_LENGTH,
    MAX_SEO_TITLE_LENGTH,
    MAX_VALUE_LENGTH,
)
from backend.catalog.schemas import cell_parsers, cell_words
from backend.catalog.schemas.admin import MAX_PICTURES, MAX_VARIANTS
from backend.catalog.schemas.cell_numbers import LENGTH, WEIGHT, Measure
from backend.catalog.schemas.cell_parsers import CellError
from backend.catalog.schemas.cell_words import AGE_RANGES
from backend.catalog.schemas.product_fields import MAX_PREORDER_UNITS, PREORDER_FIELDS
from backend.core.clock import now
from backend.core.dates import today_in_colombia
from backend.core.errors import InvalidData
from backend.core.money import MAX_AMOUNT
from backend.core.texts import _, language_rules
from backend.media.videos import VIDEO_KEY
from backend.office.products.options_form import OptionDraft, find_option_problems, normalize_options
from backend.pricing import TAX_RATES

MAX_PREORDER_PERIOD = timedelta(days=365)
FREE = "1"
"""Value of `VariantDraft.is_free` for a variant that may be sold at a price of 0."""
EXCLUDED = "excluded"
"""Value of the rate of IVA of an excluded product."""
NEW = "new-"
"""Prefix of the keys of variants that are not saved yet."""
MEASURES = {"weight": WEIGHT, "length": LENGTH, "width": LENGTH, "height": LENGTH}
"""Fields with a weight or a length."""
TEXTS = {
    "title": 255,
    "subtitle": 255,
    "description": 10_000,
    "brand": 100,
    "age_range": 10,
    "collection_id": 64,
    "tax_rate": 8,
    "material": 255,
    "contents": MAX_VALUE_LENGTH,
    "safety_mark": MAX_VALUE_LENGTH,
    VIDEO_KEY: MAX_VALUE_LENGTH,
    "origin_country": 2,
    "warnings": 10_000,
    "handle": 200,
    "preorder_day": 10,
    "preorder_units": 6,
    SEO_TITLE: MAX_SEO_TITLE_LENGTH,
    SEO_DESCRIPTION: MAX_SEO_DESCRIPTION_LENGTH,
    **dict.fromkeys(MEASURES, 12),
}
"""Maximum number of characters of each text field."""
METADATA_TEXTS = (*IN_METADATA, VIDEO_KEY, SEO_TITLE, SEO_DESCRIPTION)
"""Fields that are stored in the metadata."""
MAX_ALT_LENGTH = 300
MAX_CELL_LENGTH = 255
"""Maximum number of characters of a variant's field."""
DUPLICATE_MESSAGES = {
    "title": _("Dos presentaciones se llaman igual."),
    "sku": _("Dos presentaciones tienen este código."),
    "ean": _("Dos presentaciones tienen este código de barras."),
}
"""Error messages for a variant that has the same value as an earlier one."""
_PESOS = re.compile(r"[0-9]{1,10}")
_GROUPED = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{3})+")


@dataclass(frozen=True, slots=True)
class VariantDraft:
    """A variant in the product form.

    `key` is its id; for a new variant it begins with `NEW`. `before` is the price before a sale. `is_free` is
    `FREE` if the variant may be sold at a price of 0, otherwise empty. `cost` is the cost of a unit, without IVA.
    """

    key: str
    title: str = ONLY_VARIANT_TITLE
    price: str = ""
    before: str = ""
    sku: str = ""
    ean: str = ""
    is_free: str = ""
    cost: str = ""


@dataclass(frozen=True, slots=True)
class PictureDraft:
    """A picture, identified by its URL. `value` is the id of the option value that it shows; empty for none."""

    url: str
    alt: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """Values of the form: `texts` by the names of `TEXTS`, sorted ids of categories, ordered pictures and variants."""

    texts: dict[str, str]
    is_published: bool
    is_featured: bool
    categories: list[str]
    pictures: list[PictureDraft]
    variants: list[VariantDraft]
    options: list[OptionDraft] = field(default_factory=list)


class FormRefused(InvalidData):
    """The form cannot be saved; `fields` has the problems by field."""

    def __init__(self, fields: dict[str, str]) -> None:
        super().__init__("The form has problems", fields=fields)


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that two people changed to different values: its name (see `find_problems`) and both values."""

    name: str
    mine: str
    theirs: str


def format_measure(value: float | None) -> str:
    """Format a weight or a length for its form field, in the shop's language; empty for None."""
    return "" if value is None else f"{value:g}".replace(".", language_rules.decimal_mark)


def parse_measure(text: str, measure: Measure) -> float | None:
    """Parse a weight or a length; return None for an empty text.

    Raises:
        CellError: the text is invalid, or the value is larger than the measure's maximum.
    """
    return measure.parse(text) if text else None


def parse_pesos(text: str) -> int | None:
    """Parse an amount, with or without `$` and thousands separators; return None for an invalid one."""
    plain = text.replace("$", "").replace("\u00a0", "").replace(" ", "")
    if _GROUPED.fullmatch(plain):
        plain = re.sub("[.,]", "", plain)
    return int(plain) if _PESOS.fullmatch(plain) and int(plain) <= MAX_AMOUNT else None


def picture_key(url: str) -> str:
    """Return a short key of a picture for names of form fields."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def normalize_draft(draft: Draft) -> Draft:
    """Return the draft with normalised values; invalid values stay as typed."""
    texts = {**draft.texts}
    for name, measure in MEASURES.items():
        try:
            texts[name] = format_measure(parse_measure(texts[name], measure))
        except CellError:
            continue
    variants = [
        replace(
            one,
            title=one.title or ONLY_VARIANT_TITLE,
            price=_normalize_price(one.price) or ("0" if one.is_free else ""),
            before=_normalize_price(one.before),
            cost=_normalize_price(one.cost),
            ean=one.ean.replace(" ", "").replace("-", ""),
        )
        for one in draft.variants
    ]
    options = normalize_options(draft.options)
    categories = sorted(set(draft.categories))
    return replace(draft, texts=texts, variants=variants, categories=categories, options=options)


def find_problems(draft: Draft, before: Draft | None = None) -> dict[str, str]:
    """Return the errors by field.

    The fields are the names of `TEXTS`, `pictures`, `variants`, `price-<key>` and similar.

    Args:
        draft: normalised by `normalize_draft`.
        before: the stored product; unchanged values are not checked. None for a new product, whose handle may be
            empty.
    """
    problems = _problems_of_texts(draft.texts, is_new=before is None)
    known = {one.key: one for one in before.variants} if before else {}
    if before is not None:
        problems = {name: text for name, text in problems.items() if draft.texts[name] != before.texts[name]}
    problems |= _problems_of_preorder(draft, before)
    if len(draft.pictures) > MAX_PICTURES:
        problems["pictures"] = _("Máximo {n} fotos.").format(n=MAX_PICTURES)
    if not draft.variants:
        problems["variants"] = _("Un producto tiene por lo menos una presentación.")
    elif len(draft.variants) > MAX_VARIANTS:
        problems["variants"] = _("Máximo {n} presentaciones.").format(n=MAX_VARIANTS)
    if before is None or draft.options != before.options:
        takes_titles = before is not None and not before.options and len(draft.variants) > 1
        problems |= find_option_problems(draft.options, takes_titles=takes_titles)
    for one in draft.variants:
        if one != known.get(one.key):
            problems |= _problems_of_variant(one)
    for name, problem in DUPLICATE_MESSAGES.items():
        for key in _repeated_keys((one.key, getattr(one, name)) for one in draft.variants):
            problems.setdefault(f"{name}-{key}", problem)
    return problems


def _problems_of_texts(texts: dict[str, str], *, is_new: bool) -> dict[str, str]:
    problems: dict[str, str] = {}
    if not texts["title"]:
        problems["title"] = _("Escribe el título.")
    for name, most in TEXTS.items():
        if len(texts[name]) > most:
            problems[name] = _("Máximo {n} letras.").format(n=most)
    if texts["age_range"] and texts["age_range"] not in AGE_RANGES:
        problems["age_range"] = _("Elige una edad de la lista.")
    if texts["tax_rate"] not in {*map(str, TAX_RATES), EXCLUDED}:
        problems["tax_rate"] = _("Elige el IVA de la lista.")
    for name, measure in MEASURES.items():
        if not _is_valid(partial(parse_measure, measure=measure), texts[name]):
            problems[name] = _("Un número mayor que 0, como 0,35. Máximo {n}.").format(n=measure.maximum)
    if texts["origin_country"] and not _is_valid(cell_words.parse_country, texts["origin_country"]):
        problems["origin_country"] = _("Elige un país de la lista.")
    if not (is_new and not texts["handle"]) and not _is_valid(cell_parsers.parse_handle, texts["handle"]):
        problems["handle"] = _("Solo minúsculas, números y guiones, como mochila-tejida.")
    return problems


def _problems_of_preorder(draft: Draft, before: Draft | None) -> dict[str, str]:
    day, units = values = [draft.texts[name] for name in PREORDER_FIELDS]
    problems: dict[str, str] = {}
    is_unchanged = before is not None and values == [before.texts[name] for name in PREORDER_FIELDS]
    if is_unchanged or not any(values):
        return problems
    today = today_in_colombia(now())
    if not (_is_valid(parse_day, day) and today < parse_day(day) <= today + MAX_PREORDER_PERIOD):
        problems["preorder_day"] = _("Elige un día futuro, a más tardar en un año.")
    if not (units.isascii() and units.isdecimal() and 0 < int(units) <= MAX_PREORDER_UNITS):
        problems["preorder_units"] = _("Escribe cuántas, entre 1 y {n}.").format(n=MAX_PREORDER_UNITS)
    return problems


def parse_day(text: str) -> date:
    """Parse a day of a date field.

    Raises:
        CellError: the text is not a day.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise CellError("must be a day") from None


def _is_valid(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except CellError:
        return False
    return True


def merge_drafts(base: Draft, mine: Draft, theirs: Draft) -> tuple[Draft, list[Clash]]:
    """Merge two people's changes: `mine` was made from `base`; `theirs` is the current state.

    A value that only one person changed is taken from that person. If both changed it to the same value, there is
    no clash. If they changed it to different values, the result has a clash and the value of `theirs`. Categories
    and pictures that either person added or removed are added or removed in the result. All three drafts must be
    normalised.
    """
    clashes: list[Clash] = []

    def text(name: str, before: str, new: str, now: str) -> str:
        if new in {before, now}:
            return now
        if now != before:
            clashes.append(Clash(name, new, now))
            return now
        return new

    def merge_flag(get_flag: Callable[[Draft], bool]) -> bool:
        return get_flag(theirs) if get_flag(mine) == get_flag(base) else get_flag(mine)

    before, new, now = set(base.categories), set(mine.categories), set(theirs.categories)
    draft = Draft(
        texts={name: text(name, base.texts[name], mine.texts[name], theirs.texts[name]) for name in TEXTS},
        is_published=merge_flag(lambda one: one.is_published),
        is_featured=merge_flag(lambda one: one.is_featured),
        categories=sorted((now | (new - before)) - (before - new)),
        pictures=_merged_pictures(base, mine, theirs, text),
        variants=_merged_variants(base, mine, theirs, text, clashes),
        options=_merged_options(base, mine, theirs, clashes),
    )
    return draft, clashes


def _merged_options(base: Draft, mine: Draft, theirs: Draft, clashes: list[Clash]) -> list[OptionDraft]:
    """Return the options of the draft in which they differ from `base`.

    If both drafts changed them differently, return the options of `theirs`, and add a clash to `clashes`.
    """
    if mine.options in (base.options, theirs.options):
        return theirs.options
    if theirs.options != base.options:
        clashes.append(Clash("options", *(_describe_options(one.options) for one in (mine, theirs))))
        return theirs.options
    return mine.options


def _describe_options(options: Iterable[OptionDraft]) -> str:
    return "; ".join(f"{one.title}: {', '.join(value.value for value in one.values)}" for one in options)


MergeText = Callable[[str, str, str, str], str]


def _merged_pictures(base: Draft, mine: Draft, theirs: Draft, text: MergeText) -> list[PictureDraft]:
    of_base, of_mine, of_theirs = ({one.url: one for one in draft.pictures} for draft in (base, mine, theirs))
    pictures = []
    for url in _merge_order(list(of_base), list(of_mine), list(of_theirs)):
        now = of_theirs.get(url) or of_mine[url]
        new, before = of_mine.get(url, now), of_base.get(url, now)
        key = picture_key(url)
        alt = text(f"alt-{key}", before.alt, new.alt, now.alt)
        pictures.append(
            PictureDraft(url, alt, text(f"picture_value-{key}", before.value, new.value, now.value))
        )
    return pictures


def _merged_variants(
    base: Draft, mine: Draft, theirs: Draft, text: MergeText, clashes: list[Clash]
) -> list[VariantDraft]:
    of_base, of_mine, of_theirs = ({one.key: one for one in draft.variants} for draft in (base, mine, theirs))
    for key, before in of_base.items():
        if key in of_mine and key not in of_theirs and of_mine[key] != before:
            clashes.append(Clash("variants", of_mine[key].title, ""))
        elif key in of_theirs and key not in of_mine and of_theirs[key] != before:
            clashes.append(Clash("variants", "", of_theirs[key].title))
    variants = []
    for key in _merge_order(list(of_base), list(of_mine), list(of_theirs)):
        now = of_theirs.get(key) or of_mine[key]
        new, before = of_mine.get(key, now), of_base.get(key, now)
        values = {
            name: text(f"{name}-{key}", getattr(before, name), getattr(new, name), getattr(now, name))
            for name in ("title", "price", "before", "sku", "ean", "is_free", "cost")
        }
        variants.append(VariantDraft(key, **values))
    return variants


def _merge_order(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Merge two people's changes of an ordered list.

    Items that either person added or removed are added or removed in the result. If only one person changed the
    list, the result has that person's order. If both did, it has the order of `mine`, with items that only `theirs`
    added at the end.
    """
    if mine == base:
        return list(theirs)
    if theirs == base:
        return list(mine)
    result = [one for one in mine if one in theirs or one not in base]
    return result + [one for one in theirs if one not in mine and one not in base]


def _normalize_price(price: str) -> str:
    amount = parse_pesos(price)
    return price if amount is None else str(amount)


def _problems_of_variant(one: VariantDraft) -> dict[str, str]:
    problems: dict[str, str] = {}
    price, before = parse_pesos(one.price), parse_pesos(one.before)
    if price is None:
        problems[f"price-{one.key}"] = _("Escribe el precio en pesos, como 89.900.")
    elif price and one.is_free:
        problems[f"price-{one.key}"] = _("Con «Gratis», el precio es 0.")
    elif not price and not one.is_free:
        problems[f"price-{one.key}"] = _("Escribe el precio. Para regalarlo con precio 0, marca «Gratis».")
    if one.before and before is None:
        problems[f"before-{one.key}"] = _("Escribe un precio en pesos, o nada.")
    elif price is not None and before is not None and before <= price:
        problems[f"before-{one.key}"] = _("Tiene que ser mayor que el precio.")
    if one.cost and parse_pesos(one.cost) is None:
        problems[f"cost-{one.key}"] = _("Escribe un costo en pesos, o nada.")
    for name in ("title", "sku"):
        if len(getattr(one, name)) > MAX_CELL_LENGTH:
            problems[f"{name}-{one.key}"] = _("Máximo {n} letras.").format(n=MAX_CELL_LENGTH)
    if one.ean and not is_bar_code(one.ean):
        problems[f"ean-{one.key}"] = _("No es un código de barras: revisa los números.")
    return problems


def _repeated_keys(values: Iterable[tuple[str, str]]) -> list[str]:
    """Return the keys of the values that are equal to an earlier value, ignoring case. Empty values are ignored."""
    seen: set[str] = set()
    keys = []
    for key, value in values:
        if value and value.casefold() in seen:
            keys.append(key)
        seen.add(value.casefold())
    return keys
