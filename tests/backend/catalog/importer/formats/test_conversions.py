"""Conversion of other programs' files: each sample file, and the rules that its program follows."""

import pytest

from backend.catalog.importer.columns import VARIANT_PICTURES
from backend.catalog.importer.formats.convert import convert_table
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.formats.recognition import recognise
from backend.catalog.importer.tables.models import Table
from tests.backend.catalog.importer.formats.tables import list_cells, read_case, read_table


def convert_recognised(table: Table) -> SourceFile:
    return convert_table(table, recognise(table.headings))


def convert(text: str, delimiter: str = ",") -> SourceFile:
    return convert_recognised(read_table(text, delimiter))


def convert_case(name: str) -> SourceFile:
    return convert_recognised(read_case(name))


@pytest.mark.parametrize(
    ("name", "source_format"),
    [
        ("m-shopify.csv", SourceFormat.SHOPIFY),
        ("07-shopify.csv", SourceFormat.SHOPIFY),
        ("m-woo-es.csv", SourceFormat.WOOCOMMERCE),
        ("m-prestashop-list.csv", SourceFormat.PRESTASHOP),
        ("m-google.tsv", SourceFormat.GOOGLE),
        ("55-google.tsv", SourceFormat.GOOGLE),
        ("01-0.csv", SourceFormat.TROMPO),
        ("56-two.csv", SourceFormat.UNKNOWN),
    ],
)
def test_format_of_a_sample_file_is_recognised(name: str, source_format: SourceFormat) -> None:
    assert recognise(read_case(name).headings) is source_format


@pytest.mark.parametrize(
    ("headings", "source_format"),
    [
        (
            (
                "Title,URL handle,Description,Vendor,Type,Tags,Published on online store,Status,SKU,Barcode,"
                "Option1 name,Option1 value,Price,Compare-at price,Inventory quantity,Weight value (grams),"
                "Product image URL"
            ),
            SourceFormat.SHOPIFY,
        ),
        (
            (
                'ID,Type,SKU,"GTIN, UPC, EAN, or ISBN",Name,Published,Is featured?,Visibility in catalog,'
                "Short description,Description,In stock?,Stock,Weight (kg),Sale price,Regular price,Categories,"
                "Tags,Images,Parent,Attribute 1 name,Attribute 1 value(s)"
            ),
            SourceFormat.WOOCOMMERCE,
        ),
        (
            (
                'Product ID,Active (0/1),Name *,"Categories (x,y,z...)",Price tax excluded,Tax rules ID,Reference #,'
                'Manufacturer,EAN13,Quantity,Summary,Description,"Tags (x,y,z...)","Image URLs (x,y,z...)"'
            ),
            SourceFormat.PRESTASHOP,
        ),
        (
            "Número de publicación,Título,SKU,Disponible,Precio,Moneda,Estado,Link de la foto",
            SourceFormat.MERCADOLIBRE,
        ),
        ("Product Id,Product Handle,Product Title,Variant Sku,Variant Price COP", SourceFormat.PLATFORM),
        ("handle,title,price,sku,stock", SourceFormat.TROMPO),
        ("Nombre,SKU,Precio,Unidades,Problema,Fila", SourceFormat.TROMPO),
        ("Nombre,SKU,Precio,Precio,Unidades", SourceFormat.UNKNOWN),
        ("Nombre,REF,Precio,Proveedor", SourceFormat.UNKNOWN),
        ("", SourceFormat.UNKNOWN),
    ],
)
def test_format_is_recognised_by_its_headings(headings: str, source_format: SourceFormat) -> None:
    assert recognise(read_table(headings + "\n").headings) is source_format


