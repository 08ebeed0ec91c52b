"""Saving of the invoice settings: the provider and the numbering."""

from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.invoices.issue_job import Invoices, retry_waiting
from backend.office_settings.invoicing import Invoicing, save_invoicing
from backend.staff.rights import Actor, Right


async def save_configuration(
    session: AsyncSession, actor: Actor, invoices: Invoices, typed: Mapping[str, str]
) -> Invoicing:
    """Save the invoice settings, and retry the documents that waited for valid settings.

    Raises:
        InvalidData: a setting is invalid or missing; `fields` has the errors by setting.
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
