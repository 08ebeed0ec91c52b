"""What staff change of products, variants, options, tags and types."""
