"""Random catalogues in the files of each program: nothing is lost, and nothing is invented."""

from collections.abc import Callable, Sequence
from functools import partial

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from backend.catalog.importer.columns import OPTIONS
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.source_rows import parse_typed_row
from backend.catalog.importer.tables.models import SetAsideReason
from backend.imports.spreadsheet_parsing import read_product_file
from tests.backend.imports import catalogs
from tests.backend.imports.catalogs import CatalogFile, CatalogProduct, to_csv, to_workbook

Writer = Callable[[Sequence[CatalogProduct]], CatalogFile]
FORMATS: dict[str, tuple[SourceFormat, Writer, bool]] = {
    "shopify": (SourceFormat.SHOPIFY, catalogs.write_shopify, True),
    "woocommerce-es": (SourceFormat.WOOCOMMERCE, partial(catalogs.write_woocommerce, language="es"), True),
    "woocommerce-en": (SourceFormat.WOOCOMMERCE, partial(catalogs.write_woocommerce, language="en"), True),
    "prestashop": (SourceFormat.PRESTASHOP, catalogs.write_prestashop, False),
    "google": (SourceFormat.GOOGLE, catalogs.write_google, True),
    "mercadolibre": (SourceFormat.MERCADOLIBRE, catalogs.write_mercadolibre, True),
    "accounting": (SourceFormat.UNKNOWN, catalogs.write_accounting_list, False),
    "trompo": (SourceFormat.TROMPO, catalogs.write_own_list, True),
}
"""Format, writer and ability to have options, by name."""
MERGED = {"accounting": ["Línea", "Marca", "IVA"]}
"""Columns in which a workbook may have merged cells."""
COMPARED = frozenset(
    {
        "title", "description", "brand", "categories", "tags", "weight", "status", "pictures", "sku", "price",
        "compare_at_price", "stock", "ean", "tax_rate", OPTIONS,
    }
)  # fmt: skip
LIMITS = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def read_values(source: SourceFile) -> dict[str, dict[str, object]]:
    """Return the values that the import would write, by SKU. Check that no row has a problem."""
    found: dict[str, dict[str, object]] = {}
    for source_row in source.rows:
        row = parse_typed_row(source.columns, source_row.line, source_row.texts)
        assert [*source_row.problems, *row.problems] == []
        assert row.get("sku") not in found
        found[row.get("sku")] = {
            name: value
            for name, value in row.values.items()
            if name in COMPARED and value not in (None, "", ())
        }
    return found


@pytest.mark.parametrize("name", FORMATS)
@LIMITS
@given(data=st.data())
def test_text_file_is_read_completely(name: str, data: st.DataObject) -> None:
    source_format, write, has_options = FORMATS[name]
    file = write(data.draw(catalogs.catalogs(has_options=has_options)))
    delimiter = data.draw(st.sampled_from([",", ";", "\t"]))
    line_end = data.draw(st.sampled_from(["\n", "\r\n"]))
    encoding = data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    source = read_product_file(to_csv(file, delimiter, line_end, encoding))
    assert source.format is source_format
    assert read_values(source) == file.expected


@pytest.mark.parametrize("name", FORMATS)
@LIMITS
@given(data=st.data())
def test_workbook_with_titles_totals_and_merged_cells_is_read_completely(
    name: str, data: st.DataObject
) -> None:
    source_format, write, has_options = FORMATS[name]
    products = data.draw(catalogs.catalogs(has_options=has_options))
    file = write(products)
    assume(len(file.rows) > 1)
    total = data.draw(st.sampled_from(["", "TOTAL GENERAL", "Subtotal"]))
    source = read_product_file(
        to_workbook(
            file,
            titles=data.draw(st.integers(0, 3)),
            total=total,
            cover=data.draw(st.booleans()),
            merged=MERGED.get(name, ()),
        )
    )
    assert (source.format, source.sheet) == (source_format, "Lista")
    assert read_values(source) == file.expected
    totals = [row for row in source.set_aside if row.reason is SetAsideReason.TOTAL]
    assert len(totals) == bool(total)
