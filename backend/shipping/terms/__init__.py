"""Terms of own delivery and of pickup points, in the data of shipping options."""
