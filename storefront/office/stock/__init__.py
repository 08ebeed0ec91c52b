"""The stock screen (Bodega): inventory levels, receiving, counts and stock movements."""
