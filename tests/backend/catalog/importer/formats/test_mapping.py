"""Suggestions for the columns of unknown lists, and the conversion of a mapped list."""

import pytest

from backend.catalog.importer.formats.mapping import (
    convert_mapped,
    find_contested,
    find_repeated,
    suggest_mapping,
)
from backend.catalog.importer.formats.models import SourceFormat
from tests.backend.catalog.importer.formats.tables import list_cells, read_table

EAN = "7701234567897"


def suggest(text: str) -> dict[str, str]:
    return {one.heading: one.column for one in suggest_mapping(read_table(text, ";")) if one.column}


def contested(text: str) -> dict[str, list[str]]:
    return find_contested(suggest_mapping(read_table(text, ";")))


def test_list_of_an_accounting_program_is_mapped() -> None:
    text = "Código;Descripción;Línea;IVA;Precio 1;Precio 2;Saldo;Costo\n0001;TROMPO;MADERA;19%;89900;85000;12;50000\n"
    assert suggest(text) == {
        "Código": "sku", "Descripción": "title", "Línea": "categories", "IVA": "tax_rate", "Precio 1": "price",
        "Saldo": "stock", "Costo": "cost",
    }  # fmt: skip
    assert contested(text) == {}


def test_mapping_shows_the_first_three_different_values_of_a_column() -> None:
    rows = "".join(f"{number};{name}\n" for number, name in enumerate(["", "a", "a", "b", "c", "d"]))
    suggestions = suggest_mapping(read_table(f"Código;Nombre\n{rows}", ";"))
    assert [one.samples for one in suggestions] == [["0", "1", "2"], ["a", "b", "c"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Código;Referencia;Nombre\n001;TR-9;Trompo\n", {"sku": ["Código", "Referencia"]}),
        (f"Código;Referencia;Nombre\n{EAN};TR-9;Trompo\n", {}),
        ("Nombre;Precio;Precio de venta\nTrompo;1000;1000\n", {"price": ["Precio", "Precio de venta"]}),
        ("Nombre;Precio;Precio\nTrompo;1000;900\n", {"price": ["Precio", "Precio"]}),
        ("Nombre;Saldo;Existencias\nTrompo;1;2\n", {"stock": ["Saldo", "Existencias"]}),
        ("Nombre;Descripción;Línea;Grupo;Foto 1;Foto 2\nTrompo;De madera;A;B;a.jpg;b.jpg\n", {}),
        ("Nombre;Precio;Precio sin IVA\nTrompo;1190;1000\n", {}),
        ("Nombre;S;M;L;Precio\nCamiseta;1;2;3;20000\n", {"stock": ["S", "M", "L"]}),
        ("Nombre;Almacén;Feria\nTrompo;$ 9.000;$ 8.000\n", {"price": ["Almacén", "Feria"]}),
    ],
)
def test_two_columns_for_one_field_are_contested(text: str, expected: dict[str, list[str]]) -> None:
    assert contested(text) == expected


def test_column_with_bar_codes_next_to_a_reference_is_the_bar_code() -> None:
    assert suggest(f"Código;Referencia;Nombre\n{EAN};TR-9;Trompo\n") == {
        "Código": "ean", "Referencia": "sku", "Nombre": "title",
    }  # fmt: skip
    assert suggest(f"Código;Nombre\n{EAN};Trompo\n") == {"Código": "sku", "Nombre": "title"}


def test_column_of_prices_without_tax_is_ignored_next_to_one_with_tax() -> None:
    assert suggest("Nombre;Precio sin IVA;PVP\nTrompo;1000;1190\n") == {"Nombre": "title", "PVP": "price"}


def test_unknown_headings_are_mapped_by_their_values() -> None:
    text = "A;B;C;D;E;F;G\n" + "".join(
        f"{number};{EAN};Trompo de madera;$ 1.000;{number * 3};19%;https://x.co/{number}.jpg\n"
        for number in range(1, 6)
    )
    assert suggest(text) == {
        "B": "ean", "C": "title", "D": "price", "E": "stock", "F": "tax_rate", "G": "pictures",
    }  # fmt: skip


def test_columns_of_minimums_and_wholesale_prices_are_not_mapped() -> None:
    assert suggest("Nombre;Costo;Stock mínimo;Precio mayorista\nTrompo;50000;3;80000\n") == {
        "Nombre": "title",
        "Costo": "cost",
    }


