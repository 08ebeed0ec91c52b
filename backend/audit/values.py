"""Which values may stand in an entry for ever, which are personal, and which are never recorded.

What is not listed counts as personal: a new column is safe before anybody thinks of it.
"""

from datetime import datetime
from typing import Any

LONGEST = 4_000
"""Characters of a text that are recorded."""

ALL = None
NOBODYS: dict[str, frozenset[str] | None] = {
    "bulk_change": ALL,
    "bulk_change_row": ALL,
    "campaign": ALL,
    "category": ALL,
    "collection": ALL,
    "content_version": ALL,
    "customer_group": ALL,
    "data_export": ALL,
    "former_handle": ALL,
    "fulfillment_provider": ALL,
    "fulfillment_set": ALL,
    "inventory_level": ALL,
    "invoice": frozenset(
        {"kind", "order_id", "refund_id", "state", "amount", "prefix", "number", "issued_at"}
    ),
    "legal_text": ALL,
    "location_fulfillment_provider": ALL,
    "location_sales_channel": ALL,
    "picture": ALL,
    "price_list": ALL,
    "price_list_price": ALL,
    "product": ALL,
    "product_category": ALL,
    "product_has_tag": ALL,
    "product_has_type": ALL,
    "product_option": ALL,
    "product_option_value": ALL,
    "product_tag": ALL,
    "product_type": ALL,
    "promotion": ALL,
    "publishable_key": ALL,
    "refund_reason": ALL,
    "region": ALL,
    "return_reason": ALL,
    "sales_channel": ALL,
    "service_zone": ALL,
    "shipping_option": ALL,
    "stock_location": frozenset({"id", "name"}),
    "variant": ALL,
    "variant_option_value": ALL,
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
}
"""The columns, by table, whose values say nothing about a person."""

LEFT_OUT = frozenset({
    "code_key", "created_at", "id", "invited_by", "title_key", "token_epoch", "totp_failures", "updated_at",
})  # fmt: skip
"""What follows from the rest."""
SECRET = frozenset({
    "code_hash", "password_hash", "token_hash", "totp_last_step", "totp_pending", "totp_secret",
})  # fmt: skip
"""That it changed is recorded, and never its value."""


def is_personal(table: str, column: str) -> bool:
    """Whether a value of this column may say something about a person."""
    if table not in NOBODYS:
        return True
    columns = NOBODYS[table]
    return columns is not None and column not in columns


def as_json(value: Any) -> Any:
    """The value as JSON: a moment in ISO 8601, a long text cut, of bytes only how many there are."""
    if isinstance(value, str):
        text = str(value)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    if isinstance(value, dict):
        return {str(name): as_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(one) for one in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return value if value is None or isinstance(value, int | float) else str(value)
