"""What the Store API takes of customers. The owner is never among it: the token says who that is."""

from typing import Any

from pydantic import BaseModel, Field

from backend.edge.schemas import Answer, Body, FilledName, LenientBody, ListAnswer, Metadata, Name


class NewCustomer(Body):
    """A customer for a login that has none."""

    email: FilledName = Field(examples=["ana@example.com"])
    first_name: Name | None = None
    last_name: Name | None = None
    phone: Name | None = None
    company_name: Name | None = None
    metadata: Metadata | None = None


class CustomerChange(Body):
    """What is left out stays."""

    first_name: Name | None = None
    last_name: Name | None = None
    phone: Name | None = None
    company_name: Name | None = None
    metadata: Metadata | None = None


class AddressBody(Body):
    """An address. `metadata.dane_code` is the municipality; without it, city and province must name one."""

    first_name: Name | None = None
    last_name: Name | None = None
    phone: Name | None = None
    company: Name | None = None
    address_1: Name | None = None
    address_2: Name | None = None
    city: Name | None = None
    country_code: Name | None = None
    province: Name | None = None
    postal_code: Name | None = None
    metadata: Metadata | None = None
    address_name: Name | None = None
    is_default_shipping: bool | None = None
    is_default_billing: bool | None = None


class ResetRequest(LenientBody):
    """Whose password was forgotten."""

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
