"""Which municipality an address is in. The address is kept as it was sent; this is worked out where it matters.

An address names its municipality by DANE's code in `metadata.dane_code` (the carrier's eight digits, or DIVIPOLA's
five), or by `city` with `province`, or by both, which then must not contradict each other.
"""

from collections.abc import Mapping
from typing import Any

from backend.errors import InvalidData
from backend.shipping.municipalities import (
    Municipality,
    department_codes,
    municipalities_named,
    municipality,
)

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
    """What tells two addresses apart for whoever ships there: the street and the municipality, known or not."""
    address = address or {}
    code = municipality_code(address)
    told = (code,) if code else (_code(address), _text(address, "city"), _text(address, "province"))
    return (_text(address, "address_1"), *told)


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


def _text(address: Address, name: str) -> str:
    value = address.get(name)
    return " ".join(value.split()) if isinstance(value, str) else ""
