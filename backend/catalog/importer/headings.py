"""Names of the columns in a file: a label for people, and other headings that spreadsheets use.

A column that has no entry here is recognized only by its own name.
"""

import re

from backend.catalog.importer.columns import COLUMNS, OPTIONS, VARIANT_PICTURES
from backend.core.texts import _
from backend.spreadsheet_reader.headings import normalize_heading

LABELS = {
    "handle": _("Dirección"),
    "title": _("Nombre"),
    "subtitle": _("Subtítulo"),
    "description": _("Descripción"),
    "featured": _("Destacado"),
    "status": _("Estado"),
    "tax_rate": _("IVA"),
    "tax_excluded": _("Excluido de IVA"),
    "material": _("Material"),
    "origin_country": _("País de origen"),
    "warnings": _("Advertencias"),
    "weight": _("Peso (kg)"),
    "length": _("Largo (cm)"),
    "height": _("Alto (cm)"),
    "width": _("Ancho (cm)"),
    "brand": _("Marca"),
    "age_range": _("Edad"),
    "categories": _("Categorías"),
    "collection": _("Colección"),
    "sku": _("SKU"),
    "option_1": _("Opción 1"),
    "value_1": _("Valor 1"),
    "option_2": _("Opción 2"),
    "value_2": _("Valor 2"),
    "option_3": _("Opción 3"),
    "value_3": _("Valor 3"),
    OPTIONS: _("Opciones"),
    "tags": _("Etiquetas"),
    "type": _("Tipo"),
    "variant_title": _("Presentación"),
    "product_id": _("Id del producto"),
    "variant_id": _("Id de la presentación"),
    "ean": _("Código de barras"),
    "price": _("Precio"),
    "compare_at_price": _("Precio antes"),
    "cost": _("Costo"),
    "seo_title": _("Encabezado en Google"),
    "seo_description": _("Resumen en Google"),
    "price_without_tax": _("Precio sin IVA"),
    "compare_at_price_without_tax": _("Precio antes sin IVA"),
    "is_free": _("Gratis"),
    "stock": _("Unidades"),
    "pictures": _("Fotos"),
    VARIANT_PICTURES: _("Fotos de la presentación"),
    "old_addresses": _("Direcciones anteriores"),
}
"""Spanish labels of the columns."""
HINTS = {
    "handle": _("Minúsculas, números y guiones: mochila-tejida. Vacía, sale del nombre."),
    "title": _("Hasta 255 letras. Un producto nuevo lo necesita."),
    "subtitle": _("Hasta 255 letras."),
    "description": _("Hasta 10.000 letras."),
    "featured": _("sí o no"),
    "status": _("publicado u oculto"),
    "tax_rate": _("0, 5 o 19, exento o excluido. Vacío en un producto nuevo: 19."),
    "tax_excluded": _("sí o no. Un excluido tiene IVA 0."),
    "material": _("Hasta 255 letras."),
    "origin_country": _("El país, o sus dos letras: Colombia o co"),
    "warnings": _("Lo que dice la caja. Hasta 10.000 letras."),
    "weight": _("En kilogramos, o con su unidad: 0,35 o 350 g. Hasta 100 kg."),
    "length": _("En centímetros, o con su unidad: 24 o 240 mm. Hasta 500 cm."),
    "height": _("En centímetros, o con su unidad: 24 o 240 mm. Hasta 500 cm."),
    "width": _("En centímetros, o con su unidad: 24 o 240 mm. Hasta 500 cm."),
    "brand": _("Hasta 255 letras."),
    "age_range": _(
        "Una de 0-2, 3-5, 6-8, 9-12 o 12+, o una como 3 a 8 años. Pon la columna como texto: Excel convierte las"
        " edades en fechas."
    ),
    "categories": _("Los nombres, separados por | o por comas. Una dentro de otra: Productos > Madera"),
    "collection": _("Su nombre: De toda la vida"),
    "sku": _("Hasta 64 letras. Ninguna otra fila lo tiene."),
    "option_1": _(
        "En qué se diferencian las presentaciones: Talla. Una fila por presentación, con la misma dirección."
    ),
    "value_1": _("Qué tiene esta presentación: M."),
    "option_2": _("Otra diferencia: Color. Todas las filas del producto tienen las mismas."),
    "value_2": _("Qué tiene esta presentación: Rojo."),
    "option_3": _("Una tercera, si la hay."),
    "value_3": _("Qué tiene esta presentación."),
    "ean": _("Los números bajo el código de barras: 8, 12, 13 o 14."),
    "price": _("En pesos, con el IVA: 45000 o 45.000."),
    "compare_at_price": _("En pesos, más alto que el precio; vacío si no está en oferta."),
    "cost": _("Lo que te cuesta una unidad, en pesos y sin IVA. Solo lo ve tu equipo."),
    "seo_title": _("Hasta 70 letras. Vacío, sale del nombre."),
    "seo_description": _("Hasta 160 letras. Vacío, sale de la descripción."),
    "price_without_tax": _("En pesos, sin el IVA: se lo sumamos."),
    "compare_at_price_without_tax": _("En pesos, sin el IVA: se lo sumamos."),
    "is_free": _("sí o no. Con precio 0 y sin un sí aquí, no se vende."),
    "stock": _("Cuántas hay: un número entero."),
    "pictures": _("Los nombres de los archivos, separados por | o por comas, o direcciones https://"),
    VARIANT_PICTURES: _("Las que muestran su color o su diseño. Se suman a las que ya tiene."),
    "old_addresses": _(
        "Las de tu tienda anterior, separadas por |: /productos/mochila. Llevarán al producto."
    ),
}
"""Descriptions of the allowed values, in Spanish."""
_OTHER_HEADINGS = {
    "product_id": ("product id",),
    "variant_id": ("variant id",),
    "material": ("product material",),
    "variant_title": ("variant title",),
    "type": ("product type id", "product type"),
    "tags": ("product tags",),
    "option_1": ("variant option 1 name", "option 1 name"),
    "value_1": ("variant option 1 value", "option 1 value"),
    "option_2": ("variant option 2 name", "option 2 name"),
    "value_2": ("variant option 2 value", "option 2 value"),
    "option_3": ("variant option 3 name", "option 3 name"),
    "value_3": ("variant option 3 value", "option 3 value"),
    "handle": ("direccion", "url", "enlace", "slug", "identificador", "product handle"),
    "title": ("nombre", "titulo", "juguete", "producto", "name", "product", "product title"),
    "subtitle": ("subtitulo", "bajada", "product subtitle"),
    "description": ("descripcion", "product description"),
    "status": ("estado", "publicado", "published", "product status"),
    "featured": ("destacado", "destacada"),
    "tax_rate": ("iva", "tarifa de iva", "tax", "vat"),
    "origin_country": ("pais de origen", "pais", "origen", "country", "hecho en", "product origin country"),
    "warnings": ("advertencias", "advertencia", "seguridad"),
    "weight": ("peso", "peso kg", "weight kg", "product weight"),
    "length": ("largo", "largo cm", "longitud", "length cm", "product length"),
    "height": ("alto", "alto cm", "altura", "height cm", "product height"),
    "width": ("ancho", "ancho cm", "width cm", "product width"),
    "brand": ("marca", "fabricante"),
    "age_range": ("edad", "edades", "rango de edad", "age"),
    "categories": ("categorias", "categoria", "category"),
    "collection": (
        "coleccion",
        "product collection id",
        "product collection title",
    ),
    "sku": ("referencia", "ref", "codigo", "variant sku"),
    "ean": (
        *("codigo de barras", "ean 13", "upc", "barcode", "bar code", "codigo ean", "variant ean"),
        "variant barcode",
    ),
    "price": ("precio", "precio de venta", "valor", "pvp", "variant price cop", "price cop"),
    "cost": ("costo unitario", "costo sin iva", "cost", "cost per item", "variant cost"),
    "seo_title": ("titulo seo", "seo title", "meta title"),
    "seo_description": ("descripcion seo", "seo description", "meta description"),
    "compare_at_price": ("precio antes", "precio anterior", "antes", "old price", "price before"),
    "price_without_tax": (
        "precio imp excl",
        "precio sin impuestos",
        "precio antes de iva",
        "precio antes de impuestos",
        "sin iva",
        "antes de iva",
        "valor sin iva",
        "valor antes de iva",
        "price tax excluded",
        "price tax excl",
        "price without tax",
        "precio venta sin iva",
        "precio de venta sin iva",
        "precio unitario sin iva",
    ),
    "compare_at_price_without_tax": ("precio anterior sin iva", "precio normal sin iva"),
    "is_free": ("gratis", "gratuito", "free", "variant is free"),
    "stock": (
        "unidades",
        "existencias",
        "inventario",
        "cantidad",
        "units",
        "quantity",
        "variant inventory quantity",
    ),
    "old_addresses": (
        "direccion anterior",
        "direccion antigua",
        "direcciones antiguas",
        "url anterior",
        "urls anteriores",
        "url antigua",
        "enlace anterior",
        "link anterior",
        "old address",
        "old url",
        "old urls",
        "previous url",
        "redirect from",
    ),
    "pictures": ("fotos", "foto", "imagenes", "imagen", "images", "image", "picture"),
    VARIANT_PICTURES: (
        "foto de la presentacion",
        "foto de la variante",
        "fotos de la variante",
        "imagen de la variante",
        "imagenes de la variante",
        "variant image",
        "variant images",
        "variant image url",
    ),
}
"""Other headings, in Spanish and English, without accents and signs."""


