"""What staff and the Admin API do with orders."""
