"""Notices to shoppers when a sold-out product is back in stock."""
