"""Headings of accounting programs and of lists that people make, by the importer's column."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

_SHORT_FORMS = {
    "articulo": ("art",),
    "categoria": ("cat", "categ"),
    "codigo": ("cod",),
    "cantidad": ("cant",),
    "departamento": ("depto", "dpto"),
    "descripcion": ("descrip",),
    "existencia": ("exist",),
    "existencias": ("exist",),
    "impuesto": ("impto",),
    "inventario": ("inv",),
    "precio": ("pr",),
    "producto": ("prod",),
    "proveedor": ("prov",),
    "publico": ("pub",),
    "referencia": ("ref",),
    "unitario": ("unit", "und"),
    "valor": ("vr", "vlr"),
    "venta": ("vta",),
}
"""Abbreviations of words in headings."""
_PREPOSITIONS = frozenset({"de", "del", "al", "en", "el", "la"})
_WITHOUT_TAX = ("sin iva", "antes de iva", "sin impuestos", "antes de impuestos")
_WITH_TAX = ("iva incluido", "con iva", "iva incl", "incluye iva", "impuestos incluidos", "con impuestos")
_WORDS: Mapping[str, Sequence[str]] = {
    "title": (
        "nombre", "nombre del producto", "nombre producto", "nombre articulo", "nombre del articulo", "articulo",
        "producto", "juguete", "nombre largo", "titulo", "name", "item name", "product", "product name", "title",
        "descripcion producto", "descripcion del producto", "descripcion articulo", "descripcion del articulo",
        "detalle", "descripcion", "description", "item",
    ),
    "sku": (
        "sku", "codigo", "cod", "codigo producto", "codigo del producto", "codigo de producto", "codigo articulo",
        "codigo interno", "codigo item", "cod producto", "code", "item", "referencia", "ref", "reference",
        "referencia de fabrica", "referencia fabrica", "referencia proveedor", "plu", "no parte", "numero de parte",
        "part number", "clave",
    ),
    "ean": (
        "ean", "ean13", "ean 13", "codigo de barras", "codigo de barra", "codigo barras", "cod barras",
        "cod de barras", "barras", "codigo ean", "barcode", "bar code", "gtin", "upc",
    ),
    "price": (
        "precio de venta", "precio venta", "precio de venta al publico", "precio venta publico", "precio publico",
        "precio al publico", "pvp", "p v p", "precio con iva", "precio iva incluido", "precio con impuesto",
        "precio con impuestos", "precio final", "precio", "precio 1", "lista 1", "precio lista 1", "precio detal",
        "precio al detal", "precio unitario", "valor unitario", "valor venta", "valor", "vlr unitario", "vr unitario",
        "vlr venta", "precio total", "price", "unit price", "sale price", "retail price",
    ),
    "price_without_tax": (
        "precio sin iva", "precio antes de iva", "precio antes de impuestos", "precio sin impuesto",
        "precio sin impuestos", "precio base", "valor sin iva", "valor antes de iva", "precio imp excl",
        "precio venta sin iva", "precio de venta sin iva", "precio neto", "price without tax", "price tax excluded",
        "price excluding tax", "net price",
    ),
    "compare_at_price": ("precio antes", "precio anterior", "precio normal", "precio full", "precio sin descuento"),
    "tax_rate": (
        "iva", "tarifa iva", "tarifa de iva", "iva porcentaje", "porcentaje iva", "porcentaje de iva", "impuesto",
        "impuestos", "tipo iva", "tipo de iva", "tipo de impuesto", "tax", "vat", "impto", "imp",
    ),
    "stock": (
        "saldo", "saldo actual", "saldos", "saldo final", "existencia", "existencias", "existencia actual", "stock",
        "stock actual", "inventario", "inventario actual", "disponible", "disponibles", "cantidad disponible",
        "cantidad actual", "cantidad", "cantidades", "cant", "unidades", "und", "uds", "quantity", "qty", "units",
        "on hand", "cantidad en bodega", "cantidad en stock", "saldo cantidades", "saldo en cantidades",
        "inventario final", "existencia final", "existencias totales",
    ),
    "categories": (
        "categoria", "categorias", "linea", "grupo", "familia", "departamento", "seccion", "subcategoria", "subgrupo",
        "sublinea", "subfamilia", "subdepartamento", "subseccion", "tipo de producto", "clasificacion",
        "grupo de inventario", "grupo inventario", "category", "categories",
    ),
    "brand": ("marca", "fabricante", "marca comercial", "brand"),
    "weight": ("peso", "peso kg", "peso kilos", "peso en kg", "peso neto", "peso bruto", "weight"),
    "length": ("largo", "largo cm", "longitud", "profundidad", "fondo"),
    "width": ("ancho", "ancho cm", "anchura"),
    "height": ("alto", "alto cm", "altura"),
    "description": (
        "descripcion larga", "descripcion detallada", "descripcion web", "descripcion", "description",
    ),
    "pictures": (
        "foto", "fotos", "imagen", "imagenes", "url imagen", "url de la imagen", "link foto", "url foto",
        "imagen principal", "foto principal", "imagen url", "image", "images",
    ),
    "age_range": ("edad", "edades", "edad recomendada", "rango de edad", "edad minima", "age"),
    "material": ("material", "materiales"),
    "old_addresses": (
        "direcciones anteriores", "direccion anterior", "urls anteriores", "url anterior", "url antigua",
        "direccion antigua", "enlace anterior", "link anterior", "permalink", "enlace permanente", "url del producto",
        "url producto", "link del producto", "link producto", "enlace del producto", "enlace producto",
        "old addresses", "old address", "old urls", "old url", "product url", "product link",
    ),
    "status": ("estado", "activo", "publicado", "visible", "habilitado"),
}  # fmt: skip
"""Normalized headings without abbreviations, by the importer's column; the most likely heading comes first."""


def _spell(heading: str) -> Iterator[str]:
    """Yield the heading, then its spellings with abbreviations and without prepositions."""
    words = heading.split()
    for forms in product(*((word, *_SHORT_FORMS.get(word, ())) for word in words)):
        yield " ".join(forms)
        yield " ".join(word for word in forms if word not in _PREPOSITIONS)


def _list_spellings() -> dict[str, tuple[str, ...]]:
    prices = _WORDS["price"]
    words: dict[str, Sequence[str]] = {
        **_WORDS,
        "price": [
            *prices,
            *(f"{one} 1" for one in prices if one.startswith("precio")),
            *(f"{one} {end}" for end in _WITH_TAX for one in prices),
        ],
        "price_without_tax": [
            *_WORDS["price_without_tax"],
            *(f"{one} {end}" for end in _WITHOUT_TAX for one in prices),
        ],
    }
    return {
        column: tuple(dict.fromkeys(spelling for heading in some for spelling in _spell(heading)))
        for column, some in words.items()
    }


SYNONYMS: Mapping[str, Sequence[str]] = _list_spellings()
"""Normalized headings by the importer's column; the most likely heading comes first.

A heading may belong to several columns: see `backend.catalog.importer.formats.mapping`.
"""
BELOW = "sub"
"""Beginning of the headings of subcategories. `Subcategoría`, for example, is below `Categoría`."""
