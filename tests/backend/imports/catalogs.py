"""Random catalogues, and their files as each program writes them, for tests of the import."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO, StringIO

import xlsxwriter
from hypothesis import strategies as st

WORDS = ("Muñeca", "Balón", "Trompo", "Títere", "Cometa", "Pingüino", "Camión", "Yoyo", "Ábaco", "Caballito")
ENDINGS = ("de madera", "pequeño", "clásico", "de niña", "con música", "número 7", "(año 2026)", "grande")
CATEGORIES = ("Juguetes", "Madera", "Bebés", "Música", "Disfraces")
BRANDS = ("", "Lúdica", "El Niño Feliz", "Taller Uno")
TAGS = ("madera", "niños", "regalo", "música")
OPTIONS = {"Talla": ("S", "M", "L"), "Color": ("Rojo", "Café", "Azul")}
DESCRIPTIONS = ("", "Hecho a mano.", "Incluye cuerda, y más; para el patio.", 'Mide 5" y pesa poco')
Rows = list[list[str]]


@dataclass(frozen=True)
class CatalogVariant:
    """A variant of a random catalogue."""

    sku: str
    price: int
    before: int | None
    stock: int
    ean: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class CatalogProduct:
    """A product of a random catalogue."""

    number: int
    title: str
    description: str
    brand: str
    category: tuple[str, ...]
    tags: tuple[str, ...]
    grams: int
    is_published: bool
    pictures: int
    options: tuple[str, ...]
    variants: tuple[CatalogVariant, ...]
    tax_rate: int = 19

    @property
    def addresses(self) -> list[str]:
        """Return the addresses of the product's pictures."""
        return [f"https://example.com/{self.number}-{place}.jpg" for place in range(self.pictures)]


@dataclass(frozen=True)
class CatalogFile:
    """A file of a catalogue: its headings and rows, and by SKU the values that the import must read from it."""

    headings: list[str]
    rows: Rows
    expected: dict[str, dict[str, object]] = field(default_factory=dict)


def _check_digit(digits: str) -> str:
    weighed = sum(int(one) * (3 if place % 2 == 0 else 1) for place, one in enumerate(reversed(digits)))
    return str(-weighed % 10)


@st.composite
def catalogs(draw: st.DrawFn, *, has_options: bool = True, prefix: str = "") -> list[CatalogProduct]:
    """Return a random catalogue of one to five products with different titles and SKUs."""
    titles = draw(
        st.lists(
            st.builds(" ".join, st.tuples(st.sampled_from(WORDS), st.sampled_from(ENDINGS))),
            min_size=1,
            max_size=5,
            unique=True,
        )
    )
    return [
        draw(_products(number, f"{prefix}{title}", prefix, has_options=has_options))
        for number, title in enumerate(titles, start=1)
    ]


@st.composite
def _products(draw: st.DrawFn, number: int, title: str, prefix: str, *, has_options: bool) -> CatalogProduct:
    titles = draw(st.sampled_from([(), ("Talla",), ("Color",), ("Talla", "Color")])) if has_options else ()
    values: list[tuple[str, ...]] = [()]
    for option in titles:
        some = draw(st.lists(st.sampled_from(OPTIONS[option]), min_size=1, max_size=2, unique=True))
        values = [(*one, value) for one in values for value in some]
    return CatalogProduct(
        number,
        title,
        draw(st.sampled_from(DESCRIPTIONS)),
        draw(st.sampled_from(BRANDS)),
        draw(st.sampled_from([("Bebés",), ("Juguetes", "Madera"), ("Juguetes", "Música", "Disfraces")])),
        tuple(draw(st.lists(st.sampled_from(TAGS), max_size=3, unique=True))),
        draw(st.sampled_from([0, 80, 350, 1_250])),
        draw(st.booleans()),
        draw(st.integers(0, 3)),
        titles,
        tuple(
            draw(_variants(f"{prefix}{number:03}-{place}", one)) for place, one in enumerate(values, start=1)
        ),
    )


