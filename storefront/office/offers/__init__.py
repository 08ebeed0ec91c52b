"""Ofertas: the list of promotions, and one of them."""
