"""How the shop stands, for machines: `/metrics`, and what is told to its owner."""

from backend.operations.monitoring.process_monitor import Monitor

__all__ = ["Monitor"]
