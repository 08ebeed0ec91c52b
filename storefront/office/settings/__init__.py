"""The settings screen (Ajustes)."""
