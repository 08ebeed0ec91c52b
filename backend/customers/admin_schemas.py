"""Bodies and parameters of customers and their groups for staff (wire: commerce-api, Admin)."""

from pydantic import Field

from backend.customers.schemas import CustomerChange, NewCustomer
from backend.edge.schemas import (
    Body,
    FilledName,
    Links,
    Metadata,
    Moments,
    Name,
    NamedParameters,
    example,
)


class CustomersParameters(Moments):
    """Which customers."""

    id: list[Name] | None = None
    email: list[Name] | None = None
    groups: list[Name] | None = Field(None, description="Those who are in one of these groups.")
    has_account: bool | None = None
    q: Name | None = Field(
        None,
        description="Beginnings of words of an address, a name or a company, or of a telephone number.",
    )


class NewStaffCustomer(NewCustomer):
    """A customer whom staff enter; they have no account."""

    model_config = example(email="luz@example.com", first_name="Luz", last_name="Peña", phone="3009876543")


class StaffCustomerChange(CustomerChange):
    """What staff may change. The address is who somebody is: only the same may be sent along."""

    model_config = example(phone="3109876543", metadata={"note": "Prefiere recoger en la tienda"})

    email: FilledName | None = None


class CustomerGroups(Links):
    """Groups to put the customer into, and groups to take them out of."""

    model_config = example(add=["cusgroup_01JPZ6V3N8K4T2WQ7RXB5C9MHD"], remove=[])


class GroupsParameters(NamedParameters):
    """Which groups."""

    customers: list[Name] | None = Field(
        None, alias="customers[id]", description="Those that one of these customers is in."
    )


class GroupChange(Body):
    """What may be said of a group; what is left out stays."""

    model_config = example(name="Colegios")

    name: FilledName | None = None
    metadata: Metadata | None = None


class NewGroup(GroupChange):
    """A new group."""

    model_config = example(name="Colegios y jardines")

    name: FilledName


class GroupCustomers(Links):
    """Customers to put into the group, and customers to take out of it."""

    model_config = example(add=["cus_01JPZ6V3N8K4T2WQ7RXB5C9MHD"], remove=[])
