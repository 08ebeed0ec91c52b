"""Request bodies and parameters of the catalogue's APIs, and the fields of a product."""
