"""Addresses for shipping: their municipality, the contact on a label, and the parts that a label still needs.

An address is stored as it was sent, and parsed when it is used. Its municipality is given by DANE's code in
`metadata.dane_code` (the carrier's eight digits, or DIVIPOLA's five), or by `city` with `province`. If both are
given, they must agree.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from backend.core.config.settings import Settings
from backend.core.errors import InvalidData
from backend.shipping.municipalities import (
    Municipality,
    find_department_codes,
    find_municipalities_by_name,
    find_municipality_by_dane_code,
    find_similar_municipalities,
)
from backend.shipping.providers.base import Contact, ShippingPlace
from backend.shipping.providers.carrier.label_address import fit_label_address
from backend.shipping.providers.carrier.requests import PHONE_DIGITS, TOO_LONG, fit_phone

Address = Mapping[str, Any]

NO_MUNICIPALITY = "The shipping address has no valid municipality"
CODE, CITY, PROVINCE = (
    "shipping_address.metadata.dane_code",
    "shipping_address.city",
    "shipping_address.province",
)
MAX_SHOWN_LENGTH = 60
"""Maximum number of characters of a sent value in an error message."""


def find_municipality(address: Address | None) -> Municipality | None:
    """Return the municipality of the address; None if the address has neither a code nor a city.

    Raises:
        InvalidData: no municipality or several match, or the code and the city disagree; see `fields`.
    """
    address = address or {}
    code, city, province = _read_code(address), _read_text(address, "city"), _read_text(address, "province")
    if code:
        return _find_by_code(code, city, province)
    return _find_by_name(city, province) if city else None


def find_municipality_code(address: Address | None) -> str:
    """Return the carrier's eight-digit code of the address's municipality; empty unless exactly one matches."""
    try:
        found = find_municipality(address)
    except InvalidData:
        return ""
    return found.code if found is not None else ""


def get_place_key(address: Address | None) -> tuple[str, ...]:
    """Return a key of the street and the municipality. Addresses with equal keys are the same place for shipping.

    If the municipality is not found, the typed code, city and province are in the key instead.
    """
    address = address or {}
    code = find_municipality_code(address)
    known = (
        (code,)
        if code
        else (_read_code(address), _read_text(address, "city"), _read_text(address, "province"))
    )
    return (_read_text(address, "address_1"), *known)


def format_address_lines(address: Address) -> list[str]:
    """Return the lines of the address to print on a parcel, without the recipient's name."""
    metadata = address.get("metadata") or {}
    lines = (
        ", ".join(filter(None, (address.get("address_1"), address.get("address_2")))),
        str(metadata.get("suburb") or ""),
        ", ".join(filter(None, (address.get("city"), address.get("province")))),
    )
    return [line for line in lines if line]


def find_origin(address: Address) -> ShippingPlace:
    """Return the place from which packages leave a location with this address.

    The code of the place is empty if the municipality is not found. The location's `dane_code` takes precedence
    over its city, which may be outdated.
    """
    code = _read_text(address, "dane_code")
    known = find_municipality_by_dane_code(code)
    cities = {"city": _read_text(address, "city"), "province": _read_text(address, "province")}
    return ShippingPlace(
        known.code if known is not None else find_municipality_code(cities), _read_text(address, "address_1")
    )


def build_sender(address: Address, effective: Settings) -> Contact:
    """Return the sender of packages from a location with this address, for quotes and for labels.

    Missing parts are taken from the settings CARRIER_ORIGIN_*. The suburb and the directions to the door are taken
    from the settings only if the street and municipality in the settings are those of the address. An address without
    street or municipality is ignored: all parts are taken from the settings.
    """
    usual, origin = build_warehouse_contact(effective), find_origin(address)
    if not origin.dane_code or not origin.address:
        return usual
    phone = _read_text(address, "phone")
    contact = replace(
        usual,
        dane_code=origin.dane_code,
        address=origin.address,
        company=_read_text(address, "company") or usual.company,
        phone=phone if len(fit_phone(phone)) == PHONE_DIGITS else usual.phone,
    )
    if contact.shipping_place == usual.shipping_place:
        return contact
    return replace(contact, suburb="", cross_street="", reference=_read_text(address, "address_2"))


def build_warehouse_contact(settings: Settings) -> Contact:
    """Return the contact of the shop's own warehouse (spec: Configuration, CARRIER_ORIGIN_*)."""
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


