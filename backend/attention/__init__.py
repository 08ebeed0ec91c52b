"""Decisions that a person must make: each is a row with a deadline, never only a log line."""

from backend.attention.kinds import AttentionKind
from backend.attention.service import close_attention, is_resolved_by_staff, raise_attention

__all__ = ["AttentionKind", "close_attention", "is_resolved_by_staff", "raise_attention"]
