"""What the owner is told while it lasts: no sales, a full disk, a gateway that fails. Nothing has to be settled."""

from backend.alerts.kinds import AlertKind
from backend.alerts.service import AlertBegan, AlertEnded, end_alerts, raise_alert, read_alert

__all__ = ["AlertBegan", "AlertEnded", "AlertKind", "end_alerts", "raise_alert", "read_alert"]
