"""What people and machines are called that did something."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, SHOP
from backend.texts import _

MACHINES = {COMMAND_LINE.id: _("La línea de comandos"), SHOP.id: _("La tienda")}


async def names_of(session: AsyncSession, ids: set[str]) -> dict[str, str]:
    """What these are called, by their ids."""
    found = await session.execute(select(Staff.id, Staff.email).where(Staff.id.in_(ids)))
    return {**MACHINES, **dict(found.all())}
