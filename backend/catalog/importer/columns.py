"""The columns that a file of products may have, and how their cells are read."""

from backend.catalog.schemas import cell_parsers, product_fields
from backend.catalog.schemas.cell_parsers import Cell

PRODUCT_CELLS = product_fields.CELLS
VARIANT_CELLS = {
    "sku": Cell(cell_parsers.text(64)),
    "ean": Cell(cell_parsers.bar_code, None),
    "price": Cell(cell_parsers.number(1_000_000_000, "89900")),
    "compare_at_price": Cell(cell_parsers.number(1_000_000_000, "109900"), None),
    "is_free": Cell(cell_parsers.yes_or_no),
}
OPTION_CELLS = {
    name: Cell(cell_parsers.word(255))
    for number in (1, 2, 3)
    for name in (f"option_{number}", f"value_{number}")
}
"""An option of the product and the variant's value, three times. A row has them together in `OPTIONS`."""
OPTIONS = "options"
"""What a row says of its variant: a tuple of titles and values, `(("Talla", "M"), ("Color", "Rojo"))`."""
ID_CELLS = {"product_id": Cell(cell_parsers.text(64)), "variant_id": Cell(cell_parsers.text(64))}
"""By which programs know a product and a variant."""
OF_PROGRAMS = {
    **ID_CELLS,
    "variant_title": Cell(cell_parsers.text(255)),
    "tags": Cell(cell_parsers.several, ()),
    "type": Cell(cell_parsers.text(255), None),
}
"""What only programs say: the columns of files for people do not have them."""
COLUMNS = {
    **PRODUCT_CELLS,
    "categories": Cell(cell_parsers.several, ()),
    "collection": Cell(cell_parsers.word(255), None),
    **VARIANT_CELLS,
    **OPTION_CELLS,
    "stock": Cell(cell_parsers.number(1_000_000, "12")),
    "pictures": Cell(cell_parsers.several, ()),
    **OF_PROGRAMS,
}
"""The columns a file may have, in any order."""
NAMES = ("handle", "sku", *ID_CELLS)
"""The columns a product is known by; a file needs one of them."""
OF_A_PRODUCT = frozenset({*PRODUCT_CELLS, "categories", "collection", "pictures", "tags", "type"}) - {
    "handle"
}
"""The columns that say something of the whole product: rows of its variants say the same in them, or nothing."""