def test_shopify_rows_of_one_handle_become_variants() -> None:
    found = convert_case("m-shopify.csv")
    red, blue, yoyo = list_cells(found)
    base = "https://cdn.shopify.com/s/files/1/0000/0001/products/"
    assert red == {
        "handle": "trompo-shop", "title": "Trompo de guayacán", "status": "published", "brand": "Lúdica",
        "description": "<p>Trompo <strong>torneado</strong> a mano.</p>\n<ul>\n<li>Incluye cuerda</li>\n</ul>",
        "weight": "0.35", "sku": "SHO-R", "ean": "'7701234567897", "price": "89900.00",
        "compare_at_price": "99900.00", "option_1": "Color", "value_1": "Rojo", "stock": "5",
        "pictures": "|".join(f"{base}{number}.jpg?v=1700000000" for number in (1, 2, 3)),
        "tags": "madera|niños", "type": "Trompos", "old_addresses": "/products/trompo-shop",
    }  # fmt: skip
    assert blue == {
        "handle": "trompo-shop", "sku": "SHO-A", "price": "89900.00", "compare_at_price": "", "stock": "-1",
        "option_1": "Color", "value_1": "Azul",
    }  # fmt: skip
    assert yoyo == {
        "handle": "yoyo-shop", "title": "Yoyo profesional", "description": "<p>Yoyo.</p>", "brand": "Lúdica",
        "status": "published", "weight": "0.08", "sku": "SHO-Y", "price": "35000.00", "compare_at_price": "",
        "stock": "12", "pictures": f"{base}y.jpg", "type": "Yoyos", "old_addresses": "/products/yoyo-shop",
    }  # fmt: skip
    assert found.headings[found.columns.index("price")] == "Variant Price"
    assert "Cost per item" not in found.ignored
    assert "Variant Price" not in found.ignored


@pytest.mark.parametrize(
    ("status", "published", "gift_card", "expected"),
    [
        ("active", "true", "false", "published"),
        ("Active", "TRUE", "", "published"),
        ("active", "", "", "published"),
        ("", "true", "", "published"),
        ("active", "false", "", "draft"),
        ("draft", "true", "", "draft"),
        ("archived", "true", "", "draft"),
        ("active", "true", "true", "draft"),
        ("", "", "true", "draft"),
        ("", "", "false", None),
        ("", "", "", None),
    ],
)
def test_shopify_status_and_published_columns_determine_the_product_status(
    status: str, published: str, gift_card: str, expected: str | None
) -> None:
    text = "Handle,Title,Variant Price,Status,Published,Gift Card\n"
    (cells,) = list_cells(convert(f"{text}a,A,5,{status},{published},{gift_card}\n"))
    assert cells.get("status") == expected


def test_shopify_rows_in_any_order_keep_pictures_in_their_positions() -> None:
    found = convert(
        "Handle,Variant SKU,Image Position,Image Src,Title,Variant Price,Option1 Value,Option1 Name,Variant Grams,"
        "Variant Image\n"
        "b,,2,https://x.co/2.jpg,,,,,,\n"
        "b,B-1,1,https://x.co/1.jpg,Balón,100,S,Talla,200.0,https://x.co/s.jpg\n"
        "c,C-1,,,Cometa,300,Default Title,Title,0.0,\n"
        "b,B-2,10,https://x.co/10.jpg,,120,M,,250.5,https://x.co/2.jpg\n"
    )
    small, comet, large = list_cells(found)
    assert small["pictures"] == "|".join(f"https://x.co/{name}.jpg" for name in ("1", "2", "10", "s"))
    assert (small["title"], small["weight"], small["value_1"]) == ("Balón", "0.2505", "S")
    assert (large["option_1"], large["value_1"], "title" in large) == ("Talla", "M", False)
    assert comet == {
        "handle": "c", "title": "Cometa", "sku": "C-1", "price": "300", "compare_at_price": "",
        "old_addresses": "/products/c",
    }  # fmt: skip
    assert [(one.code, one.detail) for one in found.rows[0].notes] == [("several weights", "0.2505")]
    assert [row.line for row in found.rows] == [3, 4, 5]


def test_shopify_handle_with_accents_is_converted_in_all_its_rows() -> None:
    rows = list_cells(
        convert(
            "Handle,Title,Option1 Name,Option1 Value,Variant Price\nNiño_Ñ,Niño,Talla,S,1\nNiño_Ñ,,,M,1\n"
        )
    )
    assert [row["handle"] for row in rows] == ["nino-n", "nino-n"]


