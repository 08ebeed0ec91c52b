"""The Store API and the Admin API of the catalogue."""