@st.composite
def _variants(draw: st.DrawFn, sku: str, values: tuple[str, ...]) -> CatalogVariant:
    price = draw(st.integers(1_000, 900_000))
    digits = f"770{draw(st.integers(0, 999_999_999)):09}"
    return CatalogVariant(
        sku,
        price,
        draw(st.none() | st.integers(price + 1, price + 100_000)),
        draw(st.integers(0, 5_000)),
        draw(st.sampled_from(["", digits + _check_digit(digits)])),
        values,
    )


def _expect(
    product: CatalogProduct, variant: CatalogVariant, *, is_first: bool, only: Sequence[str]
) -> dict[str, object]:
    """Return the values of a variant's row, limited to the columns that a format has."""
    values: dict[str, object] = {
        "sku": variant.sku,
        "price": variant.price,
        "compare_at_price": variant.before,
        "stock": variant.stock,
        "ean": variant.ean,
        "options": tuple(zip(product.options, variant.values, strict=True)),
    }
    if is_first:
        values |= {
            "title": product.title,
            "description": product.description,
            "brand": product.brand,
            "categories": (" > ".join(product.category),),
            "tags": product.tags,
            "weight": product.grams / 1000,
            "status": "published" if product.is_published else "draft",
            "pictures": tuple(product.addresses),
        }
    return {
        name: value for name, value in values.items() if name in only and value not in ("", (), 0.0, None)
    }


def _expect_all(products: Sequence[CatalogProduct], only: Sequence[str]) -> dict[str, dict[str, object]]:
    return {
        variant.sku: _expect(product, variant, is_first=not place, only=only)
        | ({"stock": variant.stock} if "stock" in only else {})
        for product in products
        for place, variant in enumerate(product.variants)
    }


def _to_rows(headings: Sequence[str], cells: Sequence[Mapping[str, object]]) -> Rows:
    return [[str(one.get(name, "")) for name in headings] for one in cells]


def write_shopify(products: Sequence[CatalogProduct]) -> CatalogFile:
    """Return the catalogue as Shopify exports it."""
    headings = [
        "Handle", "Title", "Body (HTML)", "Vendor", "Tags", "Published", "Option1 Name", "Option1 Value",
        "Option2 Name", "Option2 Value", "Variant SKU", "Variant Grams", "Variant Inventory Qty", "Variant Price",
        "Variant Compare At Price", "Variant Barcode", "Image Src", "Image Position", "Status",
    ]  # fmt: skip
    cells: list[dict[str, object]] = []
    for product in products:
        first = len(cells)
        handle = f"producto-{product.number}"
        for place, variant in enumerate(product.variants):
            row: dict[str, object] = {
                "Handle": handle, "Variant SKU": variant.sku, "Variant Grams": f"{product.grams}.0",
                "Variant Inventory Qty": variant.stock, "Variant Price": f"{variant.price}.00",
                "Variant Compare At Price": "" if variant.before is None else f"{variant.before}.00",
                "Variant Barcode": variant.ean and f"'{variant.ean}",
            }  # fmt: skip
            titles = product.options or ("Title",)
            for number, value in enumerate(variant.values or ("Default Title",), start=1):
                row |= {
                    f"Option{number} Name": "" if place else titles[number - 1],
                    f"Option{number} Value": value,
                }
            cells.append(row)
        cells[first] |= {
            "Title": product.title, "Body (HTML)": product.description, "Vendor": product.brand,
            "Tags": ", ".join(product.tags), "Published": str(product.is_published).lower(),
            "Status": "active" if product.is_published else "draft",
        }  # fmt: skip
        for place, address in enumerate(product.addresses):
            if first + place == len(cells):
                cells.append({"Handle": handle})
            cells[first + place] |= {"Image Src": address, "Image Position": place + 1}
    only = [
        "title", "description", "brand", "tags", "status", "weight", "pictures", "sku", "price", "compare_at_price",
        "stock", "ean", "options",
    ]  # fmt: skip
    return CatalogFile(headings, _to_rows(headings, cells), _expect_all(products, only))


