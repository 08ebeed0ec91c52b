"""Responses of the Store and Admin API with customers."""

from typing import NotRequired

from typing_extensions import TypedDict

from backend.edge.wire import AddressParts, Deleted, JsonDict, LastingStamps, Page


class SessionAnswer(TypedDict):
    """The owner of the new session. The session's token is only in the cookie."""

    user: JsonDict


class Succeeded(TypedDict):
    """Response to an action: `success` is True."""

    success: bool


class CustomerAddressOut(AddressParts, LastingStamps):
    """An entry of the address book."""

    id: str
    address_name: str | None
    is_default_shipping: bool
    is_default_billing: bool
    customer_id: str


class CustomerFields(LastingStamps):
    """Fields of a customer or a guest."""

    id: str
    email: str
    company_name: str | None
    first_name: str | None
    last_name: str | None
    phone: str | None
    metadata: JsonDict | None
    has_account: bool


class CustomerOut(CustomerFields):
    """A customer with the address book."""

    addresses: list[CustomerAddressOut]


class CustomerAnswer(TypedDict):
    """Response with one customer."""

    customer: CustomerOut


class AddressAnswer(TypedDict):
    """Response with one entry of the address book."""

    address: CustomerAddressOut


class AddressesAnswer(Page):
    """A page of the address book."""

    addresses: list[CustomerAddressOut]


class DeletedAddress(Deleted):
    """Response after an address was deleted: the address's id, and the customer without the address."""

    parent: CustomerOut


class PersonOut(CustomerFields):
    """A customer or a guest, without addresses and groups."""

    created_by: None


class GroupOut(LastingStamps):
    """A group of customers; with `fields=+customers.id`, also its customers."""

    id: str
    name: str
    metadata: JsonDict | None
    created_by: None
    customers: NotRequired[list[PersonOut]]


class StaffCustomerOut(PersonOut):
    """A customer or a guest, for staff."""

    addresses: NotRequired[list[CustomerAddressOut]]
    groups: NotRequired[list[GroupOut]]


class StaffCustomerAnswer(TypedDict):
    """Response with one customer or guest, for staff."""

    customer: StaffCustomerOut


class StaffCustomersAnswer(Page):
    """A page of the customers and guests."""

    customers: list[StaffCustomerOut]


class GroupAnswer(TypedDict):
    """Response with one group of customers."""

    customer_group: GroupOut


class GroupsAnswer(Page):
    """A page of the customer groups."""

    customer_groups: list[GroupOut]
