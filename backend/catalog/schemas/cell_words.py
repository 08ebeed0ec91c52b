"""Parsers of the words in cells, in the words of people and programs: yes and no, statuses, ages, countries, lists."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from babel import Locale
from babel.core import get_global

from backend.catalog.bar_codes import LENGTHS, is_bar_code
from backend.catalog.schemas.cell_parsers import LIST_SEPARATOR, CellError, Noted
from backend.core.collation import fold
from backend.core.commands import UNCHANGED

PATH_SEPARATOR = ">"
"""Separator between a category and the one below it."""
AGE_RANGES = ("0-2", "3-5", "6-8", "9-12", "12+")
MAX_TAG_LENGTH = 255
MONTHS_PER_YEAR = 12
MAX_AGE_YEARS = 99
_YES = frozenset(
    {"1", "si", "s", "yes", "y", "true", "verdadero", "x", "✓", "✔", "on", "activo", "activa", "active", "activado",
     "publish", "published", "publicado", "habilitado", "enabled"}
)  # fmt: skip
_NO = frozenset(
    {"0", "no", "n", "false", "falso", "off", "inactivo", "inactiva", "inactive", "desactivado", "-1", "oculto",
     "draft", "borrador", "deshabilitado", "disabled"}
)  # fmt: skip
_STATUSES = {
    **dict.fromkeys({*_YES, "publicada", "visible"}, "published"),
    **dict.fromkeys(
        {*_NO, "oculta", "archivado", "archived", "privado", "private", "pausado", "pausada", "paused", "pendiente",
         "pending", "finalizada", "closed"},
        "draft",
    ),
    "proposed": "proposed",
    "rejected": "rejected",
}  # fmt: skip
"""Statuses by the words for them."""
_AGES = re.compile(
    r"(?:edad|de|desde|a partir de|mayores? de|ages?|\+)? ?([0-9]{1,3})([,.][0-9])? ?(m|meses|mes|months?|mos)?"
    r"(?: ?(?:a|-|–|y|to|hasta) ?([0-9]{1,3}))? ?(m|meses|mes|months?|mos)?"
    r" ?(?:anos?|a|years?|yrs?)? ?(\+|y mas|en adelante|o mas|and up|up)? ?(?:anos?|meses|years?)?"
)
_COUNTRY_CODE = re.compile(r"[a-z]{2}")
_COUNTRY_WORDS = {
    "eeuu": "us",
    "ee uu": "us",
    "usa": "us",
    "eua": "us",
    "uk": "gb",
    "inglaterra": "gb",
    "holanda": "nl",
}
_BAR_CODE_SIGNS = re.compile(r"[\s'’´`\u00a0-]")
_BAR_CODE_ZEROS = re.compile(r"\.0+$")
_NO_BAR_CODE = frozenset(
    {"n/a", "na", "n.a.", "no aplica", "no tiene", "ninguno", "sin codigo", "sin codigo de barras", "s/c", "no", "null",
     "none", "does not apply", "x"}
)  # fmt: skip
"""Words for a missing bar code."""
_COMMAS = re.compile(r"(?<!\\),")
_SPLITTING = re.compile(r"[,;\\\n]|\shttps?://", re.IGNORECASE)
"""Signs at which the parsers of lists would split a text."""
_ADDRESS_GAP = re.compile(r"[\s,;|]+(?=https?://)", re.IGNORECASE)
_NAME_GAP = re.compile(r"\s*[;\n]\s*")
_PICTURE_NAME = re.compile(
    r"https?://.+|.+\.(?:jpe?g|jfif|png|webp|gif|hei[cf]|avif|tiff?|bmp)", re.IGNORECASE | re.DOTALL
)


def parse_yes_or_no(cell: str) -> bool:
    """Parse yes or no: `sí`, `x`, `1`, `verdadero`, `activo`, `publish` and their opposites.

    Raises:
        CellError: the cell is neither yes nor no.
    """
    word = fold(cell)
    if word not in _YES | _NO:
        raise CellError("must be yes or no")
    return word in _YES


def parse_status(cell: str) -> str:
    """Parse the status of a product.

    Raises:
        CellError: the status is unknown.
    """
    status = _STATUSES.get(fold(cell))
    if status is None:
        raise CellError("must be one of published, draft, proposed, rejected")
    return status


def parse_age_range(cell: str) -> str | Noted:
    """Return the shop's age range for an age or a range of ages. It is the range that contains the youngest age.

    `3+`, `3 a 8 años` and `36 meses`, for example, give `3-5`.

    Raises:
        CellError: the cell is not an age.
    """
    text = " ".join(fold(cell).split())
    plain = re.sub(r" |anos?", "", text).replace("–", "-")
    if plain in AGE_RANGES:
        return plain
    found = _AGES.fullmatch(text)
    if found is None or int(found[1]) > MAX_AGE_YEARS * MONTHS_PER_YEAR:
        raise CellError(f"must be one of {', '.join(AGE_RANGES)}")
    is_months = found[3] or found[5]
    years = int(found[1]) // MONTHS_PER_YEAR if is_months else int(found[1])
    if years > MAX_AGE_YEARS:
        raise CellError(f"must be one of {', '.join(AGE_RANGES)}")
    return Noted(_find_age_range(years), "age range")


def _find_age_range(years: int) -> str:
    """Return the shop's oldest age range that begins at this age or below it."""
    return next(one for one in reversed(AGE_RANGES) if int(re.split("[-+]", one)[0]) <= years)


