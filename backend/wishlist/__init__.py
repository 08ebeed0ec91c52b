"""Wishlists of accounts. The wishlist of a visitor without an account is stored only in the browser."""
