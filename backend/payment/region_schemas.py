"""Request bodies and parameters of regions (wire: commerce-api, Admin)."""

from typing import Annotated, Literal

from pydantic import Field

from backend.edge.schemas import (
    Body,
    FilledName,
    Metadata,
    Name,
    NamedParameters,
    example,
)


class RegionsParameters(NamedParameters):
    """Filters of the list of regions."""

    currency_code: list[Name] | None = None


class RegionChange(Body):
    """Changes of a region; absent fields keep their values. `payment_providers` replaces the whole list."""

    model_config = example(payment_providers=["gateway_pse", "pp_system_default"])

    name: FilledName | None = None
    currency_code: FilledName | None = None
    countries: Annotated[list[FilledName], Field(max_length=20)] | None = None
    automatic_taxes: Literal[True] | None = None
    is_tax_inclusive: Literal[True] | None = None
    payment_providers: Annotated[list[FilledName], Field(max_length=20)] | None = None
    metadata: Metadata | None = None


class NewRegion(RegionChange):
    """A new region for a shop that has none. Without `payment_providers` it offers only PSE."""

    model_config = example(
        name="Colombia", currency_code="cop", countries=["co"], payment_providers=["gateway_pse"]
    )

    name: FilledName
    currency_code: FilledName
