"""Rows of an import: parsing, and the changes and losses that they make in the shop."""
