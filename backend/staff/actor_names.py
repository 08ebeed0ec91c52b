"""What people and machines are called that did something."""

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.texts import _
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, SHOP
from backend.staff.secret_keys import key_names

MACHINES = {COMMAND_LINE.id: _("Línea de comandos"), SHOP.id: _("La tienda, sola")}


async def names_of(session: AsyncSession, ids: Collection[str]) -> dict[str, str]:
    """What these are called, by their ids: staff by their addresses, programs by their secret keys."""
    return {**MACHINES, **await _addresses(session, ids), **await key_names(session, ids)}


async def names_within(session: AsyncSession, ids: Collection[str]) -> dict[str, str]:
    """The same for within a sentence: staff by what stands before the @, and nothing for the shop by itself."""
    staff = {one: address.partition("@")[0] for one, address in (await _addresses(session, ids)).items()}
    machines = {COMMAND_LINE.id: _("la línea de comandos"), SHOP.id: ""}
    return {**machines, **staff, **await key_names(session, ids)}


async def _addresses(session: AsyncSession, ids: Collection[str]) -> dict[str, str]:
    found = await session.execute(select(Staff.id, Staff.email).where(Staff.id.in_(set(ids))))
    return dict(found.all())
