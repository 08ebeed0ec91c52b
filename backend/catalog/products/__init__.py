"""Services that change products, variants, options, tags and types."""
