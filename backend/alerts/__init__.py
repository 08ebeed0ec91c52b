"""Alerts to the owner about ongoing conditions: no sales, a full disk, a failing gateway. They need no decision."""

from backend.alerts.kinds import AlertKind
from backend.alerts.service import AlertBegan, AlertEnded, end_alerts, raise_alert, read_alert

__all__ = ["AlertBegan", "AlertEnded", "AlertKind", "end_alerts", "raise_alert", "read_alert"]
