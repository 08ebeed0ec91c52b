"""Recognition of the program that wrote a file, by its headings."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.catalog.importer.columns import COLUMNS
from backend.catalog.importer.formats.models import OWN_FORMATS, SourceFormat
from backend.catalog.importer.headings import LABELS, find_column
from backend.core.texts import _
from backend.spreadsheet_reader.headings import normalize_heading

CORRECTION_HEADING, ROW_HEADING = _("Qué corregir"), _("Fila")
"""Headings of the columns that a file of refused rows has in addition to those of the spreadsheet."""
NOTE_HEADINGS = frozenset(
    {"problema", "problem", "row", *map(normalize_heading, (CORRECTION_HEADING, ROW_HEADING))}
)
"""Normalized headings of columns that the shop adds to its files for people. They are not imported."""
MIN_OWN_HEADINGS = 12
"""Number of the shop's own headings from which a file is recognised as the shop's, even if other columns were added."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Headings by which a format is recognised: the file must have one heading of each set in `needed`."""

    format: SourceFormat
    needed: Sequence[frozenset[str]]


def _signature(source_format: SourceFormat, *needed: str) -> Signature:
    return Signature(source_format, [frozenset(one.split("|")) for one in needed])


SIGNATURES = (
    _signature(
        SourceFormat.SHOPIFY,
        "handle|url handle",
        "option1 name|variant price|variant sku|variant inventory qty",
    ),
    _signature(
        SourceFormat.WOOCOMMERCE,
        "tipo|type",
        "nombre|name",
        "precio normal|regular price|precio regular",
        "publicado|published|visibilidad en el catalogo|visibility in catalog|superior|parent",
    ),
    _signature(
        SourceFormat.PRESTASHOP,
        "id de producto|product id|id|id producto|id del producto",
        "nombre|name",
        "precio imp excl|precio impuestos excl|precio impuestos excluidos|precio sin impuestos"
        "|precio sin impuestos incluidos|price tax excl|price tax excluded|price tax incl|price tax included"
        "|precio imp incl|precio impuestos incl|precio impuestos incluidos|precio base|precio final|base price"
        "|final price",
    ),
    _signature(
        SourceFormat.GOOGLE,
        "id|g id",
        "title|titulo|g title",
        "image link|enlace imagen|enlace de imagen|g image link",
        "availability|price|disponibilidad|precio|g price",
    ),
    _signature(
        SourceFormat.MERCADOLIBRE,
        "numero de publicacion|numero de la publicacion|id de la publicacion|item id|codigo de publicacion",
        "titulo|title",
    ),
    _signature(
        SourceFormat.PLATFORM,
        "product handle|product id|product title",
        "variant sku|variant price cop|price cop|variant id|variant title|variant option 1 name",
    ),
)
"""Signatures of the recognised formats. A file has the format of the first signature that fits."""
_NAMING_COLUMNS = frozenset({"title", "handle", "product_id"})
_OWN_HEADINGS = frozenset(
    normalize_heading(one) for name in COLUMNS for one in (name, LABELS.get(name, name))
)


def recognise(headings: Sequence[str]) -> SourceFormat:
    """Return the format of a file with these headings; `UNKNOWN` if a person must map its columns."""
    normalized = [one for heading in headings if (one := normalize_heading(heading))]
    for signature in SIGNATURES:
        if all(names & set(normalized) for names in signature.needed):
            return signature.format
    if "descripcion" in normalized and not any(find_column(one) in _NAMING_COLUMNS for one in normalized):
        return SourceFormat.UNKNOWN  # a description without a name is the name in most lists
    own = [find_column(one) for one in normalized if one in _OWN_HEADINGS]
    others = [one for one in normalized if one not in _OWN_HEADINGS | NOTE_HEADINGS]
    is_own = len(own) >= MIN_OWN_HEADINGS or (len(own) > 1 and not others)
    return SourceFormat.TROMPO if is_own and len(own) == len(set(own)) else SourceFormat.UNKNOWN


def is_own_export(source_format: SourceFormat, headings: Sequence[str]) -> bool:
    """Return True for a complete file that a shop exported. Its texts are read unchanged."""
    return source_format in OWN_FORMATS and sum(map(bool, headings)) >= MIN_OWN_HEADINGS


def list_source_places(headings: Sequence[str]) -> list[int]:
    """Return the positions of the columns, except those that the shop added.

    The shop returns the rows that it refused as a file with two more columns: the correction and the row
    number.
    """
    if not has_correction_column(headings):
        return list(range(len(headings)))
    added = {normalize_heading(one) for one in (CORRECTION_HEADING, ROW_HEADING)}
    return [place for place, heading in enumerate(headings) if normalize_heading(heading) not in added]


def has_correction_column(headings: Sequence[str]) -> bool:
    """Return True if the shop made this file of rows that it refused: it then has a column of corrections."""
    return normalize_heading(CORRECTION_HEADING) in map(normalize_heading, headings)
