"""Conversion of a table in a recognised format."""

from collections.abc import Callable, Mapping

from backend.catalog.importer.formats import google, mercadolibre, own, prestashop, shopify, woocommerce
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.tables.models import Table

CONVERTERS: Mapping[SourceFormat, Callable[[Table], SourceFile]] = {
    SourceFormat.SHOPIFY: shopify.convert,
    SourceFormat.WOOCOMMERCE: woocommerce.convert,
    SourceFormat.PRESTASHOP: prestashop.convert,
    SourceFormat.GOOGLE: google.convert,
    SourceFormat.MERCADOLIBRE: mercadolibre.convert,
}
"""Converters of other programs' formats."""


def convert_table(table: Table, source_format: SourceFormat) -> SourceFile:
    """Convert a table to the importer's columns. `source_format` is a recognised one: see `recognise`."""
    if source_format in CONVERTERS:
        return CONVERTERS[source_format](table)
    return own.convert(table, source_format)
