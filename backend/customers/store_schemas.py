"""What the Store API takes of customers. The owner is never among it: the token says who that is."""

from typing import Any

from pydantic import BaseModel, Field

from backend.customers.schemas import Credentials
from backend.edge.schemas import (
    AddressFields,
    Answer,
    Body,
    FilledName,
    LenientBody,
    ListAnswer,
    Metadata,
    Name,
    example,
)


class CustomerCredentials(Credentials):
    """A customer's address and password."""

    model_config = example(email="ana@example.com", password="una clave larga")  # noqa: S106 - a documented one


class NewCustomer(Body):
    """A customer for a login that has none."""

    model_config = example(email="ana@example.com", first_name="Ana", last_name="Gómez", phone="3001234567")

    email: FilledName
    first_name: Name | None = None
    last_name: Name | None = None
    phone: Name | None = None
    company_name: Name | None = None
    metadata: Metadata | None = None


class CustomerChange(Body):
    """What is left out stays."""

    model_config = example(first_name="Ana María", phone="3109876543")

    first_name: Name | None = None
    last_name: Name | None = None
    phone: Name | None = None
    company_name: Name | None = None
    metadata: Metadata | None = None


class AddressBody(AddressFields, Body):
    """An address. `metadata.dane_code` is the municipality; without it, city and province must name one."""

    model_config = example(
        address_name="Casa",
        first_name="Ana",
        last_name="Gómez",
        phone="3001234567",
        address_1="Carrera 43A # 1-50",
        city="Medellín",
        province="Antioquia",
        country_code="co",
        metadata={"dane_code": "05001000", "suburb": "El Poblado"},
        is_default_shipping=True,
    )

    address_name: Name | None = None
    is_default_shipping: bool | None = None
    is_default_billing: bool | None = None


class ResetRequest(LenientBody):
    """Whose password was forgotten."""

    model_config = example(identifier="ana@example.com")

    identifier: Any = Field(None, description="An e-mail address.")


class CustomerOut(Answer):
    """A customer with the address book."""

    id: str
    email: str = ""


class CustomerAnswer(BaseModel):
    """A customer."""

    customer: CustomerOut


class AddressOut(Answer):
    """An entry of the address book."""

    id: str


class AddressAnswer(BaseModel):
    """An entry of the address book."""

    address: AddressOut


class AddressesAnswer(ListAnswer):
    """The address book."""

    addresses: list[AddressOut]


class DeletedAddress(BaseModel):
    """What is gone, and what is left."""

    id: str
    object: str
    deleted: bool
    parent: CustomerOut
