"""Mails about orders over the Admin API. Ours, the platform has nothing of it."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from typing_extensions import TypedDict

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


class SentAgain(TypedDict):
    """Result of sending a mail again."""

    id: str
    kind: str
    is_sent_again: Annotated[bool, Field(description="No where it is on its way already.")]


@router.post("/orders/{order_id}/mails/{mail_id}/send-again")
async def send_mail_again(actor: StaffMember, order_id: str, mail_id: str, database: Db) -> Wire[SentAgain]:
    """Send a mail about this order once more."""
    resent = await send_again(database, actor, order_id, mail_id)
    return Wire({"id": resent.mail_id, "kind": resent.kind, "is_sent_again": resent.is_sent_again})
