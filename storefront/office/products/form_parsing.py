"""Validation of the form that the browser sends from the product editor."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from backend.catalog.schemas.admin import MAX_PICTURES, MAX_VARIANTS
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.inventory.movements import MAX_MOVED_UNITS
from backend.office.products.draft import (
    FREE,
    MAX_ALT_LENGTH,
    MAX_CELL_LENGTH,
    NEW,
    TEXTS,
    Draft,
    PictureDraft,
    VariantDraft,
)
from backend.office.products.editor import FormBase
from backend.office.products.options_form import MAX_FORM_OPTIONS, OptionDraft, ValueDraft
from backend.office.products.saving import SubmittedForm
from storefront.state.handlers import checked_fields, checked_id, checked_text

MAX_CATEGORIES = 200
MAX_SEEN_LENGTH = 200_000
"""Maximum number of characters of the field `seen`, which contains the values that the form displayed."""
MAX_URL_LENGTH = 2_000
_BASE = TypeAdapter(FormBase)
_NEW_ID = re.compile(r"prod_[0-9A-Z]{26}")
_UNITS = re.compile(r"[+-]?[0-9]{1,7}")


def dump_base(base: FormBase) -> str:
    """Serialize the values that the form displays. The browser sends them back with the form."""
    return _BASE.dump_json(base).decode()


def parse_product_form(form: object) -> SubmittedForm:
    """Parse the form of a product.

    Raises:
        InvalidData: the editor's form cannot have sent these values.
    """
    if not isinstance(form, dict):
        raise InvalidData("not a form")
    base = _parse_base(form.get("seen"))
    texts = {
        name: checked_text(form.get(name, base.draft.texts[name]), max(most, MAX_CELL_LENGTH) + 100)
        for name, most in TEXTS.items()
    }
    fields = checked_fields(form, "is_published", "is_featured", "location_id")
    urls = _parse_list(form, "picture", MAX_PICTURES, MAX_URL_LENGTH)
    alts = _parse_list(form, "alt", MAX_PICTURES, MAX_ALT_LENGTH)
    values = _parse_list(form, "picture_value", MAX_PICTURES) or ["" for _url in urls]
    keys = _parse_list(form, "variant", MAX_VARIANTS)
    columns = [
        _parse_list(form, name, MAX_VARIANTS) for name in ("variant_title", "price", "before", "sku", "ean")
    ]
    costs = _parse_list(form, "cost", MAX_VARIANTS)
    ticked = set(_parse_list(form, "is_free", MAX_VARIANTS))
    free = [FREE if key in ticked else "" for key in keys]
    if (
        not len(urls) == len(alts) == len(values)
        or any(len(column) != len(keys) for column in (*columns, costs))
        or len(set(keys)) < len(keys)
    ):
        raise InvalidData("the columns have different lengths")
    draft = Draft(
        texts=texts,
        is_published=bool(fields["is_published"]),
        is_featured=bool(fields["is_featured"]),
        categories=_parse_list(form, "category", MAX_CATEGORIES),
        pictures=list({row[0]: PictureDraft(*row) for row in zip(urls, alts, values, strict=True)}.values()),
        variants=_set_common_price(
            form, [VariantDraft(*row) for row in zip(keys, *columns, free, costs, strict=True)]
        ),
        options=_parse_options(form, base.draft.options),
    )
    return SubmittedForm(base, draft, _received_units(form), fields["location_id"])


def _set_common_price(form: dict[Any, Any], variants: list[VariantDraft]) -> list[VariantDraft]:
    """Return the variants with the price that was typed for all variants; unchanged if none was typed."""
    price = checked_text(form.get("common_price", ""), MAX_CELL_LENGTH)
    return [replace(variant, price=price) for variant in variants] if price else variants


def _parse_options(form: dict[Any, Any], shown: list[OptionDraft]) -> list[OptionDraft]:
    """Return the options of the form. If the form has no option fields, return the displayed options.

    An option with neither a title nor values is left out.
    """
    if "option_1" not in form:
        return shown
    colors = {value.key: value.color for option in shown for value in option.values}
    options = [_parse_option(form, number, colors) for number in range(1, MAX_FORM_OPTIONS + 1)]
    options = [option for option in options if option.title or option.values]
    known = {key for option in shown for key in _keys_of(option)}
    sent = [key for option in options for key in _keys_of(option) if key]
    if len(set(sent) & known) != sum(key in known for key in sent) or any(
        key not in known and not key.startswith(NEW) for key in sent
    ):
        raise InvalidData("the options are not those of the form")
    return options


def _keys_of(option: OptionDraft) -> list[str]:
    return [option.key, *(value.key for value in option.values)]


def _parse_option(form: dict[Any, Any], number: int, colors: Mapping[str, str]) -> OptionDraft:
    """Return the form's option of this number.

    If the form has no colour fields, the colours are taken from `colors`, by value id.
    """
    key = checked_text(form.get(f"option_key_{number}", ""), MAX_CELL_LENGTH)
    title = checked_text(form.get(f"option_{number}", ""), MAX_CELL_LENGTH)
    keys = _parse_list(form, f"value_key_{number}", MAX_VARIANTS)
    values = _parse_list(form, f"value_{number}", MAX_VARIANTS)
    own = _parse_list(form, f"color_{number}", MAX_VARIANTS) or [colors.get(one, "") for one in keys]
    if not len(keys) == len(values) == len(own) or len(set(keys)) < len(keys):
        raise InvalidData("the columns have different lengths")
    rows = zip(keys, values, own, strict=True)
    return OptionDraft(key, title, [ValueDraft(*row) for row in rows if row[1]])


def find_unit_problems(form: object) -> dict[str, str]:
    """Return a problem for each field of received units whose text is not a number, by field name."""
    return {
        f"units-{key}": _("Escribe cuántas llegaron, o nada.")
        for key, text in _typed_units(form)
        if text and not _UNITS.fullmatch(text)
    }


def _received_units(form: dict[Any, Any]) -> dict[str, int]:
    units = {key: int(text) for key, text in _typed_units(form) if _UNITS.fullmatch(text)}
    return {key: count for key, count in units.items() if count and abs(count) <= MAX_MOVED_UNITS}


def _typed_units(form: object) -> list[tuple[str, str]]:
    if not isinstance(form, dict):
        return []
    typed = _parse_list(form, "units", MAX_VARIANTS)
    keys = _parse_list(form, "variant", MAX_VARIANTS)
    return list(zip(keys, [text.replace(" ", "") for text in typed], strict=False))


def _parse_list(
    form: dict[Any, Any], name: str, max_items: int, max_length: int = MAX_CELL_LENGTH + 100
) -> list[str]:
    """Return all texts that the form sent under this name, in their order."""
    values = form.get(name, [])
    if not isinstance(values, list) or len(values) > max_items + 1:
        raise InvalidData("not a list")
    return [checked_text(value, max_length) for value in values]


def _parse_base(seen: object) -> FormBase:
    try:
        base = _BASE.validate_json(checked_text(seen, MAX_SEEN_LENGTH))
    except ValidationError:
        raise InvalidData("the form's seen values are invalid") from None
    checked_id(base.id)
    if set(base.draft.texts) != set(TEXTS) or (base.is_new and not _NEW_ID.fullmatch(base.id)):
        raise InvalidData("the form's seen values are incomplete")
    return base
