"""Bodies, parameters and answers of the catalogue's APIs, and the fields of a product."""
