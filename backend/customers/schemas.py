"""Bodies of customers (wire: commerce-api, Customers and auth).

No body contains the customer's id, because the token identifies the customer.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncSession

from backend.customers.addresses import addresses_of
from backend.customers.answers import CustomerAddressOut, CustomerOut
from backend.customers.models import Customer, CustomerAddress
from backend.edge.auth.credentials import Credentials
from backend.edge.schemas import (
    AddressFields,
    Body,
    CompanyName,
    FilledName,
    LenientBody,
    Name,
    PersonName,
    SmallMetadata,
    example,
)
from backend.edge.wire import JsonDict, address_view, stamps


class CustomerCredentials(Credentials):
    """E-mail address and password of a customer."""

    model_config = example(email="ana@example.com", password="una clave larga")  # noqa: S106 - a documented one


class NewCustomer(Body):
    """A customer for a login that has none."""

    model_config = example(email="ana@example.com", first_name="Ana", last_name="Gómez", phone="3001234567")

    email: FilledName
    first_name: PersonName | None = None
    last_name: PersonName | None = None
    phone: Name | None = None
    company_name: CompanyName | None = None
    metadata: SmallMetadata | None = None


class CustomerChange(Body):
    """Changes of a customer; missing fields stay unchanged."""

    model_config = example(first_name="Ana María", phone="3109876543")

    first_name: PersonName | None = None
    last_name: PersonName | None = None
    phone: Name | None = None
    company_name: CompanyName | None = None
    metadata: SmallMetadata | None = None


class AddressBody(AddressFields, Body):
    """An address.

    `metadata.dane_code` is the municipality's code; without it, city and province must name a municipality.
    """

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
    """The address of the account whose password was forgotten."""

    model_config = example(identifier="ana@example.com")

    identifier: Any = Field(None, description="An e-mail address.")


class PasswordUpdate(LenientBody):
    """The new password of a customer who followed a mailed link; the link's token identifies the customer."""

    model_config = example(password="otra clave larga")  # noqa: S106 - a documented one

    password: str = ""


async def customer_wire(session: AsyncSession, customer_id: str) -> CustomerOut:
    """Return the customer with the address book for the API."""
    customer = await session.get_one(Customer, customer_id)
    return _customer_out(customer, await addresses_of(session, customer_id))


def _customer_out(customer: Customer, book: Sequence[CustomerAddress]) -> CustomerOut:
    return {
        "id": customer.id,
        "email": customer.email,
        "company_name": customer.company_name or None,
        "first_name": customer.first_name or None,
        "last_name": customer.last_name or None,
        "phone": customer.phone or None,
        "metadata": customer.meta or None,
        "has_account": True,
        "deleted_at": None,
        **stamps(customer.created_at, customer.updated_at),
        "addresses": [address_wire(entry) for entry in book],
    }


def address_wire(entry: CustomerAddress) -> CustomerAddressOut:
    """Return an entry of the address book for the API."""
    return {
        "id": entry.id,
        "address_name": entry.address_name,
        "is_default_shipping": entry.is_default_shipping,
        "is_default_billing": entry.is_default_billing,
        "customer_id": entry.customer_id,
        **address_view(entry.address),
        **stamps(entry.created_at, entry.updated_at),
        "deleted_at": None,
    }


def to_customer_columns(values: JsonDict) -> JsonDict:
    """Convert fields of a body to columns: null becomes an empty text, and `metadata` becomes `meta`."""
    columns = {name: value or "" for name, value in values.items() if name != "metadata"}
    return {**columns, "meta": values["metadata"] or {}} if "metadata" in values else columns