WOOCOMMERCE_WORDS = {
    "es": (
        "ID", "Tipo", "SKU", "GTIN, UPC, EAN o ISBN", "Nombre", "Publicado", "Visibilidad en el catálogo",
        "Descripción", "¿Existencias?", "Inventario", "Peso (kg)", "Precio rebajado", "Precio normal", "Categorías",
        "Etiquetas", "Imágenes", "Superior", "Marcas", "Nombre del atributo 1", "Valor(es) del atributo 1",
        "Nombre del atributo 2", "Valor(es) del atributo 2",
    ),
    "en": (
        "ID", "Type", "SKU", "GTIN, UPC, EAN, or ISBN", "Name", "Published", "Visibility in catalog", "Description",
        "In stock?", "Stock", "Weight (kg)", "Sale price", "Regular price", "Categories", "Tags", "Images", "Parent",
        "Brands", "Attribute 1 name", "Attribute 1 value(s)", "Attribute 2 name", "Attribute 2 value(s)",
    ),
}  # fmt: skip


def write_woocommerce(products: Sequence[CatalogProduct], language: str = "es") -> CatalogFile:
    """Return the catalogue as WooCommerce exports it."""
    headings = list(WOOCOMMERCE_WORDS[language])
    names = dict(zip(WOOCOMMERCE_WORDS["en"], headings, strict=True))
    cells: list[dict[str, object]] = []
    for product in products:
        common: dict[str, object] = {
            "ID": product.number * 100, "Name": product.title, "Published": int(product.is_published),
            "Visibility in catalog": "visible", "Description": product.description, "Brands": product.brand,
            "Weight (kg)": product.grams / 1000 if product.grams else "", "Tags": ", ".join(product.tags),
            "Categories": " > ".join(product.category), "Images": ", ".join(product.addresses),
        }  # fmt: skip
        offers: list[dict[str, object]] = [
            {
                "SKU": variant.sku, "GTIN, UPC, EAN, or ISBN": variant.ean, "Stock": variant.stock,
                "In stock?": int(variant.stock > 0),
                "Sale price": variant.price if variant.before else "",
                "Regular price": variant.before or variant.price,
            }
            for variant in product.variants
        ]  # fmt: skip
        if not product.options:
            cells.append({"Type": "simple", **common, **offers[0]})
            continue
        cells.append({"Type": "variable", **common})
        for number, (offer, variant) in enumerate(zip(offers, product.variants, strict=True), start=1):
            row = {
                "Type": "variation", "ID": product.number * 100 + number, "Published": 1,
                "Name": f"{product.title} - {', '.join(variant.values)}", "Parent": f"id:{product.number * 100}",
                **offer,
            }  # fmt: skip
            for place, (title, value) in enumerate(
                zip(product.options, variant.values, strict=True), start=1
            ):
                row |= {f"Attribute {place} name": title, f"Attribute {place} value(s)": value}
            cells.append(row)
    only = [
        "description", "brand", "tags", "categories", "status", "weight", "pictures", "sku", "price",
        "compare_at_price", "stock", "ean", "options",
    ]  # fmt: skip
    expected = _expect_all(products, only)
    for product in products:
        for variant in product.variants:
            expected[variant.sku]["title"] = product.title
    written = [{names[name]: value for name, value in row.items()} for row in cells]
    return CatalogFile(headings, _to_rows(headings, written), expected)


def write_prestashop(products: Sequence[CatalogProduct]) -> CatalogFile:
    """Return the catalogue as the file that PrestaShop's importer takes. It has no variants and no former prices."""
    headings = [
        "Product ID", "Active (0/1)", "Name *", "Categories (x,y,z...)", "Price tax included", "Reference #",
        "Manufacturer", "EAN13", "Weight", "Quantity", "Description", "Tags (x,y,z...)", "Image URLs (x,y,z...)",
    ]  # fmt: skip
    cells: list[dict[str, object]] = [
        {
            "Product ID": product.number, "Active (0/1)": int(product.is_published), "Name *": product.title,
            "Categories (x,y,z...)": "Home/" + "/".join(product.category),
            "Price tax included": f"{variant.price}.000000", "Reference #": variant.sku,
            "Manufacturer": product.brand, "EAN13": variant.ean, "Weight": f"{product.grams / 1000:.6f}",
            "Quantity": variant.stock, "Description": product.description, "Tags (x,y,z...)": ",".join(product.tags),
            "Image URLs (x,y,z...)": ",".join(product.addresses),
        }
        for product in products
        for variant in product.variants
    ]  # fmt: skip
    only = [
        "title", "description", "brand", "tags", "categories", "status", "weight", "pictures", "sku", "price", "stock",
        "ean",
    ]  # fmt: skip
    return CatalogFile(headings, _to_rows(headings, cells), _expect_all(products, only))


