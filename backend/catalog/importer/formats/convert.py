"""Convert a table from a recognised format to the importer's own columns."""

from collections.abc import Callable, Mapping

from backend.catalog.importer.formats import google, mercadolibre, own, prestashop, shopify, woocommerce
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.headings import list_headings
from backend.catalog.importer.synonyms import SYNONYMS
from backend.catalog.importer.tables.models import Table

CONVERTERS: Mapping[SourceFormat, Callable[[Table], SourceFile]] = {
    SourceFormat.SHOPIFY: shopify.convert,
    SourceFormat.WOOCOMMERCE: woocommerce.convert,
    SourceFormat.PRESTASHOP: prestashop.convert,
    SourceFormat.GOOGLE: google.convert,
    SourceFormat.MERCADOLIBRE: mercadolibre.convert,
}
"""Converters of other programs' formats."""


def list_known_headings() -> frozenset[str]:
    """Return the normalized headings of all formats and of the shop's own files, with their synonyms."""
    of_formats = (google, mercadolibre, prestashop, shopify, woocommerce)
    others = [names for one in of_formats for names in one.HEADINGS.values()]
    return list_headings().union(*others, *SYNONYMS.values())


def convert_table(table: Table, source_format: SourceFormat) -> SourceFile:
    """Convert a table to the importer's columns. `source_format` is a recognised one: see `recognise`."""
    if source_format in CONVERTERS:
        return CONVERTERS[source_format](table)
    return own.convert(table, source_format)