def test_woocommerce_variations_become_variants_of_their_parent() -> None:
    found = convert_case("m-woo-es.csv")
    cup, small, medium = list_cells(found)
    base = "https://example.com/wp-content/uploads/"
    assert cup == {
        "title": "Balero de madera", "sku": "WOO-1", "price": "79900", "compare_at_price": "89900", "stock": "8",
        "categories": "Juguetes > Madera|Bebés", "pictures": f"{base}a.jpg|{base}b.jpg", "tags": "madera|niños",
        "subtitle": "Corto", "description": "<p>Largo</p>", "featured": "no", "status": "published",
        "weight": "0.35", "length": "10", "width": "5", "height": "5",
    }  # fmt: skip
    assert small == {
        "title": "Disfraz", "sku": "WOO-2-S", "price": "120000", "compare_at_price": "", "stock": "3",
        "option_1": "Talla", "value_1": "S", "categories": "Disfraces", "pictures": f"{base}c.jpg",
        "status": "published",
    }  # fmt: skip
    assert medium == {
        "title": "Disfraz", "sku": "WOO-2-M", "price": "120000", "compare_at_price": "", "stock": "2",
        "option_1": "Talla", "value_1": "M",
    }  # fmt: skip
    assert "¿Existencias?" in found.ignored


WOO = (
    "ID,Type,SKU,Name,Published,Visibility in catalog,Description,Date sale price starts,Date sale price ends,Stock,"
    "Sale price,Regular price,Images,Parent,Attribute 1 name,Attribute 1 value(s),Weight (kg)\n"
)


def test_woocommerce_parent_is_found_by_id_in_any_order() -> None:
    small, large = list_cells(
        convert(
            f"{WOO}21,variation,,Gorra - S,1,,,,,1,,900,https://x.co/s.jpg,id:20,pa_Talla,S,0.1\n"
            '20,variable,,Gorra,1,visible,,,,,,,https://x.co/g.jpg,,pa_Talla,"S, L",\n'
            "22,variation,,Gorra - L,0,,,,,4,,900,,id:20,pa_Talla,L,0.2\n"
        )
    )
    assert small == {
        "title": "Gorra", "status": "published", "price": "900", "compare_at_price": "", "stock": "1",
        "pictures": "https://x.co/g.jpg|https://x.co/s.jpg", "option_1": "Talla", "value_1": "S", "weight": "0.2",
        "variant_pictures": "https://x.co/s.jpg",
    }  # fmt: skip
    assert (large["stock"], large["value_1"]) == ("0", "L")


def test_woocommerce_variation_without_its_parent_has_only_variant_values() -> None:
    (only,) = list_cells(convert(f"{WOO}21,variation,G-S,Gorra - S,1,,,,,1,,900,,G,Talla,S,\n"))
    assert only == {
        "sku": "G-S", "price": "900", "compare_at_price": "", "stock": "1", "option_1": "Talla", "value_1": "S",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("weight", "expected"),
    [("0,35", "0.35"), ("350 g", "0.35"), ("0", None), ("", None), ("liviano", "liviano")],
)
def test_woocommerce_weight_is_converted_and_an_unreadable_one_is_unchanged(
    weight: str, expected: str | None
) -> None:
    (only,) = list_cells(convert(f'{WOO}1,simple,A,Balón,1,,,,,1,,900,,,,,"{weight}"\n'))
    assert only.get("weight") == expected


@pytest.mark.parametrize("gap", [", ", " ", "|", " | ", ";", "\n"])
def test_picture_addresses_are_split_at_any_separator(gap: str) -> None:
    addresses = gap.join(["https://x.co/a.jpg", "https://x.co/b.jpg?v=1"])
    (woo,) = list_cells(convert(f'{WOO}1,simple,A,Balón,1,,,,,1,,900,"{addresses}",,,,\n'))
    (other,) = list_cells(
        convert(f'Número de publicación,Título,SKU,Precio,Fotos\n1,Balón,A,900,"{addresses}"\n')
    )
    assert woo["pictures"] == other["pictures"] == "https://x.co/a.jpg|https://x.co/b.jpg?v=1"


