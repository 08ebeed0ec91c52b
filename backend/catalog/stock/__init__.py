"""The stock of the catalogue as staff see and set it."""
