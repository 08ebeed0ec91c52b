"""Ajustes."""
