"""An import by its id: any of them, or only one that staff may still change."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import locked
from backend.core.db.tables import get_or_404
from backend.core.errors import NotAllowed
from backend.imports.models import ImportStatus, ProductImport


async def find_import(session: AsyncSession, import_id: str, *, lock: bool = False) -> ProductImport:
    """The import; with `lock` for a change.

    Raises:
        NotFound: there is none.
    """
    query = select(ProductImport).where(ProductImport.id == import_id)
    return await get_or_404(session, locked(query) if lock else query, "Import", import_id)


async def find_open_import(session: AsyncSession, import_id: str, *, lock: bool = False) -> ProductImport:
    """The import, which nobody has begun.

    Raises:
        NotFound: there is none.
        NotAllowed: it was begun already.
    """
    found = await find_import(session, import_id, lock=lock)
    if found.status != ImportStatus.CHECKED:
        raise NotAllowed("The import was begun already")
    return found
