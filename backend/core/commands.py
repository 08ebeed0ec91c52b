"""What the commands of all services share."""

from typing import Any

UNCHANGED: Any = object()
"""The default of a value that a command does not change, where None clears it."""
