"""Numbers by which the browser tells what is new from what it has seen."""

from backend.clock import now


def next_number(before: int) -> int:
    """A number above the one before it, and above all that a state which was lost meanwhile has given out."""
    return max(before + 1, int(now().timestamp() * 1000))
