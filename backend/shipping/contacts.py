"""Who sends and who receives, from where the shop keeps it."""

from typing import Any

from backend.settings import Settings
from backend.shipping.destination import municipality_code
from backend.shipping.providers.base import Contact
from backend.shipping.providers.carrier.messages import PHONE_DIGITS, fit_phone
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

    What the platform has no field for is in its metadata: `dane_code` (which its city and province may stand for) and
    `suburb`. `address_2` is what helps to find the door. What is missing stays empty.
    """
    metadata = address.get("metadata") or {}
    return Contact(
        dane_code=municipality_code(address),
        address=_text(address, "address_1"),
        first_name=_text(address, "first_name"),
        last_name=_text(address, "last_name"),
        email=email,
        phone=_text(address, "phone"),
        company=_text(address, "company"),
        suburb=_text(metadata, "suburb"),
        reference=_text(address, "address_2"),
    )


def missing_for_a_label(address: JsonObject) -> list[str]:
    """The parts without which no label can be made for this address, by the platform's names.

    Whatever else the carrier's label asks for (company, suburb, cross street, reference) is stood in for, or fitted:
    see `backend.shipping.providers.carrier.messages`. A telephone number cannot be made up: it has ten digits.
    """
    missing = [name for name in ("first_name", "last_name") if not _text(address, name)]
    if len(fit_phone(_text(address, "phone"))) != PHONE_DIGITS:
        missing.append(f"phone ({PHONE_DIGITS} digits)")
    if not _text(address, "address_1"):
        missing.append("address_1")
    if not _text(address, "city") and not municipality_code(address):
        missing.append("city")
    return missing


def _text(values: Any, name: str) -> str:
    value = values.get(name) if isinstance(values, dict) else None
    return value.strip() if isinstance(value, str) else ""
