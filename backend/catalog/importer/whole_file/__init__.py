"""The command that imports a product file: it checks the whole file before it writes anything."""
