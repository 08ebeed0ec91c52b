"""Lists of reasons for refunds and returns, from which API clients let staff choose. The Admin API maintains them.

Refunds and returns store their reason as text, so a change of these lists does not affect existing refunds and
returns.
"""

from fastapi import APIRouter

from backend.audit import SubjectType
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.schemas import FilledName, Name, Text, example
from backend.orders.models import RefundReason, ReturnReason
from backend.plain_tables.routes import add_table_routes
from backend.plain_tables.schemas import RowChange, RowsParameters
from backend.plain_tables.service import PlainTable
from backend.staff.dependencies import require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_ORDERS),
)


class RefundReasonsParameters(RowsParameters):
    """Filters of refund reasons."""

    code: list[Name] | None = None
    label: list[Name] | None = None


class RefundReasonChange(RowChange):
    """A change of a refund reason."""

    model_config = example(label="Llegó tarde", description="Después del día prometido")

    code: FilledName | None = None
    label: FilledName | None = None
    description: Text | None = None


class NewRefundReason(RefundReasonChange):
    """A new refund reason. `code` identifies it for programs."""

    model_config = example(code="late", label="Llegó tarde")

    code: FilledName
    label: FilledName


class ReturnReasonsParameters(RowsParameters):
    """Filters of return reasons."""

    value: list[Name] | None = None
    label: list[Name] | None = None


class ReturnReasonChange(RowChange):
    """A change of a return reason."""

    model_config = example(label="Llegó roto", description="El empaque o el juguete")

    value: FilledName | None = None
    label: FilledName | None = None
    description: Text | None = None


class NewReturnReason(ReturnReasonChange):
    """A new return reason. `value` identifies it for programs."""

    model_config = example(value="broken", label="Llegó roto")

    value: FilledName
    label: FilledName


REFUND_REASONS = PlainTable(
    table=RefundReason,
    subject_type=SubjectType.REFUND_REASON,
    names=("refund_reasons", "refund_reason"),
    right=Right.CHANGE_SETTINGS,
    text_columns=("code", "label", "description"),
    constants={},
    create_model=NewRefundReason,
    change_model=RefundReasonChange,
    parameters=RefundReasonsParameters,
)
RETURN_REASONS = PlainTable(
    table=ReturnReason,
    subject_type=SubjectType.RETURN_REASON,
    names=("return_reasons", "return_reason"),
    right=Right.CHANGE_SETTINGS,
    text_columns=("value", "label", "description"),
    constants={"parent_return_reason_id": None},
    create_model=NewReturnReason,
    change_model=ReturnReasonChange,
    parameters=ReturnReasonsParameters,
)
add_table_routes(router, "/refund-reasons", REFUND_REASONS)
add_table_routes(router, "/return-reasons", RETURN_REASONS)
