"""State that outlives a page: the frame around it, the cart, the search, the wishlist."""
