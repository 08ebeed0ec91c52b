"""Customers and addresses on the platform's wire (wire: commerce-api, Customers and auth)."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from backend.customers.addresses import addresses_of
from backend.customers.models import Customer, CustomerAddress
from backend.edge.wire import JsonDict, stamps

PARTS = (
    "first_name",
    "last_name",
    "phone",
    "company",
    "address_1",
    "address_2",
    "city",
    "country_code",
    "province",
    "postal_code",
    "metadata",
)


async def customer_wire(session: AsyncSession, customer_id: str) -> JsonDict:
    """The customer with the address book."""
    customer = await session.get_one(Customer, customer_id)
    return _customer(customer, await addresses_of(session, customer_id))


def _customer(customer: Customer, book: Sequence[CustomerAddress]) -> JsonDict:
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


def address_wire(entry: CustomerAddress) -> JsonDict:
    """An entry of the address book."""
    return {
        "id": entry.id,
        "address_name": entry.address_name,
        "is_default_shipping": entry.is_default_shipping,
        "is_default_billing": entry.is_default_billing,
        "customer_id": entry.customer_id,
        **{part: entry.address.get(part) for part in PARTS},
        **stamps(entry.created_at, entry.updated_at),
    }
