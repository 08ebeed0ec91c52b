"""The mail about a batch of notices to one staff member."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.settings import Settings
from backend.core.texts import _
from backend.staff.models import Staff
from backend.staff.rights import OFFICE
from backend.staff_notices.choices import Channel
from backend.staff_notices.content import read_batch
from backend.staff_notices.kinds import NoticeKind


async def read_notice_values(
    session: AsyncSession, settings: Settings, batch_id: str, staff_id: str
) -> tuple[str, dict[str, Any]] | None:
    """Return the address of the staff member, and the values of the template.

    Return None if no mail must be sent: the staff member no longer gets this kind of notice, everything in the batch
    has been dealt with, or the notice is about a payment and the address is the shop's address for alerts, which has
    already got a mail about it.
    """
    batch = await read_batch(session, batch_id, staff_id, Channel.MAIL)
    if batch is None:
        return None
    kind, content = batch
    member = await session.get_one(Staff, staff_id)
    if kind is NoticeKind.PAYMENT and member.email == settings.alert_email.lower():
        return None
    return member.email, {
        "name": "",
        "title": content.title,
        "lines": content.lines,
        "more": _("Y {n} más.").format(n=content.more) if content.more else "",
        "link": f"{settings.base_url}{content.path}",
        "link_label": content.link_label,
        "choices": f"{settings.base_url}{OFFICE}/cuenta",
    }
