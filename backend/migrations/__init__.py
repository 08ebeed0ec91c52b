"""Bringing the database to the shape that this version of the code needs (`runner`)."""