def build_recipient(address: Address, email: str) -> Contact:
    """Return the recipient from an address in the platform's shape.

    `metadata` contains the parts that have no platform field: `suburb` and `dane_code`. Without `dane_code`, city
    and province identify the municipality. `address_2` has the directions to the door. Missing parts are empty.
    """
    metadata = address.get("metadata")
    return Contact(
        dane_code=find_municipality_code(address),
        address=_read_text(address, "address_1"),
        first_name=_read_text(address, "first_name"),
        last_name=_read_text(address, "last_name"),
        email=email,
        phone=_read_text(address, "phone"),
        company=_read_text(address, "company"),
        suburb=_read_text(metadata, "suburb"),
        reference=_read_text(address, "address_2"),
    )


def list_missing_label_parts(address: Address) -> list[str]:
    """Return the names of the address fields that a label requires and that are missing; empty if none is.

    The names are those of the Admin API, such as `address_1`. A phone number without ten digits is missing too.
    """
    missing = [name for name in ("first_name", "last_name") if not _read_text(address, name)]
    if len(fit_phone(_read_text(address, "phone"))) != PHONE_DIGITS:
        missing.append(f"phone ({PHONE_DIGITS} digits)")
    if not _read_text(address, "address_1"):
        missing.append("address_1")
    if not _read_text(address, "city") and not find_municipality_code(address):
        missing.append("city")
    return missing


def require_label_address(address: Address | None, name: str = "shipping_address") -> None:
    """Check that `address_1` and `address_2` fit on a label, because the directions to the door must not be cut.

    Raises:
        InvalidData: together they are too long. `fields` has the key `<name>.address_1`.
    """
    address = address or {}
    if fit_label_address(_read_text(address, "address_1"), _read_text(address, "address_2")) is None:
        raise InvalidData(
            "The address does not fit on a label", fields={f"{name}.address_1": f"{TOO_LONG}, with address_2"}
        )


def _find_by_code(code: str, city: str, province: str) -> Municipality:
    found = find_municipality_by_dane_code(code)
    if found is None:
        raise _refusal(CODE, f"'{code[:MAX_SHOWN_LENGTH]}' is not a DANE code of a municipality")
    departments = find_department_codes(province)
    if departments and found.department_code not in departments:
        raise _refusal(
            PROVINCE, f"{found.code} is {found.name}, {found.department}, not '{province[:MAX_SHOWN_LENGTH]}'"
        )
    meant = find_municipalities_by_name(city, by_sound=False)
    if meant and found not in meant:
        raise _refusal(
            CITY, f"{found.code} is {found.name}, {found.department}, not '{city[:MAX_SHOWN_LENGTH]}'"
        )
    return found  # an unknown city may be a village of the municipality


def _find_by_name(city: str, province: str) -> Municipality:
    found = find_municipalities_by_name(city, province)
    if len(found) == 1:
        return found[0]
    within = f" in '{province[:MAX_SHOWN_LENGTH]}'" if province else ""
    if not found:
        raise _refusal(
            CITY, f"there is no municipality '{city[:MAX_SHOWN_LENGTH]}'{within}{_format_similar(city)}"
        )
    departments = ", ".join(sorted({one.department for one in found}))
    raise _refusal(
        PROVINCE if not province else CODE,
        f"there are several municipalities '{city[:MAX_SHOWN_LENGTH]}'{within} ({departments}): choose one",
    )


def _format_similar(city: str) -> str:
    """Return the end of an error message: the municipalities with similar names; empty if there are none."""
    similar = ", ".join(f"{one.name} ({one.department})" for one in find_similar_municipalities(city))
    return similar and f"; similar names: {similar}"


def _refusal(name: str, problem: str) -> InvalidData:
    return InvalidData(NO_MUNICIPALITY, fields={name: problem})


def _read_code(address: Address) -> str:
    """Return the address's municipality code as text. A number gets the leading zero that it lost."""
    metadata = address.get("metadata")
    code = metadata.get("dane_code") if isinstance(metadata, Mapping) else None
    if isinstance(code, int) and not isinstance(code, bool):
        return str(code).zfill(5 if 0 <= code < 10**5 else 8) if -(10**9) < code < 10**9 else "a number"
    if code is None or isinstance(code, str):
        return (code or "").strip()
    return "not a text"


def _read_text(values: Any, name: str) -> str:
    """Return the text with this name, on one line with single spaces; empty if there is no such text."""
    value = values.get(name) if isinstance(values, Mapping) else None
    return " ".join(value.split()) if isinstance(value, str) else ""