def parse_country(cell: str) -> str:
    """Parse a country: its code (ISO 3166), or its name in Spanish or English. Return the code in lower case.

    Raises:
        CellError: the country is unknown.
    """
    word = " ".join(fold(cell).replace(".", "").split())
    code = _COUNTRY_WORDS.get(word) or (word if _COUNTRY_CODE.fullmatch(word) else _country_codes().get(word))
    if code is None:
        raise CellError("must be a country, such as co or Colombia")
    return code


@cache
def _country_codes() -> dict[str, str]:
    """Return the two-letter country codes, by the countries' names and by their three-letter codes."""
    aliases = get_global("territory_aliases")
    codes = {
        fold(alias): str(found[0]).lower()
        for alias, found in aliases.items()
        if len(alias) == len("col") and alias.isalpha()
    }
    for language in ("en", "es"):
        names = Locale.parse(language).territories
        codes |= {
            fold(name).replace(".", ""): code.lower()
            for code, name in names.items()
            if len(code) == len("co") and code.isalpha()
        }
    return codes


def parse_bar_code(cell: str) -> Any:
    """Parse a bar code number. Apostrophes, spaces, hyphens and `.0` are dropped.

    Words and zeros that programs write for a missing bar code leave the variant's value unchanged.

    Raises:
        CellError: the number is invalid.
    """
    code = _BAR_CODE_ZEROS.sub("", _BAR_CODE_SIGNS.sub("", cell))
    if not code.strip("0") or fold(cell) in _NO_BAR_CODE:
        return Noted(UNCHANGED, "no bar code")
    if not is_bar_code(code):
        is_complete = code.isdecimal() and len(code) in LENGTHS
        raise CellError(
            "must be an EAN-13, an EAN-8, a UPC-A or a GTIN-14 whose last digit is right",
            "check digit" if is_complete else "cell",
        )
    return code


def parse_list(cell: str) -> tuple[str, ...]:
    """Parse a list: return its parts in order, without duplicates.

    The separator is `|` if the cell has one, else `;`, else `,`. A comma after a backslash does not separate parts.
    """
    if LIST_SEPARATOR in cell:
        parts = cell.split(LIST_SEPARATOR)
    elif ";" in cell:
        parts = cell.split(";")
    else:
        parts = [part.replace("\\,", ",") for part in _COMMAS.split(cell)]
    return _select_parts(parts)


def parse_tags(cell: str) -> tuple[str, ...]:
    """Parse a list of tags.

    Raises:
        CellError: a tag is too long.
    """
    tags = parse_list(cell)
    if any(len(tag) > MAX_TAG_LENGTH for tag in tags):
        raise CellError(f"must have tags of at most {MAX_TAG_LENGTH} letters")
    return tags


def parse_categories(cell: str) -> tuple[str, ...]:
    """Parse a list of categories: handles, names or paths. A path is `Juguetes > Madera`."""
    return _select_parts(
        f" {PATH_SEPARATOR} ".join(name for one in part.split(PATH_SEPARATOR) if (name := one.strip()))
        for part in parse_list(cell)
    )


def parse_pictures(cell: str) -> tuple[str, ...]:
    """Parse a list of pictures: addresses with any separators, or names of files.

    If the cell has a `|`, only `|` separates. Otherwise, semicolons and line breaks separate names; commas only if
    each part has the extension of a picture.
    """
    if LIST_SEPARATOR in cell:
        return _select_parts(cell.split(LIST_SEPARATOR))
    parts = [part for one in split_addresses(cell) for part in _split_names(one)]
    return _select_parts(parts)


def split_addresses(text: str) -> list[str]:
    """Return the web addresses in a text, in which spaces, commas, semicolons or bars separate them."""
    return [part.rstrip(",;| \n") for part in _ADDRESS_GAP.split(text)]


def _split_names(text: str) -> list[str]:
    if text.lower().startswith(("https://", "http://", "data:")):
        return [text]
    return [name for part in _NAME_GAP.split(text) for name in _split_commas(part)]


def _split_commas(text: str) -> list[str]:
    names = [part.strip() for part in text.split(",")]
    return names if all(_PICTURE_NAME.fullmatch(name) for name in names) else [text]


def join_list(parts: Iterable[str]) -> str:
    """Join the parts to the text of a list cell. The parsers of lists split it into the same parts again."""
    kept = list(parts)
    joined = LIST_SEPARATOR.join(kept)
    return f"{joined}{LIST_SEPARATOR}" if len(kept) == 1 and _SPLITTING.search(joined) else joined


def _select_parts(parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(kept for part in parts if (kept := part.strip())))
