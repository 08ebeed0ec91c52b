"""Bodies and parameters of customers and their groups for staff (wire: commerce-api, Admin)."""

from pydantic import Field

from backend.customers.schemas import CustomerChange, NewCustomer
from backend.edge.schemas import (
    Body,
    FilledName,
    Links,
    Metadata,
    MomentParameters,
    Name,
    NamedParameters,
    example,
)


class CustomersParameters(MomentParameters):
    """Filters of a list of customers."""

    id: list[Name] | None = None
    email: list[Name] | None = None
    groups: list[Name] | None = Field(None, description="Customers in one of these groups.")
    has_account: bool | None = None
    q: Name | None = Field(
        None,
        description="Beginnings of words of an address, a name or a company, or of a telephone number.",
    )


class NewStaffCustomer(NewCustomer):
    """A customer without an account, created by staff."""

    model_config = example(email="luz@example.com", first_name="Luz", last_name="Peña", phone="3009876543")


class StaffCustomerChange(CustomerChange):
    """Changes of a customer. The e-mail address identifies the customer: only the current one is accepted."""

    model_config = example(phone="3109876543", metadata={"note": "Prefiere recoger en la tienda"})

    email: FilledName | None = None


class CustomerGroups(Links):
    """Groups to which the customer is added, and groups from which the customer is removed."""

    model_config = example(add=["cusgroup_01JPZ6V3N8K4T2WQ7RXB5C9MHD"], remove=[])


class GroupsParameters(NamedParameters):
    """Filters of the list of customer groups."""

    customers: list[Name] | None = Field(
        None, alias="customers[id]", description="Groups that contain one of these customers."
    )


class GroupChange(Body):
    """Changes of a group of customers; missing fields stay unchanged."""

    model_config = example(name="Colegios")

    name: FilledName | None = None
    metadata: Metadata | None = None


class NewGroup(GroupChange):
    """A new group of customers."""

    model_config = example(name="Colegios y jardines")

    name: FilledName


class GroupCustomers(Links):
    """Customers to add to the group, and customers to remove from it."""

    model_config = example(add=["cus_01JPZ6V3N8K4T2WQ7RXB5C9MHD"], remove=[])
