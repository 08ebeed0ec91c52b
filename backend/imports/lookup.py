"""Lookup of imports by id."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import lock_rows
from backend.core.db.tables import get_or_404
from backend.core.errors import NotAllowed
from backend.imports.models import ImportStatus, ProductImport


async def find_import(session: AsyncSession, import_id: str, *, lock: bool = False) -> ProductImport:
    """Return the import; with `lock`, lock its row for a change.

    Raises:
        NotFound: the import does not exist.
    """
    query = select(ProductImport).where(ProductImport.id == import_id)
    return await get_or_404(session, lock_rows(query) if lock else query, "Import", import_id)


async def find_open_import(session: AsyncSession, import_id: str, *, lock: bool = False) -> ProductImport:
    """Return an import that was not started yet; with `lock`, lock its row for a change.

    Raises:
        NotFound: the import does not exist.
        NotAllowed: the import was started already.
    """
    found = await find_import(session, import_id, lock=lock)
    if found.status != ImportStatus.CHECKED:
        raise NotAllowed("The import was begun already")
    return found
