"""What the shop's own pages read of the catalogue."""
