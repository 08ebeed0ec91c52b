"""Changes of a cart during the checkout, its API format, and abandoned carts."""