def write_google(products: Sequence[CatalogProduct]) -> CatalogFile:
    """Return the catalogue as a feed of Google Merchant Center. It has no units."""
    headings = [
        "id", "title", "description", "link", "image_link", "additional_image_link", "availability", "price",
        "sale_price", "brand", "gtin", "product_type", "item_group_id", "color", "size",
    ]  # fmt: skip
    names = {"Talla": "size", "Color": "color"}
    cells: list[dict[str, object]] = []
    for product in products:
        for variant in product.variants:
            row: dict[str, object] = {
                "id": variant.sku,
                "title": " - ".join([product.title, *variant.values]),
                "description": product.description,
                "link": f"https://example.com/{product.number}",
                "image_link": next(iter(product.addresses), ""),
                "additional_image_link": ",".join(product.addresses[1:]),
                "availability": "in_stock",
                "price": f"{variant.before or variant.price}.00 COP",
                "sale_price": f"{variant.price}.00 COP" if variant.before else "",
                "brand": product.brand,
                "gtin": variant.ean,
                "product_type": " > ".join(product.category),
                "item_group_id": product.number if len(product.variants) > 1 else "",
            }
            cells.append(
                row
                | {names[title]: value for title, value in zip(product.options, variant.values, strict=True)}
            )
    only = [
        "description", "brand", "categories", "pictures", "sku", "price", "compare_at_price", "ean",
    ]  # fmt: skip
    expected = _expect_all(products, only)
    for product in products:
        kept = [
            place
            for place, title in sorted(enumerate(product.options), key=lambda one: names[one[1]])
            if len({variant.values[place] for variant in product.variants}) > 1
        ]
        for variant in product.variants:
            single = len(product.variants) == 1
            expected[variant.sku]["title"] = (
                " - ".join([product.title, *variant.values])
                if single
                else " - ".join([product.title, *_shared_values(product)])
            )
            if not single:
                expected[variant.sku]["options"] = tuple(
                    (product.options[place], variant.values[place]) for place in kept
                )
    return CatalogFile(headings, _to_rows(headings, cells), expected)


def _shared_values(product: CatalogProduct) -> list[str]:
    """Return the leading option values that all variants share. The importer leaves them in the product's title."""
    shared: list[str] = []
    for values in zip(*(variant.values for variant in product.variants), strict=True):
        if len(set(values)) > 1:
            break
        shared.append(values[0])
    return shared


def write_mercadolibre(products: Sequence[CatalogProduct]) -> CatalogFile:
    """Return the catalogue as a list of Mercado Libre, with its row of hints below the headings."""
    headings = [
        "Número de publicación", "Título", "SKU", "Variantes", "Disponible", "Precio", "Moneda", "Estado",
        "Link de la foto",
    ]  # fmt: skip
    hints = ["No modificable", "Obligatorio", "Opcional", "No modificable", *["Obligatorio"] * 4, "Opcional"]
    rows = [hints]
    for product in products:
        for variant in product.variants:
            pairs = zip(product.options, variant.values, strict=True)
            rows.append(
                [
                    f"MCO{product.number}", product.title, variant.sku,
                    " | ".join(f"{title}: {value}" for title, value in pairs), str(variant.stock), str(variant.price),
                    "COP", "Activa" if product.is_published else "Pausada", ", ".join(product.addresses),
                ]
            )  # fmt: skip
    expected = _expect_all(products, ["status", "pictures", "sku", "price", "stock", "options"])
    for product in products:
        for variant in product.variants:
            expected[variant.sku]["title"] = product.title
    return CatalogFile(headings, rows, expected)


