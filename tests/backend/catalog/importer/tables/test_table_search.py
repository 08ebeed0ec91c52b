"""The table of products is found in any visible sheet, and its merged, hidden, short and long rows are read safely."""

import pytest

from backend.catalog.importer.tables import table_search
from backend.catalog.importer.tables.models import TableError, TableFault
from tests.backend.catalog.importer.tables.sheets import list_set_aside, list_texts, make_sheet, read_table

HEAD = ["SKU", "Nombre", "Precio"]
TOP = ["T-1", "Trompo", 5_000]
YOYO = ["Y-1", "Yoyo", 6_000]


def test_headings_below_title_lines_are_found() -> None:
    table = read_table(
        make_sheet(
            {1: ["JUGUETERÍA LA PEONZA S.A.S."], 2: ["NIT 900.123.456-8"], 3: ["Fecha de corte", "31/10/2026"],
             5: HEAD, 6: TOP},
            areas=[(1, 0, 1, 2), (2, 0, 2, 2)],
        )
    )  # fmt: skip
    assert (table.head_line, table.headings, list_texts(table)) == (5, HEAD, [["T-1", "Trompo", "5000"]])
    assert not table.set_aside


def test_headings_after_the_twentieth_row_are_not_found() -> None:
    sheet = {**{line: ["Aviso"] for line in range(1, 21)}, 21: HEAD, 22: TOP}
    with pytest.raises(TableError) as refused:
        read_table(make_sheet(sheet))
    assert refused.value.fault is TableFault.NO_HEAD


def test_sheet_with_the_most_known_headings_is_taken() -> None:
    table = read_table(
        make_sheet([["JUGUETERÍA"], ["Inventario"]], name="Portada"),
        make_sheet([["Nombre", "Precio"], ["Trompo", 1]], name="Resumen"),
        make_sheet([HEAD, TOP], name="Lista"),
        make_sheet([["Color", "Hex"], ["Rojo", "#f00"]], name="Colores"),
        make_sheet([HEAD, YOYO], name="Vieja"),
    )
    assert (table.sheet, list_texts(table)) == ("Lista", [["T-1", "Trompo", "5000"]])
    assert list_set_aside(table) == [(0, "other sheet", "Resumen"), (0, "other sheet", "Vieja")]


def test_hidden_sheet_is_set_aside_with_its_name() -> None:
    hidden = make_sheet([[*HEAD, "Marca", "Foto"], [*YOYO, "Uno", "a.jpg"]], name="Costos", is_hidden=True)
    table = read_table(make_sheet([HEAD, TOP]), hidden)
    assert list_texts(table) == [["T-1", "Trompo", "5000"]]
    assert list_set_aside(table) == [(0, "hidden sheet", "Costos")]


def test_hidden_row_is_set_aside_with_its_text() -> None:
    table = read_table(make_sheet([HEAD, TOP, YOYO], hidden_rows=[3]))
    assert list_texts(table) == [["T-1", "Trompo", "5000"]]
    assert list_set_aside(table) == [(3, "hidden row", "Y-1 · Yoyo · 6000")]


def test_merged_title_of_a_group_is_shown_once() -> None:
    table = read_table(make_sheet([HEAD, ["MADERA"], TOP, YOYO], areas=[(2, 0, 2, 2)]))
    assert list_set_aside(table) == [(2, "group", "MADERA")]


def test_table_with_unknown_headings_is_read_for_a_column_mapping() -> None:
    table = read_table(
        make_sheet([["Listado"], ["Ítem", "Detalle", "Mayorista"], ["01", "Trompo", 5], ["02", "Yoyo", 6]])
    )
    assert (table.head_line, table.headings) == (2, ["Ítem", "Detalle", "Mayorista"])
    assert len(table.rows) == 2


@pytest.mark.parametrize("rows", [[], [["JUGUETERÍA"], ["Inventario"]], [[1, 2, 3], [4, 5, 6]]])
def test_spreadsheet_without_headings_is_refused(rows: list[list[object]]) -> None:
    with pytest.raises(TableError) as refused:
        read_table(make_sheet(rows))
    assert refused.value.fault is TableFault.NO_HEAD


def test_merged_cells_give_their_value_to_each_cell_of_the_area() -> None:
    table = read_table(
        make_sheet(
            [
                ["SKU", "Nombre", "Categorías", "Marca", "Precio"],
                ["T-1", "Trompo", "Madera", "", 1],
                ["T-2", "Balero", "", "", 2],
                ["T-3", "Yoyo", "", "", 3],
                ["T-4", "Sin marca", "", "", 4],
            ],
            areas=[(2, 2, 4, 3)],
        )
    )
    assert [row[2:4] for row in list_texts(table)] == [["Madera", "Madera"]] * 3 + [["", ""]]


