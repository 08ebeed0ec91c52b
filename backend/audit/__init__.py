"""Who of the staff did what, when, on which thing, and what it was before: rows that nothing changes or deletes."""

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
