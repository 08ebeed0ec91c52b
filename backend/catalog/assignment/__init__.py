"""Assigning products to collections and a category over the Admin API: `trompo catalog assign`.

spec: Catalog-assignment procedure. It is a program of its own that knows a shop by its address and a token; it changes
no price, text, picture or metadata of a product (rule 8).
"""
