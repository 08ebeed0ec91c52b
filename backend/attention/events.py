"""What attention tells the packages above it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AttentionRaised:
    """There is something new to settle. Published in the transaction that raises it."""

    attention_id: str