def test_woocommerce_products_with_one_title_get_different_handles() -> None:
    rows = list_cells(
        convert(
            f"{WOO}1,simple,A,Balón,1,,,,,1,,900,,,,,\n2,simple,B,Balon,1,,,,,1,,900,,,,,\n"
            "3,simple,C,Yoyo,1,,,,,1,,900,,,,,\n"
        )
    )
    assert [row.get("handle") for row in rows] == ["balon-1", "balon-2", None]


@pytest.mark.parametrize(
    ("begin", "end", "price", "before", "notes"),
    [
        ("", "", "800", "900", []),
        ("2020-01-01", "9999-01-01", "800", "900", ["sale ends"]),
        ("9999-01-01", "", "900", "", []),
        ("2020-01-01", "2020-02-01", "900", "", []),
    ],
)
def test_woocommerce_sale_price_applies_only_during_the_sale(
    begin: str, end: str, price: str, before: str, notes: list[str]
) -> None:
    found = convert(f"{WOO}1,simple,A,Balón,1,,,{begin},{end},1,800,900,,,,,\n")
    (cells,) = list_cells(found)
    assert (cells["price"], cells["compare_at_price"]) == (price, before)
    assert [note.code for note in found.rows[0].notes] == notes


def test_woocommerce_line_breaks_are_decoded() -> None:
    text = r"Uno <b>dos</b>\ntres\n\n<ul><li>a</li></ul>\n\nC:\\nota"
    (cells,) = list_cells(convert(f"{WOO}1,simple,A,Balón,1,,{text},,,1,,900,,,,,\n"))
    assert cells["description"] == "Uno <b>dos</b>\ntres\n\n<ul><li>a</li></ul>\n\nC:" + r"\nota"


@pytest.mark.parametrize(
    ("published", "visibility", "status"),
    [("1", "visible", "published"), ("1", "hidden", "draft"), ("0", "visible", "draft"), ("-1", "", "draft")],
)
def test_woocommerce_private_and_hidden_products_are_drafts(
    published: str, visibility: str, status: str
) -> None:
    (cells,) = list_cells(convert(f"{WOO}1,simple,A,B,{published},{visibility},,,,1,,900,,,,,\n"))
    assert cells["status"] == status


def test_prestashop_price_with_tax_is_preferred() -> None:
    found = convert_case("m-prestashop-list.csv")
    top, yoyo = list_cells(found)
    assert top == {
        "title": "Trompo prestado", "sku": "PS-1", "categories": "Madera", "price": "89900.000000", "stock": "7",
        "status": "published", "pictures": "https://example.com/31-small_default/trompo.jpg",
        "old_addresses": "/index.php?controller=product&id_product=31",
    }  # fmt: skip
    assert yoyo == {
        "title": "Yoyo prestado", "sku": "PS-2", "categories": "Madera", "price": "35000.000000", "stock": "0",
        "status": "draft", "old_addresses": "/index.php?controller=product&id_product=32",
    }  # fmt: skip
    assert found.ignored == []


def test_prestashop_import_file_is_converted() -> None:
    (cells,) = list_cells(
        convert(
            "Product ID;Active (0/1);Name *;Categories (x,y,z...);Price tax included;Discount percent;Reference #;"
            "Manufacturer;EAN13;Width;Depth;Weight;Quantity;Summary;Description;Tags (x,y,z...);URL rewritten;"
            "Image URLs (x,y,z...)\n"
            "1;1;Trompo;Home/Juguetes/Madera,Bebés;90000;10;T-1;Lúdica;0;5.00;0.000000;0.35;7;<p>Corto</p>;"
            "<p>Largo</p>;madera,niños;trompo;https://x.co/1.jpg,https://x.co/2.jpg\n",
            ";",
        )
    )
    assert cells == {
        "handle": "trompo", "title": "Trompo", "status": "published", "categories": "Juguetes > Madera|Bebés",
        "price": "81000", "compare_at_price": "90000", "sku": "T-1", "brand": "Lúdica", "width": "5.00",
        "weight": "0.35", "stock": "7", "description": "<p>Corto</p>\n\n<p>Largo</p>", "tags": "madera|niños",
        "pictures": "https://x.co/1.jpg|https://x.co/2.jpg",
        "old_addresses": "/index.php?controller=product&id_product=1",
    }  # fmt: skip


