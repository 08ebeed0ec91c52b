"""The fields of a product that staff edit and import.

A new field is a column of `Product` with its migration, and one line in `ProductFields` (or in `METADATA_FIELDS`, if
programs find it in the metadata). From that line follow the body of the Admin API and how a change is applied, and the
column of the file to import. A field outside the metadata also has a line in `backend.catalog.answers`: in `ProductOut`
if it is shown on request, else in `ProductOwnFields`, and then in `ProductWriter`, too.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from backend.catalog.handles import is_handle
from backend.catalog.schemas import cell_parsers
from backend.catalog.schemas.cell_parsers import Cell
from backend.core.commands import UNCHANGED
from backend.edge.schemas import FilledName, Measure, Name, Text, Whole, problem
from backend.media.picture_urls import is_picture_address
from backend.pricing import TAX_RATES

COUNTRY_LETTERS = 2
AGE_RANGES = ("0-2", "3-5", "6-8", "9-12", "12+")

Status = Literal["draft", "proposed", "published", "rejected"]


def _handle(text: str) -> str:
    if not is_handle(text):
        raise problem("A handle has only letters, digits and hyphens")
    return text


def _is_tax_rate(rate: int) -> int:
    if rate not in TAX_RATES:
        raise problem(f"A product's tax_rate is one of {', '.join(map(str, TAX_RATES))}")
    return rate


def _is_country(code: str) -> str:
    if not (len(code) == COUNTRY_LETTERS and code.isascii() and code.isalpha()):
        raise problem("A country is two letters (ISO 3166), such as co")
    return code.lower()


def _is_picture_address(url: str) -> str:
    if not is_picture_address(url):
        raise problem("A picture's address is a path, or begins with https:// or http://")
    return url


PictureAddress = Annotated[str, Field(max_length=2000), AfterValidator(_is_picture_address)]
Handle = Annotated[Name, AfterValidator(_handle)]
Country = Annotated[Name, AfterValidator(_is_country)]
TaxRate = Annotated[
    Whole, AfterValidator(_is_tax_rate), WithJsonSchema({"type": "integer", "enum": list(TAX_RATES)})
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What holds for a field beside its type in the Admin API."""

    null: Any = UNCHANGED
    """The value that an explicit null sets. By default null changes nothing."""
    cell: Cell | None = None
    """How it is imported. By default it is no column of the file."""
    on_request: bool = False
    """Whether the Store API shows it only with `fields=+name`. Staff always see it."""


class ProductFields(BaseModel):
    """The fields by the names of their columns; what is left out of a body stays as it is."""

    handle: Annotated[Handle | None, Rules(cell=Cell(cell_parsers.handle))] = None
    title: Annotated[FilledName | None, Rules(cell=Cell(cell_parsers.text(255)))] = None
    subtitle: Annotated[Name | None, Rules(null="", cell=Cell(cell_parsers.text(255), ""))] = None
    description: Annotated[Text | None, Rules(null="", cell=Cell(cell_parsers.text(10_000), ""))] = None
    featured: Annotated[
        bool | None, Rules(cell=Cell(cell_parsers.yes_or_no, empty=False), on_request=True)
    ] = None
    status: Annotated[
        Status | None,
        Rules(
            cell=Cell(
                cell_parsers.one_of(
                    "published", "draft", "proposed", "rejected", publicado="published", oculto="draft"
                )
            ),
            on_request=True,
        ),
    ] = None
    tax_rate: Annotated[
        TaxRate | None,
        Field(description="The IVA that is in its price, in percent: 0, 5 or 19. A new product has 19."),
        Rules(cell=Cell(cell_parsers.tax_rate), on_request=True),
    ] = None
    material: Annotated[Name | None, Rules(null=None, cell=Cell(cell_parsers.text(255), None))] = None
    origin_country: Annotated[
        Country | None,
        Field(description="Where it is made: two letters (ISO 3166)."),
        Rules(null=None, cell=Cell(cell_parsers.country, None)),
    ] = None
    warnings: Annotated[
        Text | None,
        Field(description="What its box says about safety."),
        Rules(null="", cell=Cell(cell_parsers.text(10_000), ""), on_request=True),
    ] = None
    thumbnail: Annotated[PictureAddress | None, Rules(null=None)] = None
    weight: Annotated[
        Measure | None,
        Field(description="Kilograms."),
        Rules(null=None, cell=Cell(cell_parsers.measure(100, "0.35"), None)),
    ] = None
    length: Annotated[
        Measure | None,
        Field(description="Centimetres."),
        Rules(null=None, cell=Cell(cell_parsers.measure(500, "24"), None)),
    ] = None
    height: Annotated[
        Measure | None,
        Field(description="Centimetres."),
        Rules(null=None, cell=Cell(cell_parsers.measure(500, "24"), None)),
    ] = None
    width: Annotated[
        Measure | None,
        Field(description="Centimetres."),
        Rules(null=None, cell=Cell(cell_parsers.measure(500, "24"), None)),
    ] = None


def _rules(metadata: list[Any]) -> Rules:
    return next((one for one in metadata if isinstance(one, Rules)), Rules())


FIELDS = {name: _rules(info.metadata) for name, info in ProductFields.model_fields.items()}
SHOWN_ON_REQUEST = tuple(name for name, rules in FIELDS.items() if rules.on_request)


@dataclass(frozen=True, slots=True)
class MetadataField:
    """A text with a column of its own, to be filtered by, that programs find in the metadata (spec: Entities)."""

    column: str
    cell: Cell


METADATA_FIELDS = {
    "brand": MetadataField("brand", Cell(cell_parsers.text(255), "")),
    "ageRange": MetadataField("age_range", Cell(cell_parsers.one_of(*AGE_RANGES), "")),
}
"""By their keys in the metadata."""

CELLS = {name: rules.cell for name, rules in FIELDS.items() if rules.cell is not None} | {
    field.column: field.cell for field in METADATA_FIELDS.values()
}
"""The product's own columns of a file to import."""