def test_row_below_a_merged_code_and_name_is_read_with_their_values() -> None:
    table = read_table(
        make_sheet(
            [["SKU", "Nombre", "Precio", "Valor 1"], ["C-1", "Camiseta", 5, "S"], ["", "", "", "M"]],
            areas=[(2, 0, 3, 0), (2, 1, 3, 1), (2, 2, 3, 2)],
        )
    )
    assert list_texts(table)[1] == ["C-1", "Camiseta", "5", "M"]
    assert table.rows[1].kinds == "ttnt"


def test_merged_areas_that_cover_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.catalog.importer.tables.merged_cells.MAX_FILLED_CELLS", 5)
    with pytest.raises(TableError) as refused:
        read_table(make_sheet([HEAD, TOP, YOYO], areas=[(2, 0, 3, 2)]))
    assert refused.value.fault is TableFault.TOO_COMPLEX


def test_headings_of_two_merged_rows_are_joined() -> None:
    table = read_table(
        make_sheet(
            [
                ["SKU", "Nombre", "Precio", "", "Unidades"],
                ["", "", "Mayor", "Detal", ""],
                ["T-1", "Trompo", 4, 5, 6],
            ],
            areas=[(1, 0, 2, 0), (1, 1, 2, 1), (1, 2, 1, 3), (1, 4, 2, 4)],
        )
    )
    assert table.headings == ["SKU", "Nombre", "Precio Mayor", "Precio Detal", "Unidades"]
    assert (table.head_line, list_texts(table)) == (2, [["T-1", "Trompo", "4", "5", "6"]])


def test_missing_cells_of_a_text_file_are_read_as_none() -> None:
    rows = [[*HEAD, "Unidades", ""], ["T-1", "Trompo"], ["Y-1", "Yoyo", 5, "", ""]]
    assert list_texts(read_table(make_sheet(rows, is_text=True))) == [
        ["T-1", "Trompo", None, None],
        ["Y-1", "Yoyo", "5", ""],
    ]
    assert list_texts(read_table(make_sheet(rows)))[0] == ["T-1", "Trompo", "", ""]


@pytest.mark.parametrize(
    ("cells", "in_text", "in_workbook"),
    [
        (["C-1", "Carro", 1, 64, 2], ["64", "2"], ["64", "2"]),
        (["C-1", "Carro", 1, "", ""], [], []),
        (["C-1", "Carro", 1, "", "Leyenda"], ["Leyenda"], []),
    ],
)
def test_cells_beyond_the_headings_are_returned_as_extra_cells(
    cells: list[object], in_text: list[str], in_workbook: list[str]
) -> None:
    assert read_table(make_sheet([HEAD, cells], is_text=True)).rows[0].extra == in_text
    assert read_table(make_sheet([HEAD, cells])).rows[0].extra == in_workbook


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [HEAD, *([f"T-{number}", "Trompo", 1] for number in range(5))]
    assert len(read_table(make_sheet(rows), max_rows=5).rows) == 5
    for other_rows in (100, 0):
        monkeypatch.setattr(table_search, "MAX_OTHER_ROWS", other_rows)
        with pytest.raises(TableError) as refused:
            read_table(make_sheet(rows), max_rows=4)
        assert refused.value.fault is TableFault.TOO_MANY_ROWS


def test_table_without_rows_is_refused() -> None:
    with pytest.raises(TableError) as refused:
        read_table(make_sheet([HEAD, ["", "TOTAL GENERAL", 9]]))
    assert refused.value.fault is TableFault.EMPTY


def test_headings_of_two_rows_without_merged_cells_are_joined() -> None:
    table = read_table(
        make_sheet(
            [
                ["Código", "Nombre", "Precio", "", "Saldo"],
                ["", "", "Mayor", "Detal"],
                ["A-1", "Trompo", 8, 9, 3],
            ]
        )
    )
    assert (table.head_line, table.headings) == (
        2,
        ["Código", "Nombre", "Precio Mayor", "Precio Detal", "Saldo"],
    )
    assert list_texts(table) == [["A-1", "Trompo", "8", "9", "3"]]


@pytest.mark.parametrize(
    "below", [["", "", 8, 9], ["", "Aro", "Mayor", "Detal"], ["", "", "Mayor"], ["A", "Aro", 8, 9, 3]]
)
def test_first_product_is_not_read_as_a_heading_row(below: list[object]) -> None:
    table = read_table(
        make_sheet([["Código", "Nombre", "Precio", "", "Saldo"], below, ["B", "Yoyo", 8, 9, 3]])
    )
    assert (table.head_line, table.headings[2]) == (1, "Precio")


def test_last_rows_with_only_numbers_are_set_aside_as_totals() -> None:
    rows = [["Producto", "Cantidad", "Precio"], ["Trompo", 4, 9_000], ["Yoyo", 6, 8_000], ["", 10, 17_000]]
    table = read_table(make_sheet(rows))
    assert list_texts(table) == [["Trompo", "4", "9000"], ["Yoyo", "6", "8000"]]
    assert list_set_aside(table) == [(4, "total", "10 · 17000")]