def test_google_feed_is_converted() -> None:
    found = convert_case("m-google.tsv")
    assert list_cells(found) == [
        {
            "title": "Trompo", "description": "De madera", "sku": "G-1", "price": "79900.00 COP",
            "compare_at_price": "89900.00 COP", "brand": "Lúdica", "ean": "7701234567897",
            "categories": "Juguetes > Madera",
            "pictures": "https://example.com/1.jpg|https://example.com/2.jpg|https://example.com/3.jpg",
            "old_addresses": "/t",
        }
    ]  # fmt: skip
    assert found.notes == ["stock not said"]


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("https://vieja.com/Productos/Trompo/?utm_source=google&variant=7", "/productos/trompo"),
        ("https://vieja.com/index.php?id_product=7", "/index.php?id_product=7"),
        ("https://vieja.com/", None),
        ("", None),
        ("no es una direccion\u200b", None),
    ],
)
def test_google_link_is_imported_as_a_former_address(link: str, address: str | None) -> None:
    found = convert(f"id,title,link,image_link,price\nA,Trompo,{link},https://x.co/1.jpg,900 COP\n")
    (cells,) = list_cells(found)
    assert cells.get("old_addresses") == address
    assert "link" not in found.ignored or address is None


def test_woocommerce_permalink_is_imported_as_a_former_address() -> None:
    head = "ID,Type,SKU,Name,Published,Regular price,Permalink\n"
    (cells,) = list_cells(convert(f"{head}1,simple,A,Trompo,1,900,https://vieja.com/producto/trompo/\n"))
    assert cells["old_addresses"] == "/producto/trompo"


def test_google_items_of_a_group_become_variants() -> None:
    rows = list_cells(
        convert(
            "id,title,image_link,price,sale_price,sale_price_effective_date,item_group_id,color,size,brand\n"
            "A,Gorra - Rojo,https://x.co/1.jpg,900 COP,,,G,Rojo,M,Lúdica\n"
            "B,Gorra - Rosa,https://x.co/2.jpg,900 COP,800 COP,2020-01-01T00:00-0500/2020-02-01T00:00-0500,G,Rosa,M,"
            "Lúdica\n"
            "C,Yoyo,https://x.co/3.jpg,500 COP,,,H,Rojo,,\n"
        )
    )
    assert rows == [
        {
            "title": "Gorra", "sku": "A", "price": "900 COP", "compare_at_price": "", "brand": "Lúdica",
            "option_1": "Color", "value_1": "Rojo", "pictures": "https://x.co/1.jpg|https://x.co/2.jpg",
            "variant_pictures": "https://x.co/1.jpg",
        },
        {
            "title": "Gorra", "sku": "B", "price": "900 COP", "compare_at_price": "", "option_1": "Color",
            "value_1": "Rosa", "variant_pictures": "https://x.co/2.jpg",
        },
        {
            "title": "Yoyo", "sku": "C", "price": "500 COP", "compare_at_price": "",
            "pictures": "https://x.co/3.jpg",
        },
    ]  # fmt: skip


def test_mercado_libre_list_is_converted() -> None:
    found = convert(
        "Número de publicación;Título;SKU;Variantes;Disponible;Precio;Moneda;Estado;Link de la foto\n"
        "MCO1;Trompo;T-1;;7;89900;COP;Activa;https://x.co/1.jpg, https://x.co/2.jpg\n"
        "MCO2;Gorra;;Color: Rojo | Talla: M;1;20000;$;Pausada;\n"
        "MCO2;Gorra;;Color: Azul | Talla: M;2;20000;COP;Pausada;\n"
        "MCO3;Yoyo;;;2;20;USD;Finalizada;\n",
        ";",
    )
    assert list_cells(found) == [
        {
            "title": "Trompo", "sku": "T-1", "stock": "7", "price": "89900", "status": "published",
            "pictures": "https://x.co/1.jpg|https://x.co/2.jpg",
        },
        {
            "title": "Gorra", "stock": "1", "price": "20000", "status": "draft", "option_1": "Color",
            "value_1": "Rojo", "option_2": "Talla", "value_2": "M",
        },
        {
            "title": "Gorra", "stock": "2", "price": "20000", "option_1": "Color", "value_1": "Azul",
            "option_2": "Talla", "value_2": "M",
        },
        {"title": "Yoyo", "stock": "2", "price": "20", "status": "draft"},
    ]  # fmt: skip
    assert [(row.line, one.code, one.detail) for row in found.rows for one in row.problems] == [
        (5, "currency", "USD")
    ]


