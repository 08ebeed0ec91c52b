"""Offer screens (Ofertas): the list of promotions and sales, and the editors."""
