"""Names of actors in audits and notes: staff, secret keys, the command line and the shop."""

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.texts import _
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, SHOP
from backend.staff.secret_keys import key_names

MACHINES = {COMMAND_LINE.id: _("Línea de comandos"), SHOP.id: _("La tienda, sola")}


async def actor_names(session: AsyncSession, ids: Collection[str]) -> dict[str, str]:
    """Return the actors' names by id.

    Staff members are named by their e-mail address, secret keys by their title. All names in `MACHINES` are included.
    """
    return {**MACHINES, **await _addresses(session, ids), **await key_names(session, ids)}


async def short_actor_names(session: AsyncSession, ids: Collection[str]) -> dict[str, str]:
    """Return short names of actors by id, for use within a sentence.

    The name of a staff member is the part of the address before the «@». The name of `SHOP`, the actor of automatic
    changes, is empty.
    """
    staff = {one: address.partition("@")[0] for one, address in (await _addresses(session, ids)).items()}
    machines = {COMMAND_LINE.id: _("la línea de comandos"), SHOP.id: ""}
    return {**machines, **staff, **await key_names(session, ids)}


async def _addresses(session: AsyncSession, ids: Collection[str]) -> dict[str, str]:
    found = await session.execute(select(Staff.id, Staff.email).where(Staff.id.in_(set(ids))))
    return dict(found.all())
