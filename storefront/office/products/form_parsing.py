"""What the browser sends of Producto's form, checked."""

import re
from typing import Any

from pydantic import TypeAdapter, ValidationError

from backend.catalog.schemas.admin import MAX_PICTURES, MAX_VARIANTS
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.inventory.movements import MOST_UNITS
from backend.office.products.draft import (
    FREE,
    LONGEST_ALT,
    LONGEST_CELL,
    TEXTS,
    Draft,
    PictureDraft,
    VariantDraft,
)
from backend.office.products.editor import Base
from backend.office.products.saving import Wanted
from storefront.state.handlers import checked_fields, checked_id, checked_text

MOST_CATEGORIES = 200
LONGEST_SEEN = 200_000
"""Characters of what the form showed."""
LONGEST_URL = 2_000
_BASE = TypeAdapter(Base)
_NEW_ID = re.compile(r"prod_[0-9A-Z]{26}")
_UNITS = re.compile(r"[+-]?[0-9]{1,7}")


def base_text(base: Base) -> str:
    """What the form shows, as the browser keeps it and sends it back."""
    return _BASE.dump_json(base).decode()


def wanted_of(form: object) -> Wanted:
    """What somebody wants to save.

    Raises:
        InvalidData: it is no form of this screen.
    """
    if not isinstance(form, dict):
        raise InvalidData("not a form")
    base = _base(form.get("seen"))
    texts = {
        name: checked_text(form.get(name, base.draft.texts[name]), max(most, LONGEST_CELL) + 100)
        for name, most in TEXTS.items()
    }
    said = checked_fields(form, "is_published", "is_featured", "location_id")
    urls = _list(form, "picture", MAX_PICTURES, LONGEST_URL)
    alts = _list(form, "alt", MAX_PICTURES, LONGEST_ALT)
    keys = _list(form, "variant", MAX_VARIANTS)
    columns = [_list(form, name, MAX_VARIANTS) for name in ("variant_title", "price", "before", "sku", "ean")]
    ticked = set(_list(form, "is_free", MAX_VARIANTS))
    free = [FREE if key in ticked else "" for key in keys]
    if len(urls) != len(alts) or any(len(one) != len(keys) for one in columns) or len(set(keys)) < len(keys):
        raise InvalidData("not a table")
    draft = Draft(
        texts=texts,
        is_published=bool(said["is_published"]),
        is_featured=bool(said["is_featured"]),
        categories=_list(form, "category", MOST_CATEGORIES),
        pictures=[PictureDraft(url, alt) for url, alt in dict(zip(urls, alts, strict=True)).items()],
        variants=[VariantDraft(*row) for row in zip(keys, *columns, free, strict=True)],
    )
    return Wanted(base, draft, _units(form), said["location_id"])


def problems_of_units(form: object) -> dict[str, str]:
    """What is wrong with the units that came, by field."""
    return {
        f"units-{key}": _("Escribe cuántas llegaron, o nada.")
        for key, text in _typed_units(form)
        if text and not _UNITS.fullmatch(text)
    }


def _units(form: dict[Any, Any]) -> dict[str, int]:
    units = {key: int(text) for key, text in _typed_units(form) if _UNITS.fullmatch(text)}
    return {key: count for key, count in units.items() if count and abs(count) <= MOST_UNITS}


def _typed_units(form: object) -> list[tuple[str, str]]:
    if not isinstance(form, dict):
        return []
    typed = _list(form, "units", MAX_VARIANTS)
    keys = _list(form, "variant", MAX_VARIANTS)
    return list(zip(keys, [text.replace(" ", "") for text in typed], strict=False))


def _list(form: dict[Any, Any], name: str, most: int, longest: int = LONGEST_CELL + 100) -> list[str]:
    """The texts that a form sent under one name, in their order."""
    values = form.get(name, [])
    if not isinstance(values, list) or len(values) > most + 1:
        raise InvalidData("not a list")
    return [checked_text(value, longest) for value in values]


def _base(seen: object) -> Base:
    try:
        base = _BASE.validate_json(checked_text(seen, LONGEST_SEEN))
    except ValidationError:
        raise InvalidData("not what the form showed") from None
    checked_id(base.id)
    if set(base.draft.texts) != set(TEXTS) or (base.is_new and not _NEW_ID.fullmatch(base.id)):
        raise InvalidData("not what the form showed")
    return base
