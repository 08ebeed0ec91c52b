"""Bringing the database to the shape that this version of the code needs."""

from backend.migrations.runner import make_revision, upgrade

__all__ = ["make_revision", "upgrade"]
