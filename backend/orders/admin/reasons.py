"""Reasons that programs offer people for giving money or goods back: two lists, kept over the Admin API.

What was the reason of one refund or return is said there in words: these lists are for choosing from.
"""

from fastapi import APIRouter

from backend.audit import Thing
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.schemas import FilledName, Name, Text, example
from backend.orders.models import RefundReason, ReturnReason
from backend.plain_tables.routes import serve
from backend.plain_tables.schemas import RowChange, RowsParameters
from backend.plain_tables.service import Kind
from backend.staff.dependencies import staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_ORDERS),
)


class RefundReasonsParameters(RowsParameters):
    """Which reasons."""

    code: list[Name] | None = None
    label: list[Name] | None = None


class RefundReasonChange(RowChange):
    """A change of a reason to give money back."""

    model_config = example(label="Llegó tarde", description="Después del día prometido")

    code: FilledName | None = None
    label: FilledName | None = None
    description: Text | None = None


class NewRefundReason(RefundReasonChange):
    """A reason to give money back. Programs know it by its code."""

    model_config = example(code="late", label="Llegó tarde")

    code: FilledName
    label: FilledName


class ReturnReasonsParameters(RowsParameters):
    """Which reasons."""

    value: list[Name] | None = None
    label: list[Name] | None = None


class ReturnReasonChange(RowChange):
    """A change of a reason to give goods back."""

    model_config = example(label="Llegó roto", description="El empaque o el juguete")

    value: FilledName | None = None
    label: FilledName | None = None
    description: Text | None = None


class NewReturnReason(ReturnReasonChange):
    """A reason to give goods back. Programs know it by its value."""

    model_config = example(value="broken", label="Llegó roto")

    value: FilledName
    label: FilledName


REFUND_REASONS = Kind(
    table=RefundReason,
    thing=Thing.REFUND_REASON,
    names=("refund_reasons", "refund_reason"),
    right=Right.CHANGE_SETTINGS,
    texts=("code", "label", "description"),
    constants={},
    new=NewRefundReason,
    change=RefundReasonChange,
    parameters=RefundReasonsParameters,
)
RETURN_REASONS = Kind(
    table=ReturnReason,
    thing=Thing.RETURN_REASON,
    names=("return_reasons", "return_reason"),
    right=Right.CHANGE_SETTINGS,
    texts=("value", "label", "description"),
    constants={"parent_return_reason_id": None},
    new=NewReturnReason,
    change=ReturnReasonChange,
    parameters=ReturnReasonsParameters,
)
serve(router, "/refund-reasons", REFUND_REASONS)
serve(router, "/return-reasons", RETURN_REASONS)
