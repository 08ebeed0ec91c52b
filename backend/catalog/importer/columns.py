"""The columns of an import file, with the parsers of their cells."""

from backend.catalog.models import SEO_DESCRIPTION, SEO_TITLE
from backend.catalog.product_facts import MAX_VALUE_LENGTH
from backend.catalog.redirects.addresses import parse_addresses
from backend.catalog.schemas import cell_numbers, cell_parsers, cell_words, product_fields
from backend.catalog.schemas.cell_parsers import Cell

PRODUCT_CELLS = product_fields.CELLS | {
    name: Cell(cell_parsers.make_text_parser(MAX_VALUE_LENGTH), "") for name in (SEO_TITLE, SEO_DESCRIPTION)
}
VARIANT_CELLS = {
    "sku": Cell(cell_parsers.make_text_parser(64)),
    "ean": Cell(cell_words.parse_bar_code, None),
    "price": Cell(cell_numbers.parse_price),
    "compare_at_price": Cell(cell_numbers.parse_former_price, None),
    "cost": Cell(cell_numbers.parse_former_price, None),
    "is_free": Cell(cell_words.parse_yes_or_no),
}
OPTION_CELLS = {
    name: Cell(cell_parsers.word(255))
    for number in (1, 2, 3)
    for name in (f"option_{number}", f"value_{number}")
}
"""Title and value of up to three options. A row stores them together under `OPTIONS`."""
OPTIONS = "options"
"""Key of a row's options: a tuple of titles and values, `(("Talla", "M"), ("Color", "Rojo"))`."""
VARIANT_PICTURES = "variant_pictures"
"""Pictures that show an option value of the variant, such as its colour. An import only adds them."""
ID_CELLS = {
    "product_id": Cell(cell_parsers.make_text_parser(64)),
    "variant_id": Cell(cell_parsers.make_text_parser(64)),
}
"""Ids of a product and a variant, for API clients."""
API_COLUMNS = {
    **ID_CELLS,
    "variant_title": Cell(cell_parsers.make_text_parser(255)),
    "tags": Cell(cell_words.parse_tags, ()),
    "type": Cell(cell_parsers.make_text_parser(255), None),
}
"""Columns for API clients only; files of people do not have them."""
PRICES_WITHOUT_TAX = {
    "price_without_tax": "price",
    "compare_at_price_without_tax": "compare_at_price",
}
"""Columns with prices without IVA, as other programs write them, and for each the column of the price with IVA."""
COLUMNS = {
    **PRODUCT_CELLS,
    "categories": Cell(cell_words.parse_categories, ()),
    "collection": Cell(cell_parsers.word(255), None),
    **VARIANT_CELLS,
    **OPTION_CELLS,
    "stock": Cell(cell_numbers.parse_units),
    "pictures": Cell(cell_words.parse_pictures, ()),
    VARIANT_PICTURES: Cell(cell_words.parse_pictures),
    "old_addresses": Cell(parse_addresses),
    "price_without_tax": Cell(cell_numbers.parse_exact_price),
    "compare_at_price_without_tax": Cell(cell_numbers.parse_exact_price, None),
    **API_COLUMNS,
}
"""All columns that a file may have, in any order."""
PICTURE_COLUMNS = frozenset({"pictures", VARIANT_PICTURES})
"""Columns with names of pictures."""
ID_COLUMNS = ("handle", "sku", *ID_CELLS)
"""Columns that identify a product; a file needs at least one of them."""
PRODUCT_COLUMNS = frozenset({*PRODUCT_CELLS, "categories", "collection", "pictures", "tags", "type"}) - {
    "handle"
}
"""Columns that apply to the product as a whole. The rows of its variants must have the same value or none."""
