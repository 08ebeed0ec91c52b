"""Bodies and parameters of orders in the Store and Admin API."""

from typing import Annotated

from pydantic import Field

from backend.edge.schemas import (
    AddressFields,
    Body,
    FilledName,
    FilterParameters,
    ListParameters,
    Name,
    OneParameters,
    Pesos,
    Text,
    Units,
    example,
)


class OrderParameters(OneParameters):
    """Query parameters of one order."""

    token: str | None = Field(None, max_length=200, description="The order's `access_token`, for a guest.")


class OwnOrdersParameters(ListParameters):
    """Filters of the customer's own orders."""

    id: list[Name] | None = None
    status: list[Name] | None = None


class OrdersParameters(FilterParameters):
    """Filters of orders."""

    id: list[Name] | None = None
    q: str | None = Field(
        None,
        max_length=200,
        description="An order's number, tracking number, CUS, phone or document, or the beginnings of words of "
        "the customer's name and e-mail address.",
    )
    created_after: str | None = Field(
        None, max_length=40, alias="created_at[$gt]", description="A day in Colombia, or a time in ISO 8601."
    )
    created_from: str | None = Field(None, max_length=40, alias="created_at[$gte]")
    created_before: str | None = Field(None, max_length=40, alias="created_at[$lt]")
    created_until: str | None = Field(None, max_length=40, alias="created_at[$lte]")
    pickup: bool | None = Field(None, description="True for orders that the customer picks up.")
    to_pack: bool = Field(default=False, description="Only paid orders with units to pack.")
    status: list[Name] | None = None
    payment_status: list[Name] | None = None
    fulfillment_status: list[Name] | None = None
    email: Name | None = None
    customer_id: Name | None = None
    region_id: list[Name] | None = None
    sales_channel_id: list[Name] | None = None


class OrderChanges(Body):
    """Fields of an order that staff may change before it is sent."""

    model_config = example(shipping_address={"address_1": "Carrera 43A # 1-50", "phone": "3001234567"})

    shipping_address: AddressFields


class NewNote(Body):
    """A note on an order, for the staff."""

    model_config = example(text="Llamar antes de enviar")

    text: Annotated[str, Field(min_length=1, max_length=1000)]


class RefundedLine(Body):
    """Units of an order's line that the customer returned, or that will not be sent."""

    line_id: FilledName
    quantity: Annotated[Units, Field(gt=0)]
    restock: bool = Field(default=True, description="True if they can be sold again.")


class NewRefund(Body):
    """A refund that was paid by a bank transfer."""

    model_config = example(
        amount=10_000,
        reference="0012345678",
        reason="El trompo llegó rayado",
        lines=[{"line_id": "ordli_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "quantity": 1, "restock": True}],
    )

    amount: Annotated[Pesos, Field(gt=0)]
    reference: Annotated[str, Field(min_length=1, max_length=100)] = Field(
        description="Reference of the transfer. The same reference with the same amount is the same refund."
    )
    reason: Name = ""
    note: Text | None = Field(None, description="For the staff; the customer does not see it.")
    lines: Annotated[list[RefundedLine], Field(max_length=100)] | None = None
    payment_session_id: Name | None = Field(None, description="The payment, if the order has several.")
    cancel: bool = Field(
        default=False, description="The refund must cancel the order; it is refused if that is not possible."
    )
