"""Admin API of mails about orders. The platform has no such route."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from typing_extensions import TypedDict

from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.mail.resend import resend_order_mail
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_ORDERS),
)


class ResendAnswer(TypedDict):
    """Response to a request to send a mail again."""

    id: str
    kind: str
    is_sent_again: Annotated[bool, Field(description="False if the mail is already being sent.")]


@router.post("/orders/{order_id}/mails/{mail_id}/send-again")
async def send_mail_again(
    actor: StaffMember, order_id: str, mail_id: str, database: Db
) -> Wire[ResendAnswer]:
    """Send a mail about this order again."""
    resent = await resend_order_mail(database, actor, order_id, mail_id)
    return Wire({"id": resent.mail_id, "kind": resent.kind, "is_sent_again": resent.is_sent_again})