def test_empty_cells_of_a_mapped_list_change_nothing() -> None:
    table = read_table("Código;Ref;Línea;Grupo;Talla;Precio\n1;A;Madera;;M;5\n2;;;;;\n", ";")
    found = convert_mapped(table, ["", "sku", "categories", "categories", "value_1", "price"])
    assert list_cells(found) == [
        {"sku": "A", "categories": "Madera", "option_1": "Talla", "value_1": "M", "price": "5"},
        {},
    ]
    assert (found.format, found.ignored) == (SourceFormat.UNKNOWN, ["Código"])
    assert found.headings[found.columns.index("categories")] == "Línea / Grupo"
    assert found.notes == ["tax not said"]


def test_field_chosen_for_two_columns_is_reported_with_their_headings() -> None:
    table = read_table("Código;Ref;Foto;Foto 2\n1;A;a;b\n", ";")
    assert find_repeated(table, ["sku", "sku", "pictures", "pictures"]) == {"sku": ["Código", "Ref"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (  # an item is the name next to a reference, and a unit is no name
            (
                "Ítem;Referencia;Unidad;Cantidad;Precio total\nMuñeca de trapo;MT-1;Unidad;5;50000\n"
                "Tren de palo;TP-2;Unidad;3;25000\n"
            ),
            {"Ítem": "title", "Referencia": "sku", "Cantidad": "stock", "Precio total": "price"},
        ),
        (  # or the number of the row
            "Item;Código;Descripción;Valor\n1;A-1;Trompo;900\n2;A-2;Yoyo;900\n",
            {"Código": "sku", "Descripción": "title", "Valor": "price"},
        ),
        (
            "Cód. interno;Nombre Artículo;Depto.;Vr. Venta;Exist.\n1;Trompo;Madera;900;3\n",
            {
                "Cód. interno": "sku", "Nombre Artículo": "title", "Depto.": "categories", "Vr. Venta": "price",
                "Exist.": "stock",
            },
        ),
        (
            "Plu;Producto;P.V.P.;Inv. final\n501;Trompo;900;3\n",
            {"Plu": "sku", "Producto": "title", "P.V.P.": "price", "Inv. final": "stock"},
        ),
        (
            "Código;Nombre;Precio de venta 1;Precio de venta 2\n1;Trompo;45.000;40.000\n",
            {"Código": "sku", "Nombre": "title", "Precio de venta 1": "price"},
        ),
        (
            "Código;Nombre;Vr. unitario sin IVA\n1;Trompo;45.000\n",
            {"Código": "sku", "Nombre": "title", "Vr. unitario sin IVA": "price_without_tax"},
        ),
    ],
)  # fmt: skip
def test_headings_with_short_forms_and_words_of_other_programs_are_mapped(
    text: str, expected: dict[str, str]
) -> None:
    assert suggest(text) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("A;Vestido;2;Rojo\nB;Vestido;4;Rojo\nC;Moño;;\n", {"Talla": "value_1", "Color": "value_2"}),
        ("A;Vestido;2;Rojo\nB;Falda;2;Rojo\n", {}),
        ("A;Vestido;2;Rojo\nB;Vestido;2;Rojo\n", {}),
    ],
    ids=["sizes of one name", "different names", "equal rows"],
)
def test_size_and_colour_columns_are_options_only_if_rows_of_one_name_differ(
    rows: str, expected: dict[str, str]
) -> None:
    found = suggest(f"Código;Nombre;Talla;Color\n{rows}")
    assert found == {"Código": "sku", "Nombre": "title", **expected}


def test_subcategory_is_placed_below_the_category_of_its_row() -> None:
    table = read_table(
        "Código;Categoría;Subcategoría\n1;Juguetes;Mesa\n2;Bebés;\n3;;Mesa\n4;A, B;Mesa\n", ";"
    )
    source = convert_mapped(table, ["sku", "categories", "categories"])
    assert [row.texts[source.columns.index("categories")] for row in source.rows] == [
        "Juguetes > Mesa", "Bebés", "Mesa", "A, B|Mesa",
    ]  # fmt: skip


def test_numbered_columns_are_joined_in_the_order_of_their_numbers() -> None:
    table = read_table("Nombre;Foto 10;Foto 2;Foto 1\nTrompo;c.jpg;b.jpg;a.jpg\n", ";")
    (cells,) = list_cells(convert_mapped(table, ["title", "pictures", "pictures", "pictures"]))
    assert cells["pictures"] == "a.jpg|b.jpg|c.jpg"