def write_accounting_list(products: Sequence[CatalogProduct]) -> CatalogFile:
    """Return the catalogue as the list of an accounting program, a format that the importer does not recognise."""
    headings = [
        "Código",
        "Descripción",
        "Línea",
        "Marca",
        "IVA",
        "Precio 1",
        "Costo",
        "Saldo",
        "Código de barras",
    ]
    rows = [
        [
            variant.sku, product.title, product.category[-1], product.brand, f"{product.tax_rate}%",
            f"$ {variant.price}.00", "1", str(variant.stock), variant.ean,
        ]
        for product in products
        for variant in product.variants
    ]  # fmt: skip
    expected = _expect_all(products, ["title", "brand", "sku", "price", "stock", "ean"])
    for product in products:
        for variant in product.variants:
            expected[variant.sku] |= {"categories": (product.category[-1],), "tax_rate": product.tax_rate}
    return CatalogFile(headings, rows, expected)


def write_own_list(products: Sequence[CatalogProduct]) -> CatalogFile:
    """Return the catalogue as the shop's own file."""
    headings = [
        "Nombre", "Dirección", "SKU", "Opción 1", "Valor 1", "Opción 2", "Valor 2", "Precio", "Precio antes",
        "Unidades", "Categorías", "Marca", "Descripción", "Peso (kg)", "Código de barras", "Estado", "Fotos",
    ]  # fmt: skip
    rows = []
    for product in products:
        for variant in product.variants:
            pairs = [text for pair in zip(product.options, variant.values, strict=True) for text in pair]
            rows.append(
                [
                    product.title, f"producto-{product.number}", variant.sku, *pairs, *[""] * (4 - len(pairs)),
                    str(variant.price), str(variant.before or ""), str(variant.stock), " > ".join(product.category),
                    product.brand, product.description,
                    str(product.grams / 1000).replace(".", ",") if product.grams else "", variant.ean,
                    "publicado" if product.is_published else "oculto", "|".join(product.addresses),
                ]
            )  # fmt: skip
    only = ["sku", "price", "compare_at_price", "stock", "ean", "options"]
    expected = _expect_all(products, only)
    whole = ["title", "description", "brand", "categories", "weight", "status", "pictures"]
    for product in products:
        for variant in product.variants:
            expected[variant.sku] |= _expect(product, variant, is_first=True, only=whole)
    return CatalogFile(headings, rows, expected)


def to_csv(file: CatalogFile, delimiter: str, line_end: str, encoding: str) -> bytes:
    """Return the file as text with delimiters."""
    written = StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator=line_end).writerows([file.headings, *file.rows])
    return written.getvalue().encode(encoding)


def to_workbook(file: CatalogFile, titles: int, total: str, cover: bool, merged: Sequence[str] = ()) -> bytes:
    """Return the file as a workbook.

    Args:
        file: the file.
        titles: number of title rows above the headings. Each is merged over all columns.
        total: text of a row below the products; empty for none.
        cover: True for a sheet before the list.
        merged: headings of the columns in which adjacent equal cells are merged.
    """
    written = BytesIO()
    with xlsxwriter.Workbook(written) as book:
        if cover:
            book.add_worksheet("Portada").write_string(0, 0, "JUGUETERÍA LA PEONZA")
        sheet = book.add_worksheet("Lista")
        for number in range(titles):
            sheet.merge_range(
                number, 0, number, len(file.headings) - 1, f"Lista de precios, hoja {number + 1}"
            )
        head = titles + (1 if titles else 0)
        for place, heading in enumerate(file.headings):
            sheet.write_string(head, place, heading)
        for place, heading in enumerate(file.headings):
            column = [row[place] for row in file.rows]
            start = 0
            while start < len(column):
                end = start
                while heading in merged and end + 1 < len(column) and column[end + 1] == column[start] != "":
                    end += 1
                if end > start:
                    sheet.merge_range(head + 1 + start, place, head + 1 + end, place, column[start])
                elif column[start]:
                    sheet.write_string(head + 1 + start, place, column[start])
                start = end + 1
        if total:
            sheet.write_string(head + 1 + len(file.rows), 1, total)
            sheet.write_number(head + 1 + len(file.rows), len(file.headings) - 1, 12_345)
    return written.getvalue()
