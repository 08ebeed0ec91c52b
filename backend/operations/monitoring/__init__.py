"""Monitoring: `/metrics`, health checks, and alerts to the owner."""

from backend.operations.monitoring.process_monitor import Monitor

__all__ = ["Monitor"]
