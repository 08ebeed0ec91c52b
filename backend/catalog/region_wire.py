"""Regions as the platform shows them. There is one country: Colombia (spec: What the service does 1)."""

from backend.catalog.models import Region
from backend.edge.wire import JsonDict, stamps

_COUNTRIES = {"co": ("col", "170", "COLOMBIA", "Colombia")}


def region_wire(region: Region) -> JsonDict:
    """The region with its countries."""
    return {
        "id": region.id,
        "name": region.name,
        "currency_code": region.currency_code,
        "automatic_taxes": True,
        "metadata": None,
        **stamps(region.created_at, region.updated_at),
        "deleted_at": None,
        "countries": [_country(region)],
    }


def _country(region: Region) -> JsonDict:
    iso_3, number, name, shown = _COUNTRIES.get(
        region.country_code, ("", "", region.name.upper(), region.name)
    )
    return {
        "iso_2": region.country_code,
        "iso_3": iso_3,
        "num_code": number,
        "name": name,
        "display_name": shown,
        "region_id": region.id,
        "metadata": None,
        **stamps(region.created_at, region.updated_at),
        "deleted_at": None,
    }
