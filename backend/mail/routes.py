"""Mails about orders over the Admin API. Ours, the platform has nothing of it."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.mail.resend import send_again
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_ORDERS),
)


class SentAgain(BaseModel):
    """What became of a mail."""

    id: str
    kind: str
    is_sent_again: bool = Field(description="No where it is on its way already.")


@router.post("/orders/{order_id}/mails/{mail_id}/send-again", response_model=SentAgain)
async def send_mail_again(actor: StaffMember, order_id: str, mail_id: str, database: Db) -> Wire:
    """Send a mail about this order once more."""
    resent = await send_again(database, actor, order_id, mail_id)
    return Wire({"id": resent.mail_id, "kind": resent.kind, "is_sent_again": resent.is_sent_again})
