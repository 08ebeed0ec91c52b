"""How the shop stands, for machines: `/metrics`, and what is told to its owner."""

from backend.monitoring.monitor import Monitor

__all__ = ["Monitor"]
