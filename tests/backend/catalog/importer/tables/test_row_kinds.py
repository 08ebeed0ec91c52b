"""Totals, groups, repeated headings, hints and rows without a code are set aside; products with such names are not."""

import pytest

from tests.backend.catalog.importer.tables.sheets import list_set_aside, list_texts, make_sheet, read_table

HEAD = ["Código", "Nombre", "Línea", "Precio", "Unidades"]
TOP = ["0001", "TROMPO", "MADERA", 5_000, 3]
YOYO = ["0002", "YOYO", "MADERA", 6_000, 4]


def find_reasons(*rows: list[object]) -> list[str]:
    """Read a list of two products, followed by these rows. Return the reason for each row that is set aside."""
    return [
        reason for _line, reason, _text in list_set_aside(read_table(make_sheet([HEAD, TOP, YOYO, *rows])))
    ]


@pytest.mark.parametrize(
    "row",
    [
        ["", "TOTAL GENERAL", "", 11_000, 7],
        ["TOTAL", "", "", 11_000, 7],
        ["Totales:", "", "", "", 7],
        ["", "Subtotal MADERA", "", "", 7],
        ["", "SUB-TOTAL", "", 11_000, ""],
        ["", "Gran total", "", "", 7],
        ["Total productos", "2", "", "", ""],
        ["", "", "Total línea MADERA", 11_000, ""],
        ["Total 2 referencias", "", "", 11_000, ""],
        ["", "Suma", "", 11_000, ""],
        ["", "Total Madera", "", 11_000, ""],
        ["Valor total del inventario", "", "", 11_000, ""],
    ],
)
def test_total_row_is_set_aside(row: list[object]) -> None:
    assert find_reasons(row) == ["total"]


@pytest.mark.parametrize(
    "row",
    [
        ["TS-1", "Total Soccer de mesa", "JUEGOS", 5, 1],
        ["SU-1", "Suma y sigue", "JUEGOS", 5, 1],
        ["SU-2", "Suma", "JUEGOS", 5, 1],
        ["TOT-1", "Trompo", "Total de madera", 5, 1],
    ],
)
def test_product_with_the_name_of_a_total_is_kept(row: list[object]) -> None:
    assert find_reasons(row) == []


def test_total_in_a_list_without_codes_is_set_aside() -> None:
    table = read_table(
        make_sheet([["Nombre", "Precio"], ["Total Soccer", 1], ["Trompo", 2], ["Total general", 3]])
    )
    assert list_texts(table) == [["Total Soccer", "1"], ["Trompo", "2"]]
    assert list_set_aside(table) == [(4, "total", "Total general · 3")]


@pytest.mark.parametrize(
    ("row", "areas"),
    [
        (["", "DIDÁCTICOS", "", "", ""], []),
        (["LÍNEA: DIDÁCTICOS", "", "", "", ""], [(4, 0, 4, 4)]),
        (["", "", "", 0, ""], []),
    ],
)
def test_group_row_is_set_aside(row: list[object], areas: list[tuple[int, int, int, int]]) -> None:
    table = read_table(make_sheet([HEAD, TOP, YOYO, row], areas=areas))
    assert [reason for _line, reason, _text in list_set_aside(table)] == ["group"]


def test_row_with_only_a_name_is_kept_in_a_table_of_two_columns() -> None:
    table = read_table(make_sheet([["Nombre", "Precio"], ["Trompo", 1], ["Yoyo", ""]]))
    assert list_texts(table) == [["Trompo", "1"], ["Yoyo", ""]]


def test_repeated_headings_are_set_aside() -> None:
    assert find_reasons(
        ["CODIGO", "Nombre ", "línea", "PRECIO", "Unidades"], ["0003", "BALERO", "", 1, 1]
    ) == ["repeated head"]


def test_hints_below_the_headings_are_set_aside() -> None:
    table = read_table(
        make_sheet(
            [
                ["Título", "SKU", "Precio", "Estado"],
                ["Obligatorio", "Opcional", "Obligatorio", "No modificable"],
                ["Trompo", "T-1", 5, "Activa"],
            ]
        )
    )
    assert list_set_aside(table) == [(2, "hints", "Obligatorio · Opcional · Obligatorio · No modificable")]
    assert list_texts(table) == [["Trompo", "T-1", "5", "Activa"]]


def test_row_without_a_code_is_set_aside() -> None:
    assert find_reasons(["0003", "BALERO", "", 1, 1], ["", "Bodega principal", "", 5, 6]) == ["no code"]


def test_rows_without_a_code_are_kept_if_several_rows_lack_it() -> None:
    table = read_table(make_sheet([HEAD, TOP, YOYO, ["", "Balero", "", 1, 1]]))
    assert (len(table.rows), table.set_aside) == (3, [])


def test_row_with_a_code_in_any_code_column_is_kept() -> None:
    table = read_table(
        make_sheet(
            [["ID", "SKU", "Nombre", "Precio"], [1, "A", "Trompo", 1], [2, "", "Yoyo", 1], [3, "B", "Oso", 1]]
        )
    )
    assert (len(table.rows), table.set_aside) == (3, [])


@pytest.mark.parametrize("heading", ["Handle", "URL handle"])
def test_row_with_only_another_picture_of_a_product_is_kept(heading: str) -> None:
    head = ["Title", heading, "SKU", "Price", "Product image URL"]
    rows = [[f"Trompo {number}", f"trompo-{number}", f"T-{number}", 5, "x.jpg"] for number in range(4)]
    table = read_table(make_sheet([head, *rows, ["", "trompo-3", "", "", "y.jpg"]]))
    assert list_set_aside(table) == []


@pytest.mark.parametrize(
    ("row", "reasons"),
    [(["#REF!", "#N/A", "", "#¡VALOR!", ""], ["no values"]), (["", "OSO", "#N/A", "#N/A", ""], ["no code"])],
)
def test_row_with_only_formulas_without_values_is_set_aside(row: list[object], reasons: list[str]) -> None:
    assert (
        find_reasons(row, ["0003", "OSO", "MADERA", 7_000, 1], ["0004", "BUS", "MADERA", 7_000, 1]) == reasons
    )
