"""The outbox: reports changed products to the storefront at least once."""
