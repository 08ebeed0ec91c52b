"""Alerts to the owner about ongoing problems, such as no sales, a full disk or a failing gateway.

Unlike the rows of `backend.attention`, an alert needs no decision: it ends when its problem has ended.
"""

from backend.alerts.kinds import AlertKind
from backend.alerts.service import AlertBegan, AlertEnded, end_alerts, raise_alert, read_alert

__all__ = ["AlertBegan", "AlertEnded", "AlertKind", "end_alerts", "raise_alert", "read_alert"]
