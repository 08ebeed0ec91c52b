"""The store's settings in the Admin API: stores, currencies, locales, taxes and price preferences."""
