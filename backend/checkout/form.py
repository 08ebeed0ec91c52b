"""What a shopper fills in to buy (wire: checkout and carrier 2.3), checked field by field, in a shopper's words.

The payer's own rules (document by person type, telephone, bank) are the payment room's; here are the contact and the
destination, and the one answer about all fields together.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from backend.errors import InvalidData
from backend.shipping.municipalities import Municipality, municipality

EMAIL = re.compile(r"[^@\s]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")
MAX_EMAIL = 60  # what the carrier takes
NO_TOWN = "Elige tu municipio de la lista."


def _tidy(value: Any) -> str:
    """One line without doubled spaces or control characters."""
    text = value if isinstance(value, str) else ""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


Text = Annotated[str, BeforeValidator(_tidy)]


def _problem(message: str) -> PydanticCustomError:
    return PydanticCustomError("shopper", message)


def _between(text: str, least: int, most: int, missing: str) -> str:
    if not text:
        raise _problem(missing)
    if len(text) < least:
        raise _problem(f"Escribe al menos {least} caracteres.")
    if len(text) > most:
        raise _problem(f"Usa máximo {most} caracteres.")
    return text


class Destination(BaseModel):
    """Who receives the parcel, and where."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    email: Text = ""
    first_name: Text = ""
    last_name: Text = ""
    phone: Text = ""
    dane_code: Text = ""
    address: Text = ""
    suburb: Text = ""
    reference: Text = ""

    @field_validator("email")
    @classmethod
    def _email(cls, text: str) -> str:
        if not text:
            raise _problem("Escribe tu correo electrónico.")
        if len(text) > MAX_EMAIL:
            raise _problem(f"Usa un correo de máximo {MAX_EMAIL} caracteres.")
        if not EMAIL.fullmatch(text):
            raise _problem("Revisa el correo: debe verse como nombre@dominio.com.")
        return text

    @field_validator("first_name")
    @classmethod
    def _first_name(cls, text: str) -> str:
        return _name(_between(text, 2, 50, "Escribe tu nombre."))

    @field_validator("last_name")
    @classmethod
    def _last_name(cls, text: str) -> str:
        return _name(_between(text, 2, 50, "Escribe tu apellido."))

    @field_validator("phone")
    @classmethod
    def _phone(cls, text: str) -> str:
        if not text:
            raise _problem("Escribe tu celular.")
        digits = re.sub(r"[\s().-]", "", text).removeprefix("+")
        if len(digits) == 12:
            digits = digits.removeprefix("57")
        if not re.fullmatch(r"[36]\d{9}", digits):
            raise _problem("El celular debe tener 10 dígitos, como 300 123 4567.")
        return digits

    @field_validator("dane_code")
    @classmethod
    def _dane_code(cls, text: str) -> str:
        if municipality(text) is None:
            raise _problem(NO_TOWN)
        return text

    @field_validator("address")
    @classmethod
    def _address(cls, text: str) -> str:
        return _between(text, 8, 50, "Escribe la dirección de entrega.")

    @field_validator("suburb")
    @classmethod
    def _suburb(cls, text: str) -> str:
        return _between(text, 2, 30, "Escribe el barrio.")

    @field_validator("reference")
    @classmethod
    def _reference(cls, text: str) -> str:
        if len(text) > 25:
            raise _problem("Usa máximo 25 caracteres.")
        return text

    def as_address(self) -> dict[str, Any]:
        """The address as the platform keeps it; what it has no field for goes into its metadata."""
        town = municipality(self.dane_code)
        if town is None:  # validated when this was made, but a type checker cannot know
            raise InvalidData(f"Unknown municipality: {self.dane_code}")
        return {
            "first_name": self.first_name,
            "last_name": self.last_name,
            "phone": self.phone,
            "address_1": self.address,
            "address_2": self.reference,
            "city": town.name,
            "province": town.department,
            "country_code": "co",
            "metadata": {"dane_code": town.code, "suburb": self.suburb},
        }


def require_town(code: str) -> Municipality:
    """The municipality with this code.

    Raises:
        InvalidData: there is none.
    """
    town = municipality(code)
    if town is None:
        raise InvalidData(NO_TOWN, fields={"dane_code": NO_TOWN})
    return town


def _name(text: str) -> str:
    if not all(c.isalpha() or c in " '’.-" for c in text):
        raise _problem("Usa solo letras.")
    return text


def problems_of(error: ValidationError) -> dict[str, str]:
    """The first message of each field at fault."""
    problems: dict[str, str] = {}
    for problem in error.errors(include_url=False, include_input=False):
        problems.setdefault(str(problem["loc"][0]) if problem["loc"] else "form", problem["msg"])
    return problems


def read_destination(typed: Mapping[str, Any]) -> tuple[Destination | None, dict[str, str]]:
    """The destination, or what is wrong with it by field."""
    try:
        return Destination.model_validate(dict(typed)), {}
    except ValidationError as error:
        return None, problems_of(error)


def require_destination(typed: Mapping[str, Any]) -> Destination:
    """The destination.

    Raises:
        InvalidData: `fields` holds a message by field, in Spanish.
    """
    destination, problems = read_destination(typed)
    if destination is None:
        raise InvalidData("Revisa los datos marcados.", fields=problems)
    return destination
