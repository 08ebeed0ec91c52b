"""Values shared by the commands of all services."""

from typing import Any

UNCHANGED: Any = object()
"""Default of a value that a command leaves unchanged, where None would clear it."""
