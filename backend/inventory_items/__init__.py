"""Inventory items of the Admin API: the stock of each variant, returned together with the variant."""
