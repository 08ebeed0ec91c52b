"""Assignment of products to collections and a category through the Admin API: `trompo catalog assign`.

spec: Catalog-assignment procedure. The program runs separately from the shop: it knows only the shop's address and
a token. It never changes a product's price, texts, pictures or metadata (rule 8).
"""
