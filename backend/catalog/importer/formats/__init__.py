"""Formats of product files: recognition of other programs' exports, and conversion to the importer's columns."""
