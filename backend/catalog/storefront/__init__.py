"""Catalog reads for the storefront's pages."""
