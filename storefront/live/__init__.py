"""Open pages that follow the shop: when a product changes, whoever is looking at it sees the change at once."""
