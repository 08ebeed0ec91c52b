"""Putting products into collections and a category over the Admin API: `trompo catalog assign`.

spec: Catalog-assignment procedure. It is a program of its own that knows a shop by its address and a token; it touches
no price, no word, no picture and no metadata of a product (rule 8).
"""
