"""Attention as the Admin API shows it."""

from backend.attention.kinds import RULES, AttentionKind
from backend.attention.models import Attention
from backend.edge.wire import JsonDict, iso, stamps


def attention_wire(row: Attention) -> JsonDict:
    """The row with what its kind says: title, advice and the actions that are allowed."""
    rules = RULES[AttentionKind(row.kind)]
    return {
        "id": row.id,
        "kind": row.kind,
        "status": "open" if row.resolved_at is None else "resolved",
        "subject_id": row.subject_id,
        "title": rules.title,
        "message": row.message,
        "amount": row.amount,
        "due_at": iso(row.due_at),
        "recommended_action": rules.recommended,
        "advice": rules.advice,
        "actions": list(rules.actions),
        "order_id": row.order_id,
        "payment_session_id": row.payment_session_id,
        "fulfillment_id": row.fulfillment_id,
        "data": row.data,
        "resolved_at": iso(row.resolved_at),
        "resolved_by": row.resolved_by,
        "resolution": row.resolution,
        "reference": row.reference,
        "note": row.note,
        **stamps(row.created_at, row.updated_at),
    }
