"""What a person must resolve: a row with a deadline, never only a line in a log."""

from backend.attention.kinds import AttentionKind
from backend.attention.service import close_attention, raise_attention

__all__ = ["AttentionKind", "close_attention", "raise_attention"]