@pytest.mark.parametrize(
    ("second", "expected"),
    [("", [None, None]), ("https://x.co/b.jpg", ["https://x.co/a.jpg", "https://x.co/b.jpg"])],
)
def test_mercado_libre_photos_belong_to_variants_only_if_several_rows_have_one(
    second: str, expected: list[str | None]
) -> None:
    rows = list_cells(
        convert(
            "Número de publicación,Título,SKU,Variantes,Precio,Link de la foto\n"
            f"1,Gorra,G-R,Color: Rojo,900,https://x.co/a.jpg\n1,Gorra,G-A,Color: Azul,900,{second}\n"
        )
    )
    assert [row.get(VARIANT_PICTURES) for row in rows] == expected


def test_variant_with_four_options_is_refused() -> None:
    four = "; ".join(f"Opción {number}: x" for number in range(4))
    found = convert(f"Número de publicación,Título,Variantes,Precio\nMCO1,A,{four},5\n")
    assert [one.code for one in found.rows[0].problems] == ["option count"]


def test_empty_cells_of_the_shops_own_file_clear_values() -> None:
    found = convert("Nombre,SKU,Precio antes,Marca,Problema\nTrompo,T-1,,,x\n")
    assert list_cells(found) == [{"title": "Trompo", "sku": "T-1", "compare_at_price": "", "brand": ""}]
    assert (found.format, found.ignored) == (SourceFormat.TROMPO, [])


def test_numbered_list_columns_of_the_platform_are_joined() -> None:
    found = convert(
        "Product Handle,Product Title,Variant Sku,Product Image 1,Product Image 2,Product Tag 1,Product Width\n"
        "a,A,A-1,https://x.co/1.jpg,https://x.co/2.jpg,,\n"
    )
    assert list_cells(found) == [
        {
            "handle": "a", "title": "A", "sku": "A-1", "tags": "", "width": "",
            "pictures": "https://x.co/1.jpg|https://x.co/2.jpg",
        }
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("published", "status"),
    [("TRUE", "published"), ("VERDADERO", "published"), ("sí", "published"), ("FALSO", "draft")],
)
def test_shopify_published_column_is_read_in_spanish_and_english(published: str, status: str) -> None:
    row = f"yoyo,Yoyo,{published},active,Y-1,900,FALSO"
    source = convert(f"Handle,Title,Published,Status,Variant SKU,Variant Price,Gift Card\n{row}\n")
    assert list_cells(source)[0]["status"] == status


@pytest.mark.parametrize(
    ("before", "expected"), [("900.00", ""), ("0.00", ""), ("800", ""), ("950", "950"), ("x", "x")]
)
def test_compare_at_price_that_is_not_above_the_price_is_not_imported(before: str, expected: str) -> None:
    row = f"yoyo,Yoyo,Y-1,900.00,{before}"
    source = convert(f"Handle,Title,Variant SKU,Variant Price,Variant Compare At Price\n{row}\n")
    assert list_cells(source)[0].get("compare_at_price", "") == expected


def test_google_headings_with_the_xml_prefix_are_recognised() -> None:
    source = convert(
        "g:id\tg:title\tg:image_link\tg:price\nB-1\tBalde\thttps://x.example/1.jpg\t900 COP\n", "\t"
    )
    assert source.format is SourceFormat.GOOGLE
    assert list_cells(source) == [
        {
            "title": "Balde",
            "sku": "B-1",
            "price": "900 COP",
            "compare_at_price": "",
            "pictures": "https://x.example/1.jpg",
        }
    ]


