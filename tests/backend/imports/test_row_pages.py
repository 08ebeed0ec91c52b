"""Pages of the rows of an import."""

from backend.imports.row_pages import PAGE_SIZE, RowList, read_row_page
from tests.backend.imports.sender import OWNER, Sender

COUNT = PAGE_SIZE + 7
SHEET = "Nombre;SKU;Precio;Unidades\n" + "".join(
    f"Juguete {n};J-{n};{'mucho' if n % 2 else '1000'};-1\n" for n in range(2 * COUNT)
)


async def read_lines(sender: Sender, kind: RowList, *, offset: int, limit: int) -> tuple[list[int], int]:
    async with sender.shop.database.read() as session:
        rows, count = await read_row_page(session, OWNER, sender.id, kind, offset=offset, limit=limit)
    return [row.line for row in rows], count


async def test_rows_of_each_import_list_are_read_in_pages(sender: Sender) -> None:
    found = await sender.send_spreadsheet(SHEET)
    assert (len(found.problems), len(found.changes), len(found.notes)) == (PAGE_SIZE,) * 3
    assert (found.counts.wrong, found.counts.new, found.note_count) == (COUNT, COUNT, 2 * COUNT)
    assert await read_lines(sender, RowList.PROBLEMS, offset=PAGE_SIZE, limit=5) == (
        [2 * PAGE_SIZE + 3 + 2 * n for n in range(5)], COUNT,
    )  # fmt: skip
    assert await read_lines(sender, RowList.CHANGES, offset=COUNT - 1, limit=5) == ([2 * COUNT], COUNT)
    assert await read_lines(sender, RowList.NOTES, offset=0, limit=2) == ([2, 3], 2 * COUNT)
    assert await read_lines(sender, RowList.NOTES, offset=2 * COUNT, limit=2) == ([], 2 * COUNT)


async def test_started_import_lists_its_refused_rows_as_problems(sender: Sender) -> None:
    await sender.send_spreadsheet(SHEET)
    await sender.run_import()
    assert await read_lines(sender, RowList.PROBLEMS, offset=COUNT - 1, limit=9) == ([2 * COUNT + 1], COUNT)
    assert await read_lines(sender, RowList.CHANGES, offset=0, limit=1) == ([2], COUNT)
