"""What this room tells those above it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResetAsked:
    """Somebody says they forgot the password of this address. Whether anybody has an account with it is not said."""

    address: str