@pytest.mark.parametrize(
    ("headings", "source_format"),
    [
        ("SKU,Descripción,Precio", SourceFormat.UNKNOWN),
        ("SKU,Nombre,Descripción,Precio", SourceFormat.TROMPO),
        ("sku,description,price", SourceFormat.TROMPO),
    ],
)
def test_file_with_a_spanish_description_but_no_name_has_an_unknown_format(
    headings: str, source_format: SourceFormat
) -> None:
    assert recognise(headings.split(",")) is source_format


def test_bar_code_is_read_from_any_bar_code_column_of_a_platform_file() -> None:
    head = "Product Handle,Product Title,Variant Sku,Variant Barcode,Variant Ean,Variant Upc\n"
    rows = list_cells(convert(f"{head}a,A,A-1,,7701234567897,\nb,B,B-1,7701234567897,,\nc,C,C-1,,,\n"))
    assert [row["ean"] for row in rows] == ["7701234567897", "7701234567897", ""]


def test_platform_placeholders_for_a_product_without_options_are_dropped() -> None:
    found = convert(
        "Product Handle,Product Title,Variant Sku,Variant Title,Variant Option 1 Name,Variant Option 1 Value\n"
        "a,A,A-1,Default variant,Default option,Default option value\nb,B,B-1,M,Talla,M\n"
    )
    without_options, with_option = list_cells(found)
    assert without_options == {"handle": "a", "title": "A", "sku": "A-1"}
    assert (with_option["option_1"], with_option["value_1"], with_option["variant_title"]) == (
        "Talla",
        "M",
        "M",
    )


def test_headings_of_the_first_platform_version_are_read() -> None:
    found = convert(
        "Product Handle,Product Title,Product Tags,Variant SKU,Variant Barcode,Price COP,Option 1 Name,Option 1 Value,"
        'Image 2 Url,Image 1 Url\na,A,"madera,niños",A-1,7701234567897,900,Talla,M,https://x.co/2.jpg,https://x.co/1.jpg\n'
    )
    assert found.format is SourceFormat.PLATFORM
    assert list_cells(found) == [
        {
            "handle": "a", "title": "A", "tags": "madera,niños", "sku": "A-1", "ean": "7701234567897", "price": "900",
            "option_1": "Talla", "value_1": "M", "pictures": "https://x.co/1.jpg|https://x.co/2.jpg",
        }
    ]  # fmt: skip
    assert found.ignored == []


def test_numbered_columns_are_read_in_the_order_of_their_numbers() -> None:
    found = convert(
        "Attribute 2 name,Attribute 2 value(s),Attribute 1 name,Attribute 1 value(s),Type,Name,Regular price,"
        "Parent,ID\n"
        ",,,,variable,Disfraz,,,1\nColor,Azul,Talla,S,variation,Disfraz,900,id:1,2\n"
    )
    (cells,) = list_cells(found)
    assert [cells[name] for name in ("option_1", "value_1", "option_2", "value_2")] == [
        "Talla", "S", "Color", "Azul",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("headings", "cells", "expected"),
    [
        (
            "Tipo,Nombre,SKU,GTIN,Precio de oferta,Precio regular,Cantidad,Publicado",
            "simple,A,A-1,7701234567897,800,900,4,1",
            {"ean": "7701234567897", "price": "800", "compare_at_price": "900", "stock": "4"},
        ),
        (
            "ID Producto,Nombre,Referencia n.º,Precio impuestos incluidos,Cantidad",
            "1,A,A-1,900,4",
            {"sku": "A-1", "price": "900", "stock": "4"},
        ),
    ],
)
def test_alternative_headings_of_a_program_are_read(
    headings: str, cells: str, expected: dict[str, str]
) -> None:
    found = convert(f"{headings}\n{cells}\n")
    (row,) = list_cells(found)
    assert row.items() >= expected.items()
    assert found.ignored == []
