"""The storefront's pages."""
