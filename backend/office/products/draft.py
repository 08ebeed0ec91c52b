"""Producto's form: what it holds, what is wrong with it, and how the changes of two people come together.

Values are texts, as they are typed. `tidied` writes each value in one way only: texts are equal where values are.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

from backend.catalog.bar_codes import is_bar_code
from backend.catalog.models import ONLY
from backend.catalog.product_facts import IN_METADATA, LONGEST
from backend.catalog.schemas import cell_parsers
from backend.catalog.schemas.admin import MAX_PICTURES, MAX_VARIANTS
from backend.catalog.schemas.cell_parsers import CellError
from backend.catalog.schemas.product_fields import AGE_RANGES
from backend.core.money import MAX_AMOUNT
from backend.core.texts import _, language
from backend.media.videos import VIDEO
from backend.pricing import TAX_RATES

FREE = "1"
"""The text of a variant that may be sold at a price of 0."""
NEW = "new-"
"""The keys of variants that are not saved yet begin with this."""
MEASURES = {"weight": 100, "length": 500, "width": 500, "height": 500}
"""Kilograms and centimetres: the most of each."""
TEXTS = {
    "title": 255,
    "subtitle": 255,
    "description": 10_000,
    "brand": 100,
    "age_range": 10,
    "collection_id": 64,
    "tax_rate": 3,
    "material": 255,
    "contents": LONGEST,
    "safety_mark": LONGEST,
    VIDEO: LONGEST,
    "origin_country": 2,
    "warnings": 10_000,
    "handle": 200,
    **dict.fromkeys(MEASURES, 12),
}
"""The fields of the product, and the most characters of each."""
KEPT_IN_METADATA = (*IN_METADATA, VIDEO)
"""Those that have no column of their own."""
LONGEST_ALT = 300
LONGEST_CELL = 255
"""Characters of a field of a variant."""
TWICE = {
    "title": _("Dos presentaciones se llaman igual."),
    "sku": _("Dos presentaciones tienen este código."),
    "ean": _("Dos presentaciones tienen este código de barras."),
}
"""What is said of a variant that has the same as an earlier one."""
_DECIMAL = {"es": ",", "en": "."}[language]
_PESOS = re.compile(r"[0-9]{1,10}")
_GROUPED = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{3})+")


@dataclass(frozen=True, slots=True)
class VariantDraft:
    """A variant. `key` is its id, or begins with `NEW`; `before` is the price before a sale.

    `is_free` is `FREE`, or empty.
    """

    key: str
    title: str = ONLY
    price: str = ""
    before: str = ""
    sku: str = ""
    ean: str = ""
    is_free: str = ""


@dataclass(frozen=True, slots=True)
class PictureDraft:
    """A picture, known by its address."""

    url: str
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A product as the form holds it: `texts` by the names of `TEXTS`, ids of categories, the rest in its order."""

    texts: dict[str, str]
    is_published: bool
    is_featured: bool
    categories: list[str]
    pictures: list[PictureDraft]
    variants: list[VariantDraft]


@dataclass(frozen=True, slots=True)
class Clash:
    """What two people changed: the name of the form's field (see `problems_in`), and what each wants there."""

    name: str
    mine: str
    theirs: str


def measure_text(value: float | None) -> str:
    """A weight or a length as it is typed."""
    return "" if value is None else f"{value:g}".replace(".", _DECIMAL)


def measure_of(text: str, most: int) -> float | None:
    """What was typed as a weight or a length; None for nothing.

    Raises:
        CellError: it is none, or too large.
    """
    return cell_parsers.measure(most, "1")(text) if text else None


def pesos_of(text: str) -> int | None:
    """What was typed as an amount, with or without `$` and thousands separators; None where it is none."""
    plain = text.replace("$", "").replace("\u00a0", "").replace(" ", "")
    if _GROUPED.fullmatch(plain):
        plain = re.sub("[.,]", "", plain)
    return int(plain) if _PESOS.fullmatch(plain) and int(plain) <= MAX_AMOUNT else None


