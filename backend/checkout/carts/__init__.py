"""Changes of a cart while it is bought, its wire form, and carts that were left."""
