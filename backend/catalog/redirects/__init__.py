"""Redirects from addresses of a former shop to products and categories, and the unknown addresses that people visit."""