_COLUMNS_BY_HEADING = {normalize_heading(name): name for name in COLUMNS}
_COLUMNS_BY_HEADING |= {normalize_heading(label): name for name, label in LABELS.items() if name in COLUMNS}
_COLUMNS_BY_HEADING |= {
    normalize_heading(other): name
    for name, others in _OTHER_HEADINGS.items()
    for other in others
    if name in COLUMNS
}


_NUMBERED = re.compile(r"(?:product )?(image|category|tag) (\d{1,3})(?: url)?")
_LIST_COLUMNS = {"image": "pictures", "category": "categories", "tag": "tags"}


def find_column(heading: str) -> str:
    """Return the column of a heading in Spanish or English; empty if it is unknown."""
    return _COLUMNS_BY_HEADING.get(normalize_heading(heading), "")


def find_list_column(heading: str) -> tuple[str, int]:
    """Return the list column and the number of a heading such as `Product Image 2`; "" and 0 for other headings."""
    found = _NUMBERED.fullmatch(normalize_heading(heading))
    return (_LIST_COLUMNS[found[1]], int(found[2])) if found else ("", 0)


def list_headings() -> frozenset[str]:
    """Return the headings that `find_column` knows, normalized."""
    return frozenset(_COLUMNS_BY_HEADING)


def get_label(column: str) -> str:
    """Return the column's Spanish label."""
    return LABELS.get(column, column)


def get_hint(column: str) -> str:
    """Return the column's Spanish description of the allowed values."""
    return HINTS.get(column, "")
