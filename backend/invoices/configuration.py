"""Saving who makes the shop's invoices, and with which numbers."""

from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.invoices.issue_job import Invoices, retry_waiting
from backend.office_settings.invoicing import Invoicing, save_invoicing
from backend.staff.rights import Actor, Right


async def configure(
    session: AsyncSession, actor: Actor, invoices: Invoices, typed: Mapping[str, str]
) -> Invoicing:
    """Let these settings stand from now on, and try what waited for them.

    Raises:
        InvalidData: something does not fit or is missing; `fields` says what.
    """
    actor.require(Right.CHANGE_SETTINGS)
    provider = typed.get("provider", "")
    if provider and provider not in invoices.providers:
        raise InvalidData(
            "There is no such provider", fields={"provider": _("Elige quién hace las facturas.")}
        )
    saved = await save_invoicing(session, actor, typed)
    await retry_waiting(session)
    return saved
