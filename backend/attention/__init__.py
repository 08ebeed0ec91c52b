"""What a person must settle: a row with a deadline, never only a line in a log."""

from backend.attention.kinds import AttentionKind
from backend.attention.service import raise_attention

__all__ = ["AttentionKind", "raise_attention"]
