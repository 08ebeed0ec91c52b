"""Classification of values in audit entries: stored permanently, personal, or never recorded.

Unlisted columns count as personal, so a new column is safe by default.
"""

from datetime import datetime
from typing import Any

MAX_TEXT_LENGTH = 4_000
"""Maximum number of recorded characters of a text."""

ALL_COLUMNS = None
NON_PERSONAL: dict[str, frozenset[str] | None] = {
    "bulk_change": ALL_COLUMNS,
    "bulk_change_row": ALL_COLUMNS,
    "campaign": ALL_COLUMNS,
    "category": ALL_COLUMNS,
    "collection": ALL_COLUMNS,
    "content_version": ALL_COLUMNS,
    "customer_group": ALL_COLUMNS,
    "data_export": ALL_COLUMNS,
    "day_closing": ALL_COLUMNS,
    "draft_order": ALL_COLUMNS,
    "former_handle": ALL_COLUMNS,
    "fulfillment_provider": ALL_COLUMNS,
    "fulfillment_set": ALL_COLUMNS,
    "inventory_level": ALL_COLUMNS,
    "invoice": frozenset(
        {"kind", "order_id", "refund_id", "state", "amount", "prefix", "number", "issued_at"}
    ),
    "legal_text": ALL_COLUMNS,
    "location_fulfillment_provider": ALL_COLUMNS,
    "location_sales_channel": ALL_COLUMNS,
    "order_exchange": ALL_COLUMNS,
    "payment_link": ALL_COLUMNS,
    "picture": ALL_COLUMNS,
    "price_list": ALL_COLUMNS,
    "price_list_price": ALL_COLUMNS,
    "product": ALL_COLUMNS,
    "product_category": ALL_COLUMNS,
    "product_has_tag": ALL_COLUMNS,
    "product_has_type": ALL_COLUMNS,
    "product_option": ALL_COLUMNS,
    "product_option_value": ALL_COLUMNS,
    "product_tag": ALL_COLUMNS,
    "product_type": ALL_COLUMNS,
    "promotion": ALL_COLUMNS,
    "publishable_key": ALL_COLUMNS,
    "refund_reason": ALL_COLUMNS,
    "region": ALL_COLUMNS,
    "return_reason": ALL_COLUMNS,
    "sales_channel": ALL_COLUMNS,
    "service_zone": ALL_COLUMNS,
    "shipping_option": ALL_COLUMNS,
    "stock_location": frozenset({"id", "name"}),
    "variant": ALL_COLUMNS,
    "variant_option_value": ALL_COLUMNS,
    "webhook_endpoint": ALL_COLUMNS,
    "attention": frozenset({"kind", "subject_id", "amount", "resolved_at", "resolution"}),
    "fulfillment": frozenset(
        {"state", "tracking_number", "shipped_at", "delivered_at", "canceled_at", "items", "reference"}
    ),
    "order": frozenset({"status", "payment_status", "fulfillment_status"}),
    "order_return": frozenset(
        {
            "order_id",
            "kind",
            "state",
            "asked_by",
            "asked_at",
            "due_at",
            "received_at",
            "approved_at",
            "ended_at",
            "amount",
            "refund_id",
        }
    ),
    "order_return_file": frozenset({"return_id", "purpose", "media_type"}),
    "order_return_draft": frozenset({"order_id", "step", "kind"}),
    "order_return_line": frozenset(
        {"return_id", "line_id", "quantity", "good", "damaged", "restocked", "reason_id"}
    ),
    "order_line": frozenset({"quantity", "fulfilled", "withdrawn", "returned"}),
    "pqrs": frozenset({"answered_at", "kind"}),
    "refund": frozenset({"payment_session_id", "order_id", "amount", "reason", "lines"}),
    "review": frozenset({"product_id", "stars", "state", "decided_at", "answered_at", "is_demo"}),
    "secret_key": frozenset({"redacted", "title", "role", "created_by", "revoked_at", "revoked_by"}),
    "staff": frozenset({"role", "disabled_at"}),
    "staff_invite": frozenset({"role", "expires_at", "sent_at"}),
    "staff_role": frozenset({"name", "rights"}),
}
"""Columns without personal data, by table."""

UNRECORDED = frozenset({
    "code_key", "created_at", "id", "invited_by", "name_key", "title_key", "token_epoch", "totp_failures", "updated_at",
})  # fmt: skip
"""Columns that are not recorded, because they follow from other columns."""
SECRET_COLUMNS = frozenset({
    "callback_url", "code_hash", "former_secret", "password_hash", "secret", "token_hash", "totp_last_step",
    "totp_pending", "totp_secret",
})  # fmt: skip
"""Columns whose changes are recorded, but never their values."""


def is_personal(table: str, column: str) -> bool:
    """Return True if a value of this column may be personal data."""
    if table not in NON_PERSONAL:
        return True
    columns = NON_PERSONAL[table]
    return columns is not None and column not in columns


def as_json(value: Any) -> Any:
    """Convert a value to JSON: times in ISO 8601, long texts shortened, bytes as text like `12 bytes`."""
    if isinstance(value, str):
        text = str(value)
        return text if len(text) <= MAX_TEXT_LENGTH else f"{text[:MAX_TEXT_LENGTH]}…"
    if isinstance(value, dict):
        return {str(name): as_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return value if value is None or isinstance(value, int | float) else str(value)
