"""What an address says to whoever ships: its municipality, the contact on a label, and what is missing for one.

An address is stored as it was sent; this is worked out where it matters. It names its municipality by DANE's code in
`metadata.dane_code` (the carrier's eight digits, or DIVIPOLA's five), or by `city` with `province`, or by both, which
then must not contradict each other.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from backend.core.config.settings import Settings
from backend.core.errors import InvalidData
from backend.shipping.municipalities import (
    Municipality,
    department_codes,
    municipalities_named,
    municipality,
)
from backend.shipping.providers.base import Contact, Place
from backend.shipping.providers.carrier.label_address import fit_label_address
from backend.shipping.providers.carrier.requests import PHONE_DIGITS, TOO_LONG, fit_phone

Address = Mapping[str, Any]

NO_MUNICIPALITY = "The shipping address names no municipality"
CODE, CITY, PROVINCE = (
    "shipping_address.metadata.dane_code",
    "shipping_address.city",
    "shipping_address.province",
)
SEAT = "000"
"""What follows the five digits of a municipality in the code of its seat."""
SHOWN = 60
"""Characters of what was sent that a message repeats."""


def municipality_of(address: Address | None) -> Municipality | None:
    """The one municipality of the address; None while it says neither a code nor a city.

    Raises:
        InvalidData: it names none, or several, or its code and its city contradict each other; `fields` says which.
    """
    address = address or {}
    code, city, province = _code(address), _text(address, "city"), _text(address, "province")
    if code:
        return _coded(code, city, province)
    return _named(city, province) if city else None


def municipality_code(address: Address | None) -> str:
    """The carrier's eight digits of the address's municipality; empty where it names not exactly one."""
    try:
        found = municipality_of(address)
    except InvalidData:
        return ""
    return found.code if found is not None else ""


def place_of(address: Address | None) -> tuple[str, ...]:
    """The street and the municipality, known or not. Addresses with equal ones are one place to ship to."""
    address = address or {}
    code = municipality_code(address)
    known = (code,) if code else (_code(address), _text(address, "city"), _text(address, "province"))
    return (_text(address, "address_1"), *known)


def address_lines(address: Address) -> list[str]:
    """The address as it is written on a parcel, without whom it is for."""
    metadata = address.get("metadata") or {}
    lines = (
        ", ".join(filter(None, (address.get("address_1"), address.get("address_2")))),
        str(metadata.get("suburb") or ""),
        ", ".join(filter(None, (address.get("city"), address.get("province")))),
    )
    return [line for line in lines if line]


def origin_of(address: Address) -> Place:
    """Where packages start from that leave a location with this address; empty where it names no municipality.

    The location's `dane_code` goes before its city, which may be what it was called before it moved.
    """
    code = _text(address, "dane_code")
    known = municipality(code + SEAT if len(code) == 5 else code)
    cities = {"city": _text(address, "city"), "province": _text(address, "province")}
    return Place(known.code if known is not None else municipality_code(cities), _text(address, "address_1"))


def sender(address: Address, effective: Settings) -> Contact:
    """The sender of what leaves a location with this address: the place that its price was asked for from.

    What the address does not say is CARRIER_ORIGIN_*'s, but for how to find the door of another place. An address
    without a street or a municipality says nothing.
    """
    usual, origin = warehouse(effective), origin_of(address)
    if not origin.dane_code or not origin.address:
        return usual
    phone = _text(address, "phone")
    contact = replace(
        usual,
        dane_code=origin.dane_code,
        address=origin.address,
        company=_text(address, "company") or usual.company,
        phone=phone if len(fit_phone(phone)) == PHONE_DIGITS else usual.phone,
    )
    if contact.place == usual.place:
        return contact
    return replace(contact, suburb="", cross_street="", reference=_text(address, "address_2"))


def warehouse(settings: Settings) -> Contact:
    """The shop's own warehouse (spec: Configuration, CARRIER_ORIGIN_*)."""
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


def recipient(address: Address, email: str) -> Contact:
    """The receiver, from an address as the platform keeps it.

    What the platform has no field for is in its metadata: `dane_code` (which its city and province may stand for) and
    `suburb`. `address_2` is what helps to find the door. What is missing stays empty.
    """
    metadata = address.get("metadata")
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


def missing_for_a_label(address: Address) -> list[str]:
    """The parts without which no label can be made for this address, by the platform's names.

    Company, suburb, cross street and reference may be missing: see `backend.shipping.providers.carrier.requests`.
    A telephone number cannot be made up: it has ten digits.
    """
    missing = [name for name in ("first_name", "last_name") if not _text(address, name)]
    if len(fit_phone(_text(address, "phone"))) != PHONE_DIGITS:
        missing.append(f"phone ({PHONE_DIGITS} digits)")
    if not _text(address, "address_1"):
        missing.append("address_1")
    if not _text(address, "city") and not municipality_code(address):
        missing.append("city")
    return missing


def require_label_address(address: Address | None, name: str = "shipping_address") -> None:
    """Check that a label can hold all of `address_1` and `address_2`: it never leaves out how to find the door.

    Raises:
        InvalidData: together they are too long; `fields` says so of `address_1` of the address with this name.
    """
    address = address or {}
    if fit_label_address(_text(address, "address_1"), _text(address, "address_2")) is None:
        raise InvalidData(
            "The address does not fit on a label", fields={f"{name}.address_1": f"{TOO_LONG}, with address_2"}
        )


def _coded(code: str, city: str, province: str) -> Municipality:
    found = municipality(code + SEAT if len(code) == 5 else code)
    if found is None:
        raise _refusal(CODE, f"'{code[:SHOWN]}' is no DANE code of a municipality")
    departments = department_codes(province)
    if departments and found.department_code not in departments:
        raise _refusal(
            PROVINCE, f"{found.code} is {found.name}, {found.department}, not '{province[:SHOWN]}'"
        )
    meant = municipalities_named(city)
    if meant and found not in meant:
        raise _refusal(CITY, f"{found.code} is {found.name}, {found.department}, not '{city[:SHOWN]}'")
    return found  # a city that is none may be a village of it


def _named(city: str, province: str) -> Municipality:
    found = municipalities_named(city, province)
    if len(found) == 1:
        return found[0]
    within = f" in '{province[:SHOWN]}'" if province else ""
    if not found:
        raise _refusal(CITY, f"there is no municipality '{city[:SHOWN]}'{within}")
    departments = ", ".join(sorted({one.department for one in found}))
    raise _refusal(
        PROVINCE if not province else CODE,
        f"there are several municipalities '{city[:SHOWN]}'{within} ({departments}): say which",
    )


def _refusal(name: str, problem: str) -> InvalidData:
    return InvalidData(NO_MUNICIPALITY, fields={name: problem})


def _code(address: Address) -> str:
    """The code as text: a number has lost the zero that it may begin with."""
    metadata = address.get("metadata")
    code = metadata.get("dane_code") if isinstance(metadata, Mapping) else None
    if isinstance(code, int) and not isinstance(code, bool):
        return str(code).zfill(5 if 0 <= code < 10**5 else 8) if -(10**9) < code < 10**9 else "a number"
    if code is None or isinstance(code, str):
        return (code or "").strip()
    return "what is no text"


def _text(values: Any, name: str) -> str:
    """The text of this name in one line of single spaces; empty where there is none."""
    value = values.get(name) if isinstance(values, Mapping) else None
    return " ".join(value.split()) if isinstance(value, str) else ""
