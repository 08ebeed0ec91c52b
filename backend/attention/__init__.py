"""Attention: decisions that a staff member must make. Each is a row with a deadline, not only a log line."""

from backend.attention.kinds import AttentionKind
from backend.attention.service import close_attention, is_resolved_by_staff, raise_attention

__all__ = ["AttentionKind", "close_attention", "is_resolved_by_staff", "raise_attention"]
