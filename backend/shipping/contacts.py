"""Who sends and who receives, from where the shop keeps it."""

from typing import Any

from backend.settings import Settings
from backend.shipping.providers.base import Contact
from backend.tables import JsonObject


def warehouse(settings: Settings) -> Contact:
    """The sender of every parcel (spec: Configuration, CARRIER_ORIGIN_*)."""
    return Contact(
        dane_code=settings.carrier_origin_dane_code,
        address=settings.carrier_origin_address,
        first_name=settings.carrier_origin_first_name,
        last_name=settings.carrier_origin_last_name,
        email=settings.carrier_origin_email,
        phone=settings.carrier_origin_phone,
        company=settings.carrier_origin_company,
        suburb=settings.carrier_origin_suburb,
        cross_street=settings.carrier_origin_cross_street,
        reference=settings.carrier_origin_reference,
    )


def recipient(address: JsonObject, email: str) -> Contact:
    """The receiver, from an address as the platform keeps it.

    What the platform has no field for is in its metadata: `dane_code`, `suburb`. `address_2` is what helps to find the
    door. What is missing stays empty.
    """
    metadata = address.get("metadata") or {}
    return Contact(
        dane_code=_text(metadata, "dane_code"),
        address=_text(address, "address_1"),
        first_name=_text(address, "first_name"),
        last_name=_text(address, "last_name"),
        email=email,
        phone=_text(address, "phone"),
        company=_text(address, "company"),
        suburb=_text(metadata, "suburb"),
        reference=_text(address, "address_2"),
    )


def _text(values: Any, name: str) -> str:
    value = values.get(name) if isinstance(values, dict) else None
    return value.strip() if isinstance(value, str) else ""
