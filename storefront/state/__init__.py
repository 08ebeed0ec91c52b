"""State that all pages share: the frame, the cart, the search and the wishlist."""
