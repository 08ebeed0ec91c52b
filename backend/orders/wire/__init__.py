"""Orders as the platform's APIs show them."""
