"""The audit: an append-only entry for each action of a staff member, with the values before and after."""

from backend.audit.models import AuditEntry, AuditPersonalValue
from backend.audit.recording import (
    AuditActor,
    Change,
    Requester,
    Subject,
    SubjectType,
    forget_personal_values,
    record,
)

__all__ = [
    "AuditActor",
    "AuditEntry",
    "AuditPersonalValue",
    "Change",
    "Requester",
    "Subject",
    "SubjectType",
    "forget_personal_values",
    "record",
]
