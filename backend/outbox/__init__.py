"""The outbox: tells the storefront at least once which products changed."""
