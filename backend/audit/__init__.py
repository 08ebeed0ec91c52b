"""The audit: append-only rows of each action of a staff member, with the values before and after."""

from backend.audit.models import AuditEntry, AuditPersonalValue
from backend.audit.recording import Change, Requester, Subject, Thing, Who, forget_personal_values, record

__all__ = [
    "AuditEntry",
    "AuditPersonalValue",
    "Change",
    "Requester",
    "Subject",
    "Thing",
    "Who",
    "forget_personal_values",
    "record",
]
