"""Choice of the importer's column for one column of a spreadsheet in an unknown format."""

from backend.catalog.importer.formats.mapping import take_columns
from backend.catalog.importer.formats.models import ColumnSuggestion
from backend.core.db.database import Database
from backend.core.errors import InvalidData
from backend.imports.lookup import find_open_import
from backend.imports.preview import preview_import
from backend.imports.spreadsheet_upload import change_mapping
from backend.staff.rights import Actor, Right


async def choose_column(database: Database, actor: Actor, import_id: str, place: int, column: str) -> None:
    """Set the importer's column for one column of a spreadsheet in an unknown format, and check the rows again.

    Any other column of the spreadsheet that had the same importer's column is no longer imported: see
    `take_columns`.

    Args:
        database: the shop's database.
        actor: the staff member.
        import_id: the import.
        place: position of the column in the file, from 0.
        column: the importer's column; empty if the column is not imported.

    Raises:
        NotFound: the import does not exist.
        NotAllowed: the import was started already.
        InvalidData: the file or the importer has no such column, or no column identifies products.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.read() as session:
        found = await find_open_import(session, import_id)
    if not 0 <= place < len(found.mapping):
        raise InvalidData("The file has no such column")
    chosen = take_columns([ColumnSuggestion(**one) for one in found.mapping], {place}, column)
    await change_mapping(
        database, actor, import_id, [one.column for one in chosen], [one.contested for one in chosen]
    )
    await preview_import(database, import_id)
