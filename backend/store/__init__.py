"""The store's settings over the Admin API: stores, currencies, locales, taxes, price preferences."""
