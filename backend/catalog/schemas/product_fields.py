"""Fields of a product that staff edit and import.

A new field needs a column of `Product` with its migration, and one line in `ProductFields` (or in
`METADATA_FIELDS`, if API clients find it in the metadata). That line defines the field in Admin API bodies, how a
change is applied, and the column of the import file. A field outside the metadata also needs a line in
`backend.catalog.answers`: in `ProductOut` if it is returned only on request, else in `ProductOwnFields` and in
`ProductWriter`.
"""

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from backend.catalog.handles import is_handle
from backend.catalog.schemas import cell_numbers, cell_parsers, cell_words
from backend.catalog.schemas.cell_parsers import Cell
from backend.core.commands import UNCHANGED
from backend.edge.schemas import FilledName, Measure, Name, Text, Whole, validation_error
from backend.media.picture_urls import is_picture_address
from backend.pricing import TAX_RATES

COUNTRY_LETTERS = 2
MAX_PREORDER_UNITS = 10_000
PREORDER_FIELDS = ("preorder_day", "preorder_units")
"""Fields that only preorders have. A preorder has both."""

Status = Literal["draft", "proposed", "published", "rejected"]


def _check_handle(text: str) -> str:
    if not is_handle(text):
        raise validation_error("A handle has only letters, digits and hyphens")
    return text


def _check_tax_rate(rate: int) -> int:
    if rate not in TAX_RATES:
        raise validation_error(f"A product's tax_rate is one of {', '.join(map(str, TAX_RATES))}")
    return rate


def _check_country(code: str) -> str:
    if not (len(code) == COUNTRY_LETTERS and code.isascii() and code.isalpha()):
        raise validation_error("A country is two letters (ISO 3166), such as co")
    return code.lower()


def _check_picture_address(url: str) -> str:
    if not is_picture_address(url):
        raise validation_error("A picture's address is a path, or begins with https:// or http://")
    return url


def _parse_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise validation_error("A day looks like 2026-12-15") from None


PreorderDay = Annotated[str, AfterValidator(_parse_day)]
PictureAddress = Annotated[str, Field(max_length=2000), AfterValidator(_check_picture_address)]
Handle = Annotated[Name, AfterValidator(_check_handle)]
Country = Annotated[Name, AfterValidator(_check_country)]
TaxRate = Annotated[
    Whole, AfterValidator(_check_tax_rate), WithJsonSchema({"type": "integer", "enum": list(TAX_RATES)})
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRules:
    """Rules for a field of the Admin API, in addition to its type."""

    null: Any = UNCHANGED
    """Value to set for an explicit null. By default null changes nothing."""
    cell: Cell | None = None
    """Import rule of the field. By default the import file has no such column."""
    on_request: bool = False
    """True if the Store API returns the field only with `fields=+name`. Staff always see it."""


class ProductFields(BaseModel):
    """Product fields by column name; fields omitted from a body are not changed."""

    handle: Annotated[Handle | None, FieldRules(cell=Cell(cell_parsers.parse_handle))] = None
    title: Annotated[FilledName | None, FieldRules(cell=Cell(cell_parsers.make_prose_parser(255)))] = None
    subtitle: Annotated[
        Name | None, FieldRules(null="", cell=Cell(cell_parsers.make_prose_parser(255), ""))
    ] = None
    description: Annotated[
        Text | None, FieldRules(null="", cell=Cell(cell_parsers.make_prose_parser(10_000), ""))
    ] = None
    featured: Annotated[
        bool | None, FieldRules(cell=Cell(cell_words.parse_yes_or_no, empty=False), on_request=True)
    ] = None
    status: Annotated[
        Status | None,
        FieldRules(
            cell=Cell(cell_words.parse_status),
            on_request=True,
        ),
    ] = None
    tax_rate: Annotated[
        TaxRate | None,
        Field(description="The IVA that is in its price, in percent: 0, 5 or 19. A new product has 19."),
        FieldRules(cell=Cell(cell_numbers.parse_tax_rate), on_request=True),
    ] = None
    tax_excluded: Annotated[
        bool | None,
        Field(description="True if it is excluded from IVA, not exempt. Then `tax_rate` is 0."),
        FieldRules(cell=Cell(cell_words.parse_yes_or_no, empty=False), on_request=True),
    ] = None
    material: Annotated[
        Name | None, FieldRules(null=None, cell=Cell(cell_parsers.make_text_parser(255), None))
    ] = None
    origin_country: Annotated[
        Country | None,
        Field(description="Where it is made: two letters (ISO 3166)."),
        FieldRules(null=None, cell=Cell(cell_words.parse_country, None)),
    ] = None
    warnings: Annotated[
        Text | None,
        Field(description="The safety warnings on its box."),
        FieldRules(null="", cell=Cell(cell_parsers.make_prose_parser(10_000), ""), on_request=True),
    ] = None
    preorder_day: Annotated[
        PreorderDay | None,
        Field(description="Day on which the units of a preorder arrive at the shop, such as 2026-12-15."),
        FieldRules(null=None, on_request=True),
    ] = None
    preorder_units: Annotated[
        Whole | None,
        Field(
            ge=1,
            le=MAX_PREORDER_UNITS,
            description="Units of each variant that a preorder offers in addition to its stock.",
        ),
        FieldRules(null=None, on_request=True),
    ] = None
    thumbnail: Annotated[PictureAddress | None, FieldRules(null=None)] = None
    weight: Annotated[
        Measure | None,
        Field(description="Kilograms."),
        FieldRules(null=None, cell=Cell(cell_numbers.WEIGHT.read, None)),
    ] = None
    length: Annotated[
        Measure | None,
        Field(description="Centimetres."),
        FieldRules(null=None, cell=Cell(cell_numbers.LENGTH.read, None)),
    ] = None
    height: Annotated[
        Measure | None,
        Field(description="Centimetres."),
        FieldRules(null=None, cell=Cell(cell_numbers.LENGTH.read, None)),
    ] = None
    width: Annotated[
        Measure | None,
        Field(description="Centimetres."),
        FieldRules(null=None, cell=Cell(cell_numbers.LENGTH.read, None)),
    ] = None


def _find_rules(metadata: list[Any]) -> FieldRules:
    return next((one for one in metadata if isinstance(one, FieldRules)), FieldRules())


FIELDS = {name: _find_rules(info.metadata) for name, info in ProductFields.model_fields.items()}
SHOWN_ON_REQUEST = tuple(name for name, rules in FIELDS.items() if rules.on_request)


@dataclass(frozen=True, slots=True)
class MetadataField:
    """A text field of the metadata that has its own column, so that it can be filtered (spec: Entities)."""

    column: str
    cell: Cell


METADATA_FIELDS = {
    "brand": MetadataField("brand", Cell(cell_parsers.make_text_parser(255), "")),
    "ageRange": MetadataField("age_range", Cell(cell_words.parse_age_range, "")),
}
"""Fields by metadata key."""

CELLS = {name: rules.cell for name, rules in FIELDS.items() if rules.cell is not None} | {
    field.column: field.cell for field in METADATA_FIELDS.values()
}
"""Import rules by column, for the product's own columns."""