def picture_key(url: str) -> str:
    """What tells a picture of a form from the others, in names of fields."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def tidied(draft: Draft) -> Draft:
    """The same with every value written in one way; what cannot be understood stays as it was typed."""
    texts = {**draft.texts}
    for name, most in MEASURES.items():
        try:
            texts[name] = measure_text(measure_of(texts[name], most))
        except CellError:
            continue
    variants = [
        replace(
            one,
            title=one.title or ONLY,
            price=_written(one.price) or ("0" if one.is_free else ""),
            before=_written(one.before),
            ean=one.ean.replace(" ", "").replace("-", ""),
        )
        for one in draft.variants
    ]
    return replace(draft, texts=texts, variants=variants, categories=sorted(set(draft.categories)))


def problems_in(draft: Draft, before: Draft | None = None) -> dict[str, str]:
    """What is wrong, by field: the names of `TEXTS`, `pictures`, `variants`, and `price-<key>` and the like.

    Args:
        draft: tidied.
        before: what is saved: what was not changed is no problem of whoever saves. None for a new product, whose
            address may be left open.
    """
    problems = _problems_of_texts(draft.texts, is_new=before is None)
    known = {one.key: one for one in before.variants} if before else {}
    if before is not None:
        problems = {name: text for name, text in problems.items() if draft.texts[name] != before.texts[name]}
    if len(draft.pictures) > MAX_PICTURES:
        problems["pictures"] = _("Máximo {n} fotos.").format(n=MAX_PICTURES)
    if not draft.variants:
        problems["variants"] = _("Un juguete tiene por lo menos una presentación.")
    elif len(draft.variants) > MAX_VARIANTS:
        problems["variants"] = _("Máximo {n} presentaciones.").format(n=MAX_VARIANTS)
    for one in draft.variants:
        if one != known.get(one.key):
            problems |= _problems_of_variant(one)
    for name, problem in TWICE.items():
        for key in _repeated((one.key, getattr(one, name)) for one in draft.variants):
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
    if texts["tax_rate"] not in map(str, TAX_RATES):
        problems["tax_rate"] = _("Elige el IVA de la lista.")
    for name, most in MEASURES.items():
        if not _can_read(partial(measure_of, most=most), texts[name]):
            problems[name] = _("Un número mayor que 0, como 0,35. Máximo {n}.").format(n=most)
    if texts["origin_country"] and not _can_read(cell_parsers.country, texts["origin_country"]):
        problems["origin_country"] = _("Elige un país de la lista.")
    if not (is_new and not texts["handle"]) and not _can_read(cell_parsers.handle, texts["handle"]):
        problems["handle"] = _("Solo minúsculas, números y guiones, como trompo-de-madera.")
    return problems


def _can_read(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except CellError:
        return False
    return True


def merged(base: Draft, mine: Draft, theirs: Draft) -> tuple[Draft, list[Clash]]:
    """What two people want: `mine` was made of `base`, which is `theirs` by now.

    A value that one of them changed is as they want it; what both changed alike is no matter; what they changed
    differently is a clash, and stays `theirs`. Categories and pictures that one of them put in or took out are in or
    out. All three are tidied.
    """
    clashes: list[Clash] = []

    def text(name: str, before: str, wanted: str, now: str) -> str:
        if wanted in {before, now}:
            return now
        if now != before:
            clashes.append(Clash(name, wanted, now))
            return now
        return wanted

    def either(is_so: Callable[[Draft], bool]) -> bool:
        return is_so(theirs) if is_so(mine) == is_so(base) else is_so(mine)

    before, wanted, now = set(base.categories), set(mine.categories), set(theirs.categories)
    draft = Draft(
        texts={name: text(name, base.texts[name], mine.texts[name], theirs.texts[name]) for name in TEXTS},
        is_published=either(lambda one: one.is_published),
        is_featured=either(lambda one: one.is_featured),
        categories=sorted((now | (wanted - before)) - (before - wanted)),
        pictures=_merged_pictures(base, mine, theirs, text),
        variants=_merged_variants(base, mine, theirs, text, clashes),
    )
    return draft, clashes


Text = Callable[[str, str, str, str], str]


def _merged_pictures(base: Draft, mine: Draft, theirs: Draft, text: Text) -> list[PictureDraft]:
    of_base, of_mine, of_theirs = (
        {one.url: one.alt for one in draft.pictures} for draft in (base, mine, theirs)
    )
    pictures = []
    for url in _in_order(list(of_base), list(of_mine), list(of_theirs)):
        now = of_theirs.get(url, of_mine.get(url, ""))
        wanted = of_mine.get(url, now)
        pictures.append(
            PictureDraft(url, text(f"alt-{picture_key(url)}", of_base.get(url, now), wanted, now))
        )
    return pictures


def _merged_variants(
    base: Draft, mine: Draft, theirs: Draft, text: Text, clashes: list[Clash]
) -> list[VariantDraft]:
    of_base, of_mine, of_theirs = ({one.key: one for one in draft.variants} for draft in (base, mine, theirs))
    for key, before in of_base.items():
        if key in of_mine and key not in of_theirs and of_mine[key] != before:
            clashes.append(Clash("variants", of_mine[key].title, ""))
        elif key in of_theirs and key not in of_mine and of_theirs[key] != before:
            clashes.append(Clash("variants", "", of_theirs[key].title))
    variants = []
    for key in _in_order(list(of_base), list(of_mine), list(of_theirs)):
        now = of_theirs.get(key) or of_mine[key]
        wanted, before = of_mine.get(key, now), of_base.get(key, now)
        values = {
            name: text(f"{name}-{key}", getattr(before, name), getattr(wanted, name), getattr(now, name))
            for name in ("title", "price", "before", "sku", "ean", "is_free")
        }
        variants.append(VariantDraft(key, **values))
    return variants


def _in_order(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """What both want to be there, in the order of whoever changed it; in mine where both did."""
    if mine == base:
        return list(theirs)
    if theirs == base:
        return list(mine)
    kept = [one for one in mine if one in theirs or one not in base]
    return kept + [one for one in theirs if one not in mine and one not in base]


def _written(price: str) -> str:
    amount = pesos_of(price)
    return price if amount is None else str(amount)


def _problems_of_variant(one: VariantDraft) -> dict[str, str]:
    problems: dict[str, str] = {}
    price, before = pesos_of(one.price), pesos_of(one.before)
    if price is None:
        problems[f"price-{one.key}"] = _("Escribe el precio en pesos, como 89900.")
    elif price and one.is_free:
        problems[f"price-{one.key}"] = _("Con «Gratis», el precio es 0.")
    elif not price and not one.is_free:
        problems[f"price-{one.key}"] = _("Escribe el precio. Para regalarlo con precio 0, marca «Gratis».")
    if one.before and before is None:
        problems[f"before-{one.key}"] = _("Escribe un precio en pesos, o nada.")
    elif price is not None and before is not None and before <= price:
        problems[f"before-{one.key}"] = _("Tiene que ser mayor que el precio.")
    for name in ("title", "sku"):
        if len(getattr(one, name)) > LONGEST_CELL:
            problems[f"{name}-{one.key}"] = _("Máximo {n} letras.").format(n=LONGEST_CELL)
    if one.ean and not is_bar_code(one.ean):
        problems[f"ean-{one.key}"] = _("No es un código de barras: revisa los números.")
    return problems


def _repeated(values: Iterable[tuple[str, str]]) -> list[str]:
    """The keys whose value an earlier one has already."""
    seen: set[str] = set()
    keys = []
    for key, value in values:
        if value and value.casefold() in seen:
            keys.append(key)
        seen.add(value.casefold())
    return keys
