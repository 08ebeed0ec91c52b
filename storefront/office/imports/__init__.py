"""The import screen (Importar) and its state."""
