"""Redirects from addresses of a former shop to pages of this shop, and the unknown addresses that people visit."""
